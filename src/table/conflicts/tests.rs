//! Every pair of settings that may not meet, and where that is reported.

use serde_json::{Value, json};

use super::*;
use crate::config::{defaults, origin::Place, read_value};

fn found(document: Value) -> Vec<String> {
    let mut reading = read_value(document);
    let defaults = reading.document.defaults.unwrap_or_default();
    let root = Path::root();
    let routes = root.key("routes");
    for (index, route) in reading.document.routes.iter_mut().enumerate() {
        let at = routes.index(index);
        let origin = defaults::fold(&defaults, route, Place::Route(index), &mut reading.issues);
        check(route, &origin, &at, &mut reading.issues);
    }
    reading
        .issues
        .into_vec()
        .into_iter()
        .map(|issue| issue.to_string())
        .collect()
}

/// Checks at which places one route with these members is in conflict with itself.
#[track_caller]
fn check_route(route: &Value, expected: &[&str]) {
    check_document(&json!({ "routes": [route] }), expected);
}

#[track_caller]
fn check_document(document: &Value, expected: &[&str]) {
    let found = found(document.clone());
    let places: Vec<&str> = found
        .iter()
        .filter_map(|issue| issue.split(": ").next())
        .collect();
    assert_eq!(places, expected, "{document}\n{found:#?}");
}

#[test]
fn a_route_forwards_in_one_way_or_answers_by_itself() {
    check_route(&json!({}), &[]);
    check_route(&json!({ "upstream": "a" }), &[]);
    check_route(&json!({ "respond": {} }), &[]);
    check_route(&json!({ "upstream": "a", "upstreams": [] }), &["routes[0]"]);
    check_route(
        &json!({ "upstream": "a", "trafficSplit": [] }),
        &["routes[0]"],
    );
    check_route(
        &json!({ "upstream": "a", "respond": {} }),
        &["routes[0].respond"],
    );
    check_route(
        &json!({ "respond": {}, "errorPages": {}, "mirror": {} }),
        &["routes[0].errorPages", "routes[0].mirror"],
    );
}

#[test]
fn choosing_takes_several_candidates() {
    check_route(
        &json!({ "upstream": "a", "failover": {}, "outlier": {} }),
        &["routes[0].failover", "routes[0].outlier"],
    );
    check_route(
        &json!({ "upstreams": ["a"], "failover": {}, "outlier": {} }),
        &[],
    );
    check_route(&json!({ "trafficSplit": [], "failover": {} }), &[]);
    check_route(
        &json!({ "respond": {}, "outlier": {} }),
        &["routes[0].outlier"],
    );
}

#[test]
fn dividing_callers_takes_a_split() {
    check_route(
        &json!({ "upstreams": [], "stickyBy": "cookie", "hashBy": { "source": "path" }, "hashType": "modulo" }),
        &[
            "routes[0].stickyBy",
            "routes[0].hashBy",
            "routes[0].hashType",
        ],
    );
    let split =
        |source: Value| json!({ "trafficSplit": [], "stickyBy": "cookie", "hashBy": source });
    check_route(&split(json!({ "source": "ip" })), &[]);
    check_route(&split(json!({ "source": "url" })), &["routes[0].hashBy"]);
}

#[test]
fn an_attempt_is_no_longer_than_all_of_them() {
    check_route(
        &json!({ "upstream": "a", "timeoutMs": 10, "totalTimeoutMs": 10 }),
        &[],
    );
    for route in [
        json!({ "upstream": "a", "timeoutMs": 11, "totalTimeoutMs": 10 }),
        json!({ "upstream": "a", "timeoutMs": 40_000 }),
        json!({ "upstream": "a", "totalTimeoutMs": 5_000 }),
    ] {
        check_route(&route, &["routes[0].timeoutMs"]);
    }
    let routes =
        json!([{ "upstream": "a" }, { "upstream": "b" }, { "upstream": "c", "timeoutMs": 2_000 }]);
    check_document(
        &json!({ "defaults": { "totalTimeoutMs": 1_000 }, "routes": routes }),
        &["defaults.timeoutMs", "routes[2].timeoutMs"],
    );
    check_document(
        &json!({ "defaults": { "timeoutMs": 30_000 }, "routes": [{ "upstream": "a", "totalTimeoutMs": 1_000 }] }),
        &["routes[0].timeoutMs"],
    );
}

#[test]
fn a_method_has_to_be_matched_first() {
    let route = |methods: Value, policy: Value, cache: Value| json!({ "upstream": "a", "match": { "methods": methods }, "requestPolicy": policy, "cache": cache });
    check_route(
        &route(
            json!(["POST"]),
            json!({ "allowedMethods": ["GET"] }),
            json!({}),
        ),
        &[
            "routes[0].requestPolicy.allowedMethods",
            "routes[0].cache.methods",
        ],
    );
    check_route(
        &route(
            json!(["post", "head"]),
            json!({ "allowedMethods": ["POST"] }),
            json!({ "methods": ["HEAD"] }),
        ),
        &[],
    );
    check_route(
        &route(json!([]), json!({ "allowedMethods": ["GET"] }), json!({})),
        &[],
    );
    check_document(
        &json!({
            "defaults": { "cache": {} },
            "routes": [{ "upstream": "a", "match": { "methods": ["POST"] } }],
        }),
        &["routes[0].cache.methods"],
    );
}

#[test]
fn nothing_is_stored_where_callers_are_asked_about() {
    check_route(
        &json!({ "upstream": "a", "cache": { "enabled": false }, "forwardAuth": {} }),
        &["routes[0].cache"],
    );
    check_document(
        &json!({
            "defaults": { "cache": {}, "forwardAuth": {} },
            "routes": [{ "upstream": "a" }, { "upstream": "b" }, { "upstream": "c", "cache": {} }],
        }),
        &["defaults.cache", "routes[2].cache"],
    );
}

#[test]
fn a_route_that_could_not_be_read_has_no_conflicts() {
    check_route(
        &json!({ "upstreams": "a", "failover": {} }),
        &["routes[0].upstreams"],
    );
    check_document(
        &json!({
            "defaults": { "timeoutMs": "1" },
            "routes": [{ "upstream": "a", "totalTimeoutMs": 5_000 }],
        }),
        &["defaults.timeoutMs"],
    );
}
