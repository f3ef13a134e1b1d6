//! Two fuses over what one isolate may add to an upstream's load: a share of requests that may be retries, and a number
//! of requests that may wait for headers at once. Nothing is coordinated between isolates.

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, VecDeque},
    time::Duration,
};

use crate::{
    config::{Code, Issues, Path, Reported, bounds, document},
    time::Timestamp,
};

/// A compiled `limits` block; what is absent is unbounded.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Limits {
    /// Largest share of recent requests that may be retries.
    pub(super) retry_ratio: Option<f64>,
    /// Most requests that wait for headers of one upstream at once.
    pub(super) max_in_flight: Option<usize>,
}

impl Limits {
    pub(super) fn compile(
        stated: Option<&document::Limits>,
        at: &Path<'_>,
        issues: &mut Issues,
    ) -> Result<Self, Reported> {
        let document::Limits {
            retry_ratio,
            max_in_flight,
        } = stated.cloned().unwrap_or_default();
        let retry_ratio = match retry_ratio {
            Some(ratio) if !(0.0..=1.0).contains(&ratio) => Err(issues.report(
                &at.key("retryRatio"),
                Code::Range,
                format!("expected a share from 0 to 1, such as 0.2 for one retry in five requests; found {ratio}"),
            )),
            ratio => Ok(ratio),
        };
        let max_in_flight = max_in_flight
            .map(|most| bounds::whole(Some(most), 1..=10_000, 1, &at.key("maxInFlight"), issues))
            .transpose();
        Ok(Self {
            retry_ratio: retry_ratio?,
            max_in_flight: max_in_flight?.map(|most| usize::try_from(most).unwrap_or(usize::MAX)),
        })
    }
}

/// Whether a walk may try an upstream again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RetryBudget {
    /// It may.
    Open,
    /// Retries have taken up their share.
    Spent,
}

/// Requests and retries of the last two seconds or so, for each route that asks.
#[derive(Debug, Default)]
pub(super) struct Ledgers {
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
    pub(super) fn count_request(&self, route: &str, now: Timestamp) {
        self.update(route, now, |open| {
            open.requests = open.requests.saturating_add(1)
        });
    }

    /// Counts a further attempt at an upstream that was tried before.
    pub(super) fn count_retry(&self, route: &str, now: Timestamp) {
        self.update(route, now, |open| {
            open.retries = open.retries.saturating_add(1)
        });
    }

    /// Whether another retry is within `ratio`. Standing exactly on it is.
    pub(super) fn budget(&self, route: &str, ratio: f64, now: Timestamp) -> RetryBudget {
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

/// Requests that wait for headers, by route and upstream.
///
/// A seat is a lease: on Workers the future of a cancelled request may never be dropped, so a seat nobody gives back
/// has to fall vacant by itself.
#[derive(Debug, Default)]
pub(super) struct Seats {
    taken: RefCell<Vec<Row>>,
    next: Cell<u64>,
}

/// The seats of one route at one upstream.
#[derive(Debug)]
struct Row {
    route: String,
    authority: String,
    /// By number, which grows with time, so that the first to expire stand in front.
    leases: BTreeMap<u64, Timestamp>,
}

/// A seat taken; dropping it gives it back.
#[derive(Debug)]
pub(super) struct Seat<'a> {
    seats: &'a Seats,
    number: u64,
}

/// No seat is free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Full;

impl Seats {
    /// Takes one of `most` seats for at most `lease`.
    pub(super) fn take(
        &self,
        route: &str,
        authority: &str,
        most: usize,
        lease: Duration,
        now: Timestamp,
    ) -> Result<Seat<'_>, Full> {
        let mut taken = self.taken.borrow_mut();
        if taken.len() >= MOST_ROWS {
            taken.retain_mut(|row| {
                row.expire(now);
                !row.leases.is_empty()
            });
        }
        let number = self.next.get();
        self.next.set(number.wrapping_add(1));
        let expires = now + lease;
        let another_row = taken.len() < MOST_ROWS;
        let another_seat = taken.iter().map(|row| row.leases.len()).sum::<usize>() < MOST_SEATS;
        match taken.iter_mut().find(|row| row.is(route, authority)) {
            Some(row) => {
                row.expire(now);
                if row.leases.len() >= most {
                    return Err(Full);
                }
                // Where more goes on at once than this memory is meant for, a request goes uncounted: a fuse may fail
                // open, but never refuse by mistake.
                if another_seat {
                    row.leases.insert(number, expires);
                }
            }
            None if another_row && another_seat => taken.push(Row {
                route: route.to_owned(),
                authority: authority.to_owned(),
                leases: BTreeMap::from([(number, expires)]),
            }),
            None => {}
        }
        Ok(Seat {
            seats: self,
            number,
        })
    }

    fn give_back(&self, number: u64) {
        let mut taken = self.taken.borrow_mut();
        let held = |row: &mut Row| row.leases.remove(&number).is_some();
        if let Some(at) = taken.iter_mut().position(held)
            && taken.get(at).is_some_and(|row| row.leases.is_empty())
        {
            taken.swap_remove(at);
        }
    }
}

impl Row {
    fn is(&self, route: &str, authority: &str) -> bool {
        self.authority == authority && self.route == route
    }

    fn expire(&mut self, now: Timestamp) {
        while let Some(first) = self.leases.first_entry()
            && *first.get() <= now
        {
            first.remove();
        }
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        self.seats.give_back(self.number);
    }
}

const BUCKET: Duration = Duration::from_secs(1);
/// Routes whose retries are counted at once.
const MOST_LEDGERS: usize = 1024;
/// Pairs of route and upstream whose requests are counted at once.
const MOST_ROWS: usize = 1024;
/// Requests that are counted at once.
const MOST_SEATS: usize = 65_536;
