//! From text or a JSON tree to a [`Document`]: shape here, meaning where each block is compiled.
//!
//! ```
//! use jouska::config;
//!
//! let text = r#"{ "routes": [{ "match": { "path": "/" }, "upstream": "example.com", "retrys": 2 }] }"#;
//! let parsed = config::parse(text).unwrap();
//! assert_eq!(parsed.document.routes[0].upstream.as_deref(), Some("example.com"));
//! assert_eq!(
//!     parsed.warnings[0].to_string(),
//!     "routes[0].retrys: this key is not known and has no effect; did you mean \"retries\"?"
//! );
//!
//! let refused = config::parse(r#"{ "routes": [{ "timeoutMs": "5000" }] }"#).unwrap_err();
//! assert_eq!(
//!     refused.to_string(),
//!     "routes[0].timeoutMs: expected a whole number; found the text \"5000\". Write it without quotation marks"
//! );
//! ```

use std::fmt;

use bumpalo::Bump;
use serde::Serialize;
use serde_json::Value;

use super::{
    Code, Document, Issue, Issues, Path, Reported, RouteDocument, caps,
    document::{Meta, Revision},
    json::Json,
    reader::{Findings, FromJson},
    text,
};

/// A document whose every value has the right shape.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// What was written.
    pub document: Document,
    /// What was written and has no effect.
    pub warnings: Vec<Warning>,
}

/// A document as far as it could be read, with what is wrong with it so far.
///
/// Compiling goes on from here, so that a person hears of wrong shapes and wrong meanings together. What could not be
/// read is absent from the document, or empty where its place in a list counts.
#[derive(Debug)]
pub struct Reading {
    /// What could be read.
    pub document: Document,
    /// What was written and has no effect.
    pub warnings: Vec<Warning>,
    /// What could not be read, [settled](Issues::settle).
    pub issues: Issues,
}

/// A key that is not known. It is never fatal, because an older proxy has to accept a newer document, and never silent,
/// because it may be a slip of the pen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// The key: `routes[0].retrys`.
    pub path: String,
    /// The known key it was most likely meant to be, seen from where it stands: `retries`, or `match.host`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<String>,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, nearest } = self;
        write!(f, "{path}: this key is not known and has no effect")?;
        match nearest {
            Some(name) => write!(f, "; did you mean \"{name}\"?"),
            None => Ok(()),
        }
    }
}

/// Why a document is refused. Displayed with one issue a line, then one warning a line: an unknown key is often the
/// reason why another one is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConfigError {
    /// What has to be mended; never empty.
    pub issues: Vec<Issue>,
    /// What was written and has no effect.
    pub warnings: Vec<Warning>,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let issues = self.issues.iter().map(|issue| issue as &dyn fmt::Display);
        let warnings = self
            .warnings
            .iter()
            .map(|warning| warning as &dyn fmt::Display);
        for (line, said) in issues.chain(warnings).enumerate() {
            if line > 0 {
                f.write_str("\n")?;
            }
            said.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigError {}

/// Reads text and accepts it only if every value has the right shape.
pub fn parse(text: &str) -> Result<Parsed, ConfigError> {
    read(text).finish()
}

/// Reads a JSON tree and accepts it only if every value has the right shape.
pub fn parse_value(tree: Value) -> Result<Parsed, ConfigError> {
    read_value(tree).finish()
}

/// Reads as much of a text as can be read.
pub fn read(text: &str) -> Reading {
    let mut findings = Findings::default();
    let arena = text::arena(text);
    let tree = text::read(text, &arena, &mut findings.issues);
    assemble(tree, findings)
}

/// Reads as much of a JSON tree as can be read.
pub fn read_value(tree: Value) -> Reading {
    let mut findings = Findings::default();
    let arena = Bump::new();
    let measured = caps::measure(&tree, &mut findings.issues);
    assemble(measured.map(|()| Json::of(&tree, &arena)), findings)
}

fn assemble(tree: Result<Json<'_>, Reported>, mut findings: Findings) -> Reading {
    let document = tree.and_then(|tree| Document::from_json(tree, &Path::root(), &mut findings));
    let Findings {
        mut issues,
        warnings,
    } = findings;
    issues.settle();
    if let Ok(document) = &document {
        check(document, &mut issues);
    }
    let document = document.unwrap_or_default();
    Reading {
        document,
        warnings,
        issues,
    }
}

/// Checks what belongs to no stage.
fn check(document: &Document, issues: &mut Issues) {
    if !document.is_readable() {
        return;
    }
    check_frame(document, issues);
    let root = Path::root();
    let at = root.key("routes");
    let routes = &document.routes;
    if routes.is_empty() {
        issues.report(
            &at,
            Code::Required,
            "expected at least one route; found none",
        );
    }
    for (index, route) in routes.iter().enumerate() {
        check_route(route, &at.index(index), issues);
    }
}

/// Checks the id of the route at `at`.
pub(super) fn check_route(route: &RouteDocument, at: &Path<'_>, issues: &mut Issues) {
    let length = route.id.as_ref().map(|id| id.chars().count());
    if length.is_some_and(|length| !(1..=MAX_ID).contains(&length)) {
        issues.report(
            &at.key("id"),
            Code::Value,
            format!(
                "expected 1 to {MAX_ID} characters; found {}. Without an id, delete the key",
                length.unwrap_or_default()
            ),
        );
    }
}

/// Checks what stands beside the routes.
pub(super) fn check_frame(document: &Document, issues: &mut Issues) {
    let Document {
        schema: _,
        version: _,
        meta,
        defaults: _,
        cache: _,
        routes: _,
    } = document;
    if let Some(meta) = meta {
        check_meta(meta, &Path::root().key("meta"), issues);
    }
}

fn check_meta(meta: &Meta, at: &Path<'_>, issues: &mut Issues) {
    let Meta {
        updated_at,
        updated_by,
        revision,
        note: _,
    } = meta;
    let revision = match revision {
        Some(Revision::Text(text)) => Some(text),
        Some(Revision::Number(_)) | None => None,
    };
    for (name, text) in [
        ("updatedAt", updated_at.as_ref()),
        ("updatedBy", updated_by.as_ref()),
        ("revision", revision),
    ] {
        if text.is_some_and(String::is_empty) {
            issues.report(
                &at.key(name),
                Code::Required,
                "expected at least one character; found an empty text. Delete the key to leave it unset",
            );
        }
    }
}

/// Most characters of a route's id.
const MAX_ID: usize = 256;

impl Reading {
    /// The document, if nothing was wrong with it.
    pub fn finish(self) -> Result<Parsed, ConfigError> {
        let Self {
            document,
            warnings,
            issues,
        } = self;
        if issues.is_empty() {
            return Ok(Parsed { document, warnings });
        }
        Err(ConfigError {
            issues: issues.into_vec(),
            warnings,
        })
    }
}

#[cfg(test)]
mod tests;
