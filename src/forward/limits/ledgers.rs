//! How many requests a route saw lately and how many of its attempts were retries, in four numbers a route whatever the
//! traffic.

use std::{cell::RefCell, collections::VecDeque, time::Duration};

use crate::time::Timestamp;

/// Whether a walk may try an upstream again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::forward) enum RetryBudget {
    /// It may.
    Open,
    /// Retries have taken up their share.
    Spent,
}

/// Requests and retries of the last two seconds or so, for each route that asks.
#[derive(Debug, Default)]
pub(in crate::forward) struct Ledgers {
    /// Oldest first.
    routes: RefCell<VecDeque<(String, Ledger)>>,
}

/// Two counting buckets of a second each: the open one, and the one before it.
#[derive(Debug, Clone, Copy)]
struct Ledger {
    opened: Timestamp,
    open: Counts,
    closed: Counts,
}

#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    requests: u32,
    retries: u32,
}

impl Ledgers {
    /// Counts a walk.
    pub(in crate::forward) fn count_request(&self, route: &str, now: Timestamp) {
        self.update(route, now, |open| {
            open.requests = open.requests.saturating_add(1)
        });
    }

    /// Counts a further attempt at an upstream that was tried before.
    pub(in crate::forward) fn count_retry(&self, route: &str, now: Timestamp) {
        self.update(route, now, |open| {
            open.retries = open.retries.saturating_add(1)
        });
    }

    /// Whether another retry is within `ratio`. Standing exactly on it is.
    pub(in crate::forward) fn budget(
        &self,
        route: &str,
        ratio: f64,
        now: Timestamp,
    ) -> RetryBudget {
        let routes = self.routes.borrow();
        let Some((_, ledger)) = routes.iter().find(|(label, _)| label == route) else {
            return RetryBudget::Open;
        };
        let Ledger { open, closed, .. } = ledger.at(now);
        let requests = f64::from(open.requests) + f64::from(closed.requests);
        let retries = f64::from(open.retries) + f64::from(closed.retries);
        // Dividing rather than multiplying: the quotient of two counts is rounded as the operator's number was.
        if retries > 0.0 && retries / requests > ratio {
            RetryBudget::Spent
        } else {
            RetryBudget::Open
        }
    }

    fn update(&self, route: &str, now: Timestamp, change: impl FnOnce(&mut Counts)) {
        let mut routes = self.routes.borrow_mut();
        if let Some((_, ledger)) = routes.iter_mut().find(|(label, _)| label == route) {
            *ledger = ledger.at(now);
            change(&mut ledger.open);
            return;
        }
        if routes.len() >= MOST_LEDGERS {
            routes.retain(|(_, ledger)| !ledger.is_blank(now));
        }
        if routes.len() >= MOST_LEDGERS {
            routes.pop_front();
        }
        let mut ledger = Ledger {
            opened: now,
            open: Counts::default(),
            closed: Counts::default(),
        };
        change(&mut ledger.open);
        routes.push_back((route.to_owned(), ledger));
    }
}

impl Ledger {
    /// The ledger as it stands at `now`: a bucket that has had its second is closed, and two seconds after it was
    /// opened it counts no more.
    fn at(self, now: Timestamp) -> Self {
        let age = now.since(self.opened);
        if age < BUCKET {
            return self;
        }
        Self {
            opened: now,
            open: Counts::default(),
            closed: if age < BUCKET * 2 {
                self.open
            } else {
                Counts::default()
            },
        }
    }

    fn is_blank(&self, now: Timestamp) -> bool {
        now.since(self.opened) >= BUCKET * 2
    }
}

const BUCKET: Duration = Duration::from_secs(1);
/// Routes whose retries are counted at once.
const MOST_LEDGERS: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(millis: u64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    /// Counts `requests` and `retries` at the moments given and says whether another retry is within `ratio` at `now`.
    #[track_caller]
    fn check_budget(
        requests: &[u64],
        retries: &[u64],
        ratio: f64,
        now: u64,
        expected: RetryBudget,
    ) {
        let ledgers = Ledgers::default();
        let mut events: Vec<_> = requests.iter().map(|moment| (*moment, true)).collect();
        events.extend(retries.iter().map(|moment| (*moment, false)));
        events.sort_by_key(|(moment, _)| *moment);
        for (moment, is_request) in events {
            if is_request {
                ledgers.count_request("r", at(moment));
            } else {
                ledgers.count_retry("r", at(moment));
            }
        }
        assert_eq!(ledgers.budget("r", ratio, at(now)), expected);
        assert_eq!(
            ledgers.budget("other", ratio, at(now)),
            RetryBudget::Open,
            "another route"
        );
    }

    #[test]
    fn retries_are_open_until_they_exceed_their_share() {
        check_budget(&[0], &[], 0.0, 0, RetryBudget::Open);
        check_budget(&[0], &[0], 0.0, 0, RetryBudget::Spent);
        check_budget(&[0], &[0], 0.2, 0, RetryBudget::Spent);
        check_budget(&[0; 5], &[0], 0.2, 0, RetryBudget::Open);
        check_budget(&[0; 4], &[0], 0.2, 0, RetryBudget::Spent);
        check_budget(&[0; 2], &[0], 0.5, 0, RetryBudget::Open);
        check_budget(&[0; 2], &[0; 2], 0.5, 0, RetryBudget::Spent);
        check_budget(&[0], &[0], 1.0, 0, RetryBudget::Open);
    }

    #[test]
    fn standing_exactly_on_the_share_is_within_it_however_the_numbers_round() {
        for percent in 1..=99_u32 {
            check_budget(
                &[0; 100],
                &vec![0; percent as usize],
                f64::from(percent) / 100.0,
                0,
                RetryBudget::Open,
            );
            check_budget(
                &[0; 100],
                &vec![0; percent as usize + 1],
                f64::from(percent) / 100.0,
                0,
                RetryBudget::Spent,
            );
        }
    }

    #[test]
    fn what_was_counted_two_seconds_ago_counts_no_more() {
        check_budget(&[0], &[0], 0.0, 999, RetryBudget::Spent);
        check_budget(&[0], &[0], 0.0, 1_999, RetryBudget::Spent);
        check_budget(&[0], &[0], 0.0, 2_000, RetryBudget::Open);
        // The bucket opened at 1,500 keeps the one before it.
        check_budget(&[0, 1_500], &[0], 0.0, 2_400, RetryBudget::Spent);
        check_budget(&[0, 1_500], &[0], 0.0, 2_500, RetryBudget::Open);
    }

    #[test]
    fn ledgers_are_bounded_and_blank_ones_go_first() {
        let ledgers = Ledgers::default();
        for index in 0..MOST_LEDGERS {
            ledgers.count_retry(&format!("old {index}"), at(0));
        }
        ledgers.count_retry("kept", at(1_500));
        assert_eq!(ledgers.routes.borrow().len(), MOST_LEDGERS);
        ledgers.count_retry("new", at(2_500));
        assert_eq!(ledgers.routes.borrow().len(), 2);
        assert_eq!(ledgers.budget("kept", 0.0, at(2_500)), RetryBudget::Spent);
    }
}
