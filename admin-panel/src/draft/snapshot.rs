//! Documents as they are kept, and how one is taken apart again.

use std::collections::BTreeSet;

use jouska::config::{CONFIG_VERSION, Code};
use serde_json::{Map, Value, json};

use super::{
    Compiled, Issue, Part, Refusal,
    compile::{compile, found},
};
use crate::limits;

/// A snapshot that was read again.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Snapshot {
    /// The document, without `meta`.
    pub(crate) document: Value,
}

/// A snapshot is not what this panel writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Broken;

/// The routes of a snapshot, each taken out from under its id.
pub(crate) type Routes = Vec<(String, Map<String, Value>)>;

impl Snapshot {
    /// Reads a snapshot's text.
    pub(crate) fn read(text: &str) -> Result<Self, Broken> {
        let mut document: Value = serde_json::from_str(text).map_err(|_| Broken)?;
        document.as_object_mut().ok_or(Broken)?.remove("meta");
        Ok(Self { document })
    }

    /// The defaults block, where there is one.
    pub(crate) fn defaults(&self) -> Option<&Value> {
        self.document.get("defaults")
    }

    /// Its routes, if each has an id of its own.
    pub(crate) fn routes(&self) -> Result<Routes, Broken> {
        let routes = self
            .listed()
            .ok_or(Broken)?
            .iter()
            .map(|route| {
                let mut definition = route.as_object()?.clone();
                match definition.remove("id")? {
                    Value::String(id) => Some((id, definition)),
                    _ => None,
                }
            })
            .collect::<Option<Routes>>()
            .ok_or(Broken)?;
        let distinct: BTreeSet<&str> = routes.iter().map(|(id, _)| id.as_str()).collect();
        match distinct.len() == routes.len() {
            true => Ok(routes),
            false => Err(Broken),
        }
    }

    /// Compiles it by today's rules.
    pub(crate) fn compile(&self) -> Result<Compiled, Refusal> {
        let mut issues = self.id_issues();
        let version = self.document.get("version");
        let is_of_today = version.is_none_or(|version| *version == CONFIG_VERSION);
        let routes = match self.routes() {
            Ok(routes) if issues.is_empty() && is_of_today => routes,
            Ok(_) | Err(Broken) => {
                issues.extend(found(&self.document, &[]));
                return Err(Refusal {
                    issues,
                    empty: false,
                });
            }
        };
        let definitions: Vec<String> = routes
            .iter()
            .map(|(_, definition)| json!(definition).to_string())
            .collect();
        let parts: Vec<Part<'_>> = routes
            .iter()
            .zip(&definitions)
            .map(|((id, _), definition)| Part { id, definition })
            .collect();
        compile(&parts, self.defaults())
    }

    fn listed(&self) -> Option<&Vec<Value>> {
        self.document.get("routes")?.as_array()
    }

    /// What keeps its routes from being rows: the proxy asks for no ids, and a draft does.
    fn id_issues(&self) -> Vec<Issue> {
        let mut met = BTreeSet::new();
        let mut issues = Vec::new();
        for (index, route) in self.listed().into_iter().flatten().enumerate() {
            let id = route.get("id").and_then(Value::as_str);
            let (code, message) = match id {
                None => (Code::Required, "expected an id; found none"),
                Some(id) if !limits::is_route_id(id) => (
                    Code::Value,
                    "expected 1 to 64 letters, digits, \".\", \"_\" and \"-\", the first a letter or a digit",
                ),
                Some(id) if !met.insert(id) => {
                    (Code::Duplicate, "another route has this id already")
                }
                Some(_) => continue,
            };
            issues.push(Issue {
                route_id: id.map(str::to_owned),
                path: format!("routes[{index}].id"),
                code,
                message: message.to_owned(),
            });
        }
        issues
    }
}

/// Routes as the database takes them.
pub(crate) fn rows(routes: &Routes) -> Value {
    routes
        .iter()
        .map(|(id, definition)| json!({ "id": id, "definition": definition }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_is_taken_apart_and_what_is_none_is_told() {
        let text = r#"{"meta":{},"version":1,"defaults":{"retries":1},"routes":[{"id":"a","upstream":"x"}]}"#;
        let snapshot = Snapshot::read(text).unwrap();
        assert_eq!(snapshot.document.get("meta"), None);
        assert_eq!(snapshot.defaults(), Some(&json!({ "retries": 1 })));
        assert_eq!(
            rows(&snapshot.routes().unwrap()),
            json!([{ "id": "a", "definition": { "upstream": "x" } }])
        );
        for broken in ["", "[]", "1"] {
            assert_eq!(Snapshot::read(broken), Err(Broken), "{broken}");
        }
    }

    /// Checks where everything is that keeps a snapshot from being published again.
    #[track_caller]
    fn check(document: Value, expected: &[&str]) {
        let snapshot = Snapshot::read(&document.to_string()).unwrap();
        let paths: Vec<String> = match snapshot.compile() {
            Ok(_) => Vec::new(),
            Err(refused) => refused.issues.into_iter().map(|issue| issue.path).collect(),
        };
        assert_eq!(paths, expected, "{document}");
    }

    #[test]
    fn a_snapshot_is_held_to_todays_rules() {
        let route =
            |id: &str| json!({ "id": id, "match": { "path": "/" }, "respond": { "status": 204 } });
        check(json!({ "version": 1, "routes": [route("a")] }), &[]);
        check(
            json!({ "version": 2, "routes": [route("a")] }),
            &["version"],
        );
        check(json!({ "routes": {} }), &["routes"]);
        check(json!({}), &["routes"]);
        check(json!({ "routes": [] }), &["routes"]);
        check(json!({ "routes": [route("a b")] }), &["routes[0].id"]);
        check(
            json!({ "routes": [route("a"), route("a")] }),
            &["routes[1].id"],
        );
        check(
            json!({ "routes": [{ "match": { "path": "/" }, "respond": { "status": 204 } }] }),
            &["routes[0].id"],
        );
    }
}
