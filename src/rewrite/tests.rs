use futures_util::FutureExt;
use http::{HeaderMap, HeaderName, Method, StatusCode};
use proptest::prelude::*;

use super::*;
use crate::{
    config::{
        Code, Issues, Path, RouteDocument,
        document::{BodyRewrite, HeaderRules, Inject, Replace},
    },
    message::RequestUrl,
    outcome::InjectAnchor,
    rewrite::testing::{bytes, chunked},
};

fn policy(route: RouteDocument) -> Policy {
    let mut issues = Issues::default();
    let policy = Policy::compile(&route, &Path::root(), &mut issues);
    assert_eq!(issues.into_vec(), []);
    policy.unwrap()
}

fn rewriting(body: BodyRewrite) -> Policy {
    policy(RouteDocument {
        body_rewrite: Some(body),
        ..RouteDocument::default()
    })
}

fn replace(from: &str, to: &str) -> Replace {
    Replace {
        from: Some(from.into()),
        to: Some(to.into()),
    }
}

fn head(headers: &[(&'static str, &'static str)]) -> ResponseHead {
    let headers = headers.iter().map(|(name, value)| {
        (
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        )
    });
    ResponseHead {
        status: StatusCode::OK,
        headers: headers.collect(),
    }
}

/// What becomes of a response of `o.test` that was asked for at `https://p.test/`.
fn delivered(policy: &Policy, head: &ResponseHead, has_body: bool) -> Delivered {
    let request = RequestHead {
        method: Method::GET,
        url: RequestUrl::parse("https://p.test/").unwrap(),
        headers: HeaderMap::new(),
        has_body: false,
    };
    let upstream = Upstream::parse("o.test").unwrap();
    let context = Context {
        request: &request,
        upstream: &upstream,
        stripped_prefix: None,
    };
    apply(policy, &context, head, has_body)
}

#[test]
fn a_rewritten_body_loses_what_described_it_and_nothing_else() {
    let head = head(&[
        ("content-type", "text/html"),
        ("content-encoding", "gzip"),
        ("content-length", "7"),
        ("etag", "\"1\""),
        ("last-modified", "Mon, 02 Mar 2026 10:00:00 GMT"),
        ("digest", "x"),
        ("content-digest", "x"),
        ("repr-digest", "x"),
        ("content-md5", "x"),
        ("content-security-policy", "x"),
        ("content-security-policy-report-only", "x"),
        ("cache-control", "no-store"),
        ("x-kept", "1"),
    ]);
    for (body, expected) in [
        (Some(BodyRewrite::default()), 3),
        (None, head.headers.len()),
    ] {
        let policy = policy(RouteDocument {
            body_rewrite: body,
            rewrite_headers: Some(false),
            ..RouteDocument::default()
        });
        let delivered = delivered(&policy, &head, true);
        let mut headers = head.headers.clone();
        delivered.edits.apply(&mut headers);
        assert_eq!(headers.len(), expected);
        assert_eq!(headers["content-type"], "text/html");
        assert_eq!(delivered.body_rewritten, expected == 3);
    }
}

#[test]
fn a_body_without_bytes_keeps_its_description() {
    let head = head(&[
        ("content-type", "text/html"),
        ("content-encoding", "gzip"),
        ("content-length", "7"),
        ("etag", "\"1\""),
    ]);
    let delivered = delivered(&rewriting(BodyRewrite::default()), &head, false);
    assert!(delivered.edits.is_empty());
    assert_eq!(delivered.skipped, Some(SkipReason::NoBody));
}

#[test]
fn a_redirect_counts_as_rewritten_only_where_it_changed() {
    let policy = policy(RouteDocument::default());
    for (location, expected) in [
        ("https://o.test/x", true),
        ("/x", false),
        ("https://e.test/", false),
    ] {
        let delivered = delivered(&policy, &head(&[("location", location)]), false);
        assert_eq!(delivered.redirect_rewritten, expected, "{location}");
    }
}

#[test]
fn rewriting_of_headers_can_be_switched_off() {
    let policy = policy(RouteDocument {
        rewrite_headers: Some(false),
        ..RouteDocument::default()
    });
    let head = head(&[
        ("location", "https://o.test/x"),
        ("set-cookie", "a=1; Domain=o.test"),
        ("keep-alive", "timeout=5"),
    ]);
    let delivered = delivered(&policy, &head, false);
    assert!(!delivered.redirect_rewritten);
    let mut headers = head.headers.clone();
    delivered.edits.apply(&mut headers);
    assert_eq!(headers.len(), 2);
}

#[test]
fn a_legacy_page_arrives_as_utf8_and_says_so() {
    let policy = rewriting(BodyRewrite {
        replace: Some(vec![replace("文", "字")]),
        ..BodyRewrite::default()
    });
    let head = head(&[("content-type", "Text/HTML; charset=gb2312; x=y")]);
    let delivered = delivered(&policy, &head, true);
    let content_type = delivered.edits.value(&header::CONTENT_TYPE, &head.headers);
    assert_eq!(content_type.unwrap(), "text/html; charset=utf-8");
    let body = b"<meta charset=gb2312><a href=\"https://o.test/x\">\xD6\xD0\xCE\xC4</a>";
    assert_eq!(
        chunked(delivered.transform.unwrap(), body, 3),
        "<meta charset=utf-8><a href=\"https://p.test/x\">中字</a>"
    );
}

#[test]
fn replacements_run_over_links_and_markup_that_were_put_in() {
    let policy = rewriting(BodyRewrite {
        replace: Some(vec![replace("p.test", "q.test"), replace("[A]", "[B]")]),
        inject: Some(Inject {
            head_start: Some("[A]".into()),
            ..Inject::default()
        }),
        ..BodyRewrite::default()
    });
    let delivered = delivered(&policy, &head(&[("content-type", "text/html")]), true);
    let body = "<head><a href=//o.test/>";
    assert_eq!(
        chunked(delivered.transform.unwrap(), body, 1),
        "<head>[B]<a href=//q.test/>"
    );
    let report = delivered.inject.unwrap().now_or_never().unwrap();
    assert_eq!(report.landed, [InjectAnchor::HeadStart]);
    let outcome = delivered.rewrite.unwrap().now_or_never();
    assert_eq!(outcome, Some(RewriteOutcome::Complete));
}

#[test]
fn only_documents_report_their_markup() {
    let policy = rewriting(BodyRewrite {
        content_types: Some(vec!["text/".into()]),
        inject: Some(Inject {
            head_start: Some("[A]".into()),
            ..Inject::default()
        }),
        ..BodyRewrite::default()
    });
    let delivered = delivered(&policy, &head(&[("content-type", "text/css")]), true);
    assert!(delivered.body_rewritten && delivered.inject.is_none() && delivered.rewrite.is_none());
}

#[track_caller]
fn check_issues(body: BodyRewrite, expected: &[(&str, Code)]) {
    let route = RouteDocument {
        body_rewrite: Some(body),
        ..RouteDocument::default()
    };
    let mut issues = Issues::default();
    let policy = Policy::compile(&route, &Path::root(), &mut issues);
    let issues = issues.into_vec();
    let seen: Vec<_> = issues
        .iter()
        .map(|issue| (issue.path.as_str(), issue.code))
        .collect();
    assert_eq!(seen, expected);
    assert_eq!(policy.is_err(), !expected.is_empty());
}

#[test]
fn every_mistake_is_reported_at_its_place() {
    check_issues(BodyRewrite::default(), &[]);
    check_issues(
        BodyRewrite {
            content_types: Some(vec!["text/html".into(), String::new()]),
            replace: Some(vec![replace("a", ""), replace("", "b"), Replace::default()]),
            fallback_charset: Some(String::new()),
            inject: Some(Inject::default()),
            ..BodyRewrite::default()
        },
        &[
            ("bodyRewrite.contentTypes[1]", Code::Required),
            ("bodyRewrite.replace[1].from", Code::Required),
            ("bodyRewrite.replace[2].from", Code::Required),
            ("bodyRewrite.replace[2].to", Code::Required),
            ("bodyRewrite.fallbackCharset", Code::Required),
            ("bodyRewrite.inject", Code::Required),
        ],
    );
    check_issues(
        BodyRewrite {
            content_types: Some(Vec::new()),
            fallback_charset: Some("x-made-up".into()),
            inject: Some(Inject {
                head_start: Some(String::new()),
                body_end: Some("x".repeat(64 * 1024 + 1)),
                ..Inject::default()
            }),
            ..BodyRewrite::default()
        },
        &[
            ("bodyRewrite.contentTypes", Code::Required),
            ("bodyRewrite.inject.headStart", Code::Required),
            ("bodyRewrite.inject", Code::TooLarge),
        ],
    );
    let largest = Inject {
        head_start: Some("x".repeat(32 * 1024)),
        body_end: Some("x".repeat(32 * 1024)),
        ..Inject::default()
    };
    check_issues(
        BodyRewrite {
            inject: Some(largest),
            ..BodyRewrite::default()
        },
        &[],
    );
}

#[test]
fn response_rules_may_not_delete_a_redirect() {
    let route = RouteDocument {
        response_headers: Some(HeaderRules {
            set: None,
            remove: Some(vec!["server".into(), "Location".into()]),
        }),
        ..RouteDocument::default()
    };
    let mut issues = Issues::default();
    assert!(Policy::compile(&route, &Path::root(), &mut issues).is_err());
    let issues = issues.into_vec();
    assert_eq!(issues[0].path, "responseHeaders.remove[1]");
}

proptest! {
    #[test]
    fn chunks_of_a_legacy_page_do_not_matter(
        parts in prop::collection::vec(
            prop::sample::select(&[
                "<a href=\"https://o.test/中\">", "<style>", "url(//o.test/é)", "</style>", "日本語", "テスト", "tick", "<p",
                " title=\"", "\"", ">", "<head>", "</head>", "ti",
            ][..]),
            0..20,
        ),
        size in 1..7_usize,
    ) {
        let policy = rewriting(BodyRewrite {
            replace: Some(vec![replace("tick", "T"), replace("日本", "JP"), replace("本語テ", "X")]),
            inject: Some(Inject { head_end: Some("[中]".into()), ..Inject::default() }),
            ..BodyRewrite::default()
        });
        let page = parts.concat();
        for (content_type, encoding) in [
            ("text/html; charset=shift_jis", encoding_rs::SHIFT_JIS),
            ("text/html; charset=gb18030", encoding_rs::GB18030),
            ("text/html", encoding_rs::UTF_8),
        ] {
            let page = encoding.encode(&page).0;
            let transform = || delivered(&policy, &head(&[("content-type", content_type)]), true).transform.unwrap();
            let whole = bytes(transform(), [&*page]);
            prop_assert_eq!(bytes(transform(), page.chunks(size)), whole);
        }
    }
}
