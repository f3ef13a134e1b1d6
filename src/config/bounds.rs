//! Numbers with bounds: every block reads them through here, so that one that is out of bounds is told alike.

use std::{ops::RangeInclusive, time::Duration};

use super::{Code, Issues, Path, Reported};

/// A whole number within `bounds`, or `default` where none is stated.
pub fn whole(
    stated: Option<u64>,
    bounds: RangeInclusive<u64>,
    default: u64,
    at: &Path<'_>,
    issues: &mut Issues,
) -> Result<u64, Reported> {
    match stated {
        None => Ok(default),
        Some(number) if bounds.contains(&number) => Ok(number),
        Some(number) => Err(issues.report(
            at,
            Code::Range,
            format!(
                "expected a whole number from {} to {}; found {number}",
                bounds.start(),
                bounds.end()
            ),
        )),
    }
}

/// The same for a number of milliseconds.
pub fn millis(
    stated: Option<u64>,
    bounds: RangeInclusive<u64>,
    default: u64,
    at: &Path<'_>,
    issues: &mut Issues,
) -> Result<Duration, Reported> {
    whole(stated, bounds, default, at, issues).map(Duration::from_millis)
}
