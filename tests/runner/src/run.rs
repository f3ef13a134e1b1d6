//! Plays many cases, several at once, and says of each what was not as expected.

#![expect(
    clippy::disallowed_methods,
    reason = "how long a case took is told to people"
)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::case::{Case, Plot, Step};
use crate::driver::{Driver, OpenError, Stage};
use crate::expect::{Difference, refusal_differences, step_differences};
use crate::observed::{Observed, Outcome};

/// How a case went.
#[derive(Debug)]
pub struct Played<'a> {
    /// The case.
    pub case: &'a Case,
    /// How long it took, coming up included.
    pub took: Duration,
    /// Why it fails; empty when it passes.
    pub failures: Vec<Failure<'a>>,
}

/// A part of a case that is not as expected.
#[derive(Debug)]
pub enum Failure<'a> {
    /// No proxy came up.
    Open(OpenError),
    /// The route table was not refused as it should be.
    Table(Vec<Difference>),
    /// A step did not bring what it should.
    Step {
        /// Its number, from 1.
        number: usize,
        /// What it says.
        step: &'a Step,
        /// What is not as expected.
        differences: Vec<Difference>,
        /// All that came.
        observed: Observed,
    },
}

/// Plays the cases and gives their results in the same order.
///
/// `jobs` cases are played at once. Those that put bounds on time are kept for the end and get fewer neighbours, so that
/// a busy machine is not taken for a slow proxy.
#[must_use]
pub fn play_all<'a>(driver: &dyn Driver, cases: &[&'a Case], jobs: usize) -> Vec<Played<'a>> {
    let mut order: Vec<usize> = (0..cases.len()).collect();
    // The longest first: a long one begun last would leave the machine idle beside it.
    order.sort_by_key(|index| cases.get(*index).map(|case| std::cmp::Reverse(waits(case))));
    let (timed, others): (Vec<_>, Vec<_>) = order
        .into_iter()
        .partition(|index| cases.get(*index).is_some_and(|case| is_timed(case)));
    let mut results = play_some(driver, cases, &others, jobs);
    results.extend(play_some(driver, cases, &timed, jobs.min(TIMED_JOBS)));
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, played)| played).collect()
}

fn play_some<'a>(
    driver: &dyn Driver,
    cases: &[&'a Case],
    order: &[usize],
    jobs: usize,
) -> Vec<(usize, Played<'a>)> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                while let Some(index) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let Some(case) = cases.get(*index) else {
                        continue;
                    };
                    let played = play(driver, case);
                    results
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push((*index, played));
                }
            });
        }
    });
    results.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Plays one case.
#[must_use]
pub fn play<'a>(driver: &dyn Driver, case: &'a Case) -> Played<'a> {
    let start = Instant::now();
    let failures = match driver.open(case) {
        Ok(mut stage) => match &case.plot {
            Plot::Refused(refusal) => {
                let differences = refusal_differences(refusal, &stage.table());
                if differences.is_empty() {
                    Vec::new()
                } else {
                    vec![Failure::Table(differences)]
                }
            }
            Plot::Steps(steps) => play_steps(stage.as_mut(), steps),
        },
        Err(error) => vec![Failure::Open(error)],
    };
    Played {
        case,
        took: start.elapsed(),
        failures,
    }
}

fn play_steps<'a>(stage: &mut dyn Stage, steps: &'a [Step]) -> Vec<Failure<'a>> {
    let mut failures = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        let observed = stage.play(step);
        let differences = step_differences(&step.expect, &observed);
        if differences.is_empty() {
            continue;
        }
        let unanswered = observed
            .exchanges
            .iter()
            .any(|exchange| matches!(exchange.outcome, Outcome::Unanswered(_)));
        failures.push(Failure::Step {
            number: index + 1,
            step,
            differences,
            observed,
        });
        // A proxy that gives no answer has gone; the steps behind would each wait for it in vain.
        if unanswered {
            break;
        }
    }
    failures
}

fn is_timed(case: &Case) -> bool {
    steps(case).iter().any(|step| step.expect.is_timed())
}

fn waits(case: &Case) -> Duration {
    steps(case).iter().map(|step| step.wait).sum()
}

fn steps(case: &Case) -> &[Step] {
    match &case.plot {
        Plot::Refused(_) => &[],
        Plot::Steps(steps) => steps,
    }
}

/// How many cases with bounds on time are played at once.
const TIMED_JOBS: usize = 3;
