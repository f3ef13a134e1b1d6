//! What a route may say about forwarding, and what it is told about the rest.

use http::{HeaderMap, HeaderValue, Method};

use super::*;
use crate::{
    config::document::{self, FailureMode, HeaderRules, SplitEntry},
    message::{RequestHead, RequestUrl},
    outcome::{Selection, SelectionReason, SelectionScope},
};

fn single(upstream: &str) -> RouteDocument {
    RouteDocument {
        upstream: Some(upstream.to_owned()),
        ..RouteDocument::default()
    }
}

fn list(upstreams: &[&str]) -> RouteDocument {
    RouteDocument {
        upstreams: Some(upstreams.iter().map(|text| (*text).to_owned()).collect()),
        ..RouteDocument::default()
    }
}

/// What is wrong with a route, by path.
#[track_caller]
fn check_issues(route: &RouteDocument, expected: &[(&str, Code)]) {
    let mut issues = Issues::default();
    let compiled = Policy::compile(route, &Path::root().key("r"), &mut issues);
    assert_eq!(compiled.is_err(), !expected.is_empty());
    let found = issues.into_vec();
    let found: Vec<_> = found
        .iter()
        .map(|issue| (issue.path.as_str(), issue.code))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn numbers_at_their_bounds_are_taken() {
    let route = |least: bool| RouteDocument {
        failover: Some(document::Failover {
            on: Some(vec![FailureMode::Timeout]),
            max_attempts: Some(if least { 1 } else { 64 }),
        }),
        outlier: Some(document::Outlier {
            consecutive_failures: Some(if least { 1 } else { 10 }),
            eject_seconds: Some(if least { 1 } else { 300 }),
        }),
        limits: Some(document::Limits {
            retry_ratio: Some(if least { 0.0 } else { 1.0 }),
            max_in_flight: Some(if least { 1 } else { 10_000 }),
        }),
        timeout_ms: Some(if least { 1 } else { 120_000 }),
        total_timeout_ms: Some(if least { 1 } else { 300_000 }),
        first_chunk_timeout_ms: Some(if least { 1 } else { 600_000 }),
        stream_idle_timeout_ms: Some(if least { 1 } else { 600_000 }),
        retries: Some(if least { 0 } else { 100 }),
        retry_backoff_ms: Some(if least { 0 } else { 5_000 }),
        ..list(&["a.test", "b.test"])
    };
    check_issues(&route(true), &[]);
    check_issues(&route(false), &[]);
}

#[test]
fn every_fault_of_a_route_is_found_at_once() {
    let route = RouteDocument {
        allow_private_upstream: Some(false),
        failover: Some(document::Failover {
            on: Some(Vec::new()),
            max_attempts: Some(65),
        }),
        outlier: Some(document::Outlier {
            consecutive_failures: Some(11),
            eject_seconds: Some(301),
        }),
        limits: Some(document::Limits {
            retry_ratio: Some(1.5),
            max_in_flight: Some(0),
        }),
        timeout_ms: Some(0),
        total_timeout_ms: Some(300_001),
        first_chunk_timeout_ms: Some(0),
        stream_idle_timeout_ms: Some(600_001),
        retries: Some(101),
        retry_backoff_ms: Some(5_001),
        request_headers: Some(HeaderRules {
            set: None,
            remove: Some(vec!["host".to_owned()]),
        }),
        ..list(&[
            "a.test",
            "169.254.169.254",
            "https://b.test",
            "c.test:99999",
        ])
    };
    check_issues(
        &route,
        &[
            ("r.allowPrivateUpstream", Code::Value),
            ("r.upstreams[1]", Code::PrivateUpstream),
            ("r.upstreams[2]", Code::Value),
            ("r.upstreams[3]", Code::Range),
            ("r.requestHeaders.remove[0]", Code::ReservedHeader),
            ("r.timeoutMs", Code::Range),
            ("r.totalTimeoutMs", Code::Range),
            ("r.retryBackoffMs", Code::Range),
            ("r.retries", Code::Range),
            ("r.failover.on", Code::Required),
            ("r.failover.maxAttempts", Code::Range),
            ("r.outlier.consecutiveFailures", Code::Range),
            ("r.outlier.ejectSeconds", Code::Range),
            ("r.limits.retryRatio", Code::Range),
            ("r.limits.maxInFlight", Code::Range),
            ("r.firstChunkTimeoutMs", Code::Range),
            ("r.streamIdleTimeoutMs", Code::Range),
        ],
    );
}

#[test]
fn a_share_of_retries_is_a_number_from_0_to_1() {
    for ratio in [-0.1, 1.000_1, f64::NAN, f64::INFINITY] {
        let route = RouteDocument {
            limits: Some(document::Limits {
                retry_ratio: Some(ratio),
                max_in_flight: None,
            }),
            ..single("a.test")
        };
        check_issues(&route, &[("r.limits.retryRatio", Code::Range)]);
    }
}

#[test]
fn lists_have_from_1_to_64_candidates() {
    check_issues(&list(&[]), &[("r.upstreams", Code::Required)]);
    check_issues(&list(&["a.test"; 64]), &[]);
    check_issues(&list(&["a.test"; 65]), &[("r.upstreams", Code::TooLarge)]);
    check_issues(&single(""), &[("r.upstream", Code::Required)]);
}

#[test]
fn private_upstreams_need_the_routes_word() {
    for upstream in ["localhost.", "127.1:8787", "10.0.0.5/base"] {
        check_issues(&single(upstream), &[("r.upstream", Code::PrivateUpstream)]);
        let allowed = RouteDocument {
            allow_private_upstream: Some(true),
            ..single(upstream)
        };
        check_issues(&allowed, &[]);
    }
}

#[test]
fn a_route_that_names_no_upstream_has_no_policy() {
    let mut issues = Issues::default();
    let compiled = Policy::compile(&RouteDocument::default(), &Path::root(), &mut issues);
    assert!(matches!(compiled, Ok(None)));
    assert!(issues.is_empty());
}

#[test]
fn what_is_not_stated_has_its_default() {
    let policy = compile(&single("a.test"));
    let (second, millis) = (Duration::from_secs(1), Duration::from_millis(1));
    assert_eq!(policy.stream_deadlines(), (second * 60, second * 60));
    assert_eq!(policy.total_timeout(), second * 30);
    assert_eq!(policy.pace.timeout, second * 10);
    assert_eq!(policy.pace.backoff, millis * 100);
    assert_eq!(policy.pace.retries, 0);
    assert_eq!(policy.candidates().len(), 1);
}

fn compile(route: &RouteDocument) -> Policy {
    let mut issues = Issues::default();
    Policy::compile(route, &Path::root(), &mut issues)
        .unwrap_or_else(|_| panic!("{issues:?}"))
        .unwrap()
}

#[test]
fn a_plan_names_the_winner_and_the_others_in_declared_order() {
    let route = RouteDocument {
        traffic_split: Some(
            ["a.test", "b.test", "c.test"]
                .map(|upstream| SplitEntry {
                    upstream: Some(upstream.to_owned()),
                    weight: Some(1),
                })
                .to_vec(),
        ),
        ..RouteDocument::default()
    };
    let policy = compile(&route);
    for (address, order) in [
        ("198.51.100.4", ["a.test", "b.test", "c.test"]),
        ("198.51.100.7", ["b.test", "a.test", "c.test"]),
    ] {
        let mut headers = HeaderMap::new();
        headers.insert("cf-connecting-ip", HeaderValue::from_static(address));
        let head = RequestHead {
            method: Method::GET,
            url: RequestUrl::parse("https://proxy.example.com/").unwrap(),
            headers,
            has_body: false,
        };
        let plan = plan(&policy, &head);
        assert_eq!(plan.authority(&policy), order[0]);
        assert!(matches!(
            plan.selection(),
            Some(Selection {
                reason: SelectionReason::Weighted,
                scope: SelectionScope::Ip,
                ..
            })
        ));
        let walked: Vec<_> = plan.order(&policy).map(Upstream::authority).collect();
        assert_eq!(walked, order);
    }
}
