//! Folding, field by field: who wins, what is united, and where an issue is reported.

use serde_json::{Value, json};

use super::*;
use crate::config::{
    document::{Document, samples},
    parse_value,
    reader::names_of,
};

fn document(defaults: Value, route: Value) -> Document {
    parse_value(json!({ "defaults": defaults, "routes": [route] }))
        .unwrap()
        .document
}

fn folded(defaults: Value, route: Value) -> (RouteDocument, Origin, Issues) {
    let document = document(defaults, route);
    let mut issues = Issues::default();
    let mut route = document.routes[0].clone();
    let defaults = document.defaults.unwrap_or_default();
    let origin = fold(&defaults, &mut route, Place::Route(0), &mut issues);
    (route, origin, issues)
}

#[track_caller]
fn check(defaults: Value, route: Value, expected: &Value) {
    let (route, _, issues) = folded(defaults, route);
    assert_eq!(serde_json::to_value(&route).unwrap(), *expected);
    assert!(issues.is_empty(), "{issues:?}");
}

#[test]
fn a_stated_field_keeps_its_value_and_a_gap_is_filled() {
    check(
        json!({ "timeoutMs": 5000, "retries": 2, "cache": { "ttlSeconds": 9, "epoch": "1" } }),
        json!({ "timeoutMs": 20000, "cache": {} }),
        &json!({ "timeoutMs": 20000, "retries": 2, "cache": {} }),
    );
}

#[test]
fn header_bags_are_merged_entry_by_entry() {
    check(
        json!({
            "requestHeaders": { "set": { "x-shared": "table", "X-Team": "table" }, "remove": ["a", "B"] },
            "responseHeaders": { "remove": ["Server"] },
        }),
        json!({
            "requestHeaders": { "set": { "x-own": "own", "x-team": "route" }, "remove": ["b", "c"] },
            "responseHeaders": {},
        }),
        &json!({
            "requestHeaders": {
                "set": { "x-shared": "table", "x-own": "own", "x-team": "route" },
                "remove": ["b", "c", "a"],
            },
            "responseHeaders": { "remove": ["Server"] },
        }),
    );
}

#[test]
fn the_alias_is_folded_away() {
    check(
        json!({ "upstreamHeaders": { "x-shared": "table", "X-A": "table" } }),
        json!({ "upstreamHeaders": { "x-a": "1", "x-b": "2" }, "requestHeaders": { "set": { "X-B": "2" } } }),
        &json!({ "requestHeaders": { "set": { "x-shared": "table", "x-a": "1", "X-B": "2" } } }),
    );
    check(json!({}), json!({ "upstreamHeaders": {} }), &json!({}));
}

#[test]
fn an_alias_that_contradicts_what_it_stands_for_is_refused() {
    let cases = [
        (
            json!({}),
            json!({ "upstreamHeaders": { "x-a": "1" }, "requestHeaders": { "set": { "X-A": "2" } } }),
            "routes[0].upstreamHeaders.x-a",
        ),
        (
            json!({ "upstreamHeaders": { "x-a": "1" } }),
            json!({ "requestHeaders": { "set": { "X-A": "2" } } }),
            "routes[0].requestHeaders.set.X-A",
        ),
        (
            json!({ "requestHeaders": { "set": { "x-a": "1" } } }),
            json!({ "upstreamHeaders": { "X-A": "2" } }),
            "routes[0].upstreamHeaders.X-A",
        ),
        (
            json!({ "requestHeaders": { "set": { "x-a": "1" } }, "upstreamHeaders": { "X-A": "2" } }),
            json!({}),
            "defaults.upstreamHeaders.X-A",
        ),
    ];
    for (defaults, route, expected) in cases {
        let (_, _, issues) = folded(defaults, route);
        let issues = issues.into_vec();
        assert_eq!(issues.len(), 1);
        assert_eq!(issues[0].path, expected);
        assert!(issues[0].message.contains("X-A") || issues[0].message.contains("x-a"));
    }
}

#[test]
fn every_entry_is_traced_to_where_it_was_written() {
    let (_, origin, _) = folded(
        json!({
            "requestHeaders": { "set": { "x-t": "" }, "remove": ["x-q", "x-r"] },
            "upstreamHeaders": { "x-u": "" },
            "responseHeaders": { "set": { "x-v": "" } },
            "cors": {},
        }),
        json!({ "requestHeaders": { "set": { "x-o": "" }, "remove": ["x-q"] }, "upstreamHeaders": { "x-p": "" } }),
    );
    for (folded, written) in [
        ("requestHeaders.set.x-t", "defaults.requestHeaders.set.x-t"),
        ("requestHeaders.set.x-u", "defaults.upstreamHeaders.x-u"),
        ("requestHeaders.set.x-o", "routes[0].requestHeaders.set.x-o"),
        ("requestHeaders.set.x-p", "routes[0].upstreamHeaders.x-p"),
        (
            "requestHeaders.remove[0]",
            "routes[0].requestHeaders.remove[0]",
        ),
        (
            "requestHeaders.remove[1]",
            "defaults.requestHeaders.remove[1]",
        ),
        (
            "responseHeaders.set.x-v",
            "defaults.responseHeaders.set.x-v",
        ),
        ("requestHeaders", "routes[0].requestHeaders"),
        ("responseHeaders", "defaults.responseHeaders"),
        ("cors.origins[0]", "defaults.cors.origins[0]"),
    ] {
        assert_eq!(origin.written_at(format!("routes[0].{folded}")), written);
    }
}

#[test]
fn every_default_is_inherited_under_its_own_name() {
    let full = samples::everything().defaults.unwrap();
    let mut none = RouteDocument::default();
    let origin = fold(&full, &mut none, Place::Route(0), &mut Issues::default());
    for name in names_of::<Defaults>() {
        let name = if name == "upstreamHeaders" {
            "requestHeaders"
        } else {
            name
        };
        assert!(origin.inherits(name), "{name}");
    }
}

#[test]
fn a_mistake_in_defaults_is_found_in_the_defaults() {
    let document = document(
        json!({ "upstreamHeaders": { "host": "a" }, "ip": {} }),
        json!({}),
    );
    let mut issues = Issues::default();
    let (route, origin) = probe(&document.defaults.unwrap(), &mut issues);
    assert!(route.ip.is_some());
    for (folded, written) in [
        ("requestHeaders.set.host", "defaults.upstreamHeaders.host"),
        ("ip", "defaults.ip"),
    ] {
        assert_eq!(origin.written_at(format!("defaults.{folded}")), written);
    }
}

#[test]
fn defaults_too_large_for_their_routes_are_refused() {
    let defaults = Defaults {
        block_countries: Some(vec!["x".repeat(MAX_FOLDED / 1_000)]),
        ..Defaults::default()
    };
    assert!(weigh(&defaults, 900, &mut Issues::default()).is_ok());
    assert!(weigh(&defaults, 1_000, &mut Issues::default()).is_err());
}
