//! Plays many cases, several at once, and says of each what was not as expected.

#![expect(
    clippy::disallowed_methods,
    reason = "how long a case took is told to people"
)]

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
    /// How long it took once its proxy was up.
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

impl Failure<'_> {
    /// Whether a request was left without an answer.
    fn is_silence(&self) -> bool {
        match self {
            Self::Open(_) | Self::Table(_) => false,
            Self::Step { observed, .. } => observed
                .exchanges
                .iter()
                .any(|exchange| matches!(exchange.outcome, Outcome::Unanswered(_))),
        }
    }
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
    let batches = Mutex::new(order.chunks(driver.batch().max(1)));
    let results = Mutex::new(Vec::new());
    let next = || {
        batches
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .next()
    };
    thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                while let Some(batch) = next() {
                    let chosen: Vec<_> = batch
                        .iter()
                        .filter_map(|index| cases.get(*index).copied())
                        .collect();
                    let played = batch.iter().copied().zip(play_batch(driver, &chosen));
                    results
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .extend(played);
                }
            });
        }
    });
    results.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Plays cases that are brought up together, one after the other.
fn play_batch<'a>(driver: &dyn Driver, cases: &[&'a Case]) -> Vec<Played<'a>> {
    let start = Instant::now();
    let stages = match open(driver, cases) {
        Ok(stages) => stages,
        // One that cannot come up must not keep the others from it.
        Err(_) if cases.len() > 1 => {
            return cases
                .iter()
                .flat_map(|case| play_batch(driver, &[*case]))
                .collect();
        }
        Err(error) => {
            let failed = |case: &&'a Case| Played {
                case,
                took: start.elapsed(),
                failures: vec![Failure::Open(error.clone())],
            };
            return cases.iter().map(failed).collect();
        }
    };
    let mut played = Vec::new();
    for (case, mut stage) in cases.iter().zip(stages) {
        let result = play(case, stage.as_mut());
        let gone = result.failures.iter().any(Failure::is_silence);
        played.push(result);
        if gone {
            break;
        }
    }
    // A proxy that gave no answer may have taken its neighbours with it, who are no worse for that.
    let left = cases.get(played.len()..).unwrap_or_default();
    if !left.is_empty() {
        played.extend(play_batch(driver, left));
    }
    played
}

fn open(driver: &dyn Driver, cases: &[&Case]) -> Result<Vec<Box<dyn Stage>>, OpenError> {
    let stages = driver.open(cases)?;
    if stages.len() == cases.len() {
        Ok(stages)
    } else {
        Err(OpenError::new(format_args!(
            "{} proxies for {} cases",
            stages.len(),
            cases.len()
        )))
    }
}

fn play<'a>(case: &'a Case, stage: &mut dyn Stage) -> Played<'a> {
    let start = Instant::now();
    let failures = match &case.plot {
        Plot::Refused(refusal) => match refusal_differences(refusal, &stage.table()) {
            differences if differences.is_empty() => Vec::new(),
            differences => vec![Failure::Table(differences)],
        },
        Plot::Steps(steps) => play_steps(stage, steps),
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
        let failure = Failure::Step {
            number: index + 1,
            step,
            differences,
            observed,
        };
        let gone = failure.is_silence();
        failures.push(failure);
        // A proxy that gives no answer has gone; the steps behind would each wait for it in vain.
        if gone {
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
