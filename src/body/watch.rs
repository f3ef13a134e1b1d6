//! The two deadlines on a body: until its first byte, and between two bytes. There is none on the whole.
//!
//! This is the decision alone. A platform feeds it lengths and moments, wakes it when [`StreamWatch::wake_at`] has
//! come, and cuts the upstream's connection when it says so.

use std::time::Duration;

use crate::{
    body::{Pending, Settle, pending},
    outcome::{StreamOutcome, StreamReport},
    time::Timestamp,
};

/// Watches one body.
#[derive(Debug)]
pub struct StreamWatch {
    /// Longest wait for the first byte, from the headers on (`firstChunkTimeoutMs`).
    pub first_chunk: Duration,
    /// Longest silence between two bytes (`streamIdleTimeoutMs`).
    pub idle: Duration,
    started: Timestamp,
    last: Timestamp,
    bytes: u64,
    report: Settle<StreamReport>,
}

impl StreamWatch {
    /// Starts to watch a body whose headers arrived at `now`.
    ///
    /// The pending report says `client_closed` when the watch is dropped before the body has ended.
    pub fn new(
        first_chunk: Duration,
        idle: Duration,
        now: Timestamp,
    ) -> (Self, Pending<StreamReport>) {
        let (report, pending) = pending(StreamReport {
            outcome: StreamOutcome::ClientClosed,
            bytes: 0,
            duration_ms: 0,
        });
        let watch = Self {
            first_chunk,
            idle,
            started: now,
            last: now,
            bytes: 0,
            report,
        };
        (watch, pending)
    }

    /// Notes a chunk from the upstream. An empty one is a sign of life too.
    pub fn chunk(&mut self, length: usize, now: Timestamp) {
        self.bytes = self.bytes.saturating_add(length as u64);
        self.last = now;
    }

    /// When to look again, unless a chunk comes first.
    pub fn wake_at(&self) -> Timestamp {
        if self.bytes == 0 {
            self.started + self.first_chunk
        } else {
            self.last + self.idle
        }
    }

    /// Which deadline has passed at `now`, if any.
    pub fn expired(&self, now: Timestamp) -> Option<StreamOutcome> {
        (now >= self.wake_at()).then_some(if self.bytes == 0 {
            StreamOutcome::FirstChunkTimeout
        } else {
            StreamOutcome::IdleTimeout
        })
    }

    /// Reports how the body ended.
    pub fn finish(self, outcome: StreamOutcome, now: Timestamp) {
        let report = StreamReport {
            outcome,
            bytes: self.bytes,
            duration_ms: now.since(self.started).as_millis() as u64,
        };
        self.report.settle(report);
    }

    /// Reports what a platform counted by itself.
    pub fn finish_with(self, report: StreamReport) {
        self.report.settle(report);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(millis: u64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    #[test]
    fn the_first_byte_and_the_silence_have_deadlines_of_their_own() {
        let (mut watch, _report) =
            StreamWatch::new(Duration::from_millis(100), Duration::from_millis(10), at(0));
        assert_eq!(watch.expired(at(99)), None);
        assert_eq!(
            watch.expired(at(100)),
            Some(StreamOutcome::FirstChunkTimeout)
        );
        watch.chunk(1, at(50));
        assert_eq!(watch.wake_at(), at(60));
        assert_eq!(watch.expired(at(59)), None);
        assert_eq!(watch.expired(at(60)), Some(StreamOutcome::IdleTimeout));
    }

    #[test]
    fn the_report_settles_even_when_the_watch_is_dropped() {
        use futures_util::FutureExt;
        let (watch, report) = StreamWatch::new(Duration::ZERO, Duration::ZERO, at(0));
        drop(watch);
        assert_eq!(
            report.now_or_never().map(|report| report.outcome),
            Some(StreamOutcome::ClientClosed)
        );
    }
}
