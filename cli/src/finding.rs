//! Everything that can be said about a table, each with its place in the text.

use std::ops::Range;

use jouska::{
    config::{self, Code, ConfigError, Issue, Position, Warning},
    table::{
        self, Advice, Compiled,
        advice::{Kind, Level},
    },
};
use serde::Serialize;

use crate::{
    line::Lines,
    place::Places,
    style::{self, Look},
};

/// One thing that is said about a table.
#[derive(Debug, Serialize)]
pub(crate) struct Finding {
    pub(crate) severity: Severity,
    #[serde(flatten)]
    about: About,
    /// Where in the document; empty for the document as a whole.
    pub(crate) path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    route: Option<String>,
    /// Where in the text.
    #[serde(flatten)]
    pub(crate) position: Option<Position>,
    pub(crate) message: String,
    /// What is marked in the text, in bytes.
    #[serde(skip)]
    pub(crate) span: Option<Range<usize>>,
}

/// How much it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Severity {
    /// The table is refused.
    Error,
    /// Something has no effect, so that it is most likely a mistake.
    Warning,
    /// It works, and may not be meant.
    Advice,
}

/// What it is, for programs; both name it `kind`.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum About {
    Issue { kind: Code },
    Advice(Kind),
}

/// What there is to say about a text.
#[derive(Debug)]
pub(crate) struct Findings {
    /// In the order of the text; what has no place comes last.
    pub(crate) list: Vec<Finding>,
    /// The table, unless there are errors.
    pub(crate) compiled: Option<Compiled>,
}

impl Findings {
    /// Reads a text as a table and says what there is to say about it.
    pub(crate) fn of(text: &str) -> Self {
        let reading = config::read(text);
        let document = reading.document.clone();
        let finder = Finder {
            lines: Lines::new(text),
            places: Places::new(text),
        };
        let (mut list, compiled): (Vec<Finding>, _) = match table::compile(reading) {
            Ok(compiled) => {
                let advice = table::advise(&document, &compiled);
                let list = advice.into_iter().map(|advice| finder.advice(advice));
                (list.collect(), Some(compiled))
            }
            Err(refused) => (finder.refused(refused), None),
        };
        list.sort_by_key(|finding| finding.span.as_ref().map_or(usize::MAX, |span| span.start));
        Self { list, compiled }
    }

    /// How many are of this severity.
    pub(crate) fn count(&self, severity: Severity) -> usize {
        self.list
            .iter()
            .filter(|finding| finding.severity == severity)
            .count()
    }
}

impl Finding {
    /// What it is called, and how that looks.
    pub(crate) fn title(&self) -> (&'static str, Look) {
        match (self.severity, &self.about) {
            (Severity::Error, _) => ("error", style::ERROR),
            (Severity::Warning, _) => ("warning", style::WARNING),
            (
                Severity::Advice,
                About::Advice(Kind::Danger {
                    level: Level::High, ..
                }),
            ) => ("danger", style::DANGER),
            (Severity::Advice, About::Advice(Kind::Danger { .. })) => ("caution", style::DANGER),
            (Severity::Advice, _) => ("note", style::NOTE),
        }
    }
}

/// Puts what the library says into its place.
struct Finder<'t> {
    lines: Lines<'t>,
    places: Places,
}

impl Finder<'_> {
    fn refused(&self, refused: ConfigError) -> Vec<Finding> {
        let ConfigError { issues, warnings } = refused;
        let issues = issues.into_iter().map(|issue| self.issue(issue));
        let warnings = warnings.iter().map(|warning| self.warning(warning));
        issues.chain(warnings).collect()
    }

    fn issue(&self, issue: Issue) -> Finding {
        let Issue {
            path,
            code,
            message,
            position,
        } = issue;
        let span = match position {
            Some(position) => {
                let byte = self.lines.byte(position);
                Some(byte..byte)
            }
            None => self.span(&path, is_about_key(code)),
        };
        self.finding(
            Severity::Error,
            About::Issue { kind: code },
            path,
            span,
            message,
        )
    }

    fn warning(&self, warning: &Warning) -> Finding {
        self.advice(Advice::from(warning))
    }

    fn advice(&self, advice: Advice) -> Finding {
        let Advice {
            path,
            route,
            kind,
            message,
        } = advice;
        let (severity, by_key) = match &kind {
            Kind::UnknownKey { .. } => (Severity::Warning, true),
            Kind::NoEffect | Kind::SharedId { .. } | Kind::Shadowed { .. } => {
                (Severity::Warning, false)
            }
            _ => (Severity::Advice, false),
        };
        let span = self.span(&path, by_key);
        Finding {
            route,
            ..self.finding(severity, About::Advice(kind), path, span, message)
        }
    }

    fn finding(
        &self,
        severity: Severity,
        about: About,
        path: String,
        span: Option<Range<usize>>,
        message: String,
    ) -> Finding {
        Finding {
            severity,
            about,
            path,
            route: None,
            position: span.as_ref().map(|span| self.lines.position(span.start)),
            message,
            span,
        }
    }

    /// What to mark: the key where it is about the key, or where the value goes on over several lines.
    fn span(&self, path: &str, by_key: bool) -> Option<Range<usize>> {
        let place = self.places.find(path)?;
        match place.key {
            Some(key) if by_key || place.is_container => Some(key),
            _ => Some(place.value),
        }
    }
}

/// Whether an issue is about a key, whatever its value.
fn is_about_key(code: Code) -> bool {
    matches!(
        code,
        Code::ReservedHeader | Code::Duplicate | Code::Misplaced
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MISTAKES: &str = include_str!("../tests/fixtures/mistakes.json");

    /// A table with mistakes, out of which a piece was cut.
    fn any_text() -> impl Strategy<Value = String> {
        let length = MISTAKES.chars().count();
        (0..length, 0..40_usize, ".{0,3}").prop_map(|(start, removed, put)| {
            let before: String = MISTAKES.chars().take(start).collect();
            let after: String = MISTAKES.chars().skip(start + removed).collect();
            format!("{before}{put}{after}")
        })
    }

    proptest! {
        #[test]
        fn whatever_is_found_is_found_inside_the_text(text in any_text()) {
            let Findings { list, compiled } = Findings::of(&text);
            prop_assert_eq!(compiled.is_none(), list.iter().any(|finding| finding.severity == Severity::Error));
            for finding in list {
                let Some(span) = finding.span else {
                    prop_assert_eq!(finding.path, "");
                    continue;
                };
                prop_assert!(text.get(span).is_some(), "{}", finding.path);
            }
        }
    }
}
