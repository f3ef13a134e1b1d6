//! Requests that wait for headers, counted by the seats they take.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    time::Duration,
};

use crate::time::Timestamp;

/// Requests that wait for headers, by route and upstream.
///
/// A seat is a lease: on Workers the future of a cancelled request may never be dropped, so a seat nobody gives back
/// has to fall vacant by itself.
#[derive(Debug, Default)]
pub(in crate::forward) struct Seats {
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
pub(in crate::forward) struct Seat<'a> {
    seats: &'a Seats,
    number: u64,
}

/// No seat is free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::forward) struct Full;

impl Seats {
    /// Takes one of `most` seats for at most `lease`.
    pub(in crate::forward) fn take(
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

/// Pairs of route and upstream whose requests are counted at once.
const MOST_ROWS: usize = 1024;
/// Requests that are counted at once.
const MOST_SEATS: usize = 65_536;

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(millis: u64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    const LEASE: Duration = Duration::from_secs(30);

    #[test]
    fn a_seat_is_free_again_when_it_is_given_back() {
        let seats = Seats::default();
        let first = seats.take("r", "a", 2, LEASE, at(0)).unwrap();
        let second = seats.take("r", "a", 2, LEASE, at(0)).unwrap();
        assert_eq!(seats.take("r", "a", 2, LEASE, at(0)).err(), Some(Full));
        assert!(seats.take("r", "b", 2, LEASE, at(0)).is_ok(), "an upstream");
        assert!(seats.take("s", "a", 2, LEASE, at(0)).is_ok(), "a route");
        drop(first);
        let third = seats.take("r", "a", 2, LEASE, at(0)).unwrap();
        assert_eq!(seats.take("r", "a", 2, LEASE, at(0)).err(), Some(Full));
        drop((second, third));
        assert!(seats.taken.borrow().is_empty(), "nothing is left behind");
    }

    #[test]
    fn a_seat_nobody_gives_back_falls_vacant() {
        let seats = Seats::default();
        std::mem::forget(seats.take("r", "a", 1, LEASE, at(0)).unwrap());
        assert!(seats.take("r", "a", 1, LEASE, at(29_999)).is_err());
        let next = seats.take("r", "a", 1, LEASE, at(30_000)).unwrap();
        assert!(seats.take("r", "a", 1, LEASE, at(30_000)).is_err());
        drop(next);
        assert!(seats.take("r", "a", 1, LEASE, at(30_000)).is_ok());
    }

    #[test]
    fn seats_are_bounded_and_fail_open() {
        let seats = Seats::default();
        for index in 0..2 * MOST_ROWS {
            let seat = seats.take("r", &index.to_string(), 1, LEASE, at(0));
            std::mem::forget(seat.unwrap());
        }
        assert_eq!(seats.taken.borrow().len(), MOST_ROWS);
        assert!(seats.take("r", "0", 1, LEASE, at(0)).is_err());
        drop(seats.take("r", "new", 1, LEASE, at(30_000)).unwrap());
        assert!(seats.taken.borrow().is_empty(), "expired rows are cleared");
        for _ in 0..2 * MOST_SEATS {
            std::mem::forget(seats.take("r", "a", usize::MAX, LEASE, at(0)).unwrap());
        }
        assert_eq!(seats.taken.borrow()[0].leases.len(), MOST_SEATS);
    }
}
