//! What is copied, what is not, and how a copy fares.

use bytes::Bytes;
use futures_util::FutureExt;
use http::HeaderMap;

use super::*;
use crate::{headers::Edit, message::RequestUrl, platform::scripted::Scripted};

fn route(mirror: Mirror) -> RouteDocument {
    RouteDocument {
        mirror: Some(mirror),
        ..RouteDocument::default()
    }
}

fn shadow() -> Mirror {
    Mirror {
        upstream: Some("shadow.example.org/v2".to_owned()),
        ..Mirror::default()
    }
}

fn compile(route: &RouteDocument) -> Policy {
    let mut issues = Issues::default();
    let policy = Policy::compile(route, &Path::root(), &mut issues);
    policy.unwrap_or_else(|_| panic!("{issues:?}")).unwrap()
}

fn request(method: Method, headers: &[(&'static str, &'static str)]) -> RequestHead {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.append(*name, HeaderValue::from_static(value));
    }
    RequestHead {
        has_body: method == Method::POST,
        method,
        url: RequestUrl::parse("https://proxy.example.com/api/x%20y?q=1&q=2").unwrap(),
        headers: map,
    }
}

/// What is wrong with a block, by path.
#[track_caller]
fn check_issues(mirror: Mirror, expected: &[(&str, Code)]) {
    let mut issues = Issues::default();
    let route = route(mirror);
    assert!(Policy::compile(&route, &Path::root(), &mut issues).is_err());
    let found: Vec<_> = issues.into_vec();
    let found: Vec<_> = found
        .iter()
        .map(|issue| (issue.path.as_str(), issue.code))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn every_fault_of_a_block_is_found() {
    check_issues(Mirror::default(), &[("mirror.upstream", Code::Required)]);
    check_issues(
        Mirror {
            upstream: Some("169.254.169.254".to_owned()),
            percent: Some(101),
            include_body: None,
            methods: Some(vec!["GET".to_owned(), "G T".to_owned()]),
            timeout_ms: Some(5_001),
        },
        &[
            ("mirror.upstream", Code::PrivateUpstream),
            ("mirror.percent", Code::Range),
            ("mirror.methods[1]", Code::Value),
            ("mirror.timeoutMs", Code::Range),
        ],
    );
    check_issues(
        Mirror {
            methods: Some(Vec::new()),
            ..shadow()
        },
        &[("mirror.methods", Code::Required)],
    );
}

#[test]
fn a_private_target_needs_the_routes_exemption() {
    let mut route = route(Mirror {
        upstream: Some("10.1.2.3".to_owned()),
        ..Mirror::default()
    });
    route.allow_private_upstream = Some(true);
    assert_eq!(compile(&route).upstream.authority(), "10.1.2.3");
}

#[test]
fn a_copy_is_the_primary_request_with_a_mark() {
    let mut document = route(shadow());
    document.scheme = Some(Scheme::Http);
    let head = request(
        Method::GET,
        &[("x-client", "abc"), ("x-jouska-mirror", "7")],
    );
    let plan = plan(
        &compile(&document),
        &head,
        "/x%20y",
        "id-7",
        &HeaderEdits::default(),
    )
    .unwrap();
    assert_eq!(plan.upstream(), "shadow.example.org");
    assert_eq!(plan.call.url, "http://shadow.example.org/v2/x%20y?q=1&q=2");
    assert!(!plan.call.follow_visitor);
    assert_eq!(plan.call.redirect, Redirect::Manual);
    let mut headers = head.headers;
    plan.call.edits.apply(&mut headers);
    for (name, value) in [
        ("x-client", "abc"),
        ("x-jouska-mirror", "1"),
        ("x-request-id", "id-7"),
        ("host", "shadow.example.org"),
        ("x-forwarded-host", "proxy.example.com"),
    ] {
        assert_eq!(headers[name], value, "{name}");
    }
}

#[test]
fn only_listed_methods_are_copied_and_never_a_handshake() {
    let upgrade: &[_] = &[("upgrade", "websocket")];
    for (listed, websocket, method, headers, expected) in [
        (None, true, Method::GET, &[][..], true),
        (None, true, Method::HEAD, &[], true),
        (None, true, Method::POST, &[], false),
        (None, true, Method::OPTIONS, &[], false),
        (Some("post"), true, Method::POST, &[], true),
        (Some("post"), true, Method::GET, &[], false),
        (None, true, Method::GET, upgrade, false),
        (None, false, Method::GET, upgrade, false),
    ] {
        let mut document = route(Mirror {
            methods: listed.map(|method| vec![method.to_owned()]),
            ..shadow()
        });
        document.websocket = Some(websocket);
        let planned = plan(
            &compile(&document),
            &request(method.clone(), headers),
            "/",
            "id",
            &HeaderEdits::default(),
        );
        assert_eq!(
            planned.is_some(),
            expected,
            "{listed:?} {method} {headers:?}"
        );
    }
}

#[test]
fn the_sample_is_a_share_of_the_hash_space() {
    for (percent, id, expected) in [
        (25, "7c0000000002ed5e-LHR", true),
        (25, "7c00000000015445-AMS", false),
        (25, "7c000000000951c2-LHR", true),
        (100, "7c00000000015445-AMS", true),
    ] {
        assert_eq!(is_sampled(percent, id), expected, "{percent} of {id}");
    }
    let ids = || (0..10_000).map(|number| format!("7c{number:014x}-LHR"));
    assert!(ids().all(|id| is_sampled(100, &id)));
    let tenth = ids().filter(|id| is_sampled(10, id)).count();
    assert!((800..1_200).contains(&tenth), "{tenth}");
}

#[track_caller]
fn check_report(
    platform: Scripted,
    include_body: bool,
    expected: (MirrorOutcome, u64, Option<CallBody>),
) {
    let policy = compile(&route(Mirror {
        methods: Some(vec!["POST".to_owned()]),
        include_body: Some(include_body),
        timeout_ms: Some(400),
        ..shadow()
    }));
    let head = request(Method::POST, &[("content-length", "5")]);
    let plan = plan(&policy, &head, "/", "id", &HeaderEdits::default()).unwrap();
    let report = send(plan, platform.clone()).now_or_never().unwrap();
    let sent = platform.calls().into_iter().next().map(|(_, call)| {
        let length = Edit::Remove(http::header::CONTENT_LENGTH);
        let claims_length = !call.edits.iter().any(|edit| *edit == length);
        assert_eq!(claims_length, include_body);
        call.body
    });
    assert_eq!((report.outcome, report.duration_ms, sent), expected);
    assert_eq!(report.upstream, "shadow.example.org");
    let answered = report.outcome == MirrorOutcome::Answered;
    assert_eq!(platform.discarded().len(), usize::from(answered));
}

#[test]
fn whatever_the_mirror_does_is_reported_and_its_answer_discarded() {
    for (act, outcome, took) in [
        ((30, Ok(200)), MirrorOutcome::Answered, 30),
        ((30, Ok(500)), MirrorOutcome::Answered, 30),
        ((30, Ok(302)), MirrorOutcome::Answered, 30),
        (
            (5, Err(FetchError::Unreachable)),
            MirrorOutcome::Unreachable,
            5,
        ),
        ((9_999, Ok(200)), MirrorOutcome::Timeout, 400),
    ] {
        check_report(
            Scripted::new([act]),
            false,
            (outcome, took, Some(CallBody::None)),
        );
    }
}

#[test]
fn a_body_is_copied_whole_or_the_copy_is_given_up() {
    let whole = Bytes::from(vec![b'x'; MOST_BODY_BYTES]);
    let script = || Scripted::new([(1, Ok(200))]);
    check_report(
        script().with_body(Ok(whole.clone())),
        true,
        (MirrorOutcome::Answered, 1, Some(CallBody::Bytes(whole))),
    );
    let longer = Bytes::from(vec![b'x'; MOST_BODY_BYTES + 1]);
    for body in [Ok(longer), Err(MirrorOutcome::BodyOverLimit)] {
        check_report(
            script().with_body(body),
            true,
            (MirrorOutcome::BodyOverLimit, 0, None),
        );
    }
}
