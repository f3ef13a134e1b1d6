//! Styles as tables, whole and byte by byte: what is an address is found in every spelling, and nothing else is.

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

fn styles(prefix: Option<&str>) -> Box<dyn Transform> {
    let upstream = Upstream::parse("o.test").unwrap();
    let mapping = Mapping::new(&upstream, "https", "p.test", "p.test", prefix);
    Box::new(Splicer::new(Styles::new(Rc::new(mapping), true)))
}

#[track_caller]
fn check(style: &str, expected: &str) {
    assert_eq!(whole(styles(None), style), expected, "{style}");
    assert_eq!(chunked(styles(None), style, 1), expected, "{style}");
}

#[test]
fn addresses_are_found_in_every_quoting() {
    check("a{b:url(https://o.test/x)}", "a{b:url(https://p.test/x)}");
    check(
        "a{b:URL( \"https://o.test/x\" )}",
        "a{b:URL( \"https://p.test/x\" )}",
    );
    check("a{b:url('//o.test/x' )}", "a{b:url('//p.test/x' )}");
    check(
        "a{b:url(\n https://o.test/x\n)}",
        "a{b:url(\n https://p.test/x\n)}",
    );
    check("url(https://o.test)", "url(https://p.test)");
    check("url(https://o.test", "url(https://p.test");
    check("url('https://o.test", "url('https://p.test");
    check(
        "@import \"https://o.test/x\";",
        "@import \"https://p.test/x\";",
    );
    check(
        "@IMPORT/*c*/'https://o.test/x' print;",
        "@IMPORT/*c*/'https://p.test/x' print;",
    );
    check(
        "@import url(https://o.test/x);",
        "@import url(https://p.test/x);",
    );
    check(
        "a{b:image-set(\"https://o.test/1\" 1x,url(https://o.test/2) 2x type('https://x'))}",
        "a{b:image-set(\"https://p.test/1\" 1x,url(https://p.test/2) 2x type('https://x'))}",
    );
    check(
        "a{b:src(\"https://o.test/1\")}",
        "a{b:src(\"https://p.test/1\")}",
    );
}

#[test]
fn escapes_are_seen_through_and_kept() {
    check(r"url(https\3a //o.test/x\)y)", r"url(https://p.test/x\)y)");
    check(
        r#"url("https:\/\/o.test\/x")"#,
        r#"url("https://p.test\/x")"#,
    );
    check("url('https://o.te\\\nst/x')", "url('https://p.test/x')");
}

#[test]
fn what_is_no_address_stays_as_it_is() {
    for style in [
        "",
        "a{content:\"https://o.test/\"}",
        "a{content:\"url(https://o.test/)\"}",
        "/* url(https://o.test/) */",
        "/* ' */ a{}",
        "a{b:url(data:image/svg+xml,%3Csvg fill='x'%3E)}",
        "a{b:url(https://o.test.evil.test/)}",
        "a{b:myurl(https://o.test/)}",
        "a{b:a-rather-long-name-that-ends-in-url(https://o.test/)}",
        "@namespace x url(https://o.test/ns);",
        "@namespace \"https://o.test/ns\";",
        "@media print{a{content:'https://o.test'}}",
        "a{b:url(rel.png)}c{d:url(#x)}",
        "@important \"https://o.test/x\";",
        "a{b:c\\\"url(}",
        "a{b:\"\\\"https://o.test\"}",
        "<!-- a{} -->",
        "\\",
        "@",
        "url(",
        "url( ",
    ] {
        check(style, style);
    }
}

#[test]
fn a_broken_string_ends_with_its_line() {
    check(
        "a{b:\"c\n}d{e:url(https://o.test/)}",
        "a{b:\"c\n}d{e:url(https://p.test/)}",
    );
}

#[test]
fn what_follows_a_long_data_address_is_still_found() {
    let data = "A".repeat(3 * LIMIT);
    for (open, close) in [("url(", ")"), ("url(\"", "\")"), ("@import '", "';")] {
        let style = format!("{open}data:x,{data}\\){close} url(https://o.test/)");
        let expected = style.replace("o.test", "p.test");
        assert_eq!(whole(styles(None), &style), expected);
        assert_eq!(chunked(styles(None), &style, 1000), expected);
    }
}

#[test]
fn nothing_is_held_back_that_no_address_needs() {
    let mut styles = styles(None);
    let mut out = Vec::new();
    styles.push(b"a{color:red} .b{background:url(data:xyz", &mut out);
    assert_eq!(out, b"a{color:red} .b{background:");
}

#[test]
fn a_path_follows_the_prefix() {
    let style = "a{b:url(/x)}c{d:url(\"/y\")}";
    assert_eq!(
        whole(styles(Some("/docs")), style),
        "a{b:url(/docs/x)}c{d:url(\"/docs/y\")}"
    );
}

proptest! {
    #[test]
    fn chunks_do_not_matter(
        parts in prop::collection::vec(
            prop::sample::select(&[
                "url(", "URL('", "https://o.test/x", "\"", "'", ")", "(", " ", "\\", "/*", "*/", "@import ", ";",
                "{", "}", "é", "image-set(", "//o.test", "\n", "a", "@namespace ", "/", "*", "\\3a ",
            ][..]),
            0..24,
        ),
        size in 1..9_usize,
    ) {
        let style = parts.concat();
        prop_assert_eq!(chunked(styles(None), &style, size), whole(styles(None), &style));
    }
}
