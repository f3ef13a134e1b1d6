//! `jouska check`.

use std::io::{self, Write};

use serde::Serialize;

use crate::{
    Failure, FileArgument, Format, Outcome,
    finding::{Finding, Findings, Severity},
    input::Input,
    line::Lines,
    snippet,
    style::{self, PLACE, harmless},
};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    file: FileArgument,
    /// Who reads the answer.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Also end with status 1 if there are warnings: unknown keys, and routes that nothing reaches.
    #[arg(long)]
    deny_warnings: bool,
}

pub(crate) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<Outcome, Failure> {
    let input = arguments.file.read()?;
    let findings = Findings::of(&input.text);
    let verdict = Verdict::on(&findings, arguments.deny_warnings);
    report(&input, &findings, verdict, arguments.format, out)?;
    Ok(match verdict {
        Verdict::Ok => Outcome::InOrder,
        Verdict::Denied | Verdict::Refused => Outcome::Refused,
    })
}

/// What comes of everything that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    /// The table can be served.
    Ok,
    /// It could be, but `--deny-warnings` was given.
    Denied,
    /// It cannot be served.
    Refused,
}

impl Verdict {
    fn on(findings: &Findings, deny_warnings: bool) -> Self {
        match findings.compiled {
            None => Self::Refused,
            Some(_) if deny_warnings && findings.count(Severity::Warning) > 0 => Self::Denied,
            Some(_) => Self::Ok,
        }
    }
}

/// Writes everything that was found.
pub(crate) fn report(
    input: &Input,
    findings: &Findings,
    verdict: Verdict,
    format: Format,
    out: &mut impl Write,
) -> Result<(), Failure> {
    match format {
        Format::Text => Ok(write_text(input, findings, verdict, out)?),
        Format::Json => write_json(&Report::new(input, findings, verdict), out),
    }
}

/// Writes a value for programs.
pub(crate) fn write_json(value: &impl Serialize, out: &mut impl Write) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(io::Error::from)?;
    Ok(writeln!(out, "{text}")?)
}

/// The answer for programs.
#[derive(Serialize)]
struct Report<'a> {
    file: &'a str,
    verdict: Verdict,
    errors: usize,
    warnings: usize,
    advice: usize,
    findings: &'a [Finding],
}

impl<'a> Report<'a> {
    fn new(input: &'a Input, findings: &'a Findings, verdict: Verdict) -> Self {
        Self {
            file: &input.name,
            verdict,
            errors: findings.count(Severity::Error),
            warnings: findings.count(Severity::Warning),
            advice: findings.count(Severity::Advice),
            findings: &findings.list,
        }
    }
}

fn write_text(
    input: &Input,
    findings: &Findings,
    verdict: Verdict,
    out: &mut impl Write,
) -> io::Result<()> {
    let lines = Lines::new(&input.text);
    for finding in &findings.list {
        write_finding(&input.name, &lines, finding, out)?;
    }
    let name = harmless(&input.name);
    let (title, look, said) = match verdict {
        Verdict::Ok => ("ok", style::GOOD, "can be served"),
        Verdict::Denied => (
            "denied",
            style::WARNING,
            "could be served, but warnings are denied",
        ),
        Verdict::Refused => ("refused", style::ERROR, "cannot be served"),
    };
    writeln!(
        out,
        "{}: {name} {said}: {}",
        look.on(title),
        tally(findings)
    )
}

fn write_finding(
    name: &str,
    lines: &Lines<'_>,
    finding: &Finding,
    out: &mut impl Write,
) -> io::Result<()> {
    let (title, look) = finding.title();
    writeln!(out, "{}: {}", look.on(title), harmless(&finding.message))?;
    write!(out, " {} {}", PLACE.on("-->"), harmless(name))?;
    if let Some(position) = finding.position {
        write!(out, ":{}:{}", position.line, position.column)?;
    }
    if !finding.path.is_empty() {
        write!(out, " ({})", harmless(&finding.path))?;
    }
    writeln!(out)?;
    if let Some(span) = &finding.span {
        snippet::write(out, lines, span, look)?;
    }
    writeln!(out)
}

/// `3 routes, 1 warning, no advice`.
fn tally(findings: &Findings) -> String {
    let warnings = count(findings.count(Severity::Warning), "warning", "warnings");
    match &findings.compiled {
        Some(compiled) => {
            let routes = count(compiled.table.routes().len(), "route", "routes");
            let advice = match findings.count(Severity::Advice) {
                0 => "no advice".to_owned(),
                some => count(some, "piece of advice", "pieces of advice"),
            };
            format!("{routes}, {warnings}, {advice}")
        }
        None => {
            let errors = count(findings.count(Severity::Error), "error", "errors");
            format!("{errors}, {warnings}")
        }
    }
}

fn count(number: usize, one: &str, several: &str) -> String {
    match number {
        0 => format!("no {several}"),
        1 => format!("1 {one}"),
        _ => format!("{number} {several}"),
    }
}
