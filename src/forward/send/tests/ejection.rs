//! Candidates that failed are passed over.

use super::*;

/// A request, what its upstreams do, who is asked, and who is passed over.
type Walked<'a> = (RequestHead, &'a [Act], &'a [&'a str], &'a [&'a str]);

/// Walks one request after the other with one memory.
#[track_caller]
fn check_ejection(route: &RouteDocument, walks: &[Walked<'_>]) {
    let policy = compile(route);
    let memory = Memory::default();
    for (number, (head, acts, expected, ejected)) in walks.iter().enumerate() {
        let platform = Scripted::new(acts.iter().copied());
        let sent = run(&policy, head, Errand::Visitor, &memory, &platform);
        assert_eq!(asked(&platform), *expected, "walk {number}");
        assert_eq!(sent.ejected, *ejected, "walk {number}");
    }
}

fn ejecting(upstreams: &[&str], on: Option<&[FailureMode]>) -> RouteDocument {
    RouteDocument {
        outlier: Some(document::Outlier {
            consecutive_failures: Some(1),
            eject_seconds: None,
        }),
        failover: on.map(|on| document::Failover {
            on: Some(on.to_vec()),
            max_attempts: None,
        }),
        ..route(upstreams)
    }
}

const OK: &[Act] = &[(0, Ok(200))];
const DOWN_UP: &[Act] = &[UNREACHABLE, (0, Ok(200))];

#[test]
fn a_candidate_that_failed_is_passed_over() {
    let three = ["a.test", "b.test", "c.test"];
    check_ejection(
        &ejecting(&three, None),
        &[
            (get(), DOWN_UP, &["a.test", "b.test"], &[]),
            (get(), OK, &["b.test"], &["a.test"]),
            (get(), DOWN_UP, &["b.test", "c.test"], &["a.test"]),
            (get(), OK, &["c.test"], &["a.test", "b.test"]),
            (get(), &[UNREACHABLE], &["c.test"], &["a.test", "b.test"]),
            // Everybody is out, so the first is tried all the same, and its answer takes it back in.
            (get(), OK, &["a.test"], &["b.test", "c.test"]),
            (get(), OK, &["a.test"], &["b.test", "c.test"]),
        ],
    );
    let default_three = RouteDocument {
        outlier: None,
        ..ejecting(&["a.test", "b.test"], None)
    };
    check_ejection(
        &default_three,
        &[
            (get(), DOWN_UP, &["a.test", "b.test"], &[]),
            (get(), DOWN_UP, &["a.test", "b.test"], &[]),
            (get(), DOWN_UP, &["a.test", "b.test"], &[]),
            (get(), OK, &["b.test"], &["a.test"]),
        ],
    );
}

#[test]
fn a_request_that_may_not_walk_goes_past_those_that_are_out() {
    check_ejection(
        &ejecting(&["a.test", "b.test", "c.test"], None),
        &[
            (get(), DOWN_UP, &["a.test", "b.test"], &[]),
            (post(), OK, &["b.test"], &["a.test"]),
            (post(), &[UNREACHABLE], &["b.test"], &["a.test"]),
            // A failure of a request that could not have moved on counts against nobody.
            (post(), OK, &["b.test"], &["a.test"]),
        ],
    );
}

#[test]
fn only_what_moves_the_walk_ejects() {
    let both = ["a.test", "b.test"];
    for (on, act, expected) in [
        (FailureMode::Timeout, UNREACHABLE, "a.test"),
        (FailureMode::Unreachable, UNREACHABLE, "b.test"),
        (FailureMode::Unreachable, (0, Ok(503)), "a.test"),
        (FailureMode::ServerError, (0, Ok(503)), "b.test"),
        (
            FailureMode::Unreachable,
            (0, Err(FetchError::VisitorLeft)),
            "a.test",
        ),
    ] {
        let policy = compile(&ejecting(&both, Some(&[on])));
        let memory = Memory::default();
        let platform = Scripted::new([act, (0, Ok(200))]);
        run(&policy, &get(), Errand::Visitor, &memory, &platform);
        let platform = Scripted::new([(0, Ok(200))]);
        run(&policy, &get(), Errand::Visitor, &memory, &platform);
        assert_eq!(asked(&platform), [expected], "{on:?} {act:?}");
    }
}

#[test]
fn an_ejection_lifts_itself() {
    let policy = compile(&ejecting(&["a.test", "b.test"], None));
    let memory = Memory::default();
    let platform = Scripted::new([UNREACHABLE, (0, Ok(200)), (0, Ok(200)), (0, Ok(200))]);
    run(&policy, &get(), Errand::Visitor, &memory, &platform);
    platform.pass(29_999);
    run(&policy, &get(), Errand::Visitor, &memory, &platform);
    platform.pass(1);
    run(&policy, &get(), Errand::Visitor, &memory, &platform);
    assert_eq!(asked(&platform), ["a.test", "b.test", "b.test", "a.test"]);
}
