//! Running a list of named steps to its end, whatever fails on the way, and summing up.

use std::time::{Duration, Instant};

use crate::failure::Failure;

/// A named step.
pub(crate) struct Step<'a> {
    name: String,
    run: Box<dyn FnOnce() -> Result<(), Failure> + 'a>,
}

impl<'a> Step<'a> {
    pub(crate) fn new(
        name: impl Into<String>,
        run: impl FnOnce() -> Result<(), Failure> + 'a,
    ) -> Self {
        Self {
            name: name.into(),
            run: Box::new(run),
        }
    }
}

/// The steps whose names contain `part`; all of them without one.
///
/// # Errors
/// If no name does; the message has all names.
pub(crate) fn matching<'a>(
    mut steps: Vec<Step<'a>>,
    part: Option<&str>,
) -> Result<Vec<Step<'a>>, Failure> {
    let Some(part) = part else {
        return Ok(steps);
    };
    let names: Vec<String> = steps.iter().map(|step| step.name.clone()).collect();
    steps.retain(|step| step.name.contains(part));
    if steps.is_empty() {
        return Err(Failure::new(format!("no step's name contains `{part}`"))
            .mend(format!("choose from: {}", names.join(", "))));
    }
    Ok(steps)
}

/// Runs every step and prints a summary whose last line is `N passed, N failed`.
///
/// # Errors
/// If any step failed.
pub(crate) fn run_all(steps: Vec<Step<'_>>) -> Result<(), Failure> {
    let total = steps.len();
    let mut finished = Vec::with_capacity(total);
    for (index, Step { name, run }) in steps.into_iter().enumerate() {
        println!("\n== {name} ({} of {total})", index + 1);
        let started = Instant::now();
        let outcome = run();
        let took = started.elapsed();
        match &outcome {
            Ok(()) => println!("== {name}: passed in {}", shown(took)),
            Err(failure) => println!("== {name}: FAILED after {}: {failure}", shown(took)),
        }
        finished.push(Finished {
            name,
            outcome,
            took,
        });
    }
    sum_up(&finished)
}

/// A step that has run.
struct Finished {
    name: String,
    outcome: Result<(), Failure>,
    took: Duration,
}

fn sum_up(finished: &[Finished]) -> Result<(), Failure> {
    println!();
    for Finished {
        name,
        outcome,
        took,
    } in finished
    {
        match outcome {
            Ok(()) => println!("  passed  {:>8}  {name}", shown(*took)),
            Err(failure) => println!("  FAILED  {:>8}  {name}: {failure}", shown(*took)),
        }
    }
    let failed = finished.iter().filter(|step| step.outcome.is_err()).count();
    println!("{} passed, {failed} failed", finished.len() - failed);
    if failed == 0 {
        Ok(())
    } else {
        Err(Failure::new("not every step passed"))
    }
}

fn shown(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn a_failed_step_does_not_keep_the_next_from_running() {
        let ran = Cell::new(false);
        let outcome = run_all(vec![
            Step::new("first", || Err(Failure::new("broken"))),
            Step::new("second", || {
                ran.set(true);
                Ok(())
            }),
        ]);
        assert!(ran.get());
        assert!(outcome.is_err());
    }

    #[test]
    fn steps_are_chosen_by_a_part_of_their_names() {
        let steps = || {
            ["conformance on host", "lints"]
                .map(|name| Step::new(name, || Ok(())))
                .into()
        };
        let names = |part| -> Vec<String> {
            let chosen = matching(steps(), part).unwrap();
            chosen.into_iter().map(|step| step.name).collect()
        };
        assert_eq!(names(Some("host")), ["conformance on host"]);
        assert_eq!(names(None).len(), 2);
        let failure = matching(steps(), Some("hots")).err().unwrap().to_string();
        assert!(
            failure.contains("`hots`") && failure.contains("conformance on host, lints"),
            "{failure}"
        );
    }

    #[test]
    fn all_passed_is_success() {
        assert!(run_all(vec![Step::new("only", || Ok(()))]).is_ok());
    }
}
