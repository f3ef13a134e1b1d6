//! What is wrong with a document: collected whole, each with its place, a stable code and a sentence.

use std::fmt;

use serde::Serialize;

use super::Path;

/// One thing wrong with a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Issue {
    /// Where: `routes[0].requestHeaders.set.host`; empty where the document as a whole is meant.
    pub path: String,
    /// What kind, stable across versions.
    pub code: Code,
    /// What was expected, what was found and why, for a person who is no programmer.
    pub message: String,
}

impl fmt::Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.path, self.message)
        }
    }
}

/// Kinds of issues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Code {
    /// The text is not JSON.
    Syntax,
    /// A value is of the wrong JSON type.
    Type,
    /// A document or a list is larger or deeper than is read.
    TooLarge,
    /// A version this build cannot read.
    Version,
    /// Something required is missing or empty.
    Required,
    /// A number is outside its bounds.
    Range,
    /// A text does not follow its grammar, or is none of the permitted ones.
    Value,
    /// A header name no route may touch.
    ReservedHeader,
    /// The same thing is said twice.
    Duplicate,
    /// Two settings that may not meet.
    Conflict,
    /// A setting that is of no use where it stands.
    Misplaced,
    /// An upstream at a loopback, private or metadata address.
    PrivateUpstream,
}

/// Proof that an issue was filed: only [`Issues::report`] makes one, so a function that fails with it cannot have failed silently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reported(());

/// Collects issues.
#[derive(Debug, Default)]
pub struct Issues {
    found: Vec<Issue>,
}

impl Issues {
    /// Files an issue.
    pub fn report(&mut self, at: &Path<'_>, code: Code, message: impl Into<String>) -> Reported {
        self.found.push(Issue {
            path: at.to_string(),
            code,
            message: message.into(),
        });
        Reported(())
    }

    /// All issues, in the order they were found.
    pub fn into_vec(self) -> Vec<Issue> {
        self.found
    }

    /// Whether none was filed.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }
}
