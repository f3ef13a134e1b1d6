//! That a difference is seen, and that what is not compared makes none.

use std::io::Write as _;

use serde::Deserialize as _;
use serde_json::{Value, json};

use super::*;
use crate::case::Refusal;
use crate::observed::{Read, UpstreamRequest};

#[test]
fn nothing_expected_is_always_met() {
    check(json!({}), answer(), &[]);
}

#[test]
fn the_status_is_one_of_those_allowed() {
    check(json!({ "status": 200 }), answer(), &[]);
    check(json!({ "status": [204, 200] }), answer(), &[]);
    check(
        json!({ "status": 404 }),
        answer(),
        &["status: expected 404, observed 200"],
    );
    check(
        json!({ "status": [204, 404] }),
        answer(),
        &["status: expected 204 or 404, observed 200"],
    );
}

#[test]
fn a_fallthrough_is_known_by_its_mark() {
    let marked = || with_headers(&[("X-Fell-Through", "1")]);
    check(json!({ "fallthrough": true }), marked(), &[]);
    check(json!({ "fallthrough": false }), answer(), &[]);
    check(
        json!({ "fallthrough": true }),
        answer(),
        &["fallthrough: expected true, observed false"],
    );
    check(
        json!({ "fallthrough": false }),
        marked(),
        &["fallthrough: expected false, observed true"],
    );
}

#[test]
fn a_header_has_its_value() {
    let headers = || with_headers(&[("X-A", "one"), ("vary", "a"), ("Vary", "b"), ("x-e", "")]);
    check(
        json!({ "headers": { "x-a": "one", "vary": "a, b", "x-e": "" } }),
        headers(),
        &[],
    );
    check(
        json!({ "headers": { "x-a": { "contains": "n" }, "vary": { "matches": "^a, b$" } } }),
        headers(),
        &[],
    );
    check(
        json!({ "headers": { "x-a": "One", "x-b": "" } }),
        headers(),
        &[
            r#"header x-a: expected "One", observed "one""#,
            r#"header x-b: expected "", observed no such header"#,
        ],
    );
    check(
        json!({ "headers": { "x-a": { "matches": "^n" } } }),
        headers(),
        &[r#"header x-a: expected a match of /^n/, observed "one""#],
    );
    check(
        json!({ "headers": { "vary": { "contains": "c" } } }),
        headers(),
        &[r#"header vary: expected something containing "c", observed "a" and "b""#],
    );
}

#[test]
fn a_list_of_lines_keeps_its_order() {
    let cookies = || with_headers(&[("set-cookie", "a=1"), ("x-a", ""), ("Set-Cookie", "b=2, c")]);
    check(
        json!({ "headers": { "set-cookie": ["a=1", "b=2, c"] } }),
        cookies(),
        &[],
    );
    check(json!({ "headers": { "x-none": [] } }), cookies(), &[]);
    for wrong in [
        json!(["b=2, c", "a=1"]),
        json!(["a=1"]),
        json!(["a=1", "b=2", "c"]),
    ] {
        let differences = differences(
            &json!({ "headers": { "set-cookie": wrong } }),
            &seen(cookies()),
        );
        assert_eq!(differences.len(), 1, "{wrong}");
    }
}

#[test]
fn a_header_that_must_be_absent_is() {
    check(
        json!({ "noHeaders": ["x-b"] }),
        with_headers(&[("x-a", "1")]),
        &[],
    );
    check(
        json!({ "noHeaders": ["x-a"] }),
        with_headers(&[("X-A", "1")]),
        &[r#"header x-a: expected no such header, observed "1""#],
    );
}

#[test]
fn header_bytes_beyond_ascii_are_text_in_utf_8() {
    let raw = |bytes: &[u8]| Answered {
        headers: Headers(vec![("x".into(), bytes.to_vec())]),
        ..answer()
    };
    check(
        json!({ "headers": { "x": "\u{e9}" } }),
        raw(&[0xc3, 0xa9]),
        &[],
    );
    assert_eq!(
        differences(
            &json!({ "headers": { "x": "\u{e9}" } }),
            &seen(raw(&[0xe9]))
        )
        .len(),
        1
    );
}

#[test]
fn a_body_is_compared_as_asked() {
    let body = || with_body(b"hello there");
    check(
        json!({ "body": "hello there", "bodyBytes": 11, "bodyBase64": "aGVsbG8gdGhlcmU=" }),
        body(),
        &[],
    );
    check(
        json!({ "bodyContains": ["hello", "there"], "bodyLacks": ["bye"] }),
        body(),
        &[],
    );
    check(
        json!({ "body": "hello" }),
        body(),
        &[r#"body: expected "hello", observed "hello there""#],
    );
    check(
        json!({ "bodyContains": ["hello", "bye"] }),
        body(),
        &[r#"body: expected to contain "bye", observed "hello there""#],
    );
    check(
        json!({ "bodyLacks": ["hello", "bye"] }),
        body(),
        &[r#"body: expected not to contain "hello", observed "hello there""#],
    );
    check(
        json!({ "bodyBase64": "AAE=" }),
        with_body(&[0, 2]),
        &["body: expected 2 bytes [00 01], observed 2 bytes [00 02]"],
    );
    check(
        json!({ "bodyBytes": 1 }),
        with_body(b"ab"),
        &[r#"length of the body: expected 1, observed 2: "ab""#],
    );
}

#[test]
fn a_coded_body_is_decoded_first() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(b"hello").unwrap();
    let gzip = gzip.finish().unwrap();
    let mut both = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    both.write_all(&gzip).unwrap();
    let both = both.finish().unwrap();
    // `hello` as one brotli meta-block without compression.
    let brotli = b"\x0b\x02\x80hello\x03";
    let coded = |coding: &str, body: &[u8]| Answered {
        headers: Headers(vec![(
            "content-encoding".into(),
            coding.as_bytes().to_vec(),
        )]),
        ..with_body(body)
    };
    for answered in [
        coded("GZIP", &gzip),
        coded("gzip, deflate", &both),
        coded("br", brotli),
        coded("identity", b"hello"),
    ] {
        check(json!({ "body": "hello", "bodyBytes": 5 }), answered, &[]);
    }
    check(json!({ "bodyBytes": 0 }), coded("gzip", b""), &[]);
    check(
        json!({ "body": "hello" }),
        coded("gzip", b"hello, uncompressed"),
        &[
            "body: expected bytes that follow its content-encoding, observed not gzip: invalid gzip header",
        ],
    );
    let broken = Answered {
        end: BodyEnd::Broken("cut".into()),
        ..coded("gzip", &gzip[..gzip.len() - 4])
    };
    check(json!({ "body": "hello", "bodyError": true }), broken, &[]);
}

#[test]
fn a_broken_body_has_to_be_expected() {
    let broken = || Answered {
        end: BodyEnd::Broken("cut".into()),
        ..answer()
    };
    check(json!({ "bodyError": true }), broken(), &[]);
    check(
        json!({}),
        broken(),
        &["body: expected a clean end, observed cut"],
    );
    check(
        json!({ "bodyError": true }),
        answer(),
        &["body: expected an error while reading it, observed a clean end"],
    );
    check(
        json!({}),
        Answered {
            end: BodyEnd::Aborted,
            ..answer()
        },
        &[],
    );
}

#[test]
fn times_are_within_their_bounds() {
    // The first byte came after 30 ms, the second after 50, the end after 100.
    let timed = || Answered {
        reads: reads(&[30, 50]),
        ..with_body(b"ab")
    };
    check(
        json!({ "firstByteWithinMs": 30, "withinMs": 100, "notBeforeMs": 100, "chunksAtLeast": 2 }),
        timed(),
        &[],
    );
    check(
        json!({ "firstByteWithinMs": 29, "withinMs": 99, "notBeforeMs": 101, "chunksAtLeast": 3 }),
        timed(),
        &[
            "first body byte: expected within 29 ms, observed after 30 ms",
            "end of the answer: expected within 99 ms, observed after 100 ms",
            "end of the answer: expected not before 101 ms, observed after 100 ms",
            "separate reads of the body: expected at least 3, observed 2",
        ],
    );
    check(
        json!({ "firstByteWithinMs": 29 }),
        answer(),
        &["first body byte: expected within 29 ms, observed no body"],
    );
}

#[test]
fn an_event_is_compared_on_the_listed_keys_only() {
    let event = json!({
        "status": 200, "routeId": "a", "share": 1.0, "extra": true,
        "stream": { "bytes": 3, "outcome": "completed" }, "ejected": ["x", "y"],
    });
    let met = json!({
        "status": 200, "share": 1, "upstream": null, "stream": { "bytes": 3, "error": null }, "ejected": ["x", "y"],
    });
    check_event(met, Some(&event), &[]);
    check_event(
        json!({ "status": 502, "routeId": null, "selection": {}, "stream": { "bytes": 4 }, "ejected": ["x"] }),
        Some(&event),
        &[
            r#"event.ejected: expected ["x"], observed ["x","y"]"#,
            r#"event.routeId: expected no such field, observed "a""#,
            "event.selection: expected {}, observed no such field",
            "event.status: expected 502, observed 200",
            "event.stream.bytes: expected 4, observed 3",
        ],
    );
    check_event(
        json!({ "status": 200 }),
        None,
        &["event: expected one, observed none"],
    );
    check_event(
        json!({ "a": null }),
        Some(&json!({ "a": null })),
        &["event.a: expected no such field, observed null"],
    );
}

#[test]
fn every_request_of_a_step_is_held_to_it() {
    let mut observed = seen(answer());
    observed
        .exchanges
        .push(exchange(Outcome::Answered(Answered {
            status: 503,
            ..answer()
        })));
    let differences = differences(&json!({ "status": 200 }), &observed);
    assert_eq!(
        texts(&differences),
        ["request 2: status: expected 200, observed 503"]
    );
}

#[test]
fn a_request_without_an_answer_fails_unless_the_visitor_left() {
    let outcome = |outcome: Outcome, expect: Value| {
        let observed = Observed {
            exchanges: vec![exchange(outcome)],
            ..Observed::default()
        };
        texts(&differences(&expect, &observed))
    };
    let unanswered = || Outcome::Unanswered("closed".into());
    assert_eq!(
        outcome(unanswered(), json!({})),
        ["answer: expected one, observed none: closed"]
    );
    assert_eq!(
        outcome(Outcome::Aborted, json!({ "upstreamCount": 0 })),
        [""; 0]
    );
    assert_eq!(
        outcome(Outcome::Aborted, json!({ "status": 200 })),
        ["answer: expected one, observed none before the visitor hung up"]
    );
}

#[test]
fn upstream_requests_are_compared_in_order() {
    let one = UpstreamRequest {
        method: "GET".into(),
        url: "https://one.example/a?b=c".into(),
        host: "one.example".into(),
        path: "/a".into(),
        query: "b=c".into(),
        headers: Headers(vec![("X-A".into(), b"1".to_vec())]),
        body: b"text".to_vec(),
    };
    let two = UpstreamRequest {
        url: "https://two.example/".into(),
        host: "two.example".into(),
        ..UpstreamRequest::default()
    };
    let check = |expect: Value, expected: &[&str]| {
        let observed = Observed {
            upstream: vec![one.clone(), two.clone()],
            ..Observed::default()
        };
        assert_eq!(
            texts(&differences(&expect, &observed)),
            expected,
            "{expect}"
        );
    };
    let full = json!({
        "host": "one.example", "method": "GET", "path": "/a", "query": "b=c",
        "headers": { "x-a": "1" }, "noHeaders": ["x-b"], "body": "text",
    });
    check(json!({ "upstream": [full, {}] }), &[]);
    check(
        json!({ "upstream": [full] }),
        &[
            "upstream requests: expected 1, observed 2: GET https://one.example/a?b=c,  https://two.example/",
        ],
    );
    check(
        json!({ "upstream": [{ "host": "two.example" }, { "host": "one.example" }] }),
        &[
            r#"upstream request 1: host: expected "two.example", observed "one.example""#,
            r#"upstream request 2: host: expected "one.example", observed "two.example""#,
        ],
    );
    check(
        json!({ "upstream": [
            { "method": "PUT", "path": "/b", "query": "", "headers": { "x-a": "2" }, "noHeaders": ["x-a"], "body": "" },
            {},
        ] }),
        &[
            r#"upstream request 1: method: expected "PUT", observed "GET""#,
            r#"upstream request 1: path: expected "/b", observed "/a""#,
            r#"upstream request 1: query: expected "", observed "b=c""#,
            r#"upstream request 1: header x-a: expected "2", observed "1""#,
            r#"upstream request 1: header x-a: expected no such header, observed "1""#,
            r#"upstream request 1: body: expected "", observed "text""#,
        ],
    );
    check(json!({ "upstreamCount": 2 }), &[]);
    check(
        json!({ "upstreamCount": { "one.example": 1, "three.example": 0 } }),
        &[],
    );
    check(
        json!({ "upstreamCount": { "two.example": 0 } }),
        &["upstreamCount of two.example: expected 0, observed 1"],
    );
    check(
        json!({ "upstreamCount": 1 }),
        &[
            "upstreamCount: expected 1, observed 2: GET https://one.example/a?b=c,  https://two.example/",
        ],
    );
}

#[test]
fn one_issue_has_to_be_right_in_all_respects() {
    let issue = |path: &str, message: &str| Issue {
        path: path.into(),
        message: message.into(),
    };
    let refused = TableAnswer::Refused(vec![
        issue("routes[0].a", "Must be HIGH"),
        issue("routes[1].b", "low"),
    ]);
    let check = |path: Option<&str>, contains: &[&str], answer: &TableAnswer, expected: &[&str]| {
        let contains = contains.iter().map(|text| (*text).to_owned()).collect();
        let refusal = Refusal {
            path: path.map(str::to_owned),
            contains,
        };
        assert_eq!(texts(&refusal_differences(&refusal, answer)), expected);
    };
    check(None, &[], &refused, &[]);
    check(None, &["must be", "high"], &refused, &[]);
    check(Some("routes[1].b"), &["LOW"], &refused, &[]);
    check(
        Some("routes[1].b"),
        &["high"],
        &refused,
        &[
            "table: expected to be refused at \"routes[1].b\" with a message that contains [\"high\"], \
         observed \"routes[0].a\": Must be HIGH; \"routes[1].b\": low",
        ],
    );
    check(
        None,
        &[],
        &TableAnswer::Accepted,
        &["table: expected to be refused, observed accepted"],
    );
    check(
        None,
        &[],
        &TableAnswer::Unclear("gone".into()),
        &["table: expected to be refused, observed gone"],
    );
}

#[track_caller]
fn check(expect: Value, answered: Answered, expected: &[&str]) {
    assert_eq!(
        texts(&differences(&expect, &seen(answered))),
        expected,
        "{expect}"
    );
}

#[track_caller]
fn check_event(expect: Value, event: Option<&Value>, expected: &[&str]) {
    let mut observed = seen(answer());
    observed.exchanges[0].event = event.map(|event| event.as_object().unwrap().clone());
    assert_eq!(
        texts(&differences(&json!({ "event": expect }), &observed)),
        expected,
        "{expect}"
    );
}

fn differences(expect: &Value, observed: &Observed) -> Vec<Difference> {
    step_differences(&Expect::deserialize(expect).unwrap(), observed)
}

fn texts(differences: &[Difference]) -> Vec<String> {
    differences.iter().map(Difference::to_string).collect()
}

fn seen(answered: Answered) -> Observed {
    Observed {
        exchanges: vec![exchange(Outcome::Answered(answered))],
        ..Observed::default()
    }
}

fn exchange(outcome: Outcome) -> Exchange {
    Exchange {
        outcome,
        total: Duration::from_millis(100),
        event: None,
    }
}

fn answer() -> Answered {
    Answered {
        status: 200,
        ..Answered::default()
    }
}

fn with_body(body: &[u8]) -> Answered {
    Answered {
        body: body.to_vec(),
        ..answer()
    }
}

fn with_headers(headers: &[(&str, &str)]) -> Answered {
    let lines = headers
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec()));
    Answered {
        headers: Headers(lines.collect()),
        ..answer()
    }
}

fn reads(times: &[u64]) -> Vec<Read> {
    times
        .iter()
        .map(|time| Read {
            at: Duration::from_millis(*time),
            bytes: 1,
        })
        .collect()
}
