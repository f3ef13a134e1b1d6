//! Who robs whom, and that no alarm is false.

use std::rc::Rc;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::table::samples;

/// Checks which pairs are told of these matches: the later route, the earlier one, and whether nothing reaches the
/// later one.
#[track_caller]
fn check(matches: &[Value], expected: &[(usize, usize, bool)]) {
    let (document, compiled) = samples::read(&table(matches));
    let found: Vec<(usize, usize, bool)> = shadows(&document, &compiled.table)
        .iter()
        .map(|shadow| (shadow.later, shadow.earlier, shadow.unreachable))
        .collect();
    assert_eq!(found, expected, "{matches:#?}");
}

fn table(matches: &[Value]) -> Value {
    let routes: Vec<Value> = matches
        .iter()
        .map(|asked| json!({ "match": asked, "upstream": "a.example.com" }))
        .collect();
    json!({ "routes": routes })
}

fn canary(test: &str, value: Value) -> Value {
    json!({ "path": "/", "headers": [{ "name": "x-canary", test: value }] })
}

#[test]
fn a_wide_route_above_a_narrow_one_leaves_it_nothing() {
    let all = json!({ "path": "/" });
    for narrow in [
        json!({ "path": "/" }),
        json!({ "path": "/*" }),
        json!({ "path": "/a/b" }),
        json!({ "host": "a.b" }),
        json!({ "host": "*.b", "path": "/bücher" }),
        json!({ "path": "/", "methods": ["GET"] }),
        json!({ "path": "/a%20b" }),
        canary("equals", json!("on")),
        canary("present", json!(false)),
        json!({ "path": "/", "query": [{ "name": "a", "prefix": "&=ü " }], "cookies": [{ "name": "beta", "present": true }] }),
    ] {
        check(&[all.clone(), narrow], &[(1, 0, true)]);
    }
    for (wide, narrow) in [
        (json!({ "path": "/a" }), json!({ "path": "/a/b/" })),
        (json!({ "path": "/a%62" }), json!({ "path": "/ab" })),
        (json!({ "host": "*.b" }), json!({ "host": "x.a.b" })),
        (json!({ "host": "*.b" }), json!({ "host": "*.a.b" })),
        (
            json!({ "path": "/", "methods": ["POST", "get"] }),
            json!({ "path": "/a", "methods": ["GET"] }),
        ),
        (
            canary("present", json!(true)),
            canary("equals", json!("on")),
        ),
        (canary("prefix", json!("o")), canary("prefix", json!("on"))),
        (canary("equals", json!("")), canary("equals", json!(""))),
    ] {
        check(&[wide, narrow], &[(1, 0, true)]);
    }
}

#[test]
fn a_narrow_route_above_a_wide_one_is_how_tables_are_written() {
    for (narrow, wide) in [
        (json!({ "path": "/a/b" }), json!({ "path": "/a" })),
        (json!({ "path": "/shop" }), json!({ "path": "/shopping" })),
        (json!({ "host": "x.b" }), json!({ "host": "*.b" })),
        (json!({ "host": "b" }), json!({ "host": "*.b" })),
        (canary("equals", json!("on")), json!({ "path": "/" })),
        (canary("equals", json!("on")), canary("prefix", json!("o"))),
        (canary("equals", json!("On")), canary("equals", json!("on"))),
        (
            json!({ "path": "/", "query": [{ "name": "Q", "present": true }] }),
            json!({ "path": "/", "query": [{ "name": "q", "present": true }] }),
        ),
    ] {
        check(&[narrow, wide], &[]);
    }
}

#[test]
fn a_route_that_is_robbed_of_some_requests_is_reachable() {
    for (first, second) in [
        (json!({ "host": "a.b" }), json!({ "path": "/" })),
        (
            json!({ "path": "/", "methods": ["GET"] }),
            json!({ "path": "/" }),
        ),
        (canary("present", json!(false)), json!({ "path": "/" })),
        (
            canary("prefix", json!("onsh")),
            canary("prefix", json!("on")),
        ),
        (json!({ "host": "*.invalid" }), json!({ "path": "/" })),
    ] {
        check(&[first, second], &[(1, 0, false)]);
    }
}

#[test]
fn several_routes_can_leave_one_nothing_together() {
    check(
        &[
            json!({ "path": "/", "methods": ["GET"] }),
            json!({ "path": "/", "methods": ["POST"] }),
            json!({ "path": "/a", "methods": ["GET", "POST"] }),
        ],
        &[(2, 0, true), (2, 1, true)],
    );
    check(
        &[
            json!({ "path": "/", "methods": ["GET"] }),
            json!({ "path": "/" }),
            json!({ "path": "/a" }),
        ],
        &[(1, 0, false), (2, 0, true), (2, 1, true)],
    );
}

#[test]
fn what_cannot_be_decided_raises_no_alarm() {
    for undecided in [
        // A header of cookies answers both.
        json!({ "path": "/", "headers": [{ "name": "Cookie", "present": true }], "cookies": [{ "name": "a", "present": true }] }),
        // No request can be both.
        json!({ "path": "/", "headers": [{ "name": "x", "equals": "a" }, { "name": "X", "equals": "b" }] }),
        // No header has this value.
        json!({ "path": "/", "headers": [{ "name": "x", "equals": "a\nb" }] }),
        // No cookie has this value.
        json!({ "path": "/", "cookies": [{ "name": "x", "equals": "a;b" }] }),
    ] {
        check(&[json!({ "path": "/" }), undecided], &[]);
    }
    check(
        &[json!({ "path": "/ab" }), json!({ "path": "/a%62" })],
        &[(1, 0, false)],
    );
    check(
        &[json!({ "path": "/a%2562" }), json!({ "path": "/a%62/c" })],
        &[(1, 0, false)],
    );
}

#[test]
fn a_witness_has_the_words_of_the_route_it_proves_something_about() {
    let asked = json!({
        "host": "*.Example.com",
        "path": "/shop/*",
        "methods": ["put"],
        "headers": [{ "name": "X-Env", "prefix": "pro" }, { "name": "x-old", "present": false }],
        "query": [{ "name": "plan", "equals": "a b" }],
        "cookies": [{ "name": "beta", "present": true }, { "name": "g", "equals": "1" }],
    });
    let (document, compiled) = samples::read(&table(&[json!({ "path": "/" }), asked]));
    let [shadow] = shadows(&document, &compiled.table).try_into().unwrap();
    assert_eq!(
        serde_json::to_value(&shadow.witness).unwrap(),
        json!({
            "method": "PUT",
            "url": "https://shadow-probe.example.com/shop?plan=a+b",
            "headers": [
                { "name": "x-env", "value": "proshadow-probe" },
                { "name": "cookie", "value": "beta=shadow-probe; g=1" },
            ],
        })
    );
}

#[test]
fn one_piece_of_advice_is_given_about_a_route() {
    let (document, compiled) = samples::read(&table(&[
        json!({ "path": "/", "methods": ["GET"] }),
        json!({ "path": "/" }),
        json!({ "path": "/a" }),
    ]));
    let advice = advise(&document, &compiled.table);
    let paths: Vec<&str> = advice.iter().map(|advice| advice.path.as_str()).collect();
    assert_eq!(paths, ["routes[2].match"]);
}

#[test]
fn a_table_made_to_mention_every_probe_is_left_alone() {
    let all: Vec<String> = (0..20)
        .map(|number| format!("/shadow-probe-{number}"))
        .collect();
    check(
        &[json!({ "path": "/" }), json!({ "path": all.concat() })],
        &[],
    );
    check(
        &[json!({ "path": "/" }), json!({ "path": "/shadow-probe" })],
        &[(1, 0, true)],
    );
}

proptest! {
    #[test]
    fn a_witness_is_taken_by_the_earlier_route_and_would_be_by_the_later(table in samples::any_table()) {
        let (document, compiled) = samples::read(&table);
        let routes = compiled.table.routes();
        for shadow in shadows(&document, &compiled.table) {
            prop_assert!(shadow.earlier < shadow.later);
            let head = shadow.witness.head().unwrap();
            let subject = Subject::new(&head);
            let found = compiled.table.find(&subject).unwrap();
            prop_assert!(Rc::ptr_eq(found, &routes[shadow.earlier]));
            let verdict = routes[shadow.later].matching.verdict(&subject);
            let would_take = matches!(verdict, Verdict::Takes { .. });
            prop_assert!(would_take, "{:?}", verdict);
        }
    }

}

proptest! {
    #![proptest_config(fewer())]

    #[test]
    fn nothing_reaches_a_route_that_is_called_unreachable(
        table in samples::any_table(),
        heads in prop::collection::vec(samples::any_head(), 300),
    ) {
        let (document, compiled) = samples::read(&table);
        for shadow in shadows(&document, &compiled.table) {
            for head in &heads {
                if shadow.unreachable {
                    let found = compiled.table.position(&Subject::new(head));
                    prop_assert_ne!(found, Some(shadow.later), "{:?}", head);
                }
            }
        }
    }
}

/// Fewer tables, where each of them is asked about many requests.
fn fewer() -> ProptestConfig {
    let config = ProptestConfig::default();
    ProptestConfig {
        cases: config.cases.div_ceil(4),
        ..config
    }
}

#[test]
fn a_route_whose_every_request_another_takes_is_called_unreachable() {
    let heads = samples::every_plain_head();
    let subjects: Vec<Subject<'_>> = heads.iter().map(Subject::new).collect();
    proptest!(fewer(), |(table in samples::any_plain_table())| {
        let (document, compiled) = samples::read(&table);
        let takes: Vec<Vec<bool>> = compiled
            .table
            .routes()
            .iter()
            .map(|route| {
                subjects
                    .iter()
                    .map(|subject| {
                        matches!(route.matching.verdict(subject), Verdict::Takes { .. })
                    })
                    .collect()
            })
            .collect();
        let told = shadows(&document, &compiled.table);
        for (later, would) in takes.iter().enumerate() {
            let above = &takes[..later];
            let asked: Vec<usize> = (0..heads.len()).filter(|head| would[*head]).collect();
            let reached = asked.iter().any(|head| above.iter().all(|route| !route[*head]));
            let covered = above.iter().any(|route| asked.iter().all(|head| route[*head]));
            let called = told
                .iter()
                .any(|shadow| shadow.later == later && shadow.unreachable);
            prop_assert!(!(called && reached), "route {} is reached", later);
            // A route that takes nothing at all is no shadow.
            if covered && !asked.is_empty() {
                prop_assert!(called, "route {} is not reached", later);
            }
        }
    });
}
