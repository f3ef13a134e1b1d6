//! What came of a step, in the terms an expectation is written in. Each driver fills these in from its own runtime.

use std::time::Duration;

use serde_json::{Map, Value};

/// Everything seen during one step.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// One for each request the step sent, in the order they were sent.
    pub exchanges: Vec<Exchange>,
    /// The requests that reached an upstream, in the order they arrived.
    pub upstream: Vec<UpstreamRequest>,
    /// What the runtime printed meanwhile; shown when the step fails, never compared.
    pub output: Vec<String>,
}

/// One request of the visitor's and what it was given.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// What the visitor got.
    pub outcome: Outcome,
    /// From the start of the request to the end of the answer.
    pub total: Duration,
    /// The proxy's event for this request, if one came.
    pub event: Option<Map<String, Value>>,
}

/// How an exchange ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// An answer, perhaps with a broken body.
    Answered(Answered),
    /// The visitor hung up, as the case asks, before any head of an answer.
    Aborted,
    /// Nothing that could be read as an answer; the text says what happened.
    Unanswered(String),
}

/// An answer as it was read off the wire.
#[derive(Clone, Debug, Default)]
pub struct Answered {
    /// The status.
    pub status: u16,
    /// Header lines in order.
    pub headers: Headers,
    /// The bytes of the body without its transfer coding, content coding kept.
    pub body: Vec<u8>,
    /// Every read that brought body bytes: when, counted from the start of the request, and how many.
    pub reads: Vec<Read>,
    /// How the body ended.
    pub end: BodyEnd,
}

/// How a body ended.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub enum BodyEnd {
    /// Where its framing said it would.
    #[default]
    Complete,
    /// Before that; the text says how.
    Broken(String),
    /// By the visitor hanging up, as the case asks.
    Aborted,
}

/// A read that brought body bytes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Read {
    /// Counted from the start of the request.
    pub at: Duration,
    /// How many bytes of the body it brought.
    pub bytes: usize,
}

/// A request as an upstream received it.
#[derive(Clone, Debug, Default)]
pub struct UpstreamRequest {
    /// The method.
    pub method: String,
    /// The absolute URL.
    pub url: String,
    /// The authority: a host, with its port where the URL names one.
    pub host: String,
    /// The path without the query, as it arrived.
    pub path: String,
    /// The query without its question mark.
    pub query: String,
    /// Header lines in order. `host` is among them even where the runtime leaves it to the URL.
    pub headers: Headers,
    /// The body, as far as it arrived.
    pub body: Vec<u8>,
}

/// Header lines in the order they came.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Headers(pub Vec<(String, Vec<u8>)>);

impl Headers {
    /// The values of every line of a name, whatever its case.
    pub fn lines<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
        self.0
            .iter()
            .filter(move |(own, _)| own.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_slice())
    }

    /// All lines of a name as one value, or nothing where there is none.
    #[must_use]
    pub fn joined(&self, name: &str) -> Option<Vec<u8>> {
        let lines: Vec<_> = self.lines(name).collect();
        (!lines.is_empty()).then(|| lines.join(&b", "[..]))
    }

    /// Whether a line of this name is present.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.lines(name).next().is_some()
    }
}
