//! Reading documents: what every wrong shape is told, and what is only warned of.

use serde_json::json;

use super::*;
use crate::config::{MAX_ROUTES, document::FailureMode};

fn issues(tree: Value) -> Vec<String> {
    match parse_value(tree) {
        Ok(_) => Vec::new(),
        Err(refused) => refused.issues.iter().map(Issue::to_string).collect(),
    }
}

/// Checks that a route with these members is refused for this and nothing else.
#[track_caller]
fn check(route: &Value, expected: &str) {
    let found = issues(json!({ "routes": [route] }));
    let expected: Vec<String> = expected
        .lines()
        .map(|line| format!("routes[0].{}", line.trim()))
        .collect();
    assert_eq!(found, expected, "{route}");
}

#[test]
fn a_value_of_the_wrong_type_is_named_with_the_way_out() {
    check(
        &json!({ "retries": "2" }),
        "retries: expected a whole number; found the text \"2\". Write it without quotation marks",
    );
    check(
        &json!({ "retries": 1.5 }),
        "retries: expected a whole number; found the number 1.5",
    );
    check(
        &json!({ "retries": -1 }),
        "retries: expected a whole number of 0 or more; found -1",
    );
    check(
        &json!({ "retries": null }),
        "retries: expected a whole number; found null. Delete the key to leave it unset",
    );
    check(
        &json!({ "stripPrefix": "true" }),
        "stripPrefix: expected true or false; found the text \"true\". Write it without quotation marks",
    );
    check(
        &json!({ "upstream": 5 }),
        "upstream: expected a text in quotation marks; found the number 5. Write \"5\"",
    );
    check(
        &json!({ "upstreams": "a.example.com" }),
        "upstreams: expected a list in square brackets; found the text \"a.example.com\". Write [\"a.example.com\"]",
    );
    check(
        &json!({ "match": "/x" }),
        "match: expected an object in curly braces; found the text \"/x\"",
    );
    check(
        &json!({ "limits": { "retryRatio": "0.2" } }),
        "limits.retryRatio: expected a number; found the text \"0.2\". Write it without quotation marks",
    );
    check(
        &json!({ "respond": { "headers": { "retry-after": 30 } } }),
        "respond.headers.retry-after: expected a text in quotation marks; found the number 30. Write \"30\"",
    );
}

#[test]
fn a_word_out_of_a_few_is_named_with_all_of_them() {
    check(
        &json!({ "scheme": "htps" }),
        "scheme: expected \"https\" or \"http\"; found the text \"htps\"",
    );
    check(
        &json!({ "scheme": true }),
        "scheme: expected \"https\" or \"http\"; found true",
    );
    check(
        &json!({ "failover": { "on": ["timeout", "4xx"] } }),
        "failover.on[1]: expected \"timeout\", \"unreachable\" or \"5xx\"; found the text \"4xx\"",
    );
    check(
        &json!({ "stickyBy": "ip" }),
        "stickyBy: expected \"cookie\"; found the text \"ip\"",
    );
}

#[test]
fn alternatives_are_read_by_what_they_hold() {
    check(
        &json!({ "hashBy": "ip" }),
        "hashBy: expected an object in curly braces; found the text \"ip\". Write {\"source\": \"ip\"}",
    );
    check(
        &json!({ "hashBy": { "source": "header" } }),
        "hashBy.header: expected the name of the header that is hashed; found nothing",
    );
    check(
        &json!({ "hashBy": { "source": "cooky" } }),
        "hashBy.source: expected \"ip\", \"path\", \"url\", \"header\", \"cookie\" or \"query\"; found the text \"cooky\"",
    );
    let query = |query: Value| json!({ "cache": { "key": { "query": query } } });
    check(
        &query(json!("some")),
        "cache.key.query: expected \"all\" or \"none\"; found the text \"some\"",
    );
    check(
        &query(json!(["a"])),
        "cache.key.query: expected \"all\", \"none\", {\"ignore\": [...]} or {\"include\": [...]}; found a list",
    );
    check(
        &query(json!({})),
        "cache.key.query: expected \"ignore\" or \"include\" with a list of query parameters; found neither. For all or none of them write \"all\" or \"none\"",
    );
    check(
        &query(json!({ "ignore": ["a"], "include": ["b"] })),
        "cache.key.query: expected either \"ignore\" or \"include\"; found both. Keep the one that says which query parameters count",
    );
    check(
        &json!({ "access": { "keys": ["a", { "sha256": "b" }, 5] } }),
        "access.keys[2]: expected a SHA-256 digest in quotation marks or an object with \"sha256\"; found the number 5",
    );
}

#[test]
fn all_shape_issues_are_reported_together() {
    check(
        &json!({ "timeoutMs": "1", "cors": [], "match": { "methods": "GET" } }),
        "match.methods: expected a list in square brackets; found the text \"GET\". Write [\"GET\"]
         timeoutMs: expected a whole number; found the text \"1\". Write it without quotation marks
         cors: expected an object in curly braces; found a list",
    );
}

#[test]
fn a_whole_number_may_be_spelled_as_json_permits() {
    for (number, expected) in [("5e3", 5000), ("5000.0", 5000), ("0", 0), ("-0.0", 0)] {
        let text = format!("{{\"routes\": [{{\"timeoutMs\": {number}}}]}}");
        let parsed = parse(&text).unwrap();
        assert_eq!(
            parsed.document.routes[0].timeout_ms,
            Some(expected),
            "{number}"
        );
    }
    assert_eq!(
        issues(json!({ "routes": [{ "timeoutMs": 1e30 }] })).len(),
        1
    );
}

#[test]
fn what_no_stage_owns_is_checked_here() {
    for (tree, expected) in [
        (
            json!([]),
            "expected an object in curly braces; found a list",
        ),
        (
            json!({}),
            "routes: expected a list of routes; found nothing. Write \"routes\": [...]",
        ),
        (
            json!({ "routes": [] }),
            "routes: expected at least one route; found none",
        ),
        (
            json!({ "routes": {} }),
            "routes: expected a list in square brackets; found an object. Put square brackets around it",
        ),
        (
            json!({ "version": 2, "routes": 5 }),
            "version: expected 1, the only version this build can read; found 2. Update the proxy before publishing a newer document",
        ),
        (
            json!({ "version": "1", "routes": [{}] }),
            "version: expected a whole number; found the text \"1\". Write it without quotation marks",
        ),
        (
            json!({ "meta": { "updatedBy": "" }, "routes": [{}] }),
            "meta.updatedBy: expected at least one character; found an empty text. Delete the key to leave it unset",
        ),
        (
            json!({ "meta": { "revision": "" }, "routes": [{}] }),
            "meta.revision: expected at least one character; found an empty text. Delete the key to leave it unset",
        ),
        (
            json!({ "routes": [{ "id": "" }] }),
            "routes[0].id: expected 1 to 256 characters; found 0. Without an id, delete the key",
        ),
        (
            json!({ "routes": vec![json!({}); MAX_ROUTES + 1] }),
            "routes: expected at most 5000 routes; found 5001. Divide them between several Workers",
        ),
    ] {
        assert_eq!(issues(tree), [expected]);
    }
}

#[test]
fn a_key_that_only_a_route_may_have_is_refused_in_defaults() {
    let found = issues(json!({
        "defaults": { "failover": {}, "match": {}, "timeoutMs": 5, "somethingNew": 1 },
        "routes": [{}],
    }));
    assert_eq!(
        found,
        [
            "defaults.match: \"match\" cannot be set in defaults; write it into each route that needs it",
            "defaults.failover: \"failover\" cannot be set in defaults; write it into each route that needs it",
        ]
    );
}

#[test]
fn an_unknown_key_is_a_warning_with_the_nearest_known_name() {
    let parsed = parse_value(json!({
        "$schema": "https://example.com/schema.json",
        "comment": "by hand",
        "routes": [{
            "host": "example.com",
            "allowed_methods": ["GET"],
            "retry": 2,
            "cache": { "ttl_seconds": 5, "x": { "y": 1 } },
            "match": { "headers": [{ "nam": "x" }] },
            "hashBy": { "source": "path", "header": "x" },
        }],
    }))
    .unwrap();
    let mut warnings: Vec<String> = parsed
        .warnings
        .iter()
        .map(|Warning { path, nearest }| format!("{path} {}", nearest.as_deref().unwrap_or("-")))
        .collect();
    warnings.sort();
    assert_eq!(
        warnings,
        [
            "comment -",
            "routes[0].allowed_methods requestPolicy.allowedMethods",
            "routes[0].cache.ttl_seconds ttlSeconds",
            "routes[0].cache.x -",
            "routes[0].hashBy.header -",
            "routes[0].host match.host",
            "routes[0].match.headers[0].nam name",
            "routes[0].retry retries",
        ]
    );
}

#[test]
fn what_can_be_read_is_read_and_elements_keep_their_place() {
    let reading = read_value(json!({
        "routes": [5, { "upstreams": [1, "b"], "failover": { "on": [0, "5xx"] }, "retries": 3 }],
    }));
    let route = &reading.document.routes[1];
    assert_eq!(route.upstreams, Some(vec![String::new(), "b".to_owned()]));
    assert_eq!(route.retries, Some(3));
    let on = route
        .failover
        .as_ref()
        .and_then(|failover| failover.on.clone());
    assert_eq!(on.unwrap()[1], FailureMode::ServerError);
    let root = Path::root();
    let routes = root.key("routes");
    let mut issues = reading.issues;
    issues.report(
        &routes.index(0).key("match"),
        Code::Required,
        "a consequence",
    );
    issues.report(
        &routes.index(1).key("upstreams").index(1),
        Code::Value,
        "no upstream",
    );
    let paths: Vec<_> = issues
        .into_vec()
        .into_iter()
        .map(|issue| issue.path)
        .collect();
    assert_eq!(
        paths,
        [
            "routes[0]",
            "routes[1].upstreams[0]",
            "routes[1].failover.on[0]",
            "routes[1].upstreams[1]"
        ]
    );
}

#[test]
fn a_refusal_shows_warnings_after_its_issues() {
    let refused = parse(r#"{ "routs": [] }"#).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "routes: expected a list of routes; found nothing. Write \"routes\": [...]\n\
         routs: this key is not known and has no effect; did you mean \"routes\"?"
    );
}
