//! Reads the case files of a folder.

use std::fs;
use std::path::{Path, PathBuf};

use super::Case;
use super::document::{CaseDocument, FileDocument, Named};

/// Why a folder of cases could not be read.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The folder or a file in it cannot be read.
    #[error("{path}: {source}")]
    Unreadable {
        /// The folder or file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file is not `{ "area": ..., "cases": [...] }`.
    #[error("{file}: {source}")]
    File {
        /// The file's name.
        file: String,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A case does not follow the format.
    #[error("{file}, case {id}, at {key}: {reason}")]
    Case {
        /// The file's name.
        file: String,
        /// The case's id, or its position where it has none.
        id: String,
        /// The key, in the spelling `steps[0].expect.status`.
        key: String,
        /// What was expected there.
        reason: String,
    },
}

/// Reads every case file of a folder, in the order of their names.
///
/// # Errors
///
/// On the first file that cannot be read or case that does not follow the format: an unknown key is one, so that no
/// expectation goes unread.
pub fn load(folder: &Path) -> Result<Vec<Case>, LoadError> {
    let mut cases = Vec::new();
    for path in case_files(folder)? {
        let text = fs::read_to_string(&path).map_err(|source| LoadError::Unreadable {
            path: path.clone(),
            source,
        })?;
        let file = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        cases.extend(parse_file(&file, &text)?);
    }
    refuse_repeated_ids(&cases)?;
    Ok(cases)
}

fn case_files(folder: &Path) -> Result<Vec<PathBuf>, LoadError> {
    let unreadable = |source| LoadError::Unreadable {
        path: folder.to_owned(),
        source,
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let is_case_file = path
            .extension()
            .is_some_and(|extension| extension == "json")
            && path.file_name().is_some_and(|name| name != WAIVED_FILE);
        if is_case_file {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn parse_file(file: &str, text: &str) -> Result<Vec<Case>, LoadError> {
    let document: FileDocument = serde_json::from_str(text).map_err(|source| LoadError::File {
        file: file.to_owned(),
        source,
    })?;
    document
        .cases
        .iter()
        .enumerate()
        .map(|(index, raw)| parse_case(file, &document.area, index, raw.get()))
        .collect()
}

fn parse_case(file: &str, area: &str, index: usize, text: &str) -> Result<Case, LoadError> {
    let wrong = |key: String, reason: String| LoadError::Case {
        file: file.to_owned(),
        id: serde_json::from_str(text)
            .map_or_else(|_| format!("number {index}"), |Named { id }| id),
        key,
        reason,
    };
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let document: CaseDocument = serde_path_to_error::deserialize(&mut deserializer)
        .map_err(|error| wrong(error.path().to_string(), error.inner().to_string()))?;
    document
        .compile(file, area)
        .map_err(|reason| wrong("the case itself".to_owned(), reason.to_owned()))
}

fn refuse_repeated_ids(cases: &[Case]) -> Result<(), LoadError> {
    let mut seen = std::collections::BTreeMap::new();
    for case in cases {
        if let Some(file) = seen.insert(&case.id, &case.file) {
            return Err(LoadError::Case {
                file: case.file.clone(),
                id: case.id.clone(),
                key: "id".to_owned(),
                reason: format!("already used in {file}"),
            });
        }
    }
    Ok(())
}

/// The cases that are not run, with reasons; it lies among the case files.
const WAIVED_FILE: &str = "waived.json";

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::{Act, AnswerBody, Plot};
    use super::*;

    #[test]
    fn a_case_reads_as_written() {
        let cases = parse_file(
            "x.json",
            r#"{"area": "x", "cases": [{"id": "x-a", "rule": "R.", "config": {"b": 1.50, "a": []},
                "upstreams": {"Origin.example": [{"then": {"chunks": [{"afterMs": 5, "base64": "AAE="}], "delayMs": 7}}]},
                "steps": [{"request": {"url": "https://p.example/"}, "expect": {"status": [200, 204],
                           "headers": {"a": {"contains": "b"}, "set-cookie": ["c", "d"]}}}]}]}"#,
        )
        .unwrap();
        let case = &cases[0];
        assert_eq!(case.config, r#"{"b": 1.50, "a": []}"#);
        let then = &case.upstreams["origin.example"][0].then;
        assert_eq!(then.delay, Duration::from_millis(7));
        let Act::Answer(answer) = &then.act else {
            panic!("an answer")
        };
        let AnswerBody::Pieces(pieces) = &answer.body else {
            panic!("pieces")
        };
        assert_eq!(
            (pieces[0].after, pieces[0].bytes.as_slice()),
            (Duration::from_millis(5), &[0, 1][..])
        );
        let Plot::Steps(steps) = &case.plot else {
            panic!("steps")
        };
        assert_eq!(steps[0].request.method, "GET");
        assert_eq!(steps[0].expect.status, [200, 204]);
    }

    #[test]
    fn the_cases_of_the_repository_follow_the_format() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance");
        let cases = load(&folder).unwrap_or_else(|error| panic!("{error}"));
        assert!(!cases.is_empty());
    }

    #[test]
    fn what_does_not_follow_the_format_is_named() {
        const STEPS: &str = r#""config": {}, "steps": [{"request": {"url": "u"}}]"#;
        check(
            r#""config": {}, "steps": [{"request": {"url": "u"}, "expect": {"stauts": 1}}]"#,
            "steps[0].expect.stauts",
            "unknown field",
        );
        check(
            r#""config": {}, "steps": [{"request": {"url": "u", "metod": "G"}}]"#,
            "steps[0].request.metod",
            "unknown field",
        );
        check(
            r#""config": {}, "steps": [{"request": {"url": "u"}, "expect": {"headers": {"a": {"match": "b"}}}}]"#,
            "steps[0].expect.headers.a",
            "expected a text",
        );
        check(
            r#""config": {}, "steps": [{"request": {"url": "u"}, "expect": {"headers": {"a": {"matches": "("}}}}]"#,
            "steps[0].expect.headers.a",
            "regex parse error",
        );
        check(
            &format!(
                r#"{STEPS}, "upstreams": {{"h": [{{"then": {{"body": "a", "bodyBase64": ""}}}}]}}"#
            ),
            "upstreams.h[0].then",
            "at most one of `body`",
        );
        check(
            &format!(r#"{STEPS}, "configError": {{}}"#),
            "the case itself",
            "exactly one of `configError`",
        );
        check(
            &format!(r#"{STEPS}, "configText": "x""#),
            "the case itself",
            "exactly one of `config`",
        );
        check(
            r#""config": {}, "steps": []"#,
            "the case itself",
            "exactly one of",
        );
    }

    #[track_caller]
    fn check(rest: &str, key: &str, reason: &str) {
        let text = format!(r#"{{"area": "x", "cases": [{{"id": "x-a", "rule": "R.", {rest}}}]}}"#);
        let message = parse_file("x.json", &text).unwrap_err().to_string();
        let start = format!("x.json, case x-a, at {key}: ");
        assert!(
            message.starts_with(&start) && message.contains(reason),
            "{message}"
        );
    }
}
