//! The walk: which upstream is asked next, for how long, and when to stop. It does nothing itself. It is told the time
//! and how attempts ended, and says what to do; a driver does it. So a whole walk is tested without waiting.

use std::time::Duration;

use http::StatusCode;

use super::{limits::RetryBudget, outlier::Mark};
use crate::{
    config::{
        Code, Issues, Path, Reported, RouteDocument, bounds,
        document::{self, FailureMode},
    },
    outcome::Failure,
    time::Timestamp,
};

/// How long and how often upstreams are tried.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// One attempt, to headers.
    pub(super) timeout: Duration,
    /// All attempts, to headers.
    pub(super) total_timeout: Duration,
    /// Further attempts at a single upstream.
    pub(super) retries: usize,
    /// Before the first retry; doubled for each further one.
    pub(super) backoff: Duration,
}

impl Pace {
    pub(super) fn compile(
        route: &RouteDocument,
        at: &Path<'_>,
        issues: &mut Issues,
    ) -> Result<Self, Reported> {
        let mut millis = |key: &str, stated, bounds, default| {
            bounds::millis(stated, bounds, default, &at.key(key), issues)
        };
        let timeout = millis("timeoutMs", route.timeout_ms, 1..=120_000, 10_000);
        let total_timeout = millis(
            "totalTimeoutMs",
            route.total_timeout_ms,
            1..=300_000,
            30_000,
        );
        let backoff = millis("retryBackoffMs", route.retry_backoff_ms, 0..=5_000, 100);
        let retries = bounds::whole(route.retries, 0..=100, 0, &at.key("retries"), issues);
        Ok(Self {
            timeout: timeout?,
            total_timeout: total_timeout?,
            retries: usize::try_from(retries?).unwrap_or(usize::MAX),
            backoff: backoff?,
        })
    }
}

/// When the walk moves on to the next candidate.
#[derive(Debug, Clone)]
pub(super) struct Failover {
    on: Vec<FailureMode>,
    /// Most candidates tried.
    pub(super) max_attempts: usize,
}

impl Failover {
    pub(super) fn compile(
        stated: Option<&document::Failover>,
        at: &Path<'_>,
        issues: &mut Issues,
    ) -> Result<Self, Reported> {
        let document::Failover { on, max_attempts } = stated.cloned().unwrap_or_default();
        let on = match on {
            None => Ok(vec![FailureMode::Timeout, FailureMode::Unreachable]),
            Some(on) if on.is_empty() => Err(issues.report(
                &at.key("on"),
                Code::Required,
                "expected at least one of \"timeout\", \"unreachable\" and \"5xx\"; found an empty list, with which nothing would ever move on",
            )),
            Some(on) => Ok(on),
        };
        let max_attempts = bounds::whole(max_attempts, 1..=64, 64, &at.key("maxAttempts"), issues);
        Ok(Self {
            on: on?,
            max_attempts: usize::try_from(max_attempts?).unwrap_or(usize::MAX),
        })
    }

    fn names(&self, mode: FailureMode) -> bool {
        self.on.contains(&mode)
    }
}

/// Where a walk may go.
#[derive(Debug)]
pub(super) struct Terms<'a> {
    pub(super) pace: Pace,
    /// When to move on; `None` where there is one upstream alone, which any failure is retried at.
    pub(super) failover: Option<&'a Failover>,
    /// Authorities in the order they are tried, one for each attempt.
    pub(super) stops: &'a [&'a str],
}

/// One request's walk.
#[derive(Debug)]
pub(super) struct Walk<'a> {
    terms: Terms<'a>,
    ends_at: Timestamp,
    /// Index of the next stop; also the number of attempts made.
    position: usize,
    /// Whether the pause before the next stop is over.
    rested: bool,
    /// Whether a 5xx is kept in case nothing better comes.
    fallback: bool,
    /// The last failure seen.
    failure: Option<Failure>,
    /// Whether the retry budget ended the walk.
    denied: bool,
    over: Option<End>,
}

/// What is to be done next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// Ask this stop and [`Walk::record`] what came of it.
    Attempt {
        /// Index into [`Terms::stops`].
        stop: usize,
        /// Longest wait for headers.
        budget: Duration,
        /// Whether its upstream was tried before on this walk.
        again: bool,
    },
    /// Wait that long, then ask again.
    Pause(Duration),
    /// It is over.
    Done(End),
}

/// How a walk ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum End {
    /// With the answer that was recorded last.
    Answered,
    /// With the answer that was kept.
    Fallback,
    /// With nothing to deliver.
    Failed(Failure),
}

/// What came of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Attempted {
    /// Headers with this status.
    Answered(StatusCode),
    /// No headers within the budget.
    TimedOut,
    /// No connection.
    Unreachable,
    /// An end of the visitor's making: they left, or sent too much.
    Ended(Failure),
}

/// What becomes of the answer an attempt brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is delivered; one kept before is not.
    Deliver,
    /// It is kept in case nothing better comes; one kept before is not delivered.
    Keep,
    /// There is none.
    Nothing,
}

impl<'a> Walk<'a> {
    /// Sets out at `now`.
    pub(super) fn new(terms: Terms<'a>, now: Timestamp) -> Self {
        Self {
            ends_at: now + terms.pace.total_timeout,
            terms,
            position: 0,
            rested: false,
            fallback: false,
            failure: None,
            denied: false,
            over: None,
        }
    }

    /// What to do at `now`. `budget` says whether an upstream may be tried again at this moment.
    ///
    /// After [`Step::Attempt`], the next call is [`Walk::record`]; after [`Step::Pause`], this one again.
    pub(super) fn next(&mut self, now: Timestamp, budget: RetryBudget) -> Step {
        if let Some(end) = &self.over {
            return Step::Done(end.clone());
        }
        let Some(authority) = self.terms.stops.get(self.position) else {
            return self.finish();
        };
        let left = self.ends_at.since(now);
        if left.is_zero() {
            self.failure = Some(Failure::Timeout);
            return self.finish();
        }
        let tried = self.terms.stops.get(..self.position).unwrap_or_default();
        let again = tried.contains(authority);
        if !self.rested {
            if again && budget == RetryBudget::Spent {
                self.denied = true;
                return self.finish();
            }
            let pause = match tried.last() {
                Some(before) if before == authority => self.backoff(),
                _ => Duration::ZERO,
            };
            if pause >= left {
                return self.finish();
            }
            self.rested = true;
            if !pause.is_zero() {
                return Step::Pause(pause);
            }
        }
        Step::Attempt {
            stop: self.position,
            budget: self.terms.pace.timeout.min(left),
            again,
        }
    }

    /// Learns what came of the attempt at the current stop.
    pub(super) fn record(&mut self, attempted: Attempted) -> Fate {
        self.position += 1;
        self.rested = false;
        let mode = match attempted {
            Attempted::Answered(status) if self.moves_on(status) => {
                self.fallback = true;
                return Fate::Keep;
            }
            Attempted::Answered(_) => {
                self.over = Some(End::Answered);
                return Fate::Deliver;
            }
            Attempted::Ended(failure) => {
                self.over = Some(End::Failed(failure));
                return Fate::Nothing;
            }
            Attempted::TimedOut => {
                self.failure = Some(Failure::Timeout);
                FailureMode::Timeout
            }
            Attempted::Unreachable => {
                self.failure = Some(Failure::Unreachable);
                FailureMode::Unreachable
            }
        };
        if self
            .terms
            .failover
            .is_some_and(|policy| !policy.names(mode))
        {
            self.finish();
        }
        Fate::Nothing
    }

    /// What an attempt says about the candidate it went to. Only failures that move the walk count against one.
    pub(super) fn mark(&self, attempted: &Attempted) -> Mark {
        let named = |mode| self.terms.failover.is_some_and(|policy| policy.names(mode));
        let failed = match attempted {
            Attempted::Answered(status) if !status.is_server_error() => return Mark::Success,
            Attempted::Answered(_) => named(FailureMode::ServerError),
            Attempted::TimedOut => named(FailureMode::Timeout),
            Attempted::Unreachable => named(FailureMode::Unreachable),
            Attempted::Ended(_) => false,
        };
        if failed { Mark::Failure } else { Mark::Neither }
    }

    /// How many attempts were made.
    pub(super) fn attempts(&self) -> usize {
        self.position
    }

    /// Whether the retry budget denied this walk an attempt.
    pub(super) fn was_denied(&self) -> bool {
        self.denied
    }

    fn moves_on(&self, status: StatusCode) -> bool {
        status.is_server_error()
            && self
                .terms
                .failover
                .is_some_and(|policy| policy.names(FailureMode::ServerError))
    }

    /// Ends with what there is: a kept answer is better than any failure after it.
    fn finish(&mut self) -> Step {
        let end = if self.fallback {
            End::Fallback
        } else {
            // Without a single attempt there is no failure to speak of; nothing was reached.
            End::Failed(self.failure.clone().unwrap_or(Failure::Unreachable))
        };
        self.over = Some(end.clone());
        Step::Done(end)
    }

    /// The pause before the next attempt, doubled for every attempt since the first.
    fn backoff(&self) -> Duration {
        let doublings = u32::try_from(self.position.saturating_sub(1)).unwrap_or(u32::MAX);
        self.terms
            .pace
            .backoff
            .saturating_mul(2_u32.saturating_pow(doublings))
    }
}

#[cfg(test)]
mod tests;
