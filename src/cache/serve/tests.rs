//! What visitors of a caching route see, and how often the upstream is asked.

mod cancelled;
mod edge;
mod memory;

use std::{cell::Cell, rc::Rc, time::Duration};

use bytes::Bytes;
use futures_util::future::{join_all, select};
use http::{
    HeaderMap, HeaderName, HeaderValue, Method,
    header::{AGE, CACHE_CONTROL, CONTENT_TYPE},
};
use proptest::prelude::*;

use edge::{CSS, Edge, Seen, TOTAL_TIMEOUT, cache, css, get, in_turn, request};

use super::*;
use crate::{
    config::{
        Issues, Path, RouteDocument,
        document::{Cache, CacheKey, FailureMode, StaleIfError},
    },
    message::RequestUrl,
    platform::{
        Call, CallBody, Fetch, FetchError, HeaderBase, Redirect,
        fake::{FakePlatform, Received, Script, ScriptedAnswer, ScriptedEnd, Visit, World},
    },
};

#[test]
fn what_was_stored_is_served_with_its_age_and_without_asking_again() {
    let edge = Edge::new(cache(60, 0), in_turn(["one", "two"]));
    edge.check(CSS, CacheStatus::Miss, "one", None);
    edge.wait(7500);
    edge.check(CSS, CacheStatus::Hit, "one", Some("7"));
    assert_eq!(edge.asked(), 1);
}

#[test]
fn a_request_that_takes_no_part_says_why_and_leaves_nothing() {
    let edge = Edge::new(cache(60, 0), in_turn(["one", "two", "three"]));
    let seen = edge.visit(get(CSS, &[("cookie", "a=1")]));
    assert_eq!(
        (seen.cache, seen.reason),
        (CacheStatus::Bypass, Some(CacheReason::Cookie))
    );
    edge.check(CSS, CacheStatus::Miss, "two", None);
    let seen = edge.visit(get(CSS, &[("authorization", "x")]));
    assert_eq!(
        (seen.cache, seen.body.as_str()),
        (CacheStatus::Bypass, "three")
    );
    edge.check(CSS, CacheStatus::Hit, "two", Some("0"));
}

#[test]
fn an_answer_that_may_not_be_stored_says_why() {
    let edge = Edge::new(cache(60, 0), |_| {
        css("x").header("cache-control", "private")
    });
    let seen = edge.visit(get(CSS, &[]));
    assert_eq!(
        (seen.cache, seen.reason),
        (CacheStatus::Miss, Some(CacheReason::Private))
    );
    edge.check(CSS, CacheStatus::Miss, "x", None);
}

#[test]
fn an_entry_past_its_time_is_gone_without_a_stale_window() {
    let edge = Edge::new(cache(1, 0), in_turn(["one", "two"]));
    edge.check(CSS, CacheStatus::Miss, "one", None);
    edge.wait(1400);
    edge.check(CSS, CacheStatus::Miss, "two", None);
}

#[test]
fn a_stale_entry_is_served_at_once_and_refreshed_once() {
    let slow = |number: usize| {
        let delay = if number == 0 { 0 } else { 500 };
        css(["one", "two"][number.min(1)]).after(delay)
    };
    let edge = Edge::new(cache(1, 30), slow);
    edge.check(CSS, CacheStatus::Miss, "one", None);
    edge.wait(1400);
    let before = edge.world.now();
    for seen in edge.burst(4) {
        assert_eq!(
            (seen.cache, seen.body.as_str()),
            (CacheStatus::Stale, "one")
        );
        assert_eq!(seen.age.as_deref(), Some("1"));
    }
    assert_eq!(edge.world.now(), before, "nobody waited");
    edge.wait(600);
    edge.check(CSS, CacheStatus::Hit, "two", Some("0"));
    assert_eq!(edge.asked(), 2);
}

#[test]
fn a_refresh_that_fails_leaves_the_entry_and_is_tried_again() {
    let script = |number: usize| match number {
        1 => css("broken").status(500),
        2 => css("down").status(0),
        number => css(["one", "", "", "two"][number]),
    };
    let edge = Edge::new(cache(1, 30), script);
    edge.check(CSS, CacheStatus::Miss, "one", None);
    edge.wait(1400);
    for _ in 0..3 {
        let seen = edge.visit(get(CSS, &[]));
        assert_eq!(
            (seen.cache, seen.body.as_str()),
            (CacheStatus::Stale, "one")
        );
        edge.wait(50);
    }
    edge.check(CSS, CacheStatus::Hit, "two", Some("0"));
}

#[test]
fn an_old_entry_stands_in_for_listed_failures_alone() {
    use FailureMode::{ServerError, Timeout, Unreachable};
    let covered = (CacheStatus::StaleError, "old", 1);
    for (on, then, expected) in [
        (vec![Timeout, Unreachable], css("").status(0), covered),
        (
            vec![Unreachable],
            css("late").after(60_000),
            (CacheStatus::Miss, "timeout", 1),
        ),
        (vec![Timeout], css("late").after(60_000), covered),
        (
            vec![Timeout],
            css("").status(0),
            (CacheStatus::Miss, "unreachable", 1),
        ),
        (
            vec![Timeout, Unreachable],
            css("down").status(503),
            (CacheStatus::Miss, "down", 1),
        ),
        (vec![ServerError], css("down").status(503), covered),
        (
            vec![Timeout, Unreachable, ServerError],
            css("none").status(404),
            (CacheStatus::Miss, "none", 1),
        ),
    ] {
        let case = format!("{on:?} {then:?}");
        let cache = Cache {
            stale_if_error: Some(StaleIfError {
                seconds: Some(30),
                on: Some(on),
            }),
            ..cache(1, 0)
        };
        let script = move |number: usize| {
            if number == 0 {
                css("old")
            } else {
                then.clone()
            }
        };
        let edge = Edge::new(cache, script);
        edge.check(CSS, CacheStatus::Miss, "old", None);
        edge.wait(1400);
        let seen = edge.visit(get(CSS, &[]));
        assert_eq!(
            (seen.cache, seen.body.as_str(), seen.facts.unwrap_or(0)),
            expected,
            "{case}"
        );
    }
}

#[test]
fn past_the_widened_window_the_failure_surfaces() {
    let cache = Cache {
        stale_if_error: Some(StaleIfError {
            seconds: Some(5),
            on: None,
        }),
        ..cache(1, 0)
    };
    let script = |number: usize| css("old").status(if number == 0 { 200 } else { 0 });
    let edge = Edge::new(cache, script);
    edge.check(CSS, CacheStatus::Miss, "old", None);
    edge.wait(5900);
    edge.check(CSS, CacheStatus::StaleError, "old", Some("5"));
    edge.wait(200);
    edge.check(CSS, CacheStatus::Miss, "unreachable", None);
}

#[test]
fn a_burst_on_a_cold_cache_costs_one_fetch() {
    let edge = Edge::new(cache(60, 0), |_| css("x").after(400));
    let seen = edge.burst(6);
    assert!(seen.iter().all(|seen| seen.body == "x"));
    let hits = seen.iter().filter(|seen| seen.cache == CacheStatus::Hit);
    assert_eq!((hits.count(), edge.asked()), (5, 1));
    assert!(edge.world.now().as_millis() < 600, "{:?}", edge.world.now());
}

#[test]
fn with_the_lock_off_everybody_asks() {
    let cache = Cache {
        lock_misses: Some(false),
        ..cache(60, 0)
    };
    let edge = Edge::new(cache, |_| css("x").after(400));
    let seen = edge.burst(4);
    assert!(seen.iter().all(|seen| seen.cache == CacheStatus::Miss));
    assert_eq!(edge.asked(), 4);
}

#[test]
fn where_nothing_can_be_stored_those_who_waited_ask_at_once_and_together() {
    for (name, answer) in [
        ("vetoed", css("x").header("set-cookie", "s=1")),
        ("unreachable", css("x").status(0)),
        ("broken off", css("x").ends(ScriptedEnd::Reset)),
    ] {
        let edge = Edge::new(cache(60, 0), move |_| answer.clone().after(400));
        let seen = edge.burst(4);
        assert!(
            seen.iter().all(|seen| seen.cache == CacheStatus::Miss),
            "{name}"
        );
        assert_eq!(edge.asked(), 4, "{name}");
        assert!(
            edge.world.now().as_millis() < 1000,
            "{name} took {:?}",
            edge.world.now()
        );
    }
}

#[test]
fn the_lock_is_per_entry() {
    let edge = Edge::new(cache(60, 0), |_| css("x").after(400));
    let seen = edge.all(["/a.css", "/b.css", "/a.css", "/b.css"].map(|path| get(path, &[])));
    assert!(seen.iter().all(|seen| seen.body == "x"));
    assert_eq!(edge.asked(), 2);
}

#[test]
fn when_a_leader_hangs_up_one_of_those_who_wait_leads() {
    let edge = Edge::new(cache(60, 0), |_| css("x").after(400));
    let leaver = edge.request(get(CSS, &[]), Some(Timestamp::from_millis(100)));
    let waiters = join_all((0..3).map(|_| edge.request(get(CSS, &[]), None)));
    let (left, waited) = edge.run(async move { futures_util::join!(leaver, waiters) });
    assert_eq!(left.body, "client closed");
    let caches: Vec<_> = waited.iter().map(|seen| seen.cache).collect();
    assert_eq!(
        caches
            .iter()
            .filter(|cache| **cache == CacheStatus::Hit)
            .count(),
        2,
        "{caches:?}"
    );
    assert_eq!(edge.asked(), 2);
}

#[test]
fn a_leader_that_is_gone_without_a_word_is_replaced() {
    let edge = Edge::new(cache(60, 0), |number| {
        css("x").after(if number == 0 { 60_000 } else { 100 })
    });
    // The request stops in the middle and none of its code ever runs again.
    let cancelled = edge.request(get(CSS, &[]), None);
    let pause = edge.world.sleep(Duration::from_millis(500));
    edge.run(async move {
        select(Box::pin(cancelled), Box::pin(pause)).await;
    });
    let seen = edge.burst(3);
    assert!(seen.iter().all(|seen| seen.body == "x"));
    assert_eq!(edge.asked(), 2);
    assert!(
        edge.world.now().as_millis() < 4500,
        "{:?}",
        edge.world.now()
    );
}

#[test]
fn a_leader_at_work_is_waited_for_as_long_as_a_request_may_take() {
    // Seven seconds are more than a lead lasts without being renewed.
    let edge = Edge::new(cache(60, 0), |_| css("x").after(7000));
    assert!(edge.burst(3).iter().all(|seen| seen.body == "x"));
    assert_eq!(edge.asked(), 1);
    // The body takes longer than anybody waits.
    let edge = Edge::new(cache(60, 0), |number| {
        css("x").then(if number == 0 { 60_000 } else { 0 }, "y")
    });
    let seen = edge.burst(2);
    let patience = u64::try_from(TOTAL_TIMEOUT.as_millis()).unwrap();
    assert!(
        seen.iter()
            .all(|seen| seen.body == "xy" && seen.cache == CacheStatus::Miss)
    );
    assert!(
        seen[1].answered.as_millis() >= patience,
        "{:?}",
        seen[1].answered
    );
    assert!(
        seen[1].answered.as_millis() < patience + 200,
        "{:?}",
        seen[1].answered
    );
    assert_eq!(edge.asked(), 2);
}

#[test]
fn a_visitor_gets_bytes_as_they_come_and_the_store_gets_them_too() {
    let edge = Edge::new(cache(60, 0), |_| css("x").then(2000, "y"));
    let seen = edge.visit(get(CSS, &[]));
    assert_eq!(seen.body, "xy");
    assert_eq!(
        seen.first_byte.map(Timestamp::as_millis),
        Some(0),
        "nothing is held back"
    );
    edge.check(CSS, CacheStatus::Hit, "xy", Some("2"));
}

#[test]
fn a_visitor_who_leaves_during_the_body_does_not_end_the_storing() {
    let edge = Edge::new(cache(60, 0), |_| css("x").then(2000, "y"));
    let visit = edge.served(edge.platform(get(CSS, &[]), None));
    edge.run(async move {
        drop(visit.await);
    });
    edge.wait(2500);
    edge.check(CSS, CacheStatus::Hit, "xy", Some("2"));
    assert_eq!(edge.asked(), 1);
}

#[test]
fn a_body_that_breaks_off_is_not_stored() {
    let script = |number: usize| match number {
        0 => css("half").ends(ScriptedEnd::Reset),
        _ => css("whole"),
    };
    let edge = Edge::new(cache(60, 0), script);
    let seen = edge.visit(get(CSS, &[]));
    assert!(seen.broke);
    edge.wait(500);
    edge.check(CSS, CacheStatus::Miss, "whole", None);
    edge.check(CSS, CacheStatus::Hit, "whole", Some("0"));
}

#[test]
fn the_upstreams_cache_control_is_parked_and_restored() {
    for control in [None, Some("public, max-age=0")] {
        let edge = Edge::new(cache(60, 0), move |_| match control {
            Some(control) => css("x").header("cache-control", control),
            None => css("x"),
        });
        for _ in 0..2 {
            let seen = edge.visit(get(CSS, &[]));
            assert_eq!(seen.control.as_deref(), control, "{:?}", seen.cache);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The origin answers with who asked and what for, and says honestly what its answer varies by.
    #[test]
    fn no_visitor_is_ever_shown_anothers_answer(
        visits in prop::collection::vec(any_visit(), 1..24),
        folds_language in any::<bool>(),
    ) {
        let cache = Cache {
            key: Some(CacheKey {
                headers: folds_language.then(|| vec!["accept-language".to_owned()]),
                ..Default::default()
            }),
            ..cache(2, 1)
        };
        let edge = Edge::answering(cache, |_, received| {
            let host = received.headers.get("x-asked-host").and_then(|host| host.to_str().ok());
            let said = said_to(
                received.method.as_str(),
                host.unwrap_or_default(),
                &received.path_and_query,
                &received.headers,
            );
            css(&said).header("vary", "accept-language")
        });
        for burst in visits.chunks(3) {
            let heads: Vec<RequestHead> = burst.to_vec();
            let expected: Vec<String> = heads
                .iter()
                .map(|head| match head.method {
                    Method::HEAD => String::new(),
                    _ => said_to(head.method.as_str(), head.url.authority(), head.url.path_and_query(), &head.headers),
                })
                .collect();
            for (seen, expected) in edge.all(heads).iter().zip(expected) {
                prop_assert_eq!(&seen.body, &expected, "{:?}", seen);
            }
            edge.wait(700);
        }
    }
}

fn any_visit() -> impl Strategy<Value = RequestHead> {
    let method = prop::sample::select(vec![Method::GET, Method::GET, Method::HEAD, Method::POST]);
    let host = prop::sample::select(vec!["a.example.com", "b.example.com"]);
    let path = prop::sample::select(vec![
        "/x.css",
        "/y.css",
        "/x.css?a=1&b=2",
        "/x.css?b=2&a=1",
        "/x.css?a=%ff",
        "/x.css?a=%fe",
    ]);
    let header = prop::sample::select(vec![
        ("cookie", "who=me"),
        ("cookie", "who=you"),
        ("authorization", "Bearer me"),
        ("authorization", "Bearer you"),
        ("accept-language", "de"),
        ("accept-language", "fr"),
        ("accept-language", ""),
        ("range", "bytes=0-3"),
        ("x-unrelated", "1"),
    ]);
    let headers = prop::collection::vec(header, 0..3);
    (method, host, path, headers).prop_map(|(method, host, path, headers)| RequestHead {
        method,
        ..request(&format!("https://{host}{path}"), &headers)
    })
}

fn said_to(method: &str, host: &str, path: &str, headers: &HeaderMap) -> String {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let mut query: Vec<&str> = query.split('&').collect();
    query.sort_unstable();
    let of = |name| {
        headers
            .get_all(name)
            .iter()
            .map(|value: &HeaderValue| value.to_str().unwrap())
            .collect::<Vec<_>>()
    };
    format!(
        "{method} {host} {path} {query:?} {:?} {:?} {:?} {:?}",
        of("cookie"),
        of("authorization"),
        of("accept-language"),
        of("range")
    )
}
