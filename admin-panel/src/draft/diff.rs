//! What differs between two documents, route by route.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use jouska::table::advice::Rule;
use serde::Serialize;
use serde_json::{Map, Value};

use super::Dangers;

/// One difference.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DiffEntry {
    path: String,
    kind: Kind,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from_position: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_position: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    route_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    risk: Option<&'static Rule>,
    #[serde(skip_serializing_if = "Option::is_none")]
    risk_count: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Added,
    Removed,
    Changed,
    Moved,
}

impl DiffEntry {
    fn new(path: impl Into<String>, kind: Kind) -> Self {
        Self {
            path: path.into(),
            kind,
            from: None,
            to: None,
            from_position: None,
            to_position: None,
            route_id: None,
            field: None,
            risk: None,
            risk_count: None,
        }
    }
}

/// Everything that differs: routes in the order of `to`, then those that are gone, then the defaults, then the rest.
pub(crate) fn diff(from: &Value, to: &Value) -> Vec<DiffEntry> {
    let mut entries = Vec::new();
    let (before, after) = (routes(from), routes(to));
    let moved = moved(&before, &after);
    for (id, (to_position, route)) in in_order(&after) {
        let Some((from_position, earlier)) = before.get(id) else {
            entries.push(added(id, *to_position, route));
            continue;
        };
        fields(earlier, route, |field, from, to| {
            entries.push(DiffEntry {
                from,
                to,
                risk: Dangers::nearest(route, &field),
                ..changed(format!("routes.{id}.{field}"), Some(id), field)
            });
        });
        if moved.contains(id) {
            entries.push(DiffEntry {
                from_position: Some(*from_position),
                to_position: Some(*to_position),
                route_id: Some((*id).to_owned()),
                ..DiffEntry::new(format!("routes.{id}"), Kind::Moved)
            });
        }
    }
    for (id, (from_position, route)) in in_order(&before) {
        if !after.contains_key(id) {
            entries.push(DiffEntry {
                from: Some((*route).clone()),
                from_position: Some(*from_position),
                route_id: Some((*id).to_owned()),
                ..DiffEntry::new(format!("routes.{id}"), Kind::Removed)
            });
        }
    }
    defaults(from.get("defaults"), to.get("defaults"), &mut entries);
    rest(from, to, &mut entries);
    entries
}

type Routes<'d> = BTreeMap<&'d str, (usize, &'d Value)>;

fn routes(document: &Value) -> Routes<'_> {
    let routes = document.get("routes").and_then(Value::as_array);
    routes
        .into_iter()
        .flatten()
        .enumerate()
        .filter_map(|(position, route)| Some((route.get("id")?.as_str()?, (position, route))))
        .collect()
}

fn in_order<'r, 'd>(routes: &'r Routes<'d>) -> Vec<(&'r &'d str, &'r (usize, &'d Value))> {
    let mut all: Vec<_> = routes.iter().collect();
    all.sort_by_key(|(_, (position, _))| *position);
    all
}

/// The routes that changed places with others: what comes and goes moves nobody.
fn moved<'d>(before: &Routes<'d>, after: &Routes<'d>) -> BTreeSet<&'d str> {
    let kept = |one: &Routes<'d>, other: &Routes<'d>| {
        let ids = in_order(one).into_iter().map(|(id, _)| *id);
        ids.filter(|id| other.contains_key(id)).collect::<Vec<_>>()
    };
    let (earlier, later) = (kept(before, after), kept(after, before));
    let pairs = earlier.iter().zip(&later);
    pairs
        .filter(|(earlier, later)| earlier != later)
        .map(|(_, later)| *later)
        .collect()
}

fn added(id: &str, position: usize, route: &Value) -> DiffEntry {
    let fired = Dangers::worst_first(route);
    DiffEntry {
        to: Some(route.clone()),
        to_position: Some(position),
        route_id: Some(id.to_owned()),
        risk: fired.first().copied(),
        risk_count: (!fired.is_empty()).then_some(fired.len()),
        ..DiffEntry::new(format!("routes.{id}"), Kind::Added)
    }
}

fn changed(path: String, route_id: Option<&str>, field: String) -> DiffEntry {
    DiffEntry {
        route_id: route_id.map(str::to_owned),
        field: Some(field),
        ..DiffEntry::new(path, Kind::Changed)
    }
}

fn defaults(from: Option<&Value>, to: Option<&Value>, entries: &mut Vec<DiffEntry>) {
    match (from, to) {
        (None, None) => {}
        (Some(from), Some(to)) => fields(from, to, |field, before, after| {
            entries.push(DiffEntry {
                from: before,
                to: after,
                risk: Dangers::nearest(to, &field),
                ..changed(format!("defaults.{field}"), None, field)
            });
        }),
        (from, to) => {
            let fired = to.map(Dangers::worst_first).unwrap_or_default();
            let kind = if to.is_some() {
                Kind::Added
            } else {
                Kind::Removed
            };
            entries.push(DiffEntry {
                from: from.cloned(),
                to: to.cloned(),
                risk: fired.first().copied(),
                risk_count: (!fired.is_empty()).then_some(fired.len()),
                ..DiffEntry::new("defaults", kind)
            });
        }
    }
}

/// Members of the document that are neither routes nor defaults.
fn rest(from: &Value, to: &Value, entries: &mut Vec<DiffEntry>) {
    let (from, to) = (members(from), members(to));
    for name in names(from, to) {
        let (before, after) = (from.get(name), to.get(name));
        if !matches!(name, "routes" | "defaults" | "meta") && before != after {
            entries.push(DiffEntry {
                from: before.cloned(),
                to: after.cloned(),
                ..DiffEntry::new(name, Kind::Changed)
            });
        }
    }
}

/// Tells every field that differs: objects are walked into by the names of their members, lists are compared whole.
fn fields(from: &Value, to: &Value, mut found: impl FnMut(String, Option<Value>, Option<Value>)) {
    walk("", members(from), members(to), &mut found);
}

fn walk(
    at: &str,
    from: &Map<String, Value>,
    to: &Map<String, Value>,
    found: &mut impl FnMut(String, Option<Value>, Option<Value>),
) {
    for name in names(from, to) {
        let field = if at.is_empty() {
            name.to_owned()
        } else {
            format!("{at}.{name}")
        };
        match (from.get(name), to.get(name)) {
            (Some(Value::Object(from)), Some(Value::Object(to))) => walk(&field, from, to, found),
            (before, after) if before != after => {
                found(field, before.cloned(), after.cloned());
            }
            _ => {}
        }
    }
}

fn names<'m>(from: &'m Map<String, Value>, to: &'m Map<String, Value>) -> BTreeSet<&'m str> {
    from.keys().chain(to.keys()).map(String::as_str).collect()
}

fn members(value: &Value) -> &Map<String, Value> {
    static NONE: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);
    value.as_object().unwrap_or(&NONE)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(from: Value, to: Value, expected: Value) {
        assert_eq!(
            serde_json::to_value(diff(&from, &to)).unwrap(),
            expected,
            "{from} {to}"
        );
    }

    fn table(routes: Value) -> Value {
        json!({ "version": 1, "routes": routes })
    }

    #[test]
    fn equal_documents_do_not_differ() {
        let document = table(json!([{ "id": "a", "x": { "y": [1, { "z": 2 }] } }]));
        check(document.clone(), document, json!([]));
    }

    #[test]
    fn fields_are_told_one_by_one_with_the_risk_they_carry() {
        let set = Dangers::nearest(
            &json!({ "requestHeaders": { "set": {} } }),
            "requestHeaders.set",
        )
        .unwrap();
        check(
            table(
                json!([{ "id": "a.b", "upstream": "x", "match": { "path": "/", "methods": ["GET"] } }]),
            ),
            table(
                json!([{ "id": "a.b", "upstream": "y", "match": { "path": "/", "methods": ["GET", "POST"] },
                "requestHeaders": { "set": { "x-a": "1" } } }]),
            ),
            json!([
                { "path": "routes.a.b.match.methods", "kind": "changed", "routeId": "a.b", "field": "match.methods",
                  "from": ["GET"], "to": ["GET", "POST"] },
                { "path": "routes.a.b.requestHeaders", "kind": "changed", "routeId": "a.b", "field": "requestHeaders",
                  "to": { "set": { "x-a": "1" } }, "risk": set },
                { "path": "routes.a.b.upstream", "kind": "changed", "routeId": "a.b", "field": "upstream",
                  "from": "x", "to": "y" },
            ]),
        );
    }

    #[test]
    fn routes_come_go_and_move() {
        let respond = json!({ "id": "c", "scheme": "http", "respond": {} });
        let entries = diff(
            &table(json!([{ "id": "a" }, { "id": "b", "n": 1 }, { "id": "d" }])),
            &table(json!([{ "id": "d" }, { "id": "b", "n": 2 }, respond])),
        );
        let told: Vec<(&str, Kind)> = entries
            .iter()
            .map(|entry| (entry.path.as_str(), entry.kind))
            .collect();
        assert_eq!(
            told,
            [
                ("routes.d", Kind::Moved),
                ("routes.b.n", Kind::Changed),
                ("routes.b", Kind::Moved),
                ("routes.c", Kind::Added),
                ("routes.a", Kind::Removed),
            ]
        );
        assert_eq!(entries[0].from_position, Some(2));
        assert_eq!(entries[0].to_position, Some(0));
        assert_eq!(entries[3].risk.map(|rule| rule.path), Some("respond"));
        assert_eq!(entries[3].risk_count, Some(2));
    }

    #[test]
    fn what_comes_and_goes_moves_nobody() {
        let entries = diff(
            &table(json!([{ "id": "a" }, { "id": "b" }, { "id": "c" }])),
            &table(json!([{ "id": "x" }, { "id": "c" }, { "id": "b" }])),
        );
        let moved: Vec<&str> = entries
            .iter()
            .filter(|entry| entry.kind == Kind::Moved)
            .map(|entry| entry.path.as_str())
            .collect();
        assert_eq!(moved, ["routes.c", "routes.b"]);
    }

    #[test]
    fn defaults_and_the_version_are_told_apart_from_routes() {
        check(
            json!({ "version": 1, "defaults": { "retries": 1, "scheme": "https" }, "routes": [] }),
            json!({ "version": 2, "defaults": { "retries": 1, "scheme": "http" }, "routes": [] }),
            json!([
                { "path": "defaults.scheme", "kind": "changed", "field": "scheme", "from": "https", "to": "http",
                  "risk": Dangers::nearest(&json!({ "scheme": "http" }), "scheme").unwrap() },
                { "path": "version", "kind": "changed", "from": 1, "to": 2 },
            ]),
        );
        check(
            json!({ "routes": [] }),
            json!({ "routes": [], "defaults": { "retries": 1 } }),
            json!([{ "path": "defaults", "kind": "added", "to": { "retries": 1 } }]),
        );
    }
}
