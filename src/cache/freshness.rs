//! How long a stored response may be served, and for what.
//!
//! Freshness is a span of time and nothing else: a rewritten body has no validator an upstream would know.

use std::time::Duration;

/// The windows of one stored response, each counted from the moment it was stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Windows {
    /// So long it is fresh.
    pub(super) fresh: Duration,
    /// So long after that it is served while a new one is fetched.
    pub(super) while_revalidate: Duration,
    /// So long after being fresh it stands in for an upstream that fails.
    pub(super) if_error: Duration,
}

/// What a stored response may be served for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Freshness {
    /// As the answer.
    Fresh,
    /// As the answer, while a new one is fetched behind it.
    Stale,
    /// Only where the upstream fails.
    OnError,
    /// Nothing any more.
    Gone,
}

impl Windows {
    /// What a response of this age may be served for.
    pub(super) fn judge(&self, age: Duration) -> Freshness {
        if age < self.fresh {
            Freshness::Fresh
        } else if age < self.fresh.saturating_add(self.while_revalidate) {
            Freshness::Stale
        } else if age < self.lifetime() {
            Freshness::OnError
        } else {
            Freshness::Gone
        }
    }

    /// How long the response is of any use. A store forgets what has expired, so this is what it must be told.
    pub(super) fn lifetime(&self) -> Duration {
        self.fresh
            .saturating_add(self.while_revalidate.max(self.if_error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(windows: (u64, u64, u64), expected: &[(u64, Freshness)]) {
        let (fresh, while_revalidate, if_error) = windows;
        let windows = Windows {
            fresh: Duration::from_secs(fresh),
            while_revalidate: Duration::from_secs(while_revalidate),
            if_error: Duration::from_secs(if_error),
        };
        for (age, expected) in expected {
            assert_eq!(
                windows.judge(Duration::from_secs(*age)),
                *expected,
                "{windows:?} at {age}"
            );
        }
    }

    #[test]
    fn the_windows_follow_on_each_other() {
        use Freshness::{Fresh, Gone, OnError, Stale};
        check(
            (10, 5, 20),
            &[
                (0, Fresh),
                (9, Fresh),
                (10, Stale),
                (14, Stale),
                (15, OnError),
                (29, OnError),
                (30, Gone),
            ],
        );
        check((10, 0, 0), &[(9, Fresh), (10, Gone)]);
        check((10, 5, 3), &[(14, Stale), (15, Gone)]);
        check((10, 0, 5), &[(10, OnError), (15, Gone)]);
    }
}
