//! The driver: does what the walk says and tells it what came of it.

use super::{
    Memory, Plan, Policy,
    limits::{Full, RetryBudget, Seat},
    outlier::Mark,
    plan::Itinerary,
    upgrade,
    walk::{Attempted, End, Fate, Step, Terms, Walk},
};
use crate::{
    headers::HeaderEdits,
    message::{RequestHead, ResponseHead},
    net::Upstream,
    outcome::{Failure, LimitReason},
    platform::{Clock, Fetch, FetchError, Fetched},
    time::Timestamp,
};

/// A request to be forwarded.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// What the visitor asked.
    pub head: &'a RequestHead,
    /// The path to ask for, in front of which each candidate's base path is put; what the route strips is stripped.
    pub path: &'a str,
    /// The route's label, under which an isolate remembers.
    pub label: &'a str,
    /// The request's id.
    pub request_id: &'a str,
    /// Headers taken over from a delegated authentication's verdict.
    pub auth: &'a HeaderEdits,
    /// Who wants the answer.
    pub errand: Errand,
}

/// Who wants the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Errand {
    /// The visitor, who may leave.
    Visitor,
    /// The cache, behind a response that was sent already. Nobody is turned away for its sake, so `limits` neither
    /// count nor hold it back.
    Refresh,
}

/// How a walk went.
#[derive(Debug)]
pub struct Sent<R> {
    /// The answer, or why there is none.
    pub result: Result<Exchange<R>, Failure>,
    /// Requests sent, the first included.
    pub attempts: u32,
    /// Authority that answered, or the last one tried, or the one a seat was refused at.
    pub upstream: String,
    /// Candidates that were passed over because they failed lately.
    pub ejected: Vec<String>,
    /// Which fuse held the request back.
    pub limit_reason: Option<LimitReason>,
}

/// An upstream's answer.
#[derive(Debug)]
pub struct Exchange<R> {
    /// Status and headers.
    pub head: ResponseHead,
    /// Whether there is a body.
    pub has_body: bool,
    /// The response itself.
    pub response: R,
    /// Who answered.
    pub candidate: Upstream,
    /// Whether this is the 101 of a WebSocket, which is passed on as it is.
    pub upgraded: bool,
}

/// Sends a request to one candidate after the other until the walk ends.
pub async fn send<P: Fetch + Clock>(
    policy: &Policy,
    plan: &Plan,
    request: Request<'_>,
    memory: &Memory,
    platform: &P,
) -> Sent<P::Response> {
    let now = platform.now();
    let Itinerary {
        stops,
        ejected,
        replayable,
    } = Itinerary::new(
        policy,
        *plan,
        request.head,
        request.label,
        &memory.outliers,
        now,
    );
    let authorities: Vec<&str> = stops.iter().map(|stop| stop.authority()).collect();
    let first = authorities.first().copied().unwrap_or_default();
    // The seat is kept until headers are there, so it lives as long as this function, or its lease.
    let Ok(_seat) = seat(policy, request, first, memory, now) else {
        return Sent {
            result: Err(Failure::InFlightLimit),
            attempts: 0,
            upstream: first.to_owned(),
            ejected,
            limit_reason: Some(LimitReason::InFlight),
        };
    };
    let ratio = match request.errand {
        Errand::Visitor => policy.limits.retry_ratio,
        Errand::Refresh => None,
    };
    if ratio.is_some() {
        memory.ledgers.count_request(request.label, now);
    }

    let failover = (policy.candidates.len() > 1).then_some(&policy.failover);
    let terms = Terms {
        pace: policy.pace,
        failover,
        stops: &authorities,
    };
    let mut walk = Walk::new(terms, now);
    let mut held = Held {
        platform,
        exchange: None,
    };
    let mut tried = first;
    let end = loop {
        let now = platform.now();
        let budget = ratio.map_or(RetryBudget::Open, |ratio| {
            memory.ledgers.budget(request.label, ratio, now)
        });
        let (upstream, budget) = match walk.next(now, budget) {
            Step::Done(end) => break end,
            Step::Pause(pause) => {
                platform.sleep(pause).await;
                continue;
            }
            Step::Attempt {
                stop,
                budget,
                again,
            } => {
                if again && ratio.is_some() {
                    memory.ledgers.count_retry(request.label, now);
                }
                match stops.get(stop) {
                    Some(upstream) => (*upstream, budget),
                    None => break End::Failed(Failure::Unreachable),
                }
            }
        };
        tried = upstream.authority();
        let fetched = platform
            .fetch(policy.shape.call(request, upstream, budget))
            .await;
        let attempted = attempted(&fetched, policy.shape.max_body_bytes);
        if failover.is_some() {
            let mark = match walk.mark(&attempted) {
                // One attempt is all a request gets that cannot be repeated; nothing was spared by skipping it.
                Mark::Failure if !replayable => Mark::Neither,
                mark => mark,
            };
            memory
                .outliers
                .note(policy.outlier, request.label, tried, mark, platform.now());
        }
        match (walk.record(attempted), fetched) {
            (Fate::Deliver | Fate::Keep, Ok(fetched)) => {
                held.hold(exchange(fetched, upstream));
            }
            (Fate::Nothing, _) | (_, Err(_)) => {}
        }
    };

    let attempts = u32::try_from(walk.attempts()).unwrap_or(u32::MAX);
    let limit_reason = walk.was_denied().then_some(LimitReason::RetryBudget);
    let result = match end {
        End::Answered | End::Fallback => held.exchange.take().ok_or(Failure::Unreachable),
        End::Failed(failure) => Err(failure),
    };
    let upstream = match &result {
        Ok(exchange) => exchange.candidate.authority(),
        Err(_) => tried,
    }
    .to_owned();
    Sent {
        result,
        attempts,
        upstream,
        ejected,
        limit_reason,
    }
}

/// Takes a seat where the route caps them.
fn seat<'m>(
    policy: &Policy,
    request: Request<'_>,
    authority: &str,
    memory: &'m Memory,
    now: Timestamp,
) -> Result<Option<Seat<'m>>, Full> {
    let (Some(most), Errand::Visitor) = (policy.limits.max_in_flight, request.errand) else {
        return Ok(None);
    };
    memory
        .seats
        .take(
            request.label,
            authority,
            most,
            policy.pace.total_timeout,
            now,
        )
        .map(Some)
}

/// The answer to be delivered unless a better one comes. Whatever is replaced, or left when the walk is given up, has
/// its connection ended.
struct Held<'p, P: Fetch> {
    platform: &'p P,
    exchange: Option<Exchange<P::Response>>,
}

impl<P: Fetch> Held<'_, P> {
    fn hold(&mut self, exchange: Exchange<P::Response>) {
        if let Some(older) = self.exchange.replace(exchange) {
            self.platform.discard(older.response);
        }
    }
}

impl<P: Fetch> Drop for Held<'_, P> {
    fn drop(&mut self) {
        if let Some(left) = self.exchange.take() {
            self.platform.discard(left.response);
        }
    }
}

fn exchange<R>(fetched: Fetched<R>, upstream: &Upstream) -> Exchange<R> {
    let Fetched {
        head,
        has_body,
        response,
    } = fetched;
    Exchange {
        upgraded: upgrade::is_socket(&head),
        head,
        has_body,
        response,
        candidate: upstream.clone(),
    }
}

fn attempted<R>(
    fetched: &Result<Fetched<R>, FetchError>,
    max_body_bytes: Option<u64>,
) -> Attempted {
    match fetched {
        Ok(fetched) => Attempted::Answered(fetched.head.status),
        Err(FetchError::TimedOut) => Attempted::TimedOut,
        Err(FetchError::Unreachable) => Attempted::Unreachable,
        Err(FetchError::VisitorLeft) => Attempted::Ended(Failure::ClientClosed),
        Err(FetchError::BodyTooLarge) => Attempted::Ended(Failure::BodyTooLarge {
            max_body_bytes: max_body_bytes.unwrap_or_default(),
        }),
    }
}

#[cfg(test)]
mod tests;
