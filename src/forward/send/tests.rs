//! The driver against scripted upstreams: that it does what the walk says, and lets go of what it does not deliver.

mod ejection;
mod limits;
mod simulation;

use std::time::Duration;

use futures_util::FutureExt;
use http::{HeaderMap, HeaderValue, Method};

use super::*;
use crate::{
    config::{
        Issues, Path, RouteDocument,
        document::{self, FailureMode, RequestPolicy},
    },
    forward::plan,
    message::RequestUrl,
    platform::{
        Call, CallBody, Redirect,
        scripted::{Act, Scripted},
    },
};

fn route(upstreams: &[&str]) -> RouteDocument {
    let mut route = RouteDocument {
        timeout_ms: Some(40),
        total_timeout_ms: Some(100),
        retry_backoff_ms: Some(10),
        ..RouteDocument::default()
    };
    match upstreams {
        [only] => route.upstream = Some((*only).to_owned()),
        several => {
            let several = several.iter().map(|text| (*text).to_owned());
            route.upstreams = Some(several.collect());
        }
    }
    route
}

fn compile(route: &RouteDocument) -> Policy {
    let mut issues = Issues::default();
    Policy::compile(route, &Path::root(), &mut issues)
        .unwrap_or_else(|_| panic!("{issues:?}"))
        .unwrap()
}

fn get() -> RequestHead {
    RequestHead {
        method: Method::GET,
        url: RequestUrl::parse("https://proxy.example.com/api/x?y").unwrap(),
        headers: HeaderMap::new(),
        has_body: false,
    }
}

fn post() -> RequestHead {
    RequestHead {
        method: Method::POST,
        has_body: true,
        ..get()
    }
}

fn run(
    policy: &Policy,
    head: &RequestHead,
    errand: Errand,
    memory: &Memory,
    platform: &Scripted,
) -> Sent<usize> {
    let auth = HeaderEdits::default();
    let request = Request {
        head,
        path: "/x",
        label: "route",
        request_id: "id-7",
        auth: &auth,
        errand,
    };
    send(policy, &plan(policy, head), request, memory, platform)
        .now_or_never()
        .expect("a scripted platform never waits")
}

/// Authorities in the order they were asked.
fn asked(platform: &Scripted) -> Vec<String> {
    let host = |call: &Call| {
        RequestUrl::parse(&call.url)
            .map(|url| url.authority().to_owned())
            .unwrap()
    };
    platform
        .calls()
        .iter()
        .map(|(_, call)| host(call))
        .collect()
}

const UNREACHABLE: Act = (0, Err(FetchError::Unreachable));
const HANGS: Act = (9_999, Ok(200));

/// What the upstreams of one walk do, and how the walk ends: status or failure, attempts, the upstream named.
#[track_caller]
fn check(
    route: &RouteDocument,
    head: &RequestHead,
    acts: &[Act],
    expected: (Result<u16, Failure>, u32, &str),
) {
    let platform = Scripted::new(acts.iter().copied());
    let sent = run(
        &compile(route),
        head,
        Errand::Visitor,
        &Memory::default(),
        &platform,
    );
    assert_eq!(
        (
            sent.result.map(|exchange| exchange.head.status.as_u16()),
            sent.attempts,
            sent.upstream.as_str()
        ),
        expected
    );
}

fn with_retries(retries: u64) -> RouteDocument {
    RouteDocument {
        retries: Some(retries),
        ..route(&["a.test"])
    }
}

fn moving_on(upstreams: &[&str], on: &[FailureMode]) -> RouteDocument {
    RouteDocument {
        failover: Some(document::Failover {
            on: Some(on.to_vec()),
            max_attempts: None,
        }),
        ..route(upstreams)
    }
}

#[test]
fn what_can_be_repeated_is_repeated() {
    let ok = (0, Ok(200));
    check(&with_retries(0), &get(), &[ok], (Ok(200), 1, "a.test"));
    check(
        &with_retries(2),
        &get(),
        &[UNREACHABLE, HANGS, ok],
        (Ok(200), 3, "a.test"),
    );
    check(
        &with_retries(1),
        &get(),
        &[HANGS, UNREACHABLE, ok],
        (Err(Failure::Unreachable), 2, "a.test"),
    );
    check(
        &with_retries(1),
        &get(),
        &[UNREACHABLE, HANGS, ok],
        (Err(Failure::Timeout), 2, "a.test"),
    );
    let handshake = RequestHead {
        headers: HeaderMap::from_iter([(
            http::header::UPGRADE,
            HeaderValue::from_static("websocket"),
        )]),
        ..get()
    };
    let with_body = RequestHead {
        has_body: true,
        ..get()
    };
    let bodyless_post = RequestHead {
        has_body: false,
        ..post()
    };
    for head in [&post(), &bodyless_post, &with_body, &handshake] {
        check(
            &with_retries(3),
            head,
            &[UNREACHABLE, ok],
            (Err(Failure::Unreachable), 1, "a.test"),
        );
    }
    for method in [Method::HEAD, Method::OPTIONS, Method::TRACE] {
        let head = RequestHead { method, ..get() };
        check(
            &with_retries(1),
            &head,
            &[UNREACHABLE, ok],
            (Ok(200), 2, "a.test"),
        );
    }
    let plain = RouteDocument {
        websocket: Some(false),
        ..with_retries(1)
    };
    check(
        &plain,
        &handshake,
        &[UNREACHABLE, ok],
        (Ok(200), 2, "a.test"),
    );
}

#[test]
fn an_answer_is_an_answer() {
    for status in [404, 503] {
        let route = with_retries(3);
        check(
            &route,
            &get(),
            &[(0, Ok(status))],
            (Ok(status), 1, "a.test"),
        );
        let list = self::route(&["a.test", "b.test"]);
        check(&list, &get(), &[(0, Ok(status))], (Ok(status), 1, "a.test"));
    }
}

#[test]
fn the_total_bounds_all_attempts() {
    let route = RouteDocument {
        retry_backoff_ms: Some(0),
        ..with_retries(20)
    };
    let platform = Scripted::new([HANGS; 21]);
    let sent = run(
        &compile(&route),
        &get(),
        Errand::Visitor,
        &Memory::default(),
        &platform,
    );
    assert_eq!(sent.result.err(), Some(Failure::Timeout));
    let budgets: Vec<_> = platform
        .calls()
        .iter()
        .map(|(at, call)| (*at, call.budget.as_millis()))
        .collect();
    assert_eq!(budgets, [(0, 40), (40, 40), (80, 20)]);
}

#[test]
fn the_walk_moves_on_as_the_policy_says() {
    let both = &["a.test", "b.test"];
    let ok = (0, Ok(200));
    check(
        &route(both),
        &get(),
        &[UNREACHABLE, ok],
        (Ok(200), 2, "b.test"),
    );
    check(&route(both), &get(), &[HANGS, ok], (Ok(200), 2, "b.test"));
    check(
        &route(both),
        &post(),
        &[UNREACHABLE, ok],
        (Err(Failure::Unreachable), 1, "a.test"),
    );
    check(
        &moving_on(both, &[FailureMode::Timeout]),
        &get(),
        &[UNREACHABLE, ok],
        (Err(Failure::Unreachable), 1, "a.test"),
    );
    check(
        &moving_on(both, &[FailureMode::ServerError]),
        &get(),
        &[(0, Ok(503)), (0, Ok(404))],
        (Ok(404), 2, "b.test"),
    );
    check(
        &moving_on(both, &[FailureMode::ServerError]),
        &get(),
        &[(0, Ok(503)), (0, Ok(500))],
        (Ok(500), 2, "b.test"),
    );
    // The kept answer is credited to the one that gave it.
    check(
        &moving_on(both, &[FailureMode::ServerError]),
        &get(),
        &[(0, Ok(503)), UNREACHABLE],
        (Ok(503), 2, "a.test"),
    );
    let ignored = RouteDocument {
        retries: Some(3),
        ..route(both)
    };
    check(
        &ignored,
        &get(),
        &[UNREACHABLE, UNREACHABLE, ok],
        (Err(Failure::Unreachable), 2, "b.test"),
    );
    check(
        &route(&["a.test", "a.test", "b.test"]),
        &get(),
        &[UNREACHABLE, ok],
        (Ok(200), 2, "a.test"),
    );
    let capped = RouteDocument {
        failover: Some(document::Failover {
            on: None,
            max_attempts: Some(2),
        }),
        ..route(&["a.test", "b.test", "c.test"])
    };
    check(
        &capped,
        &get(),
        &[UNREACHABLE, UNREACHABLE, ok],
        (Err(Failure::Unreachable), 2, "b.test"),
    );
}

#[test]
fn the_visitor_can_end_a_walk() {
    let capped = RouteDocument {
        request_policy: Some(RequestPolicy {
            max_body_bytes: Some(10),
            ..RequestPolicy::default()
        }),
        ..with_retries(3)
    };
    check(
        &with_retries(3),
        &get(),
        &[(5, Err(FetchError::VisitorLeft))],
        (Err(Failure::ClientClosed), 1, "a.test"),
    );
    check(
        &capped,
        &post(),
        &[(5, Err(FetchError::BodyTooLarge))],
        (
            Err(Failure::BodyTooLarge { max_body_bytes: 10 }),
            1,
            "a.test",
        ),
    );
}

#[test]
fn each_candidate_is_asked_below_its_own_base_and_by_its_own_name() {
    let route = RouteDocument {
        scheme: Some(document::Scheme::Http),
        ..route(&["a.test/v1", "b.test:81/legacy/v0"])
    };
    let platform = Scripted::new([HANGS, (0, Ok(200))]);
    let head = get();
    run(
        &compile(&route),
        &head,
        Errand::Visitor,
        &Memory::default(),
        &platform,
    );
    let calls = platform.calls();
    for ((_, call), (url, host)) in calls.iter().zip([
        ("http://a.test/v1/x?y", "a.test"),
        ("http://b.test:81/legacy/v0/x?y", "b.test:81"),
    ]) {
        assert_eq!(call.url, url);
        let mut headers = HeaderMap::new();
        call.edits.apply(&mut headers);
        assert_eq!(headers["host"], host);
        assert_eq!(headers["x-request-id"], "id-7");
        assert!(call.follow_visitor);
    }
    assert_eq!(calls.len(), 2);
}

#[test]
fn a_request_is_shaped_by_its_route() {
    let capped = RouteDocument {
        request_policy: Some(RequestPolicy {
            max_body_bytes: Some(10),
            ..RequestPolicy::default()
        }),
        ..route(&["a.test"])
    };
    let following = RouteDocument {
        manual_redirect: Some(false),
        ..route(&["a.test"])
    };
    let visitors = |limit| CallBody::Visitor { limit };
    let with_body = RequestHead {
        has_body: true,
        ..get()
    };
    for (route, head, body, redirect) in [
        (&capped, post(), visitors(Some(10)), Redirect::Manual),
        (&following, post(), visitors(None), Redirect::Follow),
        (&capped, get(), CallBody::None, Redirect::Manual),
        (&capped, with_body, CallBody::None, Redirect::Manual),
    ] {
        let platform = Scripted::new([(0, Ok(200))]);
        run(
            &compile(route),
            &head,
            Errand::Visitor,
            &Memory::default(),
            &platform,
        );
        let (_, call) = platform.calls().remove(0);
        assert_eq!((call.body, call.redirect), (body, redirect));
        assert_eq!(call.method, head.method);
    }
}

#[test]
fn a_101_is_the_socket() {
    let platform = Scripted::new([(0, Ok(101))]);
    let sent = run(
        &compile(&route(&["a.test"])),
        &get(),
        Errand::Visitor,
        &Memory::default(),
        &platform,
    );
    assert!(sent.result.unwrap().upgraded);
}
