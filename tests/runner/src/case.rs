//! A conformance case as values: what one visitor, one upstream and the proxy between them do.
//!
//! `tests/conformance/FORMAT.md` is the reference. The types that mirror the JSON are private and live in
//! `document`; everything that could be contradictory there (two bodies, steps beside a `configError`) is settled when
//! a case is read, so whoever plays or compares a case has nothing left to check.

mod document;
mod load;

use std::collections::BTreeMap;
use std::time::Duration;

use regex::Regex;
use serde_json::{Map, Value};

pub use load::{LoadError, load};

/// One case, with the area of the file it came from.
#[derive(Clone, Debug)]
pub struct Case {
    /// Unique, kebab-case, begins with the area.
    pub id: String,
    /// The area its file states.
    pub area: String,
    /// The file's name, for messages.
    pub file: String,
    /// The rule it holds the proxy to.
    pub rule: String,
    /// The route table document, exactly as the case wrote it.
    pub config: String,
    /// Secrets and variables bound into the Worker.
    pub vars: BTreeMap<String, String>,
    /// Rate limit bindings by name.
    pub ratelimits: BTreeMap<String, RateLimit>,
    /// Scripted upstreams by authority: a host, or `host:port`.
    pub upstreams: BTreeMap<String, Vec<Rule>>,
    /// What is done and expected.
    pub plot: Plot,
}

/// A case either ends at the route table or sends requests through it.
#[derive(Clone, Debug)]
pub enum Plot {
    /// The table must be refused.
    Refused(Refusal),
    /// The table is good; the visitor does this, in order.
    Steps(Vec<Step>),
}

/// What the refusal of a route table must say.
#[derive(Clone, Debug, Eq, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refusal {
    /// The field it names; any field when absent.
    pub path: Option<String>,
    /// Texts its message contains, whatever their case.
    #[serde(default)]
    pub contains: Vec<String>,
}

/// A rate limit binding.
#[derive(Clone, Copy, Debug, Eq, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub struct RateLimit {
    /// Requests let through in one period.
    pub limit: u32,
    /// Seconds; the platform knows 10 and 60.
    pub period: u32,
}

/// A rule of a scripted upstream.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Which requests it answers.
    #[serde(default)]
    pub when: When,
    /// How it answers them.
    pub then: Then,
}

/// Conditions of a rule; all that are given must hold.
#[derive(Clone, Debug, Default, Eq, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct When {
    /// The method, compared exactly.
    pub method: Option<String>,
    /// The path without the query, as it arrived.
    pub path: Option<String>,
    /// Headers that are present with exactly this value.
    pub header: BTreeMap<String, String>,
    /// How many requests the rule answers before it steps aside.
    pub times: Option<u32>,
}

/// How an upstream answers.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Then {
    /// Pause between the request and the answer.
    pub delay: Duration,
    /// What comes after the pause.
    pub act: Act,
}

/// What an upstream does with a request.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Act {
    /// The proxy's fetch throws at once.
    Refuse,
    /// No headers, ever.
    Hang,
    /// 200 with a JSON description of the request.
    Echo,
    /// A scripted answer.
    Answer(Answer),
}

/// A scripted answer.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// Header lines in order.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: AnswerBody,
    /// What follows the body.
    pub end: End,
}

/// The body of a scripted answer.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum AnswerBody {
    /// Sent at once, with its length stated.
    Whole(Vec<u8>),
    /// Sent piece by piece, without a length.
    Pieces(Vec<Piece>),
}

/// A part of a body, and how long after the part before it is sent.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Piece {
    /// The pause before this piece.
    pub after: Duration,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// How a scripted answer ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum End {
    /// As it should.
    Complete,
    /// With silence that has no end.
    Stall,
    /// With a broken body.
    Reset,
}

/// One thing the visitor does, and what must come of it.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The pause before the request.
    #[serde(rename = "waitMs", default, deserialize_with = "document::millis")]
    pub wait: Duration,
    /// What is sent.
    pub request: Request,
    /// What must come.
    #[serde(default)]
    pub expect: Expect,
}

/// A visitor's request.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Request {
    /// The method, as written.
    pub method: String,
    /// The absolute URL, as written: it may be one that no URL parser leaves alone.
    pub url: String,
    /// Header lines in order, as written.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: RequestBody,
    /// The platform's `cf` object.
    pub cf: Option<Map<String, Value>>,
    /// How many times it is sent, one after the other.
    pub repeat: u32,
    /// How many are sent at once, each time.
    pub parallel: u32,
    /// When the visitor resets the connection, counted from the start of the request.
    pub abort_after: Option<Duration>,
}

/// The body of a visitor's request.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum RequestBody {
    /// None, and no header says otherwise.
    Absent,
    /// Sent at once, with its length stated unless the case states one.
    Whole(Vec<u8>),
    /// Sent piece by piece in chunked coding.
    Pieces(Vec<Piece>),
}

/// What must come of a step. Whatever is absent or empty is not compared.
#[derive(Clone, Debug, Default)]
pub struct Expect {
    /// Whether the host Worker's own handler answered.
    pub fallthrough: Option<bool>,
    /// Allowed statuses.
    pub status: Vec<u16>,
    /// Headers by name.
    pub headers: BTreeMap<String, ValueMatch>,
    /// Names that must be absent.
    pub no_headers: Vec<String>,
    /// The exact text of the body.
    pub body: Option<String>,
    /// Texts the body contains.
    pub body_contains: Vec<String>,
    /// Texts the body does not contain.
    pub body_lacks: Vec<String>,
    /// The exact bytes of the body.
    pub body_bytes: Option<Vec<u8>>,
    /// The length of the body.
    pub body_length: Option<usize>,
    /// The headers arrive, then reading the body fails.
    pub body_error: bool,
    /// In how many separate reads the body arrived, at least.
    pub chunks_at_least: Option<usize>,
    /// The latest time of the first body byte.
    pub first_byte_within: Option<Duration>,
    /// The latest time of the end of the answer.
    pub within: Option<Duration>,
    /// The earliest time of the end of the answer.
    pub not_before: Option<Duration>,
    /// Every request that reached an upstream, in order.
    pub upstream: Option<Vec<UpstreamExpect>>,
    /// How many requests reached the upstreams.
    pub upstream_count: Option<UpstreamCount>,
    /// Fields of the event, compared on the listed keys only.
    pub event: Option<Map<String, Value>>,
}

impl Expect {
    /// Whether the step is compared with what reached the upstreams.
    #[must_use]
    pub fn looks_upstream(&self) -> bool {
        self.upstream.is_some() || self.upstream_count.is_some()
    }

    /// Whether the step puts a bound on time, or on how the body is cut.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        self.within.is_some()
            || self.not_before.is_some()
            || self.first_byte_within.is_some()
            || self.chunks_at_least.is_some()
    }
}

/// What the values of one header must be.
#[derive(Clone, Debug)]
pub enum ValueMatch {
    /// Exactly this, where repeated lines are joined by a comma.
    Exact(String),
    /// Exactly these lines, in this order.
    Lines(Vec<String>),
    /// The joined value matches.
    Matches(Regex),
    /// The joined value contains this.
    Contains(String),
}

/// What a request that reached an upstream must look like.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct UpstreamExpect {
    /// The authority it was sent to.
    pub host: Option<String>,
    /// The method.
    pub method: Option<String>,
    /// The path without the query, as it arrived.
    pub path: Option<String>,
    /// The query without its question mark.
    pub query: Option<String>,
    /// Headers by name.
    pub headers: BTreeMap<String, ValueMatch>,
    /// Names that must be absent.
    pub no_headers: Vec<String>,
    /// The exact text of the body.
    pub body: Option<String>,
}

/// How many requests reached the upstreams during a step.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum UpstreamCount {
    /// All of them together.
    Total(usize),
    /// By authority; others are not counted.
    ByHost(BTreeMap<String, usize>),
}
