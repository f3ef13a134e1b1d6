//! How a run went: which cases count, what is printed, what a machine may read.

mod lists;
mod text;

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use serde::Serialize;

use crate::case::Case;
use crate::expect::Difference;
use crate::run::{Failure, Played};

pub use lists::{Lists, ListsError};

/// What a case counts as.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It passes.
    Passed,
    /// It fails.
    Failed,
    /// It fails and is on the list of those that do.
    ExpectedFailure,
    /// It passes although it is on that list.
    UnexpectedPass,
}

impl Verdict {
    fn of(played: &Played<'_>, expected_to_fail: bool) -> Self {
        match (played.failures.is_empty(), expected_to_fail) {
            (true, false) => Self::Passed,
            (false, false) => Self::Failed,
            (false, true) => Self::ExpectedFailure,
            (true, true) => Self::UnexpectedPass,
        }
    }

    fn is_unexpected(self) -> bool {
        matches!(self, Self::Failed | Self::UnexpectedPass)
    }
}

/// A whole run.
#[derive(Debug)]
pub struct Report<'a> {
    results: Vec<(Verdict, Played<'a>)>,
    waived: usize,
}

impl<'a> Report<'a> {
    /// Weighs results against the list of expected failures for a runtime.
    #[must_use]
    pub fn new(played: Vec<Played<'a>>, lists: &Lists, runtime: &str, waived: usize) -> Self {
        let weigh = |played: Played<'a>| {
            (
                Verdict::of(&played, lists.expects_failure(runtime, &played.case.id)),
                played,
            )
        };
        Self {
            results: played.into_iter().map(weigh).collect(),
            waived,
        }
    }

    /// Whether nothing unexpected happened.
    #[must_use]
    pub fn is_good(&self) -> bool {
        !self
            .results
            .iter()
            .any(|(verdict, _)| verdict.is_unexpected())
    }

    /// Prints every unexpected result and, as the very last line, the count.
    ///
    /// # Errors
    ///
    /// When `out` cannot be written to.
    pub fn print(&self, out: &mut dyn io::Write) -> io::Result<()> {
        for (verdict, played) in &self.results {
            match verdict {
                Verdict::Failed => text::failed(out, played)?,
                Verdict::UnexpectedPass => writeln!(
                    out,
                    "FAIL {}\n  passes although it is expected to fail: remove it from the list\n",
                    played.case.id
                )?,
                Verdict::Passed | Verdict::ExpectedFailure => {}
            }
        }
        let mut counts = BTreeMap::new();
        for (verdict, _) in &self.results {
            *counts.entry(*verdict).or_insert(0_usize) += 1;
        }
        let count = |verdict: Verdict| counts.get(&verdict).copied().unwrap_or_default();
        writeln!(
            out,
            "{} failed as expected, {} waived",
            count(Verdict::ExpectedFailure),
            self.waived
        )?;
        let failed = count(Verdict::Failed) + count(Verdict::UnexpectedPass);
        writeln!(out, "{} passed, {failed} failed", count(Verdict::Passed))
    }

    /// Writes every result as JSON.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn write_json(&self, file: &Path) -> io::Result<()> {
        let rows: Vec<_> = self
            .results
            .iter()
            .map(|(verdict, played)| Row::new(*verdict, played))
            .collect();
        std::fs::write(file, serde_json::to_vec_pretty(&rows)?)
    }
}

#[derive(Serialize)]
struct Row<'a> {
    id: &'a str,
    area: &'a str,
    verdict: Verdict,
    millis: u128,
    failures: Vec<FailureRow<'a>>,
}

#[derive(Serialize)]
struct FailureRow<'a> {
    step: Option<usize>,
    differences: Vec<Difference>,
    #[serde(skip_serializing_if = "Option::is_none")]
    open: Option<String>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    output: &'a [String],
}

impl<'a> Row<'a> {
    fn new(verdict: Verdict, played: &'a Played<'_>) -> Self {
        let Case { id, area, .. } = played.case;
        let failures = played.failures.iter().map(FailureRow::new).collect();
        Self {
            id,
            area,
            verdict,
            millis: played.took.as_millis(),
            failures,
        }
    }
}

impl<'a> FailureRow<'a> {
    fn new(failure: &'a Failure<'_>) -> Self {
        match failure {
            Failure::Open(error) => Self {
                step: None,
                differences: Vec::new(),
                open: Some(error.to_string()),
                output: &[],
            },
            Failure::Table(differences) => Self {
                step: None,
                differences: differences.clone(),
                open: None,
                output: &[],
            },
            Failure::Step {
                number,
                differences,
                observed,
                step: _,
            } => Self {
                step: Some(*number),
                differences: differences.clone(),
                open: None,
                output: &observed.output,
            },
        }
    }
}
