//! A failing case in words: what was asked, what is not as expected, and everything that was seen.

use std::io::{self, Write};

use crate::case::{Request, RequestBody};
use crate::expect::{Difference, show_body};
use crate::observed::{BodyEnd, Exchange, Headers, Observed, Outcome, UpstreamRequest};
use crate::run::{Failure, Played};

pub(super) fn failed(out: &mut dyn Write, played: &Played<'_>) -> io::Result<()> {
    let case = played.case;
    writeln!(
        out,
        "FAIL {} ({}, {} ms)",
        case.id,
        case.file,
        played.took.as_millis()
    )?;
    writeln!(out, "  rule: {}", case.rule)?;
    for failure in &played.failures {
        match failure {
            Failure::Open(error) => writeln!(out, "  {error}")?,
            Failure::Table(differences) => {
                list(out, differences)?;
                writeln!(out, "    table: {}", case.config)?;
            }
            Failure::Step {
                number,
                step,
                differences,
                observed,
            } => {
                writeln!(out, "  step {number}")?;
                list(out, differences)?;
                request(out, &step.request)?;
                observations(out, observed)?;
            }
        }
    }
    writeln!(out)
}

fn list(out: &mut dyn Write, differences: &[Difference]) -> io::Result<()> {
    for difference in differences {
        writeln!(out, "    - {difference}")?;
    }
    Ok(())
}

fn request(out: &mut dyn Write, request: &Request) -> io::Result<()> {
    let Request {
        method,
        url,
        headers,
        body,
        cf,
        repeat,
        parallel,
        abort_after,
    } = request;
    write!(out, "    sent {method} {url}")?;
    if repeat * parallel > 1 {
        write!(out, ", {repeat} times {parallel} at once")?;
    }
    if let Some(after) = abort_after {
        write!(out, ", hanging up after {} ms", after.as_millis())?;
    }
    writeln!(out)?;
    for (name, value) in headers {
        writeln!(out, "      {name}: {value}")?;
    }
    if let Some(cf) = cf {
        writeln!(
            out,
            "      with cf {}",
            serde_json::Value::Object(cf.clone())
        )?;
    }
    match body {
        RequestBody::Absent => Ok(()),
        RequestBody::Whole(bytes) => writeln!(out, "      body {}", show_body(bytes)),
        RequestBody::Pieces(pieces) => {
            for piece in pieces {
                writeln!(
                    out,
                    "      after {} ms {}",
                    piece.after.as_millis(),
                    show_body(&piece.bytes)
                )?;
            }
            Ok(())
        }
    }
}

fn observations(out: &mut dyn Write, observed: &Observed) -> io::Result<()> {
    for exchange in &observed.exchanges {
        answer(out, exchange)?;
    }
    for request in &observed.upstream {
        upstream(out, request)?;
    }
    for line in &observed.output {
        writeln!(out, "    printed {line}")?;
    }
    Ok(())
}

fn answer(out: &mut dyn Write, exchange: &Exchange) -> io::Result<()> {
    let Exchange {
        outcome,
        total,
        event,
    } = exchange;
    match outcome {
        Outcome::Answered(answered) => {
            writeln!(
                out,
                "    got {} in {} ms",
                answered.status,
                total.as_millis()
            )?;
            header_lines(out, &answered.headers)?;
            write!(out, "      body {}", show_body(&answered.body))?;
            let times: Vec<_> = answered
                .reads
                .iter()
                .take(SHOWN_READS)
                .map(|read| format!("{} at {} ms", read.bytes, read.at.as_millis()))
                .collect();
            if !times.is_empty() {
                write!(out, " ({})", times.join(", "))?;
            }
            match &answered.end {
                BodyEnd::Complete => writeln!(out)?,
                BodyEnd::Aborted => writeln!(out, ", then hung up")?,
                BodyEnd::Broken(reason) => writeln!(out, ", then {reason}")?,
            }
        }
        Outcome::Aborted => writeln!(out, "    hung up after {} ms", total.as_millis())?,
        Outcome::Unanswered(reason) => {
            writeln!(
                out,
                "    got no answer in {} ms: {reason}",
                total.as_millis()
            )?;
        }
    }
    match event {
        Some(event) => writeln!(
            out,
            "    event {}",
            serde_json::Value::Object(event.clone())
        ),
        None => writeln!(out, "    no event"),
    }
}

fn upstream(out: &mut dyn Write, request: &UpstreamRequest) -> io::Result<()> {
    writeln!(out, "    upstream got {} {}", request.method, request.url)?;
    header_lines(out, &request.headers)?;
    if !request.body.is_empty() {
        writeln!(out, "      body {}", show_body(&request.body))?;
    }
    Ok(())
}

fn header_lines(out: &mut dyn Write, headers: &Headers) -> io::Result<()> {
    for (name, value) in &headers.0 {
        writeln!(out, "      {name}: {}", String::from_utf8_lossy(value))?;
    }
    Ok(())
}

/// How many reads of a body are listed.
const SHOWN_READS: usize = 8;
