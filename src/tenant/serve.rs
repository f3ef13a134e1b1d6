//! A page from its copy or from the origin: what a visitor gets while the origin is well, slow, or gone.
//!
//! A fresh copy is the answer. Anything else is asked of the origin, and a stale copy stands in only where that fails:
//! it is never shown ahead of a refresh, and never in answer to a write.

use http::{Method, StatusCode};

use super::{
    Admission, Breaker, EdgeSecret, Freshness, Kind, Origin, TenantId, allowlist, copy, trusted,
};
use crate::{
    headers::HeaderEdits,
    matching::Subject,
    message::ResponseHead,
    platform::{
        Background, BodyPlan, Clock, Deliver, Delivery, FetchError, Fetched, ResponseStore,
    },
    request_id::RequestId,
};

/// What a visitor is given.
#[derive(Debug)]
pub struct Served<R> {
    /// How the response is made.
    pub delivery: Delivery<R>,
    /// Its status.
    pub status: StatusCode,
    /// Whether it is a copy that stands in for the origin. Nothing on the response says so: the mark is of this one
    /// delivery, and a header of the edge's own is not shown.
    pub stale: bool,
}

/// Why there is nothing to give.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotServed {
    /// The origin has failed too often just now, and is left alone.
    #[error("the origin failed several times in a row and is left alone for a while")]
    Open,
    /// The origin sent no headers in time.
    #[error("the origin did not answer within {} ms", .0.budget().as_millis())]
    TimedOut(Kind),
    /// There was no connection to the origin, or it broke.
    #[error("the origin cannot be reached")]
    Unreachable,
    /// The visitor hung up while the origin was asked.
    #[error("the visitor left")]
    VisitorLeft,
}

/// One request whose tenant is known.
#[derive(Debug)]
pub(super) struct Errand<'a, 's> {
    pub(super) subject: &'a Subject<'s>,
    pub(super) tenant: &'a TenantId,
    pub(super) origin: &'a Origin,
    pub(super) secret: &'a EdgeSecret,
    pub(super) id: &'a RequestId,
}

/// Serves a request.
pub(super) async fn serve<P>(
    errand: &Errand<'_, '_>,
    breaker: &Breaker,
    platform: &P,
) -> Result<Served<P::Response>, NotServed>
where
    P: Clock + Deliver + ResponseStore + Background + Clone + 'static,
{
    let kind = Kind::of(&errand.subject.head().method);
    let stale = match kind {
        Kind::Read => match errand.look_up(platform).await {
            Some((copy, Freshness::Fresh)) => return Ok(errand.copy(copy, false, platform)),
            found => found.map(|(copy, _)| copy),
        },
        Kind::Write => None,
    };
    let Admission::Admitted(attempt) = breaker.admit(platform.now(), kind.budget()) else {
        return errand.stand_in(stale, NotServed::Open, platform);
    };
    let call = trusted::call(
        errand.subject,
        errand.origin,
        errand.secret,
        errand.tenant,
        errand.id,
    );
    let failure = match platform.fetch(call).await {
        Ok(answer) if answer.head.status.as_u16() < 500 => {
            breaker.succeeded();
            if let Some(copy) = stale {
                platform.discard(copy.response);
            }
            return Ok(errand.answer(answer, platform));
        }
        Ok(answer) => {
            breaker.failed(attempt, platform.now());
            // What an origin says of its own failure is better than what the edge could say.
            return Ok(match stale {
                Some(copy) => {
                    platform.discard(answer.response);
                    errand.copy(copy, true, platform)
                }
                None => errand.delivered(answer),
            });
        }
        Err(FetchError::VisitorLeft) => {
            breaker.abandoned(attempt);
            if let Some(copy) = stale {
                platform.discard(copy.response);
            }
            return Err(NotServed::VisitorLeft);
        }
        Err(FetchError::TimedOut) => NotServed::TimedOut(kind),
        // No upload is capped here, so the last is not to be had.
        Err(FetchError::Unreachable | FetchError::BodyTooLarge) => NotServed::Unreachable,
    };
    breaker.failed(attempt, platform.now());
    errand.stand_in(stale, failure, platform)
}

impl Errand<'_, '_> {
    /// The copy of what is asked for, and what it is good for.
    ///
    /// A `HEAD` is answered from the copy of the page, without the body. The key is the whole address, so neither hosts
    /// nor queries share, and a copy that was stored under another tenant is none.
    async fn look_up<P: Clock + ResponseStore>(
        &self,
        platform: &P,
    ) -> Option<(Fetched<P::Response>, Freshness)> {
        let copy = platform.lookup(self.key()).await?;
        match copy::judge(&copy.head.headers, self.tenant, platform.now()) {
            Freshness::Foreign => {
                platform.discard(copy.response);
                None
            }
            freshness => Some((copy, freshness)),
        }
    }

    fn key(&self) -> &str {
        self.subject.head().url.as_str()
    }

    /// The stale copy, or else the reason for which it was wanted.
    fn stand_in<P: Clock + Deliver>(
        &self,
        stale: Option<Fetched<P::Response>>,
        otherwise: NotServed,
        platform: &P,
    ) -> Result<Served<P::Response>, NotServed> {
        stale
            .map(|copy| self.copy(copy, true, platform))
            .ok_or(otherwise)
    }

    fn copy<P: Clock + Deliver>(
        &self,
        copy: Fetched<P::Response>,
        stale: bool,
        platform: &P,
    ) -> Served<P::Response> {
        let mut edits = copy::restored(&copy.head.headers, platform.now());
        edits.extend(&self.public(&copy.head));
        let body = if self.subject.head().method == Method::HEAD {
            BodyPlan::Dropped
        } else {
            BodyPlan::Untouched
        };
        Served {
            status: copy.head.status,
            delivery: Delivery {
                response: copy.response,
                status: None,
                edits,
                body,
            },
            stale,
        }
    }

    /// The origin's answer, of which a copy is stored behind the response if it may be.
    fn answer<P>(&self, mut answer: Fetched<P::Response>, platform: &P) -> Served<P::Response>
    where
        P: Clock + Deliver + ResponseStore + Background + Clone + 'static,
    {
        if self.subject.head().method == Method::GET && copy::storable(&answer.head).is_ok() {
            let stamp = copy::stamped(&answer.head, self.tenant, platform.now());
            let (visitors, copy) = platform.tee(answer.response);
            answer.response = visitors;
            let (key, behind) = (self.key().to_owned(), platform.clone());
            platform.wait_until(async move {
                behind.store(&key, copy, stamp).await;
            });
        }
        self.delivered(answer)
    }

    fn delivered<R>(&self, answer: Fetched<R>) -> Served<R> {
        Served {
            status: answer.head.status,
            delivery: Delivery {
                response: answer.response,
                status: None,
                edits: self.public(&answer.head),
                body: BodyPlan::Untouched,
            },
            stale: false,
        }
    }

    fn public(&self, head: &ResponseHead) -> HeaderEdits {
        allowlist::public(&head.headers, self.id)
    }
}

#[cfg(test)]
#[cfg(feature = "test-util")]
mod tests;
