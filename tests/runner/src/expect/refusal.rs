//! The refusal of a route table.

use super::Difference;
use crate::case::Refusal;

/// What a proxy made of a route table.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum TableAnswer {
    /// It was compiled.
    Accepted,
    /// It was refused, for these reasons.
    Refused(Vec<Issue>),
    /// Neither could be told; the text says what came instead.
    Unclear(String),
}

/// One reason why a table was refused.
#[derive(Clone, Debug, Eq, PartialEq, serde::Deserialize)]
pub struct Issue {
    /// The field, in the spelling `routes[0].requestHeaders.set.host`.
    pub path: String,
    /// What is wrong with it.
    pub message: String,
}

/// What is not as expected about the answer to a table that must be refused.
///
/// One issue has to be right in all respects; others beside it are of no account.
#[must_use]
pub fn refusal_differences(expected: &Refusal, answer: &TableAnswer) -> Vec<Difference> {
    let issues = match answer {
        TableAnswer::Accepted => {
            return vec![Difference::new("table", "to be refused", "accepted")];
        }
        TableAnswer::Unclear(reason) => {
            return vec![Difference::new("table", "to be refused", reason)];
        }
        TableAnswer::Refused(issues) => issues,
    };
    if issues.iter().any(|issue| is_expected(expected, issue)) {
        return Vec::new();
    }
    let place = expected
        .path
        .as_deref()
        .map_or_else(|| "any field".to_owned(), |path| format!("{path:?}"));
    let texts = if expected.contains.is_empty() {
        String::new()
    } else {
        format!(" with a message that contains {:?}", expected.contains)
    };
    let observed: Vec<_> = issues
        .iter()
        .map(|Issue { path, message }| format!("{path:?}: {message}"))
        .collect();
    vec![Difference::new(
        "table",
        format_args!("to be refused at {place}{texts}"),
        if observed.is_empty() {
            "a refusal without issues".to_owned()
        } else {
            observed.join("; ")
        },
    )]
}

fn is_expected(expected: &Refusal, issue: &Issue) -> bool {
    let message = issue.message.to_lowercase();
    expected
        .path
        .as_ref()
        .is_none_or(|path| *path == issue.path)
        && expected
            .contains
            .iter()
            .all(|text| message.contains(&text.to_lowercase()))
}
