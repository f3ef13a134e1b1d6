//! Every walk over small policies, simulated with a clock that jumps, held to the invariants.

use super::*;

const PACE: Pace = Pace {
    timeout: Duration::from_millis(40),
    total_timeout: Duration::from_millis(100),
    retries: 0,
    backoff: Duration::from_millis(10),
};

const fn at(millis: u64) -> Timestamp {
    Timestamp::from_millis(millis)
}

fn answered(status: u16) -> Attempted {
    Attempted::Answered(StatusCode::from_u16(status).unwrap())
}

fn on(on: &[FailureMode]) -> Failover {
    Failover {
        on: on.to_vec(),
        max_attempts: 64,
    }
}

fn attempt(stop: usize, millis: u64, again: bool) -> Step {
    Step::Attempt {
        stop,
        budget: Duration::from_millis(millis),
        again,
    }
}

fn pause(millis: u64) -> Step {
    Step::Pause(Duration::from_millis(millis))
}

fn failed(failure: Failure) -> Step {
    Step::Done(End::Failed(failure))
}

fn walk<'a>(failover: Option<&'a Failover>, stops: &'a [&'a str]) -> Walk<'a> {
    let terms = Terms {
        pace: PACE,
        failover,
        stops,
    };
    Walk::new(terms, at(0))
}

#[track_caller]
fn check_next(walk: &mut Walk<'_>, now: u64, expected: Step) {
    assert_eq!(walk.next(at(now), RetryBudget::Open), expected, "at {now}");
}

#[test]
fn a_single_upstream_is_retried_after_pauses_that_double() {
    let mut walk = walk(None, &["a"; 4]);
    check_next(&mut walk, 0, attempt(0, 40, false));
    walk.record(Attempted::Unreachable);
    check_next(&mut walk, 1, pause(10));
    check_next(&mut walk, 11, attempt(1, 40, true));
    walk.record(Attempted::TimedOut);
    check_next(&mut walk, 51, pause(20));
    check_next(&mut walk, 71, attempt(2, 29, true));
    walk.record(Attempted::Unreachable);
    // 40 ms do not fit into the 28 that are left, so they are not waited for.
    check_next(&mut walk, 72, failed(Failure::Unreachable));
    assert_eq!(walk.attempts(), 3);
}

#[test]
fn a_pause_is_made_only_before_the_same_upstream() {
    let policy = on(&[FailureMode::Unreachable]);
    let mut walk = walk(Some(&policy), &["a", "b", "b", "a"]);
    check_next(&mut walk, 0, attempt(0, 40, false));
    walk.record(Attempted::Unreachable);
    check_next(&mut walk, 0, attempt(1, 40, false));
    walk.record(Attempted::Unreachable);
    // Doubled, because it is the third attempt of the walk.
    check_next(&mut walk, 0, pause(20));
    check_next(&mut walk, 20, attempt(2, 40, true));
    walk.record(Attempted::Unreachable);
    check_next(&mut walk, 20, attempt(3, 40, true));
    walk.record(Attempted::Unreachable);
    check_next(&mut walk, 20, failed(Failure::Unreachable));
}

#[test]
fn no_attempt_starts_when_the_total_is_used_up() {
    let policy = on(&[FailureMode::Unreachable]);
    let mut walk = walk(Some(&policy), &["a", "b"]);
    walk.record(Attempted::Unreachable);
    check_next(&mut walk, 99, attempt(1, 1, false));
    check_next(&mut walk, 100, failed(Failure::Timeout));
}

#[test]
fn a_failure_the_policy_does_not_name_ends_the_walk() {
    for (named, attempted, failure) in [
        (
            FailureMode::Timeout,
            Attempted::Unreachable,
            Failure::Unreachable,
        ),
        (
            FailureMode::Unreachable,
            Attempted::TimedOut,
            Failure::Timeout,
        ),
    ] {
        let policy = on(&[named]);
        let mut walk = walk(Some(&policy), &["a", "b"]);
        assert_eq!(walk.mark(&attempted), Mark::Neither);
        assert_eq!(walk.record(attempted), Fate::Nothing);
        check_next(&mut walk, 0, failed(failure));
    }
}

#[test]
fn the_last_named_5xx_is_better_than_any_failure_after_it() {
    let policy = on(&[FailureMode::ServerError, FailureMode::Unreachable]);
    let mut walk = walk(Some(&policy), &["a", "b", "c"]);
    for attempted in [answered(503), answered(599)] {
        assert_eq!(walk.mark(&attempted), Mark::Failure);
        assert_eq!(walk.record(attempted), Fate::Keep);
    }
    walk.record(Attempted::Unreachable);
    check_next(&mut walk, 0, Step::Done(End::Fallback));
}

#[test]
fn a_kept_5xx_outlives_the_total_and_a_failure_that_is_not_named() {
    let policy = on(&[FailureMode::ServerError]);
    for (late, attempted) in [(0, Some(Attempted::Unreachable)), (100, None)] {
        let mut walk = walk(Some(&policy), &["a", "b", "c"]);
        walk.record(answered(500));
        if let Some(attempted) = attempted {
            walk.record(attempted);
        }
        check_next(&mut walk, late, Step::Done(End::Fallback));
    }
}

#[test]
fn any_other_answer_ends_the_walk() {
    let policy = on(&[FailureMode::ServerError]);
    for (failover, status, mark) in [
        (Some(&policy), 200, Mark::Success),
        (Some(&policy), 404, Mark::Success),
        (Some(&policy), 101, Mark::Success),
        (None, 503, Mark::Neither),
        (None, 200, Mark::Success),
    ] {
        let mut walk = walk(failover, &["a", "b"]);
        assert_eq!(walk.mark(&answered(status)), mark, "{status}");
        assert_eq!(walk.record(answered(status)), Fate::Deliver, "{status}");
        check_next(&mut walk, 0, Step::Done(End::Answered));
    }
}

#[test]
fn what_the_visitor_ends_is_over_whatever_was_kept() {
    let policy = on(&[FailureMode::ServerError]);
    let mut walk = walk(Some(&policy), &["a", "b", "c"]);
    walk.record(answered(500));
    let left = Attempted::Ended(Failure::ClientClosed);
    assert_eq!(walk.mark(&left), Mark::Neither);
    walk.record(left);
    check_next(&mut walk, 0, failed(Failure::ClientClosed));
}

#[test]
fn a_spent_budget_denies_repetitions_but_no_candidate_not_tried_yet() {
    let policy = on(&[FailureMode::Unreachable]);
    let mut walk = walk(Some(&policy), &["a", "b", "a"]);
    for stop in 0..2 {
        let step = walk.next(at(0), RetryBudget::Spent);
        assert_eq!(step, attempt(stop, 40, false));
        walk.record(Attempted::Unreachable);
    }
    let step = walk.next(at(0), RetryBudget::Spent);
    assert_eq!(step, failed(Failure::Unreachable));
    assert!(walk.was_denied());
}

#[test]
fn a_repetition_granted_before_its_pause_is_not_denied_after_it() {
    let mut walk = walk(None, &["a"; 2]);
    walk.record(Attempted::Unreachable);
    check_next(&mut walk, 0, pause(10));
    let step = walk.next(at(10), RetryBudget::Spent);
    assert_eq!(step, attempt(1, 40, true));
    assert!(!walk.was_denied());
}

#[test]
fn a_hundred_doublings_do_not_overflow() {
    let mut walk = walk(None, &["a"; 101]);
    for _ in 0..100 {
        walk.record(Attempted::Unreachable);
    }
    check_next(&mut walk, 0, failed(Failure::Unreachable));
}
