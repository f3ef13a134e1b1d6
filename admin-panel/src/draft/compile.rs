//! From the draft's rows to a document, with everything that is wrong told by the route it is in.

use jouska::{
    config::{self, CONFIG_VERSION, Code, Issue as Found},
    table,
};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{Compiled, Dangers, warnings::Warnings};
use crate::{limits, store::draft::Draft};

/// One thing wrong with a draft.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Issue {
    /// The route it is in; absent where it is about the whole table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) route_id: Option<String>,
    /// Where in the route, or in the document.
    pub(crate) path: String,
    pub(crate) code: Code,
    pub(crate) message: String,
}

/// Why a draft is no document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Refusal {
    /// All there is to mend.
    pub(crate) issues: Vec<Issue>,
    /// Whether there is simply nothing yet.
    pub(crate) empty: bool,
}

/// One enabled route on its way into a document: its id, and its definition as it is stored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part<'a> {
    pub(crate) id: &'a str,
    pub(crate) definition: &'a str,
}

impl Draft {
    /// The routes that take part.
    fn parts(&self) -> Vec<Part<'_>> {
        self.rows
            .iter()
            .filter(|row| row.enabled)
            .map(|row| Part {
                id: &row.id,
                definition: &row.definition,
            })
            .collect()
    }

    /// Compiles it.
    pub(crate) fn compile(&self) -> Result<Compiled, Refusal> {
        compile(&self.parts(), self.settings.defaults().as_ref())
    }

    /// Whether everything that takes part can be read.
    pub(crate) fn is_whole(&self) -> bool {
        let assembly = assemble(&self.parts(), self.settings.defaults().as_ref());
        assembly.issues.is_empty()
    }

    /// The document it would make, whether or not it would be accepted; what cannot be read is left out.
    pub(crate) fn document(&self) -> Value {
        assemble(&self.parts(), self.settings.defaults().as_ref()).document
    }
}

/// A document as far as it could be put together.
struct Assembly<'a> {
    document: Value,
    /// The ids of the routes in it, in order.
    ids: Vec<&'a str>,
    issues: Vec<Issue>,
}

/// Compiles routes and defaults.
pub(crate) fn compile(parts: &[Part<'_>], defaults: Option<&Value>) -> Result<Compiled, Refusal> {
    if parts.is_empty() {
        let issue = issue(
            None,
            "routes",
            Code::Required,
            "expected at least one enabled route; found none. Add one, or enable one",
        );
        return Err(Refusal {
            issues: vec![issue],
            empty: true,
        });
    }
    let Assembly {
        document,
        ids,
        mut issues,
    } = assemble(parts, defaults);
    let text = document.to_string();
    if text.len() > limits::DOCUMENT {
        issues.push(issue(
            None,
            "document",
            Code::TooLarge,
            format!(
                "expected a document of at most {} bytes; found {}. Shorten what is written into the routes, or divide them between several proxies",
                limits::DOCUMENT,
                text.len()
            ),
        ));
    }
    let reading = config::read_value(document.clone());
    let read = reading.document.clone();
    let compiled = match table::compile(reading) {
        Ok(compiled) if issues.is_empty() => compiled,
        outcome => {
            let refused = outcome.err().map(|refused| refused.issues);
            // With every route unreadable, that there are none is no news.
            let is_news = |issue: &Issue| !(ids.is_empty() && issue.path == "routes");
            let found = refused.into_iter().flatten();
            issues.extend(found.map(|found| placed(found, &ids)).filter(is_news));
            return Err(Refusal {
                issues,
                empty: false,
            });
        }
    };
    Ok(Compiled {
        dangers: Dangers::of(&document),
        warnings: Warnings::of(&read, &compiled, &ids),
        route_count: ids.len(),
        digest: config::digest(&document),
        document,
        text,
    })
}

fn assemble<'a>(parts: &[Part<'a>], defaults: Option<&Value>) -> Assembly<'a> {
    let mut issues = Vec::new();
    let mut ids = Vec::with_capacity(parts.len());
    let mut routes = Vec::with_capacity(parts.len());
    for Part { id, definition } in parts {
        let mut found = Vec::new();
        if let Some(definition) = read(id, definition, &mut found) {
            ids.push(*id);
            routes.push(Value::Object(definition));
        }
        issues.append(&mut found);
    }
    let mut document = Map::new();
    document.insert("version".to_owned(), json!(CONFIG_VERSION));
    document.insert("routes".to_owned(), Value::Array(routes));
    match defaults {
        None => {}
        Some(Value::Object(defaults)) if defaults.is_empty() => {}
        Some(defaults) => {
            if !defaults.is_object() {
                issues.push(issue(
                    None,
                    "defaults",
                    Code::Type,
                    "expected an object; found something else. Write the defaults anew",
                ));
            } else {
                document.insert("defaults".to_owned(), defaults.clone());
            }
        }
    }
    Assembly {
        document: Value::Object(document),
        ids,
        issues,
    }
}

/// Reads one definition and puts its id in; `None` where there is nothing to put it into.
fn read(id: &str, definition: &str, issues: &mut Vec<Issue>) -> Option<Map<String, Value>> {
    let mut definition = match serde_json::from_str(definition) {
        Ok(Value::Object(definition)) => definition,
        Ok(_) => {
            issues.push(issue(
                Some(id),
                "definition",
                Code::Type,
                "expected an object; found something else. Write the route anew, or delete it",
            ));
            return None;
        }
        Err(_) => {
            issues.push(issue(
                Some(id),
                "definition",
                Code::Syntax,
                "what is stored for this route is no JSON. Write the route anew, or delete it",
            ));
            return None;
        }
    };
    if definition.get("id").is_some_and(|declared| declared != id) {
        issues.push(issue(
            Some(id),
            "definition.id",
            Code::Conflict,
            format!(
                "the definition names another id than the route's own, \"{id}\". Delete the key"
            ),
        ));
    }
    let path = definition
        .get("match")
        .and_then(|asked| asked.get("path"))
        .and_then(Value::as_str);
    if path == Some("/*") {
        issues.push(issue(
            Some(id),
            "definition.match.path",
            Code::Value,
            "paths are beginnings, so \"/\" means every path. Write \"/\"",
        ));
    }
    definition.insert("id".to_owned(), json!(id));
    Some(definition)
}

/// What the library finds wrong with a document whose routes have these ids.
pub(super) fn found(document: &Value, ids: &[&str]) -> Vec<Issue> {
    match table::compile(config::read_value(document.clone())) {
        Ok(_) => Vec::new(),
        Err(refused) => refused
            .issues
            .into_iter()
            .map(|found| placed(found, ids))
            .collect(),
    }
}

/// What the library found, told by the route's id instead of its place.
fn placed(found: Found, ids: &[&str]) -> Issue {
    let Found {
        path,
        code,
        message,
        position: _,
    } = found;
    let (route_id, path) = by_route(&path, ids);
    Issue {
        route_id,
        path,
        code,
        message,
    }
}

/// A path of the document as the route it is in and the path within that.
pub(super) fn by_route(path: &str, ids: &[&str]) -> (Option<String>, String) {
    let inside = path
        .strip_prefix("routes[")
        .and_then(|rest| rest.split_once(']'))
        .and_then(|(index, rest)| Some((ids.get(index.parse::<usize>().ok()?)?, rest)));
    match inside {
        Some((id, rest)) => {
            let rest = rest.strip_prefix('.').unwrap_or(rest);
            let path = if rest.is_empty() { "definition" } else { rest };
            (Some((*id).to_owned()), path.to_owned())
        }
        None if path.is_empty() => (None, "document".to_owned()),
        None => (None, path.to_owned()),
    }
}

fn issue(route_id: Option<&str>, path: &str, code: Code, message: impl Into<String>) -> Issue {
    Issue {
        route_id: route_id.map(str::to_owned),
        path: path.to_owned(),
        code,
        message: message.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"match":{"path":"/a"},"upstream":"a.example.com"}"#;

    fn parts<'a>(parts: &[(&'a str, &'a str)]) -> Vec<Part<'a>> {
        parts
            .iter()
            .map(|(id, definition)| Part { id, definition })
            .collect()
    }

    /// Checks where everything is that is wrong: `route/path`.
    #[track_caller]
    fn check(given: &[(&str, &str)], defaults: Option<Value>, expected: &[&str]) {
        let found: Vec<String> = match compile(&parts(given), defaults.as_ref()) {
            Ok(_) => Vec::new(),
            Err(refused) => refused
                .issues
                .into_iter()
                .map(|issue| format!("{}/{}", issue.route_id.unwrap_or_default(), issue.path))
                .collect(),
        };
        assert_eq!(found, expected, "{given:?}");
    }

    #[test]
    fn an_issue_names_its_own_route_though_others_are_left_out() {
        check(
            &[
                ("broken", "{"),
                ("list", "[]"),
                ("bad", r#"{"match":{"path":"/b"},"upstream":"localhost"}"#),
                ("good", GOOD),
                ("none", "{}"),
            ],
            None,
            &[
                "broken/definition",
                "list/definition",
                "bad/upstream",
                "none/match",
                "none/definition",
            ],
        );
    }

    #[test]
    fn what_the_table_cannot_know_is_told_beside_what_it_finds() {
        check(
            &[(
                "a",
                r#"{"id":"b","match":{"path":"/*"},"upstream":"a.example.com","retries":"x"}"#,
            )],
            Some(json!([])),
            &[
                "a/definition.id",
                "a/definition.match.path",
                "/defaults",
                "a/retries",
            ],
        );
        check(
            &[("a", GOOD)],
            Some(json!({ "timeoutMs": 0 })),
            &["/defaults.timeoutMs"],
        );
    }

    #[test]
    fn that_nothing_is_left_is_no_news_where_every_route_failed() {
        check(
            &[("a", "{"), ("b", "1")],
            None,
            &["a/definition", "b/definition"],
        );
        let empty = compile(&[], None).unwrap_err();
        assert!(empty.empty);
        assert_eq!(empty.issues.len(), 1);
        assert_eq!(empty.issues[0].path, "routes");
    }

    #[test]
    fn a_document_that_no_row_holds_is_refused() {
        let note = "x".repeat(60_000);
        let definition = json!({
            "match": { "path": "/a" },
            "respond": { "status": 200, "body": note },
        })
        .to_string();
        let ids: Vec<String> = (0..26).map(|index| format!("r{index}")).collect();
        let given: Vec<(&str, &str)> = ids
            .iter()
            .map(|id| (id.as_str(), definition.as_str()))
            .collect();
        let refused = compile(&parts(&given), None).unwrap_err();
        assert!(refused.issues.iter().any(|issue| issue.path == "document"));
    }

    #[test]
    fn a_document_keeps_the_defaults_as_they_are_written() {
        let compiled = compile(&parts(&[("a", GOOD)]), Some(&json!({ "retries": 1 }))).unwrap();
        assert_eq!(
            compiled.document,
            json!({
                "version": 1,
                "defaults": { "retries": 1 },
                "routes": [{ "id": "a", "match": { "path": "/a" }, "upstream": "a.example.com" }],
            })
        );
        let without = compile(&parts(&[("a", GOOD)]), Some(&json!({}))).unwrap();
        assert_eq!(without.document.get("defaults"), None);
        assert_eq!(without.digest, config::digest(&without.document));
    }
}
