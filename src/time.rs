//! A moment as the platform's clock tells it. The core never reads a clock: a moment is an argument.

use std::{
    ops::{Add, Sub},
    time::Duration,
};

/// A moment, in milliseconds since the Unix epoch.
///
/// On Workers the clock stands still between two I/O operations, so two moments of one synchronous
/// stretch of work are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(u64);

impl Timestamp {
    /// The moment `millis` milliseconds after the Unix epoch.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the Unix epoch.
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// Whole seconds since the Unix epoch.
    pub const fn as_secs(self) -> u64 {
        self.0 / 1000
    }

    /// How long after `earlier` this moment is; zero when it is not after it, because a wall clock may step back.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for Timestamp {
    type Output = Self;

    fn add(self, after: Duration) -> Self {
        Self(
            self.0
                .saturating_add(u64::try_from(after.as_millis()).unwrap_or(u64::MAX)),
        )
    }
}

impl Sub<Duration> for Timestamp {
    type Output = Self;

    fn sub(self, before: Duration) -> Self {
        Self(
            self.0
                .saturating_sub(u64::try_from(before.as_millis()).unwrap_or(u64::MAX)),
        )
    }
}
