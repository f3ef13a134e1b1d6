//! The circuit breaker: an origin that fails five times in a row is left alone for ten seconds.
//!
//! It is one value per isolate, shared by all its tenants, because they share the origin. Isolates learn independently,
//! and a new one begins closed, so an outage costs each about five timeouts and not one for every request.

use std::{cell::Cell, time::Duration};

use crate::time::Timestamp;

/// How many failures in a row open the breaker.
pub const FAILURES: u32 = 5;

/// How long it stays open.
pub const OPEN_FOR: Duration = Duration::from_secs(10);

/// What an isolate has learned of its origin.
#[derive(Debug, Default)]
pub struct Breaker(Cell<State>);

#[derive(Debug, Clone, Copy, Default)]
struct State {
    /// Failures in a row.
    failures: u32,
    opened_at: Option<Timestamp>,
    /// Until when the trial under way keeps others from trying, if it never reports.
    trial_until: Option<Timestamp>,
}

/// Whether the origin may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// It may, and how that went is to be reported.
    Admitted(Attempt),
    /// It has failed too often, just now.
    Open,
    /// It is being tried, by somebody else.
    OnTrial,
}

/// One request to the origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    /// One of many.
    Ordinary,
    /// The one that finds out whether the origin is back.
    Trial,
}

impl Breaker {
    /// Asks whether the origin may be asked at `now`, for at most `budget`.
    ///
    /// When the time of being open is over one request goes through, and the others wait for what it finds: an origin
    /// that is just coming up needs no stampede. A trial that never reports gives way once its budget is over.
    pub fn admit(&self, now: Timestamp, budget: Duration) -> Admission {
        let state = self.0.get();
        let Some(opened_at) = state.opened_at else {
            return Admission::Admitted(Attempt::Ordinary);
        };
        if now.since(opened_at) < OPEN_FOR {
            return Admission::Open;
        }
        if state.trial_until.is_some_and(|until| now < until) {
            return Admission::OnTrial;
        }
        self.0.set(State {
            trial_until: Some(now + budget),
            ..state
        });
        Admission::Admitted(Attempt::Trial)
    }

    /// The origin answered, with anything but a failure of its own.
    pub fn succeeded(&self) {
        self.0.set(State::default());
    }

    /// The origin failed at `now`.
    ///
    /// One that was asked before the breaker opened and fails after that says nothing new, so it does not put off the
    /// next trial.
    pub fn failed(&self, attempt: Attempt, now: Timestamp) {
        let state = self.0.get();
        if state.opened_at.is_some() && attempt == Attempt::Ordinary {
            return;
        }
        let failures = state.failures.saturating_add(1);
        self.0.set(State {
            failures,
            opened_at: (failures >= FAILURES).then_some(now),
            trial_until: None,
        });
    }

    /// The attempt ended without a word about the origin: the visitor left.
    pub fn abandoned(&self, attempt: Attempt) {
        if attempt == Attempt::Trial {
            let state = self.0.get();
            self.0.set(State {
                trial_until: None,
                ..state
            });
        }
    }
}

#[cfg(test)]
impl Breaker {
    /// Failures in a row.
    pub(super) fn failures(&self) -> u32 {
        self.0.get().failures
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tenant::trusted::{READ_BUDGET, WRITE_BUDGET};

    const fn at(millis: u64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    const ORDINARY: Admission = Admission::Admitted(Attempt::Ordinary);
    const TRIAL: Admission = Admission::Admitted(Attempt::Trial);

    /// Asks without leaving a trace.
    fn asked(breaker: &Breaker, millis: u64) -> Admission {
        let copy = Breaker(Cell::new(breaker.0.get()));
        copy.admit(at(millis), READ_BUDGET)
    }

    fn opened_at(millis: u64) -> Breaker {
        let breaker = Breaker::default();
        for before in (0..5).rev() {
            breaker.failed(Attempt::Ordinary, at(millis - before));
        }
        breaker
    }

    #[test]
    fn five_failures_in_a_row_open_it_for_ten_seconds() {
        let breaker = Breaker::default();
        let check = |millis, failures, expected| {
            assert_eq!(breaker.failures(), failures, "at {millis}");
            assert_eq!(asked(&breaker, millis), expected, "at {millis}");
        };
        check(0, 0, ORDINARY);
        for (millis, failures) in [(1, 1), (2, 2), (3, 3), (4, 4)] {
            breaker.failed(Attempt::Ordinary, at(millis));
            check(millis, failures, ORDINARY);
        }
        breaker.succeeded();
        check(5, 0, ORDINARY);
        for millis in 6..=9 {
            breaker.failed(Attempt::Ordinary, at(millis));
        }
        check(9, 4, ORDINARY);
        breaker.failed(Attempt::Ordinary, at(10));
        check(10, 5, Admission::Open);
        check(10_009, 5, Admission::Open);
        check(10_010, 5, TRIAL);
        assert_eq!(breaker.admit(at(10_010), READ_BUDGET), TRIAL);
        breaker.failed(Attempt::Trial, at(10_020));
        check(10_020, 6, Admission::Open);
        check(20_019, 6, Admission::Open);
        check(20_020, 6, TRIAL);
        assert_eq!(breaker.admit(at(20_020), READ_BUDGET), TRIAL);
        breaker.succeeded();
        check(20_020, 0, ORDINARY);
        for millis in 20_021..=20_024 {
            breaker.failed(Attempt::Ordinary, at(millis));
        }
        check(20_024, 4, ORDINARY);
    }

    #[test]
    fn one_request_tries_an_origin_that_was_left_alone() {
        let breaker = opened_at(10);
        assert_eq!(breaker.admit(at(10_010), READ_BUDGET), TRIAL);
        assert_eq!(breaker.admit(at(10_010), READ_BUDGET), Admission::OnTrial);
        assert_eq!(breaker.admit(at(11_509), READ_BUDGET), Admission::OnTrial);
    }

    #[test]
    fn a_trial_that_never_reports_gives_way() {
        let breaker = opened_at(10);
        assert_eq!(breaker.admit(at(10_010), WRITE_BUDGET), TRIAL);
        assert_eq!(breaker.admit(at(20_009), READ_BUDGET), Admission::OnTrial);
        assert_eq!(breaker.admit(at(20_010), READ_BUDGET), TRIAL);
    }

    #[test]
    fn a_trial_whose_visitor_leaves_is_left_to_the_next() {
        let breaker = opened_at(10);
        assert_eq!(breaker.admit(at(10_010), READ_BUDGET), TRIAL);
        breaker.abandoned(Attempt::Trial);
        assert_eq!(breaker.admit(at(10_010), READ_BUDGET), TRIAL);
    }

    #[test]
    fn a_visitor_who_leaves_is_no_failure() {
        let breaker = Breaker::default();
        for _ in 0..10 {
            breaker.abandoned(Attempt::Ordinary);
        }
        assert_eq!(asked(&breaker, 0), ORDINARY);
    }

    #[test]
    fn a_failure_from_before_the_opening_keeps_the_opening_time() {
        let breaker = opened_at(10);
        breaker.failed(Attempt::Ordinary, at(9_000));
        assert_eq!(asked(&breaker, 10_010), TRIAL);
        assert_eq!(breaker.failures(), 5);
    }

    #[test]
    fn a_clock_that_steps_back_does_not_open_it_for_longer_than_that() {
        let breaker = opened_at(10_000);
        assert_eq!(asked(&breaker, 5_000), Admission::Open);
        assert_eq!(asked(&breaker, 20_000), TRIAL);
    }
}
