use super::*;
use crate::net::Upstream;

fn mapping(upstream: &str, prefix: Option<&str>) -> Mapping {
    let upstream = Upstream::parse(upstream).unwrap();
    Mapping::new(&upstream, "https", "p.test:8443", "p.test", prefix)
}

fn head(status: u16, headers: &[(&'static str, &[u8])]) -> ResponseHead {
    ResponseHead {
        status: StatusCode::from_u16(status).unwrap(),
        headers: headers
            .iter()
            .map(|(name, value)| {
                let value = HeaderValue::from_bytes(value).unwrap();
                (HeaderName::from_static(name), value)
            })
            .collect(),
    }
}

fn lines(headers: &HeaderMap, name: &str) -> Vec<Vec<u8>> {
    let lines = headers.get_all(name).iter();
    lines.map(|line| line.as_bytes().to_vec()).collect()
}

#[track_caller]
fn check(mapping: &Mapping, name: &'static str, value: &str, expected: &str) {
    let mut headers = head(200, &[(name, value.as_bytes())]).headers;
    let mut edits = HeaderEdits::default();
    point_at_proxy(&headers, || mapping, &mut edits);
    assert_eq!(edits.is_empty(), value == expected, "{name}: {value}");
    edits.apply(&mut headers);
    let seen = lines(&headers, name);
    assert_eq!(seen, [expected.as_bytes()], "{name}: {value}");
}

#[test]
fn redirects_lead_to_the_proxy() {
    let mapping = mapping("o.test", None);
    for (name, value, expected) in [
        (
            "location",
            "https://o.test/x?a#b",
            "https://p.test:8443/x?a#b",
        ),
        ("location", "http://o.test", "https://p.test:8443"),
        ("location", "//o.test/x", "//p.test:8443/x"),
        ("location", "/x", "/x"),
        (
            "location",
            "https://e.test/?u=https://o.test",
            "https://e.test/?u=https://o.test",
        ),
        ("location", "https://o.test/é", "https://p.test:8443/é"),
        (
            "content-location",
            "https://o.test/x",
            "https://p.test:8443/x",
        ),
        (
            "refresh",
            "3; url=https://o.test/x",
            "3; url=https://p.test:8443/x",
        ),
        (
            "refresh",
            "3;URL='https://o.test/x'",
            "3;URL='https://p.test:8443/x'",
        ),
        (
            "refresh",
            "3; url=https://e.test/",
            "3; url=https://e.test/",
        ),
        ("refresh", "3", "3"),
        ("x-other", "https://o.test/x", "https://o.test/x"),
    ] {
        check(&mapping, name, value, expected);
    }
}

#[test]
fn targets_of_link_lead_to_the_proxy() {
    let mapping = mapping("o.test", Some("/docs"));
    for (value, expected) in [
        (
            "<https://o.test/a.css>; rel=preload; as=style, </b.js>;rel=\"x <https://o.test/>\", <c>; rel=x",
            "<https://p.test:8443/docs/a.css>; rel=preload; as=style, </docs/b.js>;rel=\"x <https://o.test/>\", <c>; rel=x",
        ),
        ("<https://e.test/>; rel=x", "<https://e.test/>; rel=x"),
        ("https://o.test/", "https://o.test/"),
        ("<https://o.test/", "<https://o.test/"),
    ] {
        check(&mapping, "link", value, expected);
    }
}

#[test]
fn redirects_are_mapped_back_through_prefix_and_base_path() {
    let mapping = mapping("o.test/base", Some("/docs"));
    for (name, value, expected) in [
        (
            "location",
            "https://o.test/base/x",
            "https://p.test:8443/docs/x",
        ),
        ("location", "/base/x", "/docs/x"),
        ("location", "/other", "/other"),
        ("content-location", "/base/x", "/docs/x"),
        ("refresh", "0;url=\"/base/x\"", "0;url=\"/docs/x\""),
    ] {
        check(&mapping, name, value, expected);
    }
}

#[test]
fn cookies_are_scoped_to_the_proxy() {
    let plain = mapping("o.test", None);
    for (cookie, expected) in [
        ("a=1", "a=1"),
        (
            "a=1; Domain=o.test; Path=/app; Secure",
            "a=1; Domain=p.test; Path=/app; Secure",
        ),
        ("a=1;domain=.O.test;x", "a=1;Domain=p.test;x"),
        ("a=1; Domain = www.o.test", "a=1; Domain=p.test"),
        ("a=1; Domain=test; Path=/", "a=1; Path=/"),
        ("a=1; Domain=e.test", "a=1"),
        ("a=1; Domain=", "a=1"),
        ("domain=o.test; Path=/", "domain=o.test; Path=/"),
        ("a=domain=o.test", "a=domain=o.test"),
        ("__Host-a=1; Path=/; Secure", "__Host-a=1; Path=/; Secure"),
        ("a=é; Domain=o.test", "a=é; Domain=p.test"),
        (
            "a=1; Expires=Mon, 02 Mar 2026 10:00:00 GMT",
            "a=1; Expires=Mon, 02 Mar 2026 10:00:00 GMT",
        ),
        ("", ""),
    ] {
        check(&plain, "set-cookie", cookie, expected);
    }
    let mapped = mapping("o.test", Some("/docs"));
    for (cookie, expected) in [
        ("a=1; Path=/shop", "a=1; Path=/docs/shop"),
        ("a=1; path=/", "a=1; path=/docs"),
        ("a=1; Path=", "a=1; Path="),
        ("__Host-a=1; Path=/; Secure", "__Host-a=1; Path=/; Secure"),
        ("__host-a=1; Path=/; Secure", "__host-a=1; Path=/; Secure"),
    ] {
        check(&mapped, "set-cookie", cookie, expected);
    }
}

#[test]
fn several_cookies_stay_several_and_keep_bytes_beyond_ascii() {
    let mut headers = head(
        200,
        &[
            ("set-cookie", b"a=\xE9; Domain=o.test"),
            ("set-cookie", b"b=2; Path=/"),
            ("set-cookie", b"c=3; Domain=www.o.test"),
        ],
    )
    .headers;
    let mapping = mapping("o.test", None);
    let mut edits = HeaderEdits::default();
    point_at_proxy(&headers, || &mapping, &mut edits);
    edits.apply(&mut headers);
    assert_eq!(
        lines(&headers, "set-cookie"),
        [
            &b"a=\xE9; Domain=p.test"[..],
            b"b=2; Path=/",
            b"c=3; Domain=p.test"
        ]
    );
}

#[test]
fn what_describes_one_connection_never_travels() {
    let mut head = head(
        200,
        &[
            (
                "connection",
                b"close, X-Own, content-encoding, upgrade, b@d",
            ),
            ("x-own", b"1"),
            ("upgrade", b"h2c"),
            ("content-encoding", b"gzip"),
            ("keep-alive", b"timeout=5"),
            ("proxy-authenticate", b"Basic"),
            ("x-kept", b"1"),
        ],
    );
    let mut edits = HeaderEdits::default();
    drop_hop_by_hop(&head, &mut edits);
    edits.apply(&mut head.headers);
    let mut names: Vec<_> = head.headers.keys().map(HeaderName::as_str).collect();
    names.sort_unstable();
    assert_eq!(names, ["content-encoding", "x-kept"]);
}

#[test]
fn a_handshake_keeps_its_upgrade() {
    let mut head = head(
        101,
        &[("connection", b"Upgrade"), ("upgrade", b"websocket")],
    );
    let mut edits = HeaderEdits::default();
    drop_hop_by_hop(&head, &mut edits);
    edits.apply(&mut head.headers);
    assert_eq!(head.headers.len(), 1);
    assert!(head.headers.contains_key("upgrade"));
}

#[test]
fn nothing_is_edited_where_nothing_has_to_be() {
    let head = head(200, &[("content-type", b"text/html"), ("etag", b"\"1\"")]);
    let mut edits = HeaderEdits::default();
    drop_hop_by_hop(&head, &mut edits);
    let mapping = || -> &Mapping { panic!("no header names a URL") };
    assert!(!point_at_proxy(&head.headers, mapping, &mut edits));
    assert!(edits.is_empty());
}
