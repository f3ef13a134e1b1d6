//! What browsers are told.

use super::*;
use crate::guards::fake::{complaints, head, headers};

fn list(entries: &[&str]) -> Option<Vec<String>> {
    Some(entries.iter().map(ToString::to_string).collect())
}

fn policy(document: &Cors) -> Policy {
    Policy::compile(document, &Path::root(), &mut Issues::default()).expect("compiles")
}

fn pairs(headers: &HeaderMap) -> Vec<(&str, &str)> {
    let pairs = headers.iter();
    pairs
        .map(|(name, value)| (name.as_str(), value.to_str().expect("text")))
        .collect()
}

#[track_caller]
fn check_preflight(document: &Cors, lines: &[(&str, &str)], expected: &[(&str, &str)]) {
    let head = head("OPTIONS", "/", lines);
    let answer = policy(document).preflight(&head);
    assert_eq!(answer.status, StatusCode::NO_CONTENT);
    assert!(answer.body.is_empty());
    assert_eq!(pairs(&answer.headers), expected, "{document:?} {lines:?}");
}

const APP: (&str, &str) = ("origin", "https://app.test");
const EVIL: (&str, &str) = ("origin", "https://evil.test");
const PUT: (&str, &str) = ("access-control-request-method", "PUT");

#[test]
fn a_preflight_is_told_what_the_route_says() {
    let document = Cors {
        origins: list(&["https://APP.test", "https://b.test"]),
        allow_methods: list(&["put", "PATCH"]),
        allow_headers: list(&["X-Token", "content-type"]),
        expose_headers: list(&["x-total"]),
        credentials: Some(true),
        max_age: Some(600),
    };
    let expected = [
        ("vary", "Origin"),
        ("access-control-allow-origin", "https://app.test"),
        ("access-control-allow-credentials", "true"),
        ("access-control-allow-methods", "PUT,PATCH"),
        ("access-control-allow-headers", "X-Token,content-type"),
        ("access-control-max-age", "600"),
    ];
    check_preflight(&document, &[APP, PUT], &expected);
    check_preflight(&document, &[EVIL, PUT], &[("vary", "Origin")]);
}

#[test]
fn a_preflight_is_told_the_usual_where_the_route_says_nothing() {
    let asked = (
        "access-control-request-headers",
        "x-one, content-type,,b\u{e9}d",
    );
    let expected = [
        ("vary", "Origin"),
        ("vary", "Access-Control-Request-Headers"),
        ("access-control-allow-origin", "https://evil.test"),
        (
            "access-control-allow-methods",
            "GET,HEAD,PUT,POST,DELETE,PATCH",
        ),
        ("access-control-allow-headers", "x-one,content-type"),
    ];
    check_preflight(&Cors::default(), &[EVIL, PUT, asked], &expected);
    let without_headers = [&expected[..4], &[]].concat();
    check_preflight(&Cors::default(), &[EVIL, PUT], &without_headers);
}

#[track_caller]
fn check_answer(
    document: &Cors,
    visitor: &[(&str, &str)],
    upstream: &[(&str, &str)],
    expected: &[(&str, &str)],
) {
    let mut headers = headers(upstream);
    policy(document)
        .answer_edits(&head("GET", "/", visitor))
        .apply(&mut headers);
    let (mut seen, mut expected) = (pairs(&headers), expected.to_vec());
    seen.sort_unstable();
    expected.sort_unstable();
    assert_eq!(seen, expected, "{document:?} {visitor:?}");
}

#[test]
fn an_allowed_origin_is_named_whatever_the_upstream_says() {
    let upstream = [
        ("access-control-allow-origin", "*"),
        ("access-control-allow-credentials", "true"),
        ("vary", "accept-encoding"),
    ];
    let listed = Cors {
        origins: list(&["https://app.test"]),
        ..Cors::default()
    };
    for document in [Cors::default(), listed] {
        let expected = [
            ("access-control-allow-origin", "https://app.test"),
            ("vary", "accept-encoding"),
            ("vary", "Origin"),
        ];
        check_answer(&document, &[APP], &upstream, &expected);
    }
    let document = Cors {
        credentials: Some(true),
        expose_headers: list(&["x-total", "x-page"]),
        ..Cors::default()
    };
    let expected = [
        ("access-control-allow-origin", "https://app.test"),
        ("access-control-allow-credentials", "true"),
        ("access-control-expose-headers", "x-total,x-page"),
        ("vary", "Origin"),
    ];
    check_answer(&document, &[APP], &[], &expected);
}

#[test]
fn who_is_not_allowed_gets_no_permission_of_anybody() {
    let upstream = [
        ("access-control-allow-origin", "*"),
        ("access-control-allow-credentials", "true"),
        ("access-control-expose-headers", "*"),
        ("access-control-allow-methods", "*"),
        ("access-control-allow-headers", "*"),
        ("access-control-max-age", "1"),
        ("access-control-allow-private-network", "true"),
        ("x-other", "stays"),
    ];
    let document = Cors {
        origins: list(&["https://app.test"]),
        credentials: Some(true),
        ..Cors::default()
    };
    for visitor in [
        &[][..],
        &[EVIL],
        &[("origin", "")],
        &[("origin", "null")],
        &[("origin", "https://app.test.evil.test")],
        &[("origin", "https://app.test:8443")],
        &[("origin", "http://app.test")],
        &[("origin", "HTTPS://app.test")],
        &[APP, EVIL],
        &[APP, APP],
    ] {
        let expected = [("vary", "Origin"), ("x-other", "stays")];
        check_answer(&document, visitor, &upstream, &expected);
    }
    check_answer(
        &Cors::default(),
        &[],
        &upstream,
        &[("vary", "Origin"), ("x-other", "stays")],
    );
}

#[test]
fn a_preflight_is_an_options_with_both_headers() {
    for (method, lines, expected) in [
        ("OPTIONS", &[APP, PUT][..], true),
        ("OPTIONS", &[APP], false),
        ("OPTIONS", &[PUT], false),
        ("GET", &[APP, PUT], false),
    ] {
        assert_eq!(
            is_preflight(&head(method, "/", lines)),
            expected,
            "{method} {lines:?}"
        );
    }
}

#[test]
fn origins_are_compiled_to_what_browsers_send() {
    for (text, expected) in [
        ("https://App.Example.com", Some("https://app.example.com")),
        ("https://a.test:443", Some("https://a.test")),
        ("http://a.test:80", Some("http://a.test")),
        ("http://a.test:443", Some("http://a.test:443")),
        ("https://a.test:8443", Some("https://a.test:8443")),
        ("http://[::1]:3000", Some("http://[::1]:3000")),
        ("capacitor://localhost", Some("capacitor://localhost")),
        ("chrome-extension://abc", Some("chrome-extension://abc")),
        ("ionic://localhost:80", Some("ionic://localhost:80")),
        ("file://", Some("file://")),
        ("null", Some("null")),
        ("*", None),
        ("https://*.example.com", None),
        ("https://a.test/", None),
        ("https://a.test/x", None),
        ("https://u@a.test", None),
        ("https://", None),
        ("a.test", None),
        ("", None),
        ("https://a.test, https://b.test", None),
        ("https://a.test\r\nx: y", None),
    ] {
        let compiled = origin(text, &Path::root(), &mut Issues::default());
        assert_eq!(compiled.ok().as_deref(), expected, "{text}");
    }
}

#[test]
fn what_makes_no_sense_is_reported_where_it_stands() {
    let document = Cors {
        origins: list(&[]),
        allow_methods: list(&["GET", "*"]),
        allow_headers: list(&["*", "x y"]),
        expose_headers: list(&["a,b"]),
        ..Cors::default()
    };
    let found = complaints("cors", |at, issues| Policy::compile(&document, at, issues));
    assert_eq!(
        found,
        [
            "cors.origins",
            "cors.allowMethods[1]",
            "cors.allowHeaders[1]",
            "cors.exposeHeaders[0]"
        ]
    );
}

#[test]
fn empty_lists_grant_nothing_of_their_own() {
    let document = Cors {
        allow_methods: list(&[]),
        allow_headers: list(&[]),
        expose_headers: list(&[]),
        ..Cors::default()
    };
    let expected = [
        ("vary", "Origin"),
        ("vary", "Access-Control-Request-Headers"),
        ("access-control-allow-origin", "https://app.test"),
    ];
    check_preflight(&document, &[APP, PUT], &expected);
}
