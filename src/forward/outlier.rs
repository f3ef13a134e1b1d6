//! What an isolate remembers of candidates that failed: after several failures in a row one is skipped for a while, so
//! that not every visitor has to wait for it.

use std::{cell::RefCell, collections::VecDeque, time::Duration};

use crate::{
    config::{Issues, Path, Reported, bounds, document},
    time::Timestamp,
};

/// A compiled `outlier` block. Routes with several candidates always have one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outlier {
    consecutive_failures: u32,
    eject: Duration,
}

impl Outlier {
    pub(super) fn compile(
        stated: Option<&document::Outlier>,
        at: &Path<'_>,
        issues: &mut Issues,
    ) -> Result<Self, Reported> {
        let document::Outlier {
            consecutive_failures,
            eject_seconds,
        } = stated.cloned().unwrap_or_default();
        let failures = bounds::whole(
            consecutive_failures,
            1..=10,
            3,
            &at.key("consecutiveFailures"),
            issues,
        );
        let eject = bounds::whole(eject_seconds, 1..=300, 30, &at.key("ejectSeconds"), issues);
        Ok(Self {
            consecutive_failures: u32::try_from(failures?).unwrap_or(u32::MAX),
            eject: Duration::from_secs(eject?),
        })
    }
}

/// What one answer, or the lack of one, says about a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// It failed in a way that moves the walk.
    Failure,
    /// It answered below 500.
    Success,
    /// It neither failed in such a way nor proved itself.
    Neither,
}

/// Candidates that failed lately. Healthy ones are not in here, so it is empty most of the time.
#[derive(Debug, Default)]
pub(super) struct Outliers {
    /// Oldest first.
    failing: RefCell<VecDeque<Failing>>,
}

#[derive(Debug)]
struct Failing {
    route: String,
    authority: String,
    /// Failures in a row.
    count: u32,
    /// Until when it is skipped.
    out_until: Option<Timestamp>,
}

impl Outliers {
    /// Whether a candidate is to be skipped at `now`.
    pub(super) fn is_out(&self, route: &str, authority: &str, now: Timestamp) -> bool {
        self.failing
            .borrow()
            .iter()
            .find(|failing| failing.is(route, authority))
            .and_then(|failing| failing.out_until)
            .is_some_and(|until| now < until)
    }

    /// Notes how a candidate fared.
    pub(super) fn note(
        &self,
        policy: Outlier,
        route: &str,
        authority: &str,
        mark: Mark,
        now: Timestamp,
    ) {
        let mut failing = self.failing.borrow_mut();
        let known = failing
            .iter()
            .position(|failing| failing.is(route, authority));
        match mark {
            Mark::Neither => {}
            Mark::Success => {
                if let Some(at) = known {
                    failing.remove(at);
                }
            }
            Mark::Failure => {
                let mut entry =
                    known
                        .and_then(|at| failing.remove(at))
                        .unwrap_or_else(|| Failing {
                            route: route.to_owned(),
                            authority: authority.to_owned(),
                            count: 0,
                            out_until: None,
                        });
                if entry.out_until.is_some_and(|until| now >= until) {
                    // It was let back in; what it did before is forgotten.
                    entry.count = 0;
                    entry.out_until = None;
                }
                entry.count = entry.count.saturating_add(1);
                if entry.count >= policy.consecutive_failures {
                    entry.out_until = Some(now + policy.eject);
                }
                if failing.len() >= MOST_FAILING {
                    failing.pop_front();
                }
                failing.push_back(entry);
            }
        }
    }
}

impl Failing {
    fn is(&self, route: &str, authority: &str) -> bool {
        self.authority == authority && self.route == route
    }
}

/// A table may name more candidates than this; what fails at once is rarely more than a few.
const MOST_FAILING: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: Outlier = Outlier {
        consecutive_failures: 2,
        eject: Duration::from_secs(10),
    };

    const fn at(seconds: u64) -> Timestamp {
        Timestamp::from_millis(seconds * 1000)
    }

    fn note(memory: &Outliers, mark: Mark, now: u64) {
        memory.note(POLICY, "r", "a", mark, at(now));
    }

    #[test]
    fn failures_in_a_row_eject_and_an_answer_starts_the_count_again() {
        let memory = Outliers::default();
        for mark in [Mark::Failure, Mark::Success, Mark::Failure, Mark::Neither] {
            note(&memory, mark, 0);
            assert!(!memory.is_out("r", "a", at(0)), "{mark:?}");
        }
        note(&memory, Mark::Failure, 1);
        assert!(memory.is_out("r", "a", at(10)));
        assert!(!memory.is_out("r", "b", at(10)), "another candidate");
        assert!(!memory.is_out("s", "a", at(10)), "another route");
        note(&memory, Mark::Success, 2);
        assert!(!memory.is_out("r", "a", at(2)));
        assert!(memory.failing.borrow().is_empty());
    }

    #[test]
    fn an_ejection_lifts_itself_and_forgets_the_count() {
        let memory = Outliers::default();
        note(&memory, Mark::Failure, 0);
        note(&memory, Mark::Failure, 0);
        assert!(!memory.is_out("r", "a", at(10)));
        note(&memory, Mark::Failure, 10);
        assert!(!memory.is_out("r", "a", at(10)), "the first of a new row");
        note(&memory, Mark::Failure, 11);
        assert!(memory.is_out("r", "a", at(20)));
    }

    #[test]
    fn failing_while_out_extends_the_ejection() {
        let memory = Outliers::default();
        note(&memory, Mark::Failure, 0);
        note(&memory, Mark::Failure, 0);
        note(&memory, Mark::Failure, 9);
        assert!(memory.is_out("r", "a", at(18)));
    }

    #[test]
    fn the_memory_is_bounded_and_drops_the_oldest() {
        let memory = Outliers::default();
        for index in 0..1_000 {
            let authority = format!("{index}.test");
            for _ in 0..2 {
                memory.note(POLICY, "r", &authority, Mark::Failure, at(0));
            }
        }
        assert_eq!(memory.failing.borrow().len(), MOST_FAILING);
        assert!(!memory.is_out("r", "0.test", at(0)));
        assert!(memory.is_out("r", "999.test", at(0)));
    }
}
