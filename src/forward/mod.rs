//! Forwarding: from a request that was let through to the answer of one upstream, or the reason there is none.
//!
//! [`plan`] says where a request would go, from the request alone. [`send`] walks the candidates: the walk itself is a
//! state machine without any I/O, `send` only carries out what it says.

mod limits;
mod outlier;
mod plan;
mod request;
mod ring;
mod send;
mod split;
mod upgrade;
mod walk;

use std::time::Duration;

pub use plan::{Plan, plan};
pub use send::{Errand, Exchange, Request, Sent, send};

use self::{
    limits::{Ledgers, Limits, Seats},
    outlier::{Outlier, Outliers},
    request::Shape,
    split::Split,
    walk::{Failover, Pace},
};
use crate::{
    config::{Code, Issues, Path, Reported, RouteDocument, bounds, upstream},
    headers::Edit,
    net::Upstream,
};

/// Where a route's requests go, and how persistently.
#[derive(Debug, Clone)]
pub struct Policy {
    /// In declared order; at least one.
    candidates: Vec<Upstream>,
    split: Option<Box<Split>>,
    shape: Shape,
    pace: Pace,
    failover: Failover,
    outlier: Outlier,
    limits: Limits,
    first_chunk_timeout: Duration,
    stream_idle_timeout: Duration,
}

/// What an isolate remembers between requests: candidates that failed, retries made, requests waiting for headers. All
/// of it is bounded, and an empty one is always right.
#[derive(Debug, Default)]
pub struct Memory {
    outliers: Outliers,
    ledgers: Ledgers,
    seats: Seats,
}

impl Policy {
    /// Compiles everything a route says about forwarding. `None` where it names no upstream, as a route that answers
    /// at the edge; that exactly one form of naming them is used is checked where blocks meet.
    pub fn compile(
        route: &RouteDocument,
        at: &Path<'_>,
        issues: &mut Issues,
    ) -> Result<Option<Self>, Reported> {
        let private_at = at.key("allowPrivateUpstream");
        let private = match route.allow_private_upstream {
            Some(false) => Err(issues.report(
                &private_at,
                Code::Value,
                "expected true; found false, which is what leaving it out means, so leave it out",
            )),
            Some(true) | None => Ok(()),
        };
        let candidates = candidates(route, at, issues);
        let shape = Shape::compile(route, at, issues);
        let pace = Pace::compile(route, at, issues);
        let failover = Failover::compile(route.failover.as_ref(), &at.key("failover"), issues);
        let outlier = Outlier::compile(route.outlier.as_ref(), &at.key("outlier"), issues);
        let limits = Limits::compile(route.limits.as_ref(), &at.key("limits"), issues);
        let first_chunk_timeout = bounds::millis(
            route.first_chunk_timeout_ms,
            1..=600_000,
            60_000,
            &at.key("firstChunkTimeoutMs"),
            issues,
        );
        let stream_idle_timeout = bounds::millis(
            route.stream_idle_timeout_ms,
            1..=600_000,
            60_000,
            &at.key("streamIdleTimeoutMs"),
            issues,
        );
        private?;
        let candidates = candidates?;
        let (shape, pace, failover) = (shape?, pace?, failover?);
        let (outlier, limits) = (outlier?, limits?);
        let (first_chunk_timeout, stream_idle_timeout) =
            (first_chunk_timeout?, stream_idle_timeout?);
        Ok(candidates.map(|(candidates, split)| Self {
            candidates,
            split,
            shape,
            pace,
            failover,
            outlier,
            limits,
            first_chunk_timeout,
            stream_idle_timeout,
        }))
    }

    /// The candidates in declared order.
    pub fn candidates(&self) -> &[Upstream] {
        &self.candidates
    }

    /// `firstChunkTimeoutMs` and `streamIdleTimeoutMs`: the longest waits for a body's first byte, and between two.
    pub fn stream_deadlines(&self) -> (Duration, Duration) {
        (self.first_chunk_timeout, self.stream_idle_timeout)
    }

    /// `totalTimeoutMs`: the longest wait for headers, over all attempts.
    pub fn total_timeout(&self) -> Duration {
        self.pace.total_timeout
    }

    /// The cookie that keeps a newly assigned caller on its upstream, to be added behind every other change to the
    /// response. `answered` is the authority that answered, or for a cached response the one planned.
    ///
    /// `None` on routes without `stickyBy`, and for callers who came with a cookie that still holds.
    pub fn sticky_cookie(&self, plan: &Plan, answered: &str) -> Option<Edit> {
        self.split
            .as_ref()
            .zip(plan.selection())
            .and_then(|(split, selection)| split.cookie(selection, answered))
    }
}

type Candidates = (Vec<Upstream>, Option<Box<Split>>);

/// Compiles whichever forms of naming upstreams are there, so that all their issues are found at once.
fn candidates(
    route: &RouteDocument,
    at: &Path<'_>,
    issues: &mut Issues,
) -> Result<Option<Candidates>, Reported> {
    let private = upstream::allows_private(route);
    let single = route
        .upstream
        .as_deref()
        .map(|text| upstream::compile(Some(text), private, &at.key("upstream"), issues))
        .transpose();
    let list = route
        .upstreams
        .as_deref()
        .map(|texts| list(texts, private, &at.key("upstreams"), issues))
        .transpose();
    let split = route
        .traffic_split
        .as_deref()
        .map(|entries| Split::compile(route, entries, at, issues))
        .transpose();
    let (single, list, split) = (single?, list?, split?);
    Ok(single
        .map(|upstream| (vec![upstream], None))
        .or(list.map(|list| (list, None)))
        .or(split.map(|(participants, split)| (participants, Some(Box::new(split))))))
}

fn list(
    texts: &[String],
    private: bool,
    at: &Path<'_>,
    issues: &mut Issues,
) -> Result<Vec<Upstream>, Reported> {
    let mut failed = count(texts.len(), at, issues).err();
    let mut compiled = Vec::with_capacity(texts.len());
    for (index, text) in texts.iter().enumerate() {
        match upstream::compile(Some(text), private, &at.index(index), issues) {
            Ok(upstream) => compiled.push(upstream),
            Err(reported) => failed = Some(reported),
        }
    }
    failed.map_or(Ok(compiled), Err)
}

/// Checks how many candidates a route names.
fn count(length: usize, at: &Path<'_>, issues: &mut Issues) -> Result<(), Reported> {
    match length {
        0 => Err(issues.report(
            at,
            Code::Required,
            "expected at least one upstream; found an empty list",
        )),
        1..=MOST_CANDIDATES => Ok(()),
        _ => Err(issues.report(
            at,
            Code::TooLarge,
            format!("expected at most {MOST_CANDIDATES} upstreams; found {length}"),
        )),
    }
}

const MOST_CANDIDATES: usize = 64;

#[cfg(test)]
mod tests;
