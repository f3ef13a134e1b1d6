//! The visitor against the upstreams, with nothing between them: each is what the other is tested with.

use std::sync::mpsc;

use serde_json::{Value, json};

use super::stage::{event_in, send};
use super::upstream::Upstreams;
use crate::case::Request;
use crate::expect::step_differences;
use crate::observed::{Exchange, Observed, Outcome, UpstreamRequest};
use crate::script::Script;

#[test]
fn an_answer_comes_through() {
    check(
        json!({ "body": "hello" }),
        json!({}),
        json!({ "status": 200, "body": "hello", "upstreamCount": 1 }),
    );
    check(
        json!({ "status": 404 }),
        json!({}),
        json!({ "status": 404, "bodyBytes": 0 }),
    );
    check(
        json!({ "body": "a" }),
        json!({ "parallel": 3 }),
        json!({ "body": "a", "upstreamCount": 3 }),
    );
    check(
        json!({ "body": "a" }),
        json!({ "repeat": 3 }),
        json!({ "body": "a", "upstreamCount": 3 }),
    );
    check(
        json!({ "body": "hello" }),
        json!({ "method": "HEAD" }),
        json!({
            "bodyBytes": 0, "headers": { "content-length": "5" },
        }),
    );
    check(
        json!({ "delayMs": 30 }),
        json!({}),
        json!({ "status": 200, "notBeforeMs": 30 }),
    );
}

#[test]
fn pieces_come_one_by_one() {
    let chunks = json!([{ "text": "one" }, { "afterMs": 60, "text": "two" }, { "afterMs": 60, "base64": "/w==" }]);
    check(
        json!({ "chunks": chunks }),
        json!({}),
        json!({
            "bodyBase64": "b25ldHdv/w==", "chunksAtLeast": 3, "notBeforeMs": 120,
        }),
    );
}

#[test]
fn a_request_goes_out_as_written() {
    let request = json!({
        "method": "POST",
        "url": "https://o.example/a/../b\\c?d=%zz",
        "headers": [["X-A", "1"], ["x-a", ""], ["TE", "trailers"], ["x-utf", "\u{e9}"]],
        "bodyChunks": [{ "text": "one" }, { "afterMs": 20, "text": "two" }],
    });
    check(
        json!({ "echo": true }),
        request,
        json!({
            "upstream": [{
                "method": "POST", "host": "o.example", "path": "/a/../b\\c", "query": "d=%zz", "body": "onetwo",
                "headers": { "x-a": ["1", ""], "te": "trailers", "x-utf": "\u{e9}", "transfer-encoding": "chunked" },
                "noHeaders": ["accept-encoding", "content-length", "user-agent", "connection"],
            }],
        }),
    );
    check(
        json!({}),
        json!({ "body": "four", "cf": { "city": "S\u{e3}o" } }),
        json!({
            "upstream": [{ "headers": { "content-length": "4", "mf-cf-blob": r#"{"city":"S\u00e3o"}"# } }],
        }),
    );
    check(
        json!({}),
        json!({ "body": "four", "headers": [["Content-Length", "2"]] }),
        json!({
            "upstream": [{ "headers": { "content-length": "2" }, "body": "fo" }],
        }),
    );
}

#[test]
fn a_body_breaks_off() {
    check(
        json!({ "chunks": [{ "text": "half" }], "fail": "reset" }),
        json!({}),
        json!({
            "status": 200, "body": "half", "bodyError": true,
        }),
    );
    check(
        json!({ "chunks": [{ "text": "half" }], "fail": "stall" }),
        json!({ "abortAfterMs": 40 }),
        json!({
            "status": 200, "body": "half", "notBeforeMs": 40,
        }),
    );
}

#[test]
fn a_visitor_may_hang_up() {
    check(
        json!({ "fail": "hang" }),
        json!({ "abortAfterMs": 40 }),
        json!({ "upstreamCount": 1 }),
    );
}

#[test]
fn a_refusal_is_no_answer_at_all() {
    for (host, count) in [("o.example", 1), ("unlisted.example", 0)] {
        let (exchanges, upstream) = play(
            json!({ "fail": "refuse" }),
            json!({ "url": format!("https://{host}/") }),
        );
        assert!(matches!(exchanges[0].outcome, Outcome::Unanswered(_)));
        assert_eq!(upstream.len(), count, "{host}");
    }
}

#[test]
fn a_websocket_handshake_is_answered() {
    let key = json!({ "headers": [["sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="]] });
    check(
        json!({ "status": 101 }),
        key,
        json!({
            "status": 101, "bodyBytes": 0, "headers": { "sec-websocket-accept": "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" },
        }),
    );
}

#[test]
fn an_event_line_is_known_by_its_mark() {
    assert!(event_in(r#"JOUSKA_EVENT {"status": 200}"#).is_some());
    assert!(event_in(r#"{"status": 200}"#).is_none());
    assert!(event_in("JOUSKA_EVENT nonsense").is_none());
}

#[track_caller]
fn check(then: Value, request: Value, expect: Value) {
    let (exchanges, upstream) = play(then, request);
    let observed = Observed {
        exchanges,
        upstream,
        output: Vec::new(),
    };
    let differences = step_differences(&serde_json::from_value(expect).unwrap(), &observed);
    assert_eq!(differences, [], "{observed:?}");
}

fn play(then: Value, mut request: Value) -> (Vec<Exchange>, Vec<UpstreamRequest>) {
    let rules = serde_json::from_value(json!({ "o.example": [{ "then": then }] })).unwrap();
    let (happened, _happenings) = mpsc::channel();
    let upstreams = Upstreams::listen(Script::new(&rules), happened).unwrap();
    if request.get("url").is_none() {
        request["url"] = json!("https://o.example/");
    }
    let request: Request = serde_json::from_value(request).unwrap();
    let exchanges = send(upstreams.address().port(), &request);
    (exchanges, upstreams.since(0))
}
