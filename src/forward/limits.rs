//! Two fuses over what one isolate may add to an upstream's load: a share of requests that may be retries, and a number
//! of requests that may wait for headers at once. Nothing is coordinated between isolates.

mod ledgers;
mod seats;

pub(super) use self::{
    ledgers::{Ledgers, RetryBudget},
    seats::{Full, Seat, Seats},
};
use crate::config::{Code, Issues, Path, Reported, bounds, document};

/// A compiled `limits` block; what is absent is unbounded.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Limits {
    /// Largest share of recent requests that may be retries.
    pub(super) retry_ratio: Option<f64>,
    /// Most requests that wait for headers of one upstream at once.
    pub(super) max_in_flight: Option<usize>,
}

impl Limits {
    pub(super) fn compile(
        stated: Option<&document::Limits>,
        at: &Path<'_>,
        issues: &mut Issues,
    ) -> Result<Self, Reported> {
        let document::Limits {
            retry_ratio,
            max_in_flight,
        } = stated.cloned().unwrap_or_default();
        let retry_ratio = match retry_ratio {
            Some(ratio) if !(0.0..=1.0).contains(&ratio) => Err(issues.report(
                &at.key("retryRatio"),
                Code::Range,
                format!("expected a share from 0 to 1, such as 0.2 for one retry in five requests; found {ratio}"),
            )),
            ratio => Ok(ratio),
        };
        let max_in_flight = max_in_flight
            .map(|most| bounds::whole(Some(most), 1..=10_000, 1, &at.key("maxInFlight"), issues))
            .transpose();
        Ok(Self {
            retry_ratio: retry_ratio?,
            max_in_flight: max_in_flight?.map(|most| usize::try_from(most).unwrap_or(usize::MAX)),
        })
    }
}
