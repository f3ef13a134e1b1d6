//! What is wrong with a document: collected whole, each with its place, a stable code and a sentence.

use std::{collections::BTreeSet, fmt};

use serde::Serialize;

use super::{Origin, Path};
use crate::order;

/// One thing wrong with a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Issue {
    /// Where: `routes[0].requestHeaders.set.host`; empty where the document as a whole is meant.
    pub path: String,
    /// What kind, stable across versions.
    pub code: Code,
    /// What was expected, what was found and why, for a person who is no programmer.
    pub message: String,
    /// Where in the text, for texts that could not be read far enough to know a path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
}

impl fmt::Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        if let Some(Position { line, column }) = self.position {
            write!(f, "line {line}, column {column}: ")?;
        }
        f.write_str(&self.message)
    }
}

/// A place in a text. Both numbers count from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The character in that line.
    pub column: usize,
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
///
/// Three rules keep the list short enough to act on:
/// * what stands in `defaults` is reported there, once, however many routes it reaches ([`Issues::within`]);
/// * a value of the wrong shape is reported for its shape alone: it was left out of the document, so whatever else would
///   be said about its place is a consequence of that ([`Issues::settle`]);
/// * past [`MAX_ISSUES`] the rest is only counted.
#[derive(Debug, Default)]
pub struct Issues {
    found: Vec<Issue>,
    omitted: usize,
    unreadable: BTreeSet<String>,
    origin: Option<Origin>,
}

impl Issues {
    /// Files an issue.
    pub fn report(&mut self, at: &Path<'_>, code: Code, message: impl Into<String>) -> Reported {
        let path = at.to_string();
        let path = match &self.origin {
            Some(origin) => origin.written_at(path),
            None => path,
        };
        if self.is_consequence(&path) {
            return Reported(());
        }
        self.file(Issue {
            path,
            code,
            message: message.into(),
            position: None,
        })
    }

    /// Files an issue about a text that could not be read any further.
    pub(super) fn report_position(
        &mut self,
        path: String,
        position: Position,
        code: Code,
        message: String,
    ) -> Reported {
        self.file(Issue {
            path,
            code,
            message,
            position: Some(position),
        })
    }

    /// Runs `check` on a route into which defaults were folded: what it reports is filed where the value was written.
    pub fn within<T>(&mut self, origin: Origin, check: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.origin.replace(origin);
        let checked = check(self);
        self.origin = outer;
        checked
    }

    /// Says that every issue so far is about a value that could not be read. What is reported from now on about such a
    /// place, inside it or around it, is taken for a consequence and not filed again.
    pub fn settle(&mut self) {
        self.unreadable = order::set(self.found.iter().map(|issue| issue.path.clone()));
    }

    /// Whether something at or below `at` could not be read, so that what is missing there may only seem to be missing.
    pub fn is_unreadable_within(&self, at: &Path<'_>) -> bool {
        !self.unreadable.is_empty() && self.is_unreadable_below(&at.to_string())
    }

    /// All issues, in the order they were found.
    pub fn into_vec(self) -> Vec<Issue> {
        let Self {
            mut found, omitted, ..
        } = self;
        if omitted > 0 {
            found.push(Issue {
                path: String::new(),
                code: Code::TooLarge,
                message: format!("{omitted} further issues are not listed; fix these first"),
                position: None,
            });
        }
        found
    }

    /// Whether none was filed.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    fn file(&mut self, issue: Issue) -> Reported {
        // A value in `defaults` is compiled again for every route that inherits it.
        let again = issue.path.starts_with("defaults") && self.found.contains(&issue);
        match self.found.len() {
            _ if again => {}
            MAX_ISSUES.. => self.omitted += 1,
            _ => self.found.push(issue),
        }
        Reported(())
    }

    fn is_consequence(&self, path: &str) -> bool {
        !self.unreadable.is_empty()
            && (self.is_unreadable_below(path)
                || self.unreadable.contains("")
                || path
                    .match_indices(['.', '['])
                    .filter_map(|(end, _)| path.get(..end))
                    .any(|outer| self.unreadable.contains(outer)))
    }

    fn is_unreadable_below(&self, path: &str) -> bool {
        let first_from = |start: String| {
            self.unreadable
                .range(start.clone()..)
                .next()
                .is_some_and(|unreadable| unreadable.starts_with(&start))
        };
        self.unreadable.contains(path)
            || first_from(format!("{path}."))
            || first_from(format!("{path}["))
    }
}

impl Extend<Issue> for Issues {
    fn extend<I: IntoIterator<Item = Issue>>(&mut self, issues: I) {
        for issue in issues {
            self.file(issue);
        }
    }
}

/// Most issues that are listed; a document with more of them has one mistake many times.
pub const MAX_ISSUES: usize = 1_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(issues: Issues) -> Vec<String> {
        issues
            .into_vec()
            .into_iter()
            .map(|issue| issue.path)
            .collect()
    }

    #[test]
    fn consequences_of_an_unreadable_value_are_not_reported() {
        let root = Path::root();
        let routes = root.key("routes");
        let (first, second) = (routes.index(0), routes.index(1));
        let set = first.key("set");
        let mut issues = Issues::default();
        issues.report(&set.key("x"), Code::Type, "unreadable");
        issues.settle();
        for at in [
            &set.key("x"),
            &set.key("x").key("y"),
            &set.key("x").index(0),
            &set,
            &first,
        ] {
            issues.report(at, Code::Required, "a consequence");
        }
        for at in [
            &set.key("x-a"),
            &set.key("xy"),
            &first.key("set-x"),
            &second,
        ] {
            issues.report(at, Code::Required, "a matter of its own");
        }
        assert!(issues.is_unreadable_within(&first));
        assert!(!issues.is_unreadable_within(&second));
        assert_eq!(
            paths(issues),
            [
                "routes[0].set.x",
                "routes[0].set.x-a",
                "routes[0].set.xy",
                "routes[0].set-x",
                "routes[1]"
            ]
        );
    }

    #[test]
    fn an_unreadable_document_has_no_further_issues() {
        let mut issues = Issues::default();
        issues.report(&Path::root(), Code::Type, "unreadable");
        issues.settle();
        issues.report(&Path::root().key("routes"), Code::Required, "missing");
        assert_eq!(paths(issues), [""]);
    }

    #[test]
    fn issues_past_the_cap_are_counted() {
        let mut issues = Issues::default();
        let root = Path::root();
        for index in 0..MAX_ISSUES + 7 {
            issues.report(&root.index(index), Code::Type, "wrong");
        }
        let listed = issues.into_vec();
        assert_eq!(listed.len(), MAX_ISSUES + 1);
        assert!(listed[MAX_ISSUES].message.starts_with("7 further"));
    }
}
