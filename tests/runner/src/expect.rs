//! Compares what came of a step with what its case expects. Pure: no clock, no socket.

mod body;
mod event;
mod refusal;
mod upstream;

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use crate::case::{Expect, ValueMatch};
use crate::observed::{Answered, BodyEnd, Exchange, Headers, Observed, Outcome};

pub use body::show as show_body;
pub use refusal::{Issue, TableAnswer, refusal_differences};
pub use upstream::upstream_differences;

/// One thing that is not as expected.
#[derive(Clone, Debug, Eq, PartialEq, serde::Serialize)]
pub struct Difference {
    /// What was compared, in the words of the case format.
    pub what: String,
    /// What the case asks for.
    pub expected: String,
    /// What came.
    pub observed: String,
}

impl Difference {
    pub(crate) fn new(
        what: impl Into<String>,
        expected: impl fmt::Display,
        observed: impl fmt::Display,
    ) -> Self {
        Self {
            what: what.into(),
            expected: expected.to_string(),
            observed: observed.to_string(),
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            what,
            expected,
            observed,
        } = self;
        write!(out, "{what}: expected {expected}, observed {observed}")
    }
}

/// Everything about a step that is not as expected; nothing when it passes.
#[must_use]
pub fn step_differences(expect: &Expect, observed: &Observed) -> Vec<Difference> {
    let several = observed.exchanges.len() > 1;
    let mut differences = Vec::new();
    for (index, exchange) in observed.exchanges.iter().enumerate() {
        for mut difference in exchange_differences(expect, exchange) {
            if several {
                difference.what = format!("request {}: {}", index + 1, difference.what);
            }
            differences.push(difference);
        }
    }
    differences.extend(upstream_differences(expect, &observed.upstream));
    differences
}

fn exchange_differences(expect: &Expect, exchange: &Exchange) -> Vec<Difference> {
    let mut differences = Vec::new();
    match &exchange.outcome {
        Outcome::Answered(answered) => {
            head_differences(expect, answered, &mut differences);
            body::differences(expect, answered, &mut differences);
            time_differences(expect, answered, exchange.total, &mut differences);
        }
        // A case that hangs up and still expects an answer expects it to have come before.
        Outcome::Aborted if expects_an_answer(expect) => {
            differences.push(Difference::new(
                "answer",
                "one",
                "none before the visitor hung up",
            ));
        }
        Outcome::Aborted => {}
        Outcome::Unanswered(reason) => {
            differences.push(Difference::new(
                "answer",
                "one",
                format_args!("none: {reason}"),
            ));
        }
    }
    if let Some(expected) = &expect.event {
        event::differences(expected, exchange.event.as_ref(), &mut differences);
    }
    differences
}

fn expects_an_answer(expect: &Expect) -> bool {
    let Expect {
        fallthrough,
        status,
        headers,
        no_headers,
        body,
        body_contains,
        body_lacks,
        body_bytes,
        body_length,
        body_error,
        chunks_at_least,
        first_byte_within,
        within: _,
        not_before: _,
        upstream: _,
        upstream_count: _,
        event: _,
    } = expect;
    *fallthrough == Some(true)
        || !status.is_empty()
        || !headers.is_empty()
        || !no_headers.is_empty()
        || body.is_some()
        || !body_contains.is_empty()
        || !body_lacks.is_empty()
        || body_bytes.is_some()
        || body_length.is_some()
        || *body_error
        || chunks_at_least.is_some()
        || first_byte_within.is_some()
}

fn head_differences(expect: &Expect, answered: &Answered, differences: &mut Vec<Difference>) {
    if let Some(expected) = expect.fallthrough {
        let observed = fell_through(answered);
        if expected != observed {
            differences.push(Difference::new("fallthrough", expected, observed));
        }
    }
    if !expect.status.is_empty() && !expect.status.contains(&answered.status) {
        let allowed: Vec<_> = expect.status.iter().map(u16::to_string).collect();
        differences.push(Difference::new(
            "status",
            allowed.join(" or "),
            answered.status,
        ));
    }
    header_differences(
        "",
        &expect.headers,
        &expect.no_headers,
        &answered.headers,
        differences,
    );
}

/// Whether no route took the request: the host Worker marks its own answers.
#[must_use]
pub fn fell_through(answered: &Answered) -> bool {
    answered
        .headers
        .lines("x-fell-through")
        .any(|value| value == b"1")
}

fn header_differences(
    prefix: &str,
    expected: &BTreeMap<String, ValueMatch>,
    absent: &[String],
    headers: &Headers,
    differences: &mut Vec<Difference>,
) {
    for (name, value) in expected {
        if !value_matches(value, headers, name) {
            let observed = show_lines(headers, name);
            differences.push(Difference::new(
                format!("{prefix}header {name}"),
                show_match(value),
                observed,
            ));
        }
    }
    for name in absent {
        if headers.contains(name) {
            let observed = show_lines(headers, name);
            differences.push(Difference::new(
                format!("{prefix}header {name}"),
                "no such header",
                observed,
            ));
        }
    }
}

fn value_matches(expected: &ValueMatch, headers: &Headers, name: &str) -> bool {
    if let ValueMatch::Lines(lines) = expected {
        return headers.lines(name).eq(lines.iter().map(String::as_bytes));
    }
    let Some(joined) = headers.joined(name) else {
        return false;
    };
    match expected {
        ValueMatch::Exact(value) => joined == value.as_bytes(),
        ValueMatch::Matches(regex) => regex.is_match(&String::from_utf8_lossy(&joined)),
        ValueMatch::Contains(text) => String::from_utf8_lossy(&joined).contains(text.as_str()),
        ValueMatch::Lines(_) => false,
    }
}

fn show_match(expected: &ValueMatch) -> String {
    match expected {
        ValueMatch::Exact(value) => format!("{value:?}"),
        ValueMatch::Lines(lines) => format!("{lines:?}"),
        ValueMatch::Matches(regex) => format!("a match of /{regex}/"),
        ValueMatch::Contains(text) => format!("something containing {text:?}"),
    }
}

fn show_lines(headers: &Headers, name: &str) -> String {
    let lines: Vec<_> = headers
        .lines(name)
        .map(|value| format!("{:?}", String::from_utf8_lossy(value)))
        .collect();
    if lines.is_empty() {
        "no such header".to_owned()
    } else {
        lines.join(" and ")
    }
}

fn time_differences(
    expect: &Expect,
    answered: &Answered,
    total: Duration,
    differences: &mut Vec<Difference>,
) {
    if let Some(bound) = expect.first_byte_within {
        match answered.reads.first() {
            Some(read) if read.at <= bound => {}
            Some(read) => differences.push(Difference::new(
                "first body byte",
                format_args!("within {}", show_time(bound)),
                format_args!("after {}", show_time(read.at)),
            )),
            None => differences.push(Difference::new(
                "first body byte",
                format_args!("within {}", show_time(bound)),
                "no body",
            )),
        }
    }
    if let Some(bound) = expect.within.filter(|bound| total > *bound) {
        differences.push(Difference::new(
            "end of the answer",
            format_args!("within {}", show_time(bound)),
            format_args!("after {}", show_time(total)),
        ));
    }
    if let Some(bound) = expect.not_before.filter(|bound| total < *bound) {
        differences.push(Difference::new(
            "end of the answer",
            format_args!("not before {}", show_time(bound)),
            format_args!("after {}", show_time(total)),
        ));
    }
    if let Some(least) = expect
        .chunks_at_least
        .filter(|least| answered.reads.len() < *least)
    {
        differences.push(Difference::new(
            "separate reads of the body",
            format_args!("at least {least}"),
            answered.reads.len(),
        ));
    }
    let broken = match &answered.end {
        BodyEnd::Broken(reason) => Some(reason),
        BodyEnd::Complete | BodyEnd::Aborted => None,
    };
    match (expect.body_error, broken) {
        (true, None) => differences.push(Difference::new(
            "body",
            "an error while reading it",
            "a clean end",
        )),
        (false, Some(reason)) => differences.push(Difference::new("body", "a clean end", reason)),
        (true, Some(_)) | (false, None) => {}
    }
}

fn show_time(time: Duration) -> String {
    format!("{} ms", time.as_millis())
}

#[cfg(test)]
mod tests;
