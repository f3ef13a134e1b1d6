//! What the breaker is told, and what it does about it.

use std::time::Duration;

use super::*;

#[test]
fn an_outage_costs_five_timeouts() {
    let stage = Stage::holding(STALE);
    stage.says(Script::Hang);
    let started = stage.world.now();
    for _ in 0..5 {
        check(
            stage.get(),
            (Ok((200, "first", true)), true, 1500),
            "hanging",
        );
    }
    check(
        stage.get(),
        (Ok((200, "first", true)), false, 0),
        "the sixth",
    );
    assert_eq!(stage.world.now().since(started).as_millis(), 7500);
}

#[test]
fn reads_and_writes_feed_one_breaker() {
    let stage = Stage::holding(STALE);
    stage.says(Script::Refuse);
    for failures in 1..=5 {
        let visited = if failures % 2 == 0 {
            stage.get()
        } else {
            stage.post()
        };
        assert!(!visited.1);
        assert_eq!(stage.failures(), failures);
    }
    check(
        stage.post(),
        (Err(NotServed::Open), false, 0),
        "open to both",
    );
}

#[test]
fn a_404_between_failures_is_a_success() {
    let stage = Stage::new();
    for _ in 0..3 {
        for script in [
            Script::Refuse,
            Script::Refuse,
            Script::Refuse,
            Script::Refuse,
            status(404),
        ] {
            stage.says(script);
            let _ = stage.get();
        }
    }
    assert_eq!(stage.failures(), 0);
}

#[test]
fn hits_between_failures_tell_nothing() {
    let stage = Stage::holding(0);
    stage.says(Script::Refuse);
    for _ in 0..5 {
        check(stage.get(), (Ok((200, "first", false)), false, 0), "a hit");
        check(
            stage.post(),
            (Err(NotServed::Unreachable), false, 0),
            "a failure",
        );
    }
    check(stage.post(), (Err(NotServed::Open), false, 0), "open");
}

#[test]
fn after_ten_seconds_one_trial_closes_it_again() {
    let stage = Stage::holding(STALE);
    open(&stage);
    stage.says(page("second", "s-maxage=60"));
    stage.pause(9_999);
    check(stage.get(), (Ok((200, "first", true)), false, 0), "open");
    stage.pause(1);
    check(
        stage.get(),
        (Ok((200, "second", false)), true, 0),
        "the trial",
    );
    assert_eq!(stage.failures(), 0);
}

#[test]
fn a_visitor_who_leaves_is_no_failure() {
    let stage = Stage::new();
    stage.says(Script::Hang);
    let leaves = |stage: &Stage| Some(stage.world.now() + Duration::from_millis(20));
    for _ in 0..6 {
        let visited = stage.visit_until(Method::GET, "t_x", leaves(&stage));
        check(visited, (Err(NotServed::VisitorLeft), true, 20), "left");
    }
    assert_eq!(stage.failures(), 0);
    // Nor is one whose request was the trial.
    open(&stage);
    stage.pause(10_000);
    let visited = stage.visit_until(Method::POST, "t_x", leaves(&stage));
    check(visited, (Err(NotServed::VisitorLeft), true, 20), "left");
    stage.says(status(200));
    check(
        stage.post(),
        (Ok((200, "the origin's", false)), true, 0),
        "the next one tries",
    );
}
