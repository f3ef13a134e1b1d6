//! Texts as tables, whole and byte by byte: only a whole URL of the upstream changes.

use proptest::prelude::*;

use super::*;
use crate::{
    body::Transform,
    net::Upstream,
    rewrite::{
        edit::Splicer,
        testing::{chunked, whole},
    },
};

fn texts(upstream: &str, prefix: Option<&str>) -> Box<dyn Transform> {
    let upstream = Upstream::parse(upstream).unwrap();
    let mapping = Mapping::new(&upstream, "https", "p.test", "p.test", prefix);
    Box::new(Splicer::new(Texts::new(Rc::new(mapping))))
}

#[track_caller]
fn check(upstream: &str, prefix: Option<&str>, text: &str, expected: &str) {
    assert_eq!(whole(texts(upstream, prefix), text), expected, "{text}");
    assert_eq!(
        chunked(texts(upstream, prefix), text, 1),
        expected,
        "{text}"
    );
}

#[test]
fn urls_of_the_upstream_lead_to_the_proxy() {
    for (text, expected) in [
        ("https://o.test", "https://p.test"),
        ("https://o.test/x", "https://p.test/x"),
        ("a http://O.TEST/x b", "a https://p.test/x b"),
        ("{\"a\":\"//o.test/y\"}", "{\"a\":\"//p.test/y\"}"),
        (
            "<loc>https://www.o.test/</loc>",
            "<loc>https://p.test/</loc>",
        ),
        (
            "https://o.test:443/x https://o.test:8443/x",
            "https://p.test/x https://p.test/x",
        ),
        ("(https://o.test)", "(https://p.test)"),
        ("see https://o.test.", "see https://p.test."),
        ("see https://o.test: it", "see https://p.test: it"),
        ("https://o.test./x", "https://p.test/x"),
        ("https://o.test&quot;", "https://p.test&quot;"),
        ("https://o.test?a#b", "https://p.test?a#b"),
        ("\"https:\\/\\/o.test\\/x\"", "\"https:\\/\\/p.test\\/x\""),
        ("\"\\/\\/o.test\\/x\"", "\"\\/\\/p.test\\/x\""),
        ("\"a\\nhttps://o.test/x\"", "\"a\\nhttps://p.test/x\""),
        ("\"\\u003ehttps://o.test/x\"", "\"\\u003ehttps://p.test/x\""),
        (
            "new WebSocket('wss://o.test/s')",
            "new WebSocket('wss://p.test/s')",
        ),
        ("proto+'://o.test/s'", "proto+'://p.test/s'"),
        ("https://u:p@o.test/x", "https://u:p@p.test/x"),
        (
            "https://o.test/a,https://o.test/b",
            "https://p.test/a,https://p.test/b",
        ),
        ("见https://o.test/", "见https://p.test/"),
        ("URL=https://o.test/", "URL=https://p.test/"),
    ] {
        check("o.test:8443", None, text, expected);
    }
}

#[test]
fn whatever_is_not_the_upstreams_url_stays_as_it_is() {
    for text in [
        "",
        "o.test",
        "ask o.test or /o.test/x",
        "https://o.test.evil.test/x",
        "https://o.testing/x",
        "https://o.test-x/",
        "https://o.test_x/",
        "https://evilo.test/",
        "https://o.test@evil.test/",
        "https://o.test:pw@evil.test/",
        "https://o.test&a@evil.test/",
        "https://evil.test/https://o.test/x",
        "https://evil.test//o.test/x",
        "https://evil.test/o.test",
        "https://evil.test\\/https:\\/\\/o.test\\/x",
        "xhttps://o.test/",
        "ftp://o.test/",
        "git+ssh://o.test/",
        "https:/o.test/",
        "https:o.test/",
        "https://o.test:8080/x",
        "https://o.test:80a/x",
        "a//o.test",
    ] {
        check("o.test", None, text, text);
    }
}

#[test]
fn paths_are_mapped_back_in_either_spelling_of_slashes() {
    for (text, expected) in [
        ("https://o.test/base/x", "https://p.test/docs/x"),
        ("https://o.test/base", "https://p.test/docs"),
        ("https://o.test/base\"", "https://p.test/docs\""),
        ("https://o.test/based", "https://p.test/based"),
        ("https://o.test/ba", "https://p.test/ba"),
        ("https://o.test", "https://p.test"),
        ("//o.test/base?x", "//p.test/docs?x"),
        (
            "\"https:\\/\\/o.test\\/base\\/x\"",
            "\"https:\\/\\/p.test\\/docs\\/x\"",
        ),
        (
            "\"https:\\/\\/o.test\\/base\"",
            "\"https:\\/\\/p.test\\/docs\"",
        ),
        ("/base/x", "/base/x"),
    ] {
        check("o.test/base", Some("/docs"), text, expected);
    }
    check(
        "o.test",
        Some("/docs"),
        "https://o.test/x https://o.test",
        "https://p.test/docs/x https://p.test/docs",
    );
}

#[test]
fn nothing_is_held_back_that_no_url_needs() {
    for (text, expected) in [
        ("hello world", "hello world"),
        ("see htt", "see "),
        ("see https://exam", "see "),
        ("see https://example.org/", "see https://example.org"),
        ("see https://example.org/x", "see https://example.org/x"),
        ("ends with /", "ends with "),
    ] {
        let mut texts = texts("o.test", None);
        let mut out = Vec::new();
        texts.push(text.as_bytes(), &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), expected, "{text}");
    }
}

#[test]
fn an_endless_word_is_not_gathered() {
    for front in ["", "//", "https://"] {
        let text = format!("{front}{}o.test/", "a".repeat(2000));
        check("o.test", None, &text, &text);
    }
    let text = format!("https://o.test{}", "&".repeat(2000));
    check("o.test", None, &text, &text);
}

proptest! {
    #[test]
    fn chunks_do_not_matter(
        parts in prop::collection::vec(
            prop::sample::select(&[
                "https:", "HTTP:", "//", "/", "\\/", "\\/\\/", "o.test", "www.", ":8443", ":", "@", "/base", " ", "\"",
                "x", "é", ".", "&", "\\n", "?", "wss:", "evil.test",
            ][..]),
            0..24,
        ),
        size in 1..9_usize,
    ) {
        let text = parts.concat();
        for (upstream, prefix) in [("o.test:8443", None), ("o.test/base", Some("/docs"))] {
            let whole = whole(texts(upstream, prefix), &text);
            prop_assert_eq!(chunked(texts(upstream, prefix), &text, size), &*whole);
        }
    }

    #[test]
    fn a_text_without_the_upstreams_url_is_untouched(text in "[a-z:/@.\\\\\" ]{0,60}") {
        prop_assume!(!text.contains("o.test"));
        prop_assert_eq!(whole(texts("o.test", Some("/docs")), &text), text);
    }
}
