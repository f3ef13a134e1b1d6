use proptest::prelude::*;

use super::*;

fn mapping(upstream: &str, prefix: Option<&str>) -> Mapping {
    let upstream = Upstream::parse(upstream).unwrap();
    Mapping::new(&upstream, "https", "proxy.test:8443", "proxy.test", prefix)
}

#[track_caller]
fn check(mapping: &Mapping, url: &str, expected: &str) {
    let rewritten = mapping.rewritten(url.as_bytes());
    let seen = rewritten
        .as_deref()
        .map_or(url, |url| str::from_utf8(url).unwrap());
    assert_eq!(seen, expected, "{url:?}");
}

#[test]
fn urls_of_the_upstream_lead_to_the_proxy() {
    let mapping = mapping("origin.example", None);
    for (url, expected) in [
        (
            "https://origin.example/a?b=/c#d",
            "https://proxy.test:8443/a?b=/c#d",
        ),
        ("http://origin.example", "https://proxy.test:8443"),
        ("https://origin.example?q", "https://proxy.test:8443?q"),
        ("https://origin.example#f", "https://proxy.test:8443#f"),
        (
            "HTTPS://Origin.EXAMPLE/Path",
            "https://proxy.test:8443/Path",
        ),
        ("//origin.example/a", "//proxy.test:8443/a"),
        ("https://origin.example./a", "https://proxy.test:8443/a"),
        ("https://origin.example:443/a", "https://proxy.test:8443/a"),
        ("http://origin.example:80/a", "https://proxy.test:8443/a"),
        ("https://origin.example:/a", "https://proxy.test:8443/a"),
        (
            "https://a.b-c.origin.example/a",
            "https://proxy.test:8443/a",
        ),
        (
            " \n https://origin.example/a ",
            " \n https://proxy.test:8443/a ",
        ),
        (
            "ht\ntps://ori\tgin.example/a\nb",
            "https://proxy.test:8443/a\nb",
        ),
        (r"https:\\origin.example\a", r"https://proxy.test:8443\a"),
        (r"\/origin.example/a", "//proxy.test:8443/a"),
        ("https:///origin.example/a", "https://proxy.test:8443/a"),
        ("///origin.example/a", "//proxy.test:8443/a"),
        ("http:/origin.example/a", "https://proxy.test:8443/a"),
        ("https://%6frigin.example/a", "https://proxy.test:8443/a"),
        ("https://ｏrigin.example/a", "https://proxy.test:8443/a"),
        (
            "https://u:p@origin.example/a",
            "https://u:p@proxy.test:8443/a",
        ),
        ("//u@origin.example/a", "//u@proxy.test:8443/a"),
        (
            "https://evil.example@origin.example/",
            "https://evil.example@proxy.test:8443/",
        ),
    ] {
        check(&mapping, url, expected);
    }
}

#[test]
fn whatever_is_not_the_upstream_stays_as_it_is() {
    let mapping = mapping("origin.example", None);
    for url in [
        "",
        "/",
        "/a",
        "a",
        "#origin.example",
        "?u=https://origin.example/",
        "origin.example/a",
        "https://origin.example.evil.test/",
        "https://origin.example@evil.test/",
        "https://origin.example:x@evil.test/",
        "https://evilorigin.example/",
        "https://evil_origin.example/",
        "https://.origin.example/",
        "https://a..origin.example/",
        "https://origin.example../",
        "https://example/",
        "https://evil.test/https://origin.example/",
        "https://evil.test?https://origin.example/",
        r"https://evil.test\@origin.example/",
        "https://origin.example:8080/",
        "https://origin.example:99999/",
        "https://origin.example:4 43/",
        "https://[::1]/",
        "https:/origin.example/a",
        "https:origin.example/a",
        "mailto:a@origin.example",
        "javascript:location='https://origin.example'",
        "data:text/html,https://origin.example/",
        "ftp://origin.example/",
        "https://xn--origin.example.test/",
    ] {
        check(&mapping, url, url);
    }
}

#[test]
fn the_upstreams_own_port_disappears() {
    let mapping = mapping("origin.example:8080", None);
    check(
        &mapping,
        "https://origin.example:8080/a",
        "https://proxy.test:8443/a",
    );
    check(
        &mapping,
        "https://origin.example/a",
        "https://proxy.test:8443/a",
    );
    check(
        &mapping,
        "https://origin.example:8081/a",
        "https://origin.example:8081/a",
    );
}

#[test]
fn a_stripped_prefix_comes_back() {
    let mapping = mapping("origin.example", Some("/docs/"));
    for (url, expected) in [
        ("/", "/docs/"),
        ("/about?x#y", "/docs/about?x#y"),
        (
            "https://origin.example/team",
            "https://proxy.test:8443/docs/team",
        ),
        ("https://origin.example", "https://proxy.test:8443/docs"),
        ("//www.origin.example/team", "//proxy.test:8443/docs/team"),
        ("rel.html", "rel.html"),
        ("#x", "#x"),
        ("?x", "?x"),
        ("//cdn.example/z", "//cdn.example/z"),
        ("/.//x", "/docs/.//x"),
    ] {
        check(&mapping, url, expected);
    }
}

#[test]
fn a_base_path_goes_and_what_lies_outside_it_stays() {
    let mapping = mapping("origin.example/base", None);
    for (url, expected) in [
        ("/base/x", "/x"),
        ("/base", "/"),
        ("/base/", "/"),
        ("/base?q", "/?q"),
        ("/based/x", "/based/x"),
        ("/other", "/other"),
        ("https://origin.example/base/x", "https://proxy.test:8443/x"),
        ("https://origin.example/base", "https://proxy.test:8443"),
        (
            "https://origin.example/other",
            "https://proxy.test:8443/other",
        ),
        ("https://origin.example", "https://proxy.test:8443"),
        ("/base//evil.test/x", "https://proxy.test:8443//evil.test/x"),
        (
            r"/base/\evil.test/x",
            r"https://proxy.test:8443/\evil.test/x",
        ),
        (
            "/base/\t/evil.test/x",
            "https://proxy.test:8443/\t/evil.test/x",
        ),
    ] {
        check(&mapping, url, expected);
    }
}

#[test]
fn prefix_and_base_path_are_undone_together() {
    let mapping = mapping("origin.example/base", Some("/docs"));
    for (url, expected) in [
        ("/base/x", "/docs/x"),
        ("/base", "/docs"),
        ("/base//x", "/docs//x"),
        ("/other", "/other"),
        (
            "https://origin.example/base/x",
            "https://proxy.test:8443/docs/x",
        ),
        (
            "https://origin.example/other",
            "https://proxy.test:8443/other",
        ),
        (
            "https://u@origin.example/base/x",
            "https://u@proxy.test:8443/docs/x",
        ),
    ] {
        check(&mapping, url, expected);
    }
}

#[test]
fn a_proxy_below_the_upstreams_name_keeps_its_own_links() {
    let upstream = Upstream::parse("example.com").unwrap();
    let mapping = Mapping::new(
        &upstream,
        "https",
        "m.example.com",
        "m.example.com",
        Some("/docs"),
    );
    check(
        &mapping,
        "https://m.example.com/docs/x",
        "https://m.example.com/docs/x",
    );
    check(
        &mapping,
        "https://www.example.com/x",
        "https://m.example.com/docs/x",
    );
}

#[test]
fn what_is_put_into_a_page_cannot_end_an_attribute() {
    let upstream = Upstream::parse("origin.example").unwrap();
    let mapping = Mapping::new(&upstream, "https", "a\"b", "a\"b", Some("/é<\"'&) x"));
    check(
        &mapping,
        "https://origin.example/",
        "https://a%22b/%C3%A9%3C%22%27%26%29%20x/",
    );
}

#[test]
fn cookies_follow_their_host_and_path() {
    let mapping = mapping("origin.example/base", Some("/docs"));
    for (domain, expected) in [
        ("origin.example", Some("proxy.test")),
        (".Origin.example", Some("proxy.test")),
        ("www.origin.example", Some("proxy.test")),
        ("proxy.test", Some("proxy.test")),
        ("example", None),
        ("evil.test", None),
        ("", None),
    ] {
        assert_eq!(
            mapping.cookie_domain(domain.as_bytes()),
            expected,
            "{domain}"
        );
    }
    for (path, expected) in [
        ("/base/x", Some("/docs/x")),
        ("/base/", Some("/docs")),
        ("/base", Some("/docs")),
        ("/", None),
        ("/other", None),
        ("x", None),
    ] {
        let seen = mapping.cookie_path(path.as_bytes());
        assert_eq!(seen.as_deref(), expected.map(str::as_bytes), "{path}");
    }
}

fn url() -> impl Strategy<Value = String> {
    let part = |parts: &'static [&'static str]| prop::sample::select(parts);
    (
        part(&[
            "https:",
            "http:",
            "HTTPS:",
            "h\nttp:",
            "",
            "",
            "ftp:",
            "javascript:",
            " https:",
        ]),
        part(&["//", "/", "\\\\", "/\\", "\t//", "/\n/", ""]),
        part(&["", "", "u@", "u:p@", "o.test@", "@", "o.test:1@", "a@b@"]),
        part(&[
            "o.test",
            "O.TEST",
            "www.o.test",
            "o.test.",
            "o.te\tst",
            "%6f.test",
            "ｏ.test",
            "e.test",
            "o.test.e.test",
            "eo.test",
            "test",
            "p.test",
        ]),
        part(&["", "", ":443", ":80", ":8080", ":0443", ":", ":1"]),
        part(&[
            "",
            "/",
            "/x",
            "/x/../y",
            "?q",
            "#f",
            "\\x",
            "/o.test",
            "/@o.test",
            "/x?y=https://o.test/#z",
            " ",
        ]),
    )
        .prop_map(|(scheme, slashes, user, host, port, path)| {
            [scheme, slashes, user, host, port, path].concat()
        })
}

proptest! {
    /// The URL parser of the `url` crate is the one browsers have, so it is asked what a URL means.
    #[test]
    fn a_url_is_rewritten_exactly_where_a_browser_would_leave_for_the_upstream(text in url()) {
        let upstream = Upstream::parse("o.test:8080").unwrap();
        let mapping = Mapping::new(&upstream, "https", "p.test", "p.test", None);
        let page = url::Url::parse("https://p.test/dir/page").unwrap();
        let meant = page.join(&text).ok();
        let leads_to_upstream = meant.as_ref().is_some_and(|url| {
            let host = url.host_str().unwrap_or_default().trim_end_matches('.');
            matches!(url.scheme(), "http" | "https")
                && (host == "o.test" || host.ends_with(".o.test"))
                && matches!(url.port_or_known_default(), Some(80 | 443 | 8080))
        });
        let rewritten = mapping.rewritten(text.as_bytes()).map(|url| String::from_utf8(url).unwrap());
        prop_assert_eq!(rewritten.is_some(), leads_to_upstream, "{:?} {:?}", meant, rewritten);
        if let Some(rewritten) = rewritten {
            let mut expected = meant.unwrap();
            expected.set_scheme("https").unwrap();
            expected.set_host(Some("p.test")).unwrap();
            expected.set_port(None).unwrap();
            prop_assert_eq!(page.join(&rewritten).unwrap(), expected);
        }
    }

    /// What a visitor asks for under the prefix is what the upstream's page meant.
    #[test]
    fn the_way_back_is_the_inverse_of_the_way_out(
        base in prop::sample::select(&["", "/base", "/a/b"][..]),
        prefix in prop::sample::select(&[None, Some("/docs"), Some("/x/y")][..]),
        rest in "(/[a-z]{0,3}){0,3}(\\?[a-z/]{0,4})?",
    ) {
        let upstream = Upstream::parse(&format!("o.test{base}")).unwrap();
        let mapping = Mapping::new(&upstream, "https", "p.test", "p.test", prefix);
        let path = format!("{base}{rest}");
        if !path.starts_with('/') || path.starts_with("//") {
            return Ok(());
        }
        let back = mapping.rewritten(path.as_bytes()).map_or(path.clone(), |url| String::from_utf8(url).unwrap());
        let page = url::Url::parse("https://p.test/dir/page").unwrap();
        let asked = page.join(&back).unwrap();
        prop_assert_eq!(asked.host_str(), Some("p.test"));
        let stripped = asked.path().strip_prefix(prefix.unwrap_or_default());
        let out = stripped.map(|rest| format!("{base}{}", if rest.is_empty() { "/" } else { rest }));
        let meant = url::Url::parse("https://o.test").unwrap().join(&path).unwrap();
        let meant = if meant.path() == base { format!("{base}/") } else { meant.path().to_owned() };
        prop_assert_eq!(out, Some(meant));
    }
}
