//! The local rate limiter counts in whole periods of the clock: a case that straddles two would be let through twice.

#![expect(
    clippy::disallowed_methods,
    reason = "the limiter goes by the real clock"
)]

use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::case::{Case, Plot};

/// A need to begin early enough in a period of the limiter.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct FreshPeriod {
    period: Duration,
    /// How much of it the case may take.
    span: Duration,
}

impl FreshPeriod {
    /// The need of a case, if it is rate limited at all.
    pub(super) fn of(case: &Case) -> Option<Self> {
        let seconds = case.ratelimits.values().map(|limit| limit.period).min()?;
        let waits: Duration = match &case.plot {
            Plot::Steps(steps) => steps.iter().map(|step| step.wait).sum(),
            Plot::Refused(_) => Duration::ZERO,
        };
        Some(Self {
            period: Duration::from_secs(seconds.into()),
            span: waits + MARGIN,
        })
    }

    /// Waits for the next period where too little is left of this one.
    pub(super) fn wait(self) {
        if let Ok(now) = SystemTime::now().duration_since(UNIX_EPOCH) {
            thread::sleep(self.pause(now));
        }
    }

    fn pause(self, now: Duration) -> Duration {
        let Some(into) = now.as_millis().checked_rem(self.period.as_millis()) else {
            return Duration::ZERO;
        };
        let left = self
            .period
            .saturating_sub(Duration::from_millis(into.try_into().unwrap_or_default()));
        if left < self.span {
            left
        } else {
            Duration::ZERO
        }
    }
}

/// What a case may take besides its waits.
const MARGIN: Duration = Duration::from_secs(2);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_begins_where_its_period_has_room_for_it() {
        check(60, 3, 100, 0);
        check(60, 3, 117, 0);
        check(60, 3, 118, 2);
        check(60, 3, 120, 0);
        check(10, 3, 118, 2);
        check(0, 3, 118, 0);
    }

    #[track_caller]
    fn check(period: u64, span: u64, now: u64, pause: u64) {
        let seconds = Duration::from_secs;
        let fresh = FreshPeriod {
            period: seconds(period),
            span: seconds(span),
        };
        assert_eq!(fresh.pause(seconds(now)), seconds(pause));
    }
}
