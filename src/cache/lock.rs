//! One visitor fetches what many miss: who leads and who waits, per isolate.
//!
//! A lead is a lease, not a guard. A request can end without any of its code running again, so nobody waits for a
//! signal: a leader renews its lead while it works, and those who wait look again by their own clock. What an isolate
//! remembers is plain data; no request ever holds another's future.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    rc::Rc,
    time::Duration,
};

use crate::{
    hash::{djb2, fnv1a},
    time::Timestamp,
};

/// What an isolate remembers of fetches under way. Cloning gives another handle on the same memory.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    inner: Rc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    states: RefCell<BTreeMap<Slot, State>>,
    next: Cell<u64>,
}

/// A key, shortened. Two keys that fall together make one visitor wait for another's fetch and then look under its own
/// key, which costs time and mixes up nothing.
type Slot = (u32, u32);

#[derive(Debug, Clone, Copy)]
enum State {
    /// Somebody fetches, and last said so less than a lease before this moment.
    Led { lead: u64, until: Timestamp },
    /// Somebody has fetched. Until this moment those who waited find out; nobody need lead again for them.
    Over { until: Timestamp },
}

/// The right to fetch for everybody.
#[derive(Debug)]
pub(super) struct Lead {
    slot: Slot,
    id: u64,
}

/// What a visitor who found nothing does.
#[derive(Debug)]
pub(super) enum Turn {
    /// It fetches for everybody.
    Lead(Lead),
    /// It waits and asks again.
    Wait,
    /// It looks into the store again if it has waited, and fetches for itself if nothing is there.
    Alone,
}

impl Memory {
    /// Whose turn it is to fetch what is missing under `key`.
    pub(super) fn turn(&self, key: &str, now: Timestamp) -> Turn {
        let slot = slot(key);
        let state = self.inner.states.borrow().get(&slot).copied();
        match state {
            Some(State::Led { until, .. }) if now < until => Turn::Wait,
            Some(State::Over { until }) if now < until => Turn::Alone,
            _ => self.take(slot, now).map_or(Turn::Alone, Turn::Lead),
        }
    }

    /// The lead for a refresh of what is stored under `key`; `None` while somebody fetches it already.
    pub(super) fn refresh(&self, key: &str, now: Timestamp) -> Option<Lead> {
        let slot = slot(key);
        let led = matches!(
            self.inner.states.borrow().get(&slot),
            Some(State::Led { until, .. }) if now < *until
        );
        if led { None } else { self.take(slot, now) }
    }

    /// Says that the leader is still at work.
    pub(super) fn renew(&self, lead: &Lead, now: Timestamp) {
        self.replace(
            lead,
            Some(State::Led {
                lead: lead.id,
                until: now + LEASE,
            }),
        );
    }

    /// Ends a lead: what was fetched is stored, or will not be.
    pub(super) fn finish(&self, lead: &Lead, now: Timestamp) {
        self.replace(
            lead,
            Some(State::Over {
                until: now + NOTICE,
            }),
        );
    }

    /// Gives a lead up without having fetched anything, so that another may lead.
    pub(super) fn give_up(&self, lead: &Lead) {
        self.replace(lead, None);
    }

    fn take(&self, slot: Slot, now: Timestamp) -> Option<Lead> {
        let mut states = self.inner.states.borrow_mut();
        if states.len() >= MOST_SLOTS {
            states.retain(|_, state| match state {
                State::Led { until, .. } | State::Over { until } => now < *until,
            });
            if states.len() >= MOST_SLOTS {
                return None;
            }
        }
        let id = self.inner.next.get().wrapping_add(1);
        self.inner.next.set(id);
        states.insert(
            slot,
            State::Led {
                lead: id,
                until: now + LEASE,
            },
        );
        Some(Lead { slot, id })
    }

    /// Replaces the state under a lead, unless its lease ran out and another has taken over.
    fn replace(&self, lead: &Lead, state: Option<State>) {
        let mut states = self.inner.states.borrow_mut();
        if !matches!(states.get(&lead.slot), Some(State::Led { lead: id, .. }) if *id == lead.id) {
            return;
        }
        match state {
            Some(state) => states.insert(lead.slot, state),
            None => states.remove(&lead.slot),
        };
    }
}

fn slot(key: &str) -> Slot {
    (fnv1a(key), djb2(key))
}

/// How long a lead lasts after it was last renewed: so long others wait for a leader that is gone.
const LEASE: Duration = Duration::from_secs(3);

/// How often a leader renews.
pub(super) const RENEWAL: Duration = Duration::from_secs(1);

/// The longest pause of one who waits.
pub(super) const LONGEST_PAUSE: Duration = Duration::from_millis(80);

/// How long the end of a lead is remembered: longer than the longest pause, so that all who wait see it.
const NOTICE: Duration = Duration::from_millis(200);

/// Most fetches remembered at once; beyond that everybody fetches for themselves.
const MOST_SLOTS: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(millis: u64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn lead(memory: &Memory, key: &str, now: Timestamp) -> Lead {
        match memory.turn(key, now) {
            Turn::Lead(lead) => lead,
            turn => panic!("{turn:?}"),
        }
    }

    #[track_caller]
    fn check(memory: &Memory, now: Timestamp, expected: &str) {
        let turn = match memory.turn("k", now) {
            Turn::Lead(_) => "lead",
            Turn::Wait => "wait",
            Turn::Alone => "alone",
        };
        assert_eq!(turn, expected, "at {now:?}");
    }

    #[test]
    fn one_leads_and_the_others_wait() {
        let memory = Memory::default();
        let first = lead(&memory, "k", at(0));
        check(&memory, at(1), "wait");
        lead(&memory, "another key", at(1));
        memory.finish(&first, at(2));
        check(&memory, at(3), "alone");
        check(&memory, at(500), "lead");
    }

    #[test]
    fn a_lead_given_up_goes_to_the_next() {
        let memory = Memory::default();
        memory.give_up(&lead(&memory, "k", at(0)));
        check(&memory, at(1), "lead");
    }

    #[test]
    fn a_leader_that_is_gone_is_replaced_and_one_at_work_is_not() {
        let memory = Memory::default();
        let first = lead(&memory, "k", at(0));
        memory.renew(&first, at(2000));
        check(&memory, at(4999), "wait");
        let second = lead(&memory, "k", at(5000));
        // The first comes back and has no say any more.
        memory.finish(&first, at(5001));
        memory.renew(&first, at(5001));
        memory.give_up(&first);
        check(&memory, at(5002), "wait");
        memory.finish(&second, at(5003));
        check(&memory, at(5004), "alone");
    }

    #[test]
    fn a_refresh_is_made_once_at_a_time() {
        let memory = Memory::default();
        let first = memory.refresh("k", at(0)).unwrap();
        assert!(memory.refresh("k", at(1)).is_none());
        memory.finish(&first, at(2));
        assert!(
            memory.refresh("k", at(3)).is_some(),
            "a failed one is tried again"
        );
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let memory = Memory::default();
        for key in 0..MOST_SLOTS {
            lead(&memory, &key.to_string(), at(0));
        }
        check(&memory, at(1), "alone");
        check(&memory, at(3000), "lead");
        assert_eq!(memory.inner.states.borrow().len(), 1);
    }
}
