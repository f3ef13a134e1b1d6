//! What was found, and how long an isolate remembers it.

use std::{cell::RefCell, rc::Rc};

use serde::Serialize;

/// What Cloudflare knows to lead to the proxy.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Found {
    pub(super) hosts: Vec<Bound>,
    /// What could not be read.
    pub(super) failures: Vec<Failure>,
    /// Zones that were not looked into.
    pub(super) skipped_zones: Vec<String>,
    /// How many more zones there are than were listed.
    pub(super) unlisted_zones: u64,
}

/// A host that leads to the proxy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Bound {
    pub(super) kind: Kind,
    pub(super) host: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) zone: Option<String>,
    /// The whole pattern of a Workers route, path included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pattern: Option<String>,
}

/// By what a host leads to the proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    WorkersDev,
    CustomDomain,
    Route,
}

/// A source that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Failure {
    pub(super) source: Kind,
    pub(super) message: String,
    /// What the token lacks, most likely.
    pub(super) permission: &'static str,
}

impl Found {
    /// Takes a host in, once for each kind.
    pub(super) fn add(&mut self, bound: Bound) {
        let is_known = self.hosts.iter().any(|known| {
            known.kind == bound.kind && known.host == bound.host && known.pattern == bound.pattern
        });
        if !is_known {
            self.hosts.push(bound);
        }
    }
}

/// Account, script and token: what an answer depends on.
pub(super) type Key = (String, String, String);

/// What was found last, in this isolate.
#[derive(Debug, Default)]
pub(crate) struct Seen(RefCell<Option<(Key, Rc<Found>, u64)>>);

impl Seen {
    /// What was found under this key less than a minute ago.
    pub(super) fn fresh(&self, key: &Key, now: u64) -> Option<Rc<Found>> {
        let seen = self.0.borrow();
        let (known, found, at) = seen.as_ref()?;
        let is_fresh = known == key && now.saturating_sub(*at) < GOOD_FOR;
        is_fresh.then(|| Rc::clone(found))
    }

    /// Keeps what was found.
    pub(super) fn keep(&self, key: Key, found: Found, now: u64) -> Rc<Found> {
        let found = Rc::new(found);
        *self.0.borrow_mut() = Some((key, Rc::clone(&found), now));
        found
    }
}

/// In seconds.
const GOOD_FOR: u64 = 60;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_is_good_for_a_minute_and_for_its_key_alone() {
        let key = |script: &str| ("a".to_owned(), script.to_owned(), "t".to_owned());
        let seen = Seen::default();
        assert_eq!(seen.fresh(&key("s"), 0), None);
        seen.keep(key("s"), Found::default(), 100);
        assert!(seen.fresh(&key("s"), 159).is_some());
        assert_eq!(seen.fresh(&key("s"), 160), None);
        assert_eq!(seen.fresh(&key("other"), 100), None);
    }
}
