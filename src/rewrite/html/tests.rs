//! Pages as tables, whole and byte by byte: a changed tag keeps everything but its address, an untouched one every byte.

use futures_util::FutureExt;
use proptest::prelude::*;

use super::*;
use crate::{
    body::pending,
    net::Upstream,
    outcome::{InjectAnchor, InjectReport},
    rewrite::{
        attributes,
        inject::Markup,
        testing::{bytes, chunked, whole},
    },
};

fn rules(upstream: &str, prefix: Option<&str>) -> Rules {
    let upstream = Upstream::parse(upstream).unwrap();
    Rules {
        mapping: Rc::new(Mapping::new(&upstream, "https", "p.test", "p.test", prefix)),
        links: true,
        styles: true,
        transcoded: false,
        rooted: true,
        depth: 0,
    }
}

fn html(rules: Rules) -> Box<dyn Transform> {
    Box::new(Html::new(rules, None, None))
}

fn plain() -> Box<dyn Transform> {
    html(rules("o.test", None))
}

#[track_caller]
fn check(page: &str, expected: &str) {
    assert_eq!(whole(plain(), page), expected, "{page}");
    assert_eq!(chunked(plain(), page, 1), expected, "{page}");
}

#[track_caller]
fn check_mapped(page: &str, expected: &str) {
    let mapped = || html(rules("o.test/base", Some("/docs")));
    assert_eq!(whole(mapped(), page), expected, "{page}");
    assert_eq!(chunked(mapped(), page, 1), expected, "{page}");
}

#[test]
fn addresses_are_rewritten_in_every_attribute_that_carries_one() {
    for name in [
        "href",
        "src",
        "action",
        "formaction",
        "poster",
        "data",
        "cite",
        "background",
        "longdesc",
        "usemap",
        "manifest",
        "xlink:href",
        "ping",
        "srcset",
        "imagesrcset",
        "HREF",
        "Xlink:Href",
    ] {
        check(
            &format!("<x {name}=\"https://o.test/a?b&c\">"),
            &format!("<x {name}=\"https://p.test/a?b&c\">"),
        );
    }
    for name in [
        "content", "title", "value", "data-src", "alt", "hrefx", "xmlns",
    ] {
        let page = format!("<x {name}=\"https://o.test/a\">");
        check(&page, &page);
    }
}

#[test]
fn lists_are_rewritten_one_address_at_a_time() {
    check(
        "<a ping=\"https://o.test/1 \nhttps://e.test/2  https://o.test/3\">",
        "<a ping=\"https://p.test/1 \nhttps://e.test/2  https://p.test/3\">",
    );
    check(
        "<img srcset=\"https://o.test/w=1,q=2/a 8w,\n  //o.test/b 9w, data:image/png;base64,A,B= 1x\">",
        "<img srcset=\"https://p.test/w=1,q=2/a 8w,\n  //p.test/b 9w, data:image/png;base64,A,B= 1x\">",
    );
}

#[test]
fn a_changed_tag_keeps_its_quotes_its_spacing_and_its_other_attributes() {
    check(
        "<A  \n Class='a\"b' HREF = 'https://o.test/x'/ data-x=&amp; Id>x</A >",
        "<A  \n Class='a\"b' HREF = 'https://p.test/x'/ data-x=&amp; Id>x</A >",
    );
    check("<a href=https://o.test/x>", "<a href=https://p.test/x>");
    check("<a href=https://o.test/>", "<a href=https://p.test/>");
    check("<img src='//o.test/a'/>", "<img src='//p.test/a'/>");
    check(
        "<a href=https://o.test/x href='https://o.test/y'>",
        "<a href=https://p.test/x href='https://p.test/y'>",
    );
}

#[test]
fn character_references_are_seen_through_and_kept() {
    check(
        "<a href=\"https://o.test/?a=1&amp;b=2&c=&quot;3\">",
        "<a href=\"https://p.test/?a=1&amp;b=2&c=&quot;3\">",
    );
    check(
        "<a href=\"https:&#x2F;&#47;o&period;test&sol;x\">",
        "<a href=\"https://p.test&sol;x\">",
    );
    check(
        "<p style=\"a:url(&quot;https://o.test/x&quot;)\">",
        "<p style=\"a:url(&quot;https://p.test/x&quot;)\">",
    );
    check(
        "<a href=\"https://o.test&commat;e.test/\">",
        "<a href=\"https://o.test&commat;e.test/\">",
    );
    check(
        "<img srcset='https://o.test/a?b&amp;c 1x, https://o.test/d&#32;2x'>",
        "<img srcset='https://p.test/a?b&amp;c 1x, https://p.test/d&#32;2x'>",
    );
}

#[test]
fn styles_are_rewritten_in_blocks_and_attributes() {
    check(
        "<style media=print>@import '//o.test/a';b{c:url(https://o.test/d)}/*https://o.test*/</style>",
        "<style media=print>@import '//p.test/a';b{c:url(https://p.test/d)}/*https://o.test*/</style>",
    );
    check(
        "<style>a{b:url(https://o.test/c)",
        "<style>a{b:url(https://p.test/c)",
    );
    check(
        "<style>a{b:url('https://o.test/</p>')}</style><p style='a:url(https://o.test)'>url(https://o.test)",
        "<style>a{b:url('https://p.test/</p>')}</style><p style='a:url(https://p.test)'>url(https://o.test)",
    );
    check(
        "<svg><style>a{b:url(https://o.test/c)}<a href='https://o.test/d'>url(https://o.test)</a></style></svg>",
        "<svg><style>a{b:url(https://p.test/c)}<a href='https://p.test/d'>url(https://o.test)</a></style></svg>",
    );
    check(
        "<svg><style/><a style='b:url(//o.test)'></a></svg>url(https://o.test)",
        "<svg><style/><a style='b:url(//p.test)'></a></svg>url(https://o.test)",
    );
}

#[test]
fn styles_refreshes_and_framed_documents_stay_when_styles_are_off() {
    let page = "<style>a{b:url(https://o.test)}</style><p style='a:url(https://o.test)'>\
                <meta http-equiv=refresh content='0;url=https://o.test'><iframe srcdoc='<a href=//o.test>'>";
    let off = || Rules {
        styles: false,
        ..rules("o.test", None)
    };
    assert_eq!(whole(html(off()), page), page);
    assert_eq!(whole(html(off()), "<a href=//o.test>"), "<a href=//p.test>");
}

#[test]
fn a_refresh_is_rewritten_and_no_other_meta() {
    for (page, expected) in [
        (
            "<META HTTP-EQUIV=\"Refresh\" CONTENT=\"5; URL='https://o.test/r'\">",
            "<META HTTP-EQUIV=\"Refresh\" CONTENT=\"5; URL='https://p.test/r'\">",
        ),
        (
            "<meta content='0;url=//o.test/r' http-equiv=' refresh '>",
            "<meta content='0;url=//p.test/r' http-equiv=' refresh '>",
        ),
        (
            "<meta http-equiv=&#114;efresh content=\"0;url=&quot;//o.test/r&quot;\">",
            "<meta http-equiv=&#114;efresh content=\"0;url=&quot;//p.test/r&quot;\">",
        ),
    ] {
        check(page, expected);
    }
    for page in [
        "<meta name=refresh content='0;url=https://o.test/r'>",
        "<meta property='og:url' content='https://o.test/r'>",
        "<meta http-equiv=refresh>",
        "<metas http-equiv=refresh content='0;url=https://o.test/r'>",
    ] {
        check(page, page);
    }
}

#[test]
fn documents_within_documents_follow_the_same_rules() {
    check(
        "<iframe srcdoc=\"<a href='https://o.test/?a&amp;amp;b'>&amp;lt;</a><style>b{c:url(//o.test)}</style>\">",
        "<iframe srcdoc=\"<a href='https://p.test/?a&amp;amp;b'>&amp;lt;</a><style>b{c:url(//p.test)}</style>\">",
    );
    check(
        "<iframe srcdoc=\"&lt;a href=&quot;https://o.test/&quot;&gt;&eacute;\">",
        "<iframe srcdoc=\"&lt;a href=&quot;https://p.test/&quot;&gt;&eacute;\">",
    );
    check(
        "<noscript><img src=https://o.test/a><style>b{c:url(//o.test)}</style></noscript>",
        "<noscript><img src=https://p.test/a><style>b{c:url(//p.test)}</style></noscript>",
    );
    check(
        "<frameset><frame src=//o.test/a><noframes><a href=//o.test/b></noframes></frameset>",
        "<frameset><frame src=//p.test/a><noframes><a href=//p.test/b></noframes></frameset>",
    );
    check(
        "<noscript><img src=//o.test/a>",
        "<noscript><img src=//p.test/a>",
    );
}

#[test]
fn text_scripts_and_comments_are_not_looked_at() {
    for page in [
        "<p>https://o.test/</p>",
        "<script>f('<a href=\"https://o.test/\">')</script>",
        "<script type=x>url(//o.test)</script>",
        "<!-- <a href=\"https://o.test/\"> -->",
        "<textarea><a href=//o.test></textarea><title><a href=//o.test></title>",
        "<xmp><a href=//o.test></xmp><iframe><a href=//o.test></iframe>",
        "<svg><![CDATA[<a href=//o.test>]]></svg>",
        "<plaintext><a href=//o.test>",
    ] {
        check(page, page);
    }
}

#[test]
fn broken_pages_pass_whole() {
    for page in [
        "",
        "<",
        "<a",
        "<a href=\"https://o.test/",
        "<a href=\"https://o.test/\"",
        "</",
        "<!--",
        "<!doctype",
        "<p><b></p></b>",
        "<select><table><tr><td><select></table>",
        "<frameset></html><p>",
        "\u{0}<\u{0}>",
        "<style>a",
        "<style></sty",
        "<noscript><a",
    ] {
        check(page, page);
    }
    for open in ["<div>", "<p>", "<svg>"] {
        let deep = format!("{}<a href=//o.test>", open.repeat(20_000));
        assert!(
            whole(plain(), &deep) == deep.replace("o.test", "p.test"),
            "{open}"
        );
    }
    let deeper = "<b>".repeat(300_000);
    assert!(whole(plain(), &deeper) == deeper);
}

#[test]
fn bytes_that_are_no_utf8_survive() {
    let page =
        b"<p title=\"\xD6\xD0\">\xCE\xC4\xFF</p><a href=\"https://o.test/\xE9\" \xFF=\xFE>\x80";
    let expected =
        b"<p title=\"\xD6\xD0\">\xCE\xC4\xFF</p><a href=\"https://p.test/\xE9\" \xFF=\xFE>\x80";
    for size in 1..page.len() {
        assert_eq!(bytes(plain(), page.chunks(size)), expected);
    }
}

#[test]
fn past_its_memory_a_page_goes_on_unrewritten() {
    let data = "A".repeat(MEMORY + 100_000);
    let page = format!("<a href=//o.test/1><img src=\"data:{data}\"><a href=//o.test/2>");
    let expected = page.replace("o.test/1", "p.test/1");
    let (outcome, pending) = pending(RewriteOutcome::Unfinished);
    let html = Html::new(rules("o.test", None), None, Some(outcome));
    assert!(chunked(Box::new(html), &page, 1 << 16) == expected);
    assert_eq!(pending.now_or_never(), Some(RewriteOutcome::OutOfMemory));
}

#[test]
fn root_relative_links_follow_the_prefix_and_the_base_path() {
    check_mapped(
        "<a href=/base/x><a href=/other><a href=x><a href=#x><a href=//cdn.test/base/x><img srcset='/base/1 1x'>",
        "<a href=/docs/x><a href=/other><a href=x><a href=#x><a href=//cdn.test/base/x><img srcset='/docs/1 1x'>",
    );
    check_mapped(
        "<base href=/base/d/><style>a{b:url(/base/x)}</style><p style='a:url(/base/x)'>",
        "<base href=/docs/d/><style>a{b:url(/docs/x)}</style><p style='a:url(/docs/x)'>",
    );
    check_mapped(
        "<base href=https://o.test/base/><a href=/base/x>",
        "<base href=https://p.test/docs/><a href=/docs/x>",
    );
    check_mapped(
        "<base href=https://cdn.test/><base href=/base/><a href=/base/x><p style='a:url(/base/x)'>\
         <a href=https://o.test/base/x>",
        "<base href=https://cdn.test/><base href=/base/><a href=/base/x><p style='a:url(/base/x)'>\
         <a href=https://p.test/docs/x>",
    );
}

#[test]
fn a_page_turned_into_utf8_says_so() {
    let transcoded = |page: &str| {
        let rules = Rules {
            transcoded: true,
            ..rules("o.test", None)
        };
        whole(html(rules), page)
    };
    for (page, expected) in [
        ("<meta charset=gbk>", "<meta charset=utf-8>"),
        (
            "<META CHARSET='windows-1251' x>",
            "<META CHARSET='utf-8' x>",
        ),
        (
            "<meta content=\"text/html; Charset=gb2312; x\" http-equiv=Content-Type>",
            "<meta content=\"text/html; Charset=utf-8; x\" http-equiv=Content-Type>",
        ),
        (
            "<meta content='text/html' http-equiv=content-type>",
            "<meta content='text/html' http-equiv=content-type>",
        ),
        (
            "<meta name=x content='charset=gbk'>",
            "<meta name=x content='charset=gbk'>",
        ),
        (
            "<meta http-equiv=refresh content='0;url=//o.test' charset=x>",
            "<meta http-equiv=refresh content='0;url=//p.test' charset=utf-8>",
        ),
        (
            "<meta charset=x http-equiv=refresh content='0;url=//o.test'>",
            "<meta charset=utf-8 http-equiv=refresh content='0;url=//p.test'>",
        ),
        (
            "<script charset=gbk></script>",
            "<script charset=gbk></script>",
        ),
    ] {
        assert_eq!(transcoded(page), expected);
    }
    check("<meta charset=gbk>", "<meta charset=gbk>");
}

#[track_caller]
fn check_inject(links: bool, page: &str, expected: &str, landed: &[InjectAnchor]) {
    use InjectAnchor::*;
    for size in [1, 7, usize::MAX] {
        let markup = [
            (HeadStart, "[A]"),
            (HeadEnd, "[B]"),
            (BodyStart, "[C]"),
            (BodyEnd, "[D]"),
        ];
        let markup = Markup::new(markup.map(|(anchor, text)| (anchor, text.into())).into());
        let (settle, report) = pending(markup.all_missed());
        let rules = Rules {
            links,
            ..rules("o.test", None)
        };
        let html = Html::new(rules, Some(Anchors::new(markup.into(), settle)), None);
        assert_eq!(chunked(Box::new(html), page, size), expected, "{page}");
        let all = [HeadStart, HeadEnd, BodyStart, BodyEnd];
        let missed = all
            .into_iter()
            .filter(|anchor| !landed.contains(anchor))
            .collect();
        let expected = InjectReport {
            landed: landed.to_vec(),
            missed,
        };
        assert_eq!(report.now_or_never(), Some(expected), "{page}");
    }
}

#[test]
fn markup_lands_at_its_anchors_and_nowhere_else() {
    use InjectAnchor::*;
    let all = [HeadStart, HeadEnd, BodyStart, BodyEnd];
    check_inject(
        false,
        "<html><head x><title>t</title></head><BODY class=\"x\"><a href=//o.test>x</BODY></html>",
        "<html><head x>[A]<title>t</title>[B]</head><BODY class=\"x\">[C]<a href=//o.test>x[D]</BODY></html>",
        &all,
    );
    check_inject(
        true,
        "<html><head></head><body background=//o.test></body></html>",
        "<html><head>[A][B]</head><body background=//p.test>[C][D]</body></html>",
        &all,
    );
    check_inject(
        true,
        "<html><head><title>t</title><body><p>x</body></html>",
        "<html><head>[A]<title>t</title><body>[C]<p>x[D]</body></html>",
        &[HeadStart, BodyStart, BodyEnd],
    );
    check_inject(
        true,
        "<html><head></head><body><p>x</html>",
        "<html><head>[A][B]</head><body>[C]<p>x</html>",
        &[HeadStart, HeadEnd, BodyStart],
    );
    check_inject(
        true,
        "<head></head><body></body><head></head><body></body>",
        "<head>[A][B]</head><body>[C][D]</body><head></head><body></body>",
        &all,
    );
    for links in [true, false] {
        check_inject(
            links,
            "<head><template><head></head><body>t</body></template></head><body>x</body>",
            "<head>[A]<template><head></head><body>t</body></template>[B]</head><body>[C]x[D]</body>",
            &all,
        );
    }
    check_inject(
        true,
        "<header>h</header><li>x",
        "<header>h</header><li>x",
        &[],
    );
    check_inject(
        true,
        "<script>'<head>'</script><!--<body>-->",
        "<script>'<head>'</script><!--<body>-->",
        &[],
    );
    check_inject(
        true,
        "<noscript><body></body></noscript><iframe srcdoc='<head></head>'></iframe>",
        "<noscript><body></body></noscript><iframe srcdoc='<head></head>'></iframe>",
        &[],
    );
}

#[test]
fn the_report_settles_when_the_visitor_leaves() {
    let markup = Markup::new(vec![
        (InjectAnchor::HeadStart, "[A]".into()),
        (InjectAnchor::BodyEnd, "[D]".into()),
    ]);
    let (settle, report) = pending(markup.all_missed());
    let anchors = Anchors::new(markup.into(), settle);
    let mut html = Html::new(rules("o.test", None), Some(anchors), None);
    html.push(b"<head><title>", &mut Vec::new());
    drop(html);
    let report = report.now_or_never().unwrap();
    assert_eq!(report.landed, [InjectAnchor::HeadStart]);
    assert_eq!(report.missed, [InjectAnchor::BodyEnd]);
}

#[test]
fn what_is_ready_is_not_held_back() {
    let mut html = plain();
    let mut out = Vec::new();
    html.push(b"<p><a href=\"https://o.test/1\">1</a> text", &mut out);
    assert_eq!(out, b"<p><a href=\"https://p.test/1\">1</a> text");
    html.push(b"<style>a{b:c}d{e:url(https://o", &mut out);
    assert!(out.ends_with(b"<style>a{b:c}d{e:"));
}

fn page() -> impl Strategy<Value = String> {
    let parts = prop::sample::select(
        &[
            "<a href=\"https://o.test/x\">",
            "<a href='//o.test/é' title=x>",
            "<img src=https://o.test/y srcset=\"/b 1x\">",
            "<style>",
            "</style>",
            "url(https://o.test/z)",
            "@import \"//o.test\";",
            "<p style='a:url(//o.test)'>",
            "<noscript>",
            "</noscript>",
            "<script>",
            "</script>",
            "<!--",
            "-->",
            "<svg>",
            "</svg>",
            "日本",
            "&amp;",
            "<head>",
            "</head>",
            "<body>",
            "</body>",
            "<",
            ">",
            "\"",
            "'",
            "=",
            " ",
            "text",
            "<select>",
            "<table>",
            "<base href=/b/>",
            "<meta http-equiv=refresh content=\"0;url=https://o.test\">",
            "<iframe srcdoc=\"<a href=//o.test>\">",
            "</",
            "<textarea>",
            "</textarea>",
            "<![CDATA[",
            "]]>",
            "\u{1F600}",
            "<template>",
            "<a href=\"https:&#x2F;/o.test\">",
        ][..],
    );
    prop::collection::vec(parts, 0..24).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn chunks_do_not_matter(page in page(), size in 1..12_usize) {
        for rules in [|| rules("o.test", None), || rules("o.test/base", Some("/docs"))] {
            let expected = whole(html(rules()), &page);
            prop_assert_eq!(chunked(html(rules()), &page, size), expected);
        }
    }

    #[test]
    fn a_page_without_links_to_the_upstream_is_untouched(page in page(), size in 1..50_usize) {
        let page = page.replace("o.test", "e.test");
        prop_assert_eq!(chunked(plain(), &page, size), page);
    }

    #[test]
    fn rewriting_twice_changes_nothing_more(page in page()) {
        let once = whole(plain(), &page);
        prop_assert_eq!(whole(plain(), &once), once);
    }

    #[test]
    fn no_address_is_overlooked_in_a_tag_however_it_is_written(
        tag in r#"<a(=| |/|["'>a:-]|[\t\n\f\r]|href|SRC|imagesrcset|x){0,14}>"#,
    ) {
        let bytes = tag.clone().into_bytes();
        let handler = move |element: &mut Element<'_, '_>| {
            let tag = element.source_location().bytes();
            for attribute in element.attributes() {
                if let (Some(name), Some(_)) = (attribute.name_source_location(), attribute.value_source_location())
                    && attributes::value_of(&bytes[name.bytes()]).is_some()
                {
                    assert!(attributes::may_be_in(&bytes[tag.clone()]));
                }
            }
            Ok(())
        };
        let settings = Settings::new().append_element_content_handler((
            Cow::Owned("*".parse().unwrap()),
            ElementContentHandlers::default().element(handler),
        ));
        let mut parser = HtmlRewriter::new(settings, |_: &[u8]| ());
        let _ = parser.write(tag.as_bytes());
    }

    #[test]
    fn any_bytes_pass(page in prop::collection::vec(any::<u8>(), 0..200), size in 1..20_usize) {
        prop_assert_eq!(bytes(plain(), page.chunks(size)), page);
    }
}
