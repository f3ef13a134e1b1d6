//! Everything that is said about a table, together.

use serde_json::json;

use super::*;
use crate::{config::document::samples::EVERYTHING, table::samples};

#[test]
fn a_plain_table_needs_no_advice() {
    let (document, compiled) = samples::read(&json!({
        "routes": [
            { "match": { "path": "/api" }, "upstream": "api.example.com", "stripPrefix": true },
            { "match": { "host": "m.example.com" }, "upstream": "www.example.com", "bodyRewrite": {} },
        ],
    }));
    assert_eq!(advise(&document, &compiled), []);
}

#[test]
fn advice_is_told_at_its_place_with_its_route() {
    let (document, compiled) = samples::read(&json!({
        "defaults": { "scheme": "http", "cors": {} },
        "routes": [
            { "id": "site", "match": { "path": "/" }, "upstream": "www.example.com", "retrys": 2 },
            { "match": { "path": "/api" }, "upstream": "api.example.com", "requestHeaders": { "set": { "x-a": "1" } } },
        ],
    }));
    let told: Vec<Value> = advise(&document, &compiled)
        .iter()
        .map(|advice| {
            let mut told = serde_json::to_value(advice).unwrap();
            assert!(told.as_object_mut().unwrap().remove("message").is_some());
            told
        })
        .collect();
    assert_eq!(
        json!(told),
        json!([
            { "path": "routes[0].retrys", "kind": "unknown_key", "nearest": "retries" },
            {
                "path": "routes[1].match",
                "route": "*/api#1",
                "kind": "shadowed",
                "by": "site",
                "witness": { "method": "GET", "url": "https://shadow-probe.invalid/api" },
            },
            { "path": "defaults.scheme", "kind": "danger", "rule": "scheme", "level": "medium" },
            { "path": "defaults.cors", "kind": "danger", "rule": "cors.origins (absent)", "level": "medium" },
            {
                "path": "routes[1].requestHeaders.set",
                "route": "*/api#1",
                "kind": "danger",
                "rule": "requestHeaders.set",
                "level": "high",
            },
            {
                "path": "routes[0].upstream",
                "route": "site",
                "kind": "links_not_rewritten",
                "upstream": "www.example.com",
            },
        ])
    );
}

#[test]
fn every_rule_is_about_a_field_there_is() {
    let document: Value = serde_json::from_str(EVERYTHING).unwrap();
    for rule in danger::RULES {
        let place = rule.place().replace('.', "/");
        let stated = [0, 1, 2, 3].iter().any(|index| {
            document
                .pointer(&format!("/routes/{index}/{place}"))
                .is_some()
        });
        assert!(stated, "{}", rule.path);
    }
}
