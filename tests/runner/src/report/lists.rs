//! The two lists beside the cases: those that fail for now, and those that are not run.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use crate::case::Case;

/// Cases that are treated apart.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    /// Ids, with the runtime they fail on where it is not every one.
    expected_failures: BTreeSet<(Option<String>, String)>,
    /// Ids with reasons.
    waived: BTreeMap<String, String>,
}

/// Why a list cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ListsError {
    /// It cannot be read.
    #[error("{path}: {source}")]
    Unreadable {
        /// The list.
        path: PathBuf,
        /// What the system or the parser said.
        source: io::Error,
    },
    /// It names cases that do not exist.
    #[error("{path} names {id}, but there is no such case: remove it from the list")]
    UnknownCase {
        /// The list.
        path: PathBuf,
        /// The id.
        id: String,
    },
}

impl Lists {
    /// Reads what there is of both lists. A missing file is an empty list.
    ///
    /// # Errors
    ///
    /// When a list is there but cannot be read, or names a case that is not among `cases`.
    pub fn read(
        expected_failures: Option<&Path>,
        waived: Option<&Path>,
        cases: &[Case],
    ) -> Result<Self, ListsError> {
        let mut lists = Self::default();
        let known: BTreeSet<_> = cases.iter().map(|case| case.id.as_str()).collect();
        if let Some((path, text)) = existing(expected_failures)? {
            lists.expected_failures = parse_ids(&text);
            let ids = lists.expected_failures.iter().map(|(_, id)| id.as_str());
            refuse_unknown(path, ids, &known)?;
        }
        if let Some((path, text)) = existing(waived)? {
            lists.waived = serde_json::from_str(&text).map_err(|error| ListsError::Unreadable {
                path: path.to_owned(),
                source: error.into(),
            })?;
            refuse_unknown(path, lists.waived.keys().map(String::as_str), &known)?;
        }
        Ok(lists)
    }

    /// Whether a case fails on a runtime for now.
    #[must_use]
    pub fn expects_failure(&self, runtime: &str, id: &str) -> bool {
        let on = |runtime: Option<&str>| {
            self.expected_failures
                .contains(&(runtime.map(str::to_owned), id.to_owned()))
        };
        on(None) || on(Some(runtime))
    }

    /// Whether a case is not run.
    #[must_use]
    pub fn waives(&self, id: &str) -> bool {
        self.waived.contains_key(id)
    }
}

fn existing(path: Option<&Path>) -> Result<Option<(&Path, String)>, ListsError> {
    let Some(path) = path else { return Ok(None) };
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some((path, text))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(ListsError::Unreadable {
            path: path.to_owned(),
            source,
        }),
    }
}

/// One id a line; `#` begins a comment; `workerd:` before an id says that it fails on that runtime only.
fn parse_ids(text: &str) -> BTreeSet<(Option<String>, String)> {
    text.lines()
        .map(|line| {
            line.split_once('#')
                .map_or(line, |(entry, _comment)| entry)
                .trim()
        })
        .filter(|entry| !entry.is_empty())
        .map(|entry| match entry.split_once(':') {
            Some((runtime, id)) => (Some(runtime.trim().to_owned()), id.trim().to_owned()),
            None => (None, entry.to_owned()),
        })
        .collect()
}

fn refuse_unknown<'a>(
    path: &Path,
    mut ids: impl Iterator<Item = &'a str>,
    known: &BTreeSet<&str>,
) -> Result<(), ListsError> {
    match ids.find(|id| !known.contains(id)) {
        Some(id) => Err(ListsError::UnknownCase {
            path: path.to_owned(),
            id: id.to_owned(),
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_may_fail_everywhere_or_on_one_runtime() {
        let lists = Lists {
            expected_failures: parse_ids("# all\n\na-one  # why\nworkerd: a-two\nhost:a-three\n"),
            ..Lists::default()
        };
        let fails = |runtime, id| lists.expects_failure(runtime, id);
        assert!(fails("workerd", "a-one") && fails("host", "a-one"));
        assert!(fails("workerd", "a-two") && !fails("host", "a-two"));
        assert!(!fails("workerd", "a-three") && fails("host", "a-three"));
        assert!(!fails("workerd", "a-four"));
    }
}
