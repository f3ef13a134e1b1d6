//! `jouska explain`.

use std::io::{self, Write};

use http::{HeaderMap, HeaderName, HeaderValue, Method, header::COOKIE};
use jouska::{
    matching::Subject,
    message::{RequestHead, RequestUrl},
    table::{
        self, Explanation,
        explain::{Destination, Passed, Spelling, Taken},
    },
};

use crate::{
    Failure, FileArgument, Format, Outcome,
    check::{Verdict, report, write_json},
    finding::Findings,
    input::Input,
    line::Lines,
    place::Places,
    style::{self, PLACE, harmless},
};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    file: FileArgument,
    /// The whole URL of the request, as it is sent: `https://shop.example.com/cart?x=1`
    #[arg(long)]
    url: String,
    /// Its method.
    #[arg(long, default_value = "GET")]
    method: String,
    /// A header of it; may be given several times.
    #[arg(long = "header", value_name = "NAME:VALUE")]
    headers: Vec<String>,
    /// A cookie of it; may be given several times.
    #[arg(long = "cookie", value_name = "NAME=VALUE")]
    cookies: Vec<String>,
    /// Who reads the answer.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(crate) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<Outcome, Failure> {
    let head = request(arguments).map_err(Failure::Usage)?;
    let input = arguments.file.read()?;
    let findings = Findings::of(&input.text);
    let Some(compiled) = &findings.compiled else {
        report(&input, &findings, Verdict::Refused, arguments.format, out)?;
        return Ok(Outcome::Refused);
    };
    let subject = Subject::new(&head);
    let explanation = table::explain(&compiled.table, &subject);
    match arguments.format {
        Format::Text => write_text(&input, &subject, &explanation, out)?,
        Format::Json => write_json(&explanation, out)?,
    }
    Ok(Outcome::InOrder)
}

fn request(arguments: &Arguments) -> Result<RequestHead, String> {
    let url = RequestUrl::parse(&arguments.url).map_err(|_| {
        format!(
            "--url: expected a whole URL such as https://shop.example.com/cart; found {:?}",
            arguments.url
        )
    })?;
    let method = arguments.method.to_ascii_uppercase();
    let method = Method::from_bytes(method.as_bytes())
        .map_err(|_| format!("--method: expected a method such as GET; found {method:?}"))?;
    let mut headers = HeaderMap::new();
    for text in &arguments.headers {
        let (name, value) = header(text).ok_or_else(|| {
            format!("--header: expected NAME:VALUE such as x-canary:on; found {text:?}")
        })?;
        headers.append(name, value);
    }
    if let Some(bad) = arguments.cookies.iter().find(|text| !text.contains('=')) {
        return Err(format!(
            "--cookie: expected NAME=VALUE such as beta=1; found {bad:?}"
        ));
    }
    if !arguments.cookies.is_empty() {
        let cookies = arguments.cookies.join("; ");
        let value = HeaderValue::from_str(&cookies)
            .map_err(|_| format!("--cookie: {cookies:?} cannot be sent"))?;
        headers.append(COOKIE, value);
    }
    Ok(RequestHead {
        method,
        url,
        headers,
        has_body: false,
    })
}

fn header(text: &str) -> Option<(HeaderName, HeaderValue)> {
    let (name, value) = text.split_once(':')?;
    let name = HeaderName::from_bytes(name.trim().as_bytes()).ok()?;
    let value = HeaderValue::from_bytes(value.trim().as_bytes()).ok()?;
    Some((name, value))
}

fn write_text(
    input: &Input,
    subject: &Subject<'_>,
    explanation: &Explanation,
    out: &mut impl Write,
) -> io::Result<()> {
    let Explanation { taken, passed } = explanation;
    let sites = Sites {
        name: harmless(&input.name),
        lines: Lines::new(&input.text),
        places: Places::new(&input.text),
    };
    let head = subject.head();
    writeln!(out, "{} {}", head.method, harmless(head.url.as_str()))?;
    writeln!(out)?;
    for passed in passed {
        write_passed(passed, &sites, out)?;
    }
    match taken {
        Some(taken) => write_taken(taken, subject, &sites, out),
        None => {
            let none = "No route takes it: the proxy hands it back to the Worker around it.";
            writeln!(out, "{}", style::WARNING.on(none))
        }
    }
}

fn write_passed(passed: &Passed, sites: &Sites<'_>, out: &mut impl Write) -> io::Result<()> {
    let Passed {
        index: _,
        route,
        path,
        mismatch,
    } = passed;
    writeln!(
        out,
        "{} {} does not take it: {}",
        style::WARNING.on("-"),
        harmless(route),
        harmless(&mismatch.to_string())
    )?;
    writeln!(out, "    {}", sites.at(path))
}

fn write_taken(
    taken: &Taken,
    subject: &Subject<'_>,
    sites: &Sites<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let Taken {
        index,
        route,
        spelling,
        destination,
    } = taken;
    writeln!(
        out,
        "{} {} takes it",
        style::GOOD.on("+"),
        style::GOOD.on(harmless(route))
    )?;
    writeln!(out, "    {}", sites.at(&format!("routes[{index}]")))?;
    match spelling {
        Spelling { index: 0, path: _ } => writeln!(out, "    matched by its path as it was sent")?,
        Spelling { index: _, path } => writeln!(
            out,
            "    matched by its path in the spelling {}",
            harmless(path)
        )?,
    }
    match destination {
        Destination::Upstream {
            authority,
            tail,
            path,
        } => {
            if tail != subject.path() {
                writeln!(out, "    leaving {} of it", harmless(tail))?;
            }
            writeln!(
                out,
                "    forwarded to {authority}, which is asked for {}",
                harmless(path)
            )
        }
        Destination::Edge { status, location } => match location {
            Some(location) => writeln!(
                out,
                "    answered with status {status}, redirecting to {}",
                harmless(location)
            ),
            None => writeln!(out, "    answered with status {status}"),
        },
    }
}

/// Where paths lead in the file.
struct Sites<'t> {
    name: String,
    lines: Lines<'t>,
    places: Places,
}

impl Sites<'_> {
    fn at(&self, path: &str) -> String {
        let name = &self.name;
        let site = match self.places.find(path) {
            Some(place) => {
                let start = place.key.unwrap_or(place.value).start;
                let position = self.lines.position(start);
                format!("{name}:{}:{} ({path})", position.line, position.column)
            }
            None => format!("{name} ({path})"),
        };
        PLACE.on(site).to_string()
    }
}
