//! The flow: look, wait, ask, store, refresh. What to do is decided elsewhere; here it is done in order.

use std::{future::Future, pin::pin, rc::Rc, time::Duration};

use futures_util::future::{Either, select};
use http::{Method, StatusCode};

use super::{
    Memory, Policy, entry,
    freshness::{Freshness, Windows},
    key::{self, Variant},
    lock::{LONGEST_PAUSE, Lead, RENEWAL, Turn},
};
use crate::{
    headers::HeaderEdits,
    message::{RequestHead, ResponseHead},
    outcome::{CacheReason, CacheStatus, Failure},
    platform::{Background, BodyPlan, Clock, Deliver, Delivery, Fetched, ResponseStore, shelf},
    time::Timestamp,
};

/// Why the upstream is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asking {
    /// For the visitor: the request takes no part in caching.
    Bypass,
    /// For the visitor: nothing usable was stored.
    Miss,
    /// For the store, behind a response that was sent already. The visitor's conditions (`If-None-Match` and the like)
    /// are not the store's, and the visitor may be gone.
    Refresh,
}

/// An upstream's answer, ready to be delivered.
#[derive(Debug)]
pub struct Filled<R, X> {
    /// What the upstream sent.
    pub upstream: ResponseHead,
    /// How that becomes the visitor's response, the same for every visitor: rewriting and the route's own header rules.
    /// What belongs to one request (its id, cookies, cross-origin headers) is added later.
    pub delivery: Delivery<R>,
    /// Passed through untouched.
    pub facts: X,
}

/// The upstream was asked in vain.
#[derive(Debug)]
pub struct Failed<X> {
    /// What happened.
    pub failure: Failure,
    /// Passed through untouched.
    pub facts: X,
}

/// What a visitor is served.
#[derive(Debug)]
pub struct Served<R, X> {
    /// What the cache did.
    pub cache: CacheStatus,
    /// Why the cache took no part, or did not store the answer.
    pub reason: Option<CacheReason>,
    /// Where the response comes from.
    pub source: Source<R, X>,
}

/// Where a response comes from.
#[derive(Debug)]
pub enum Source<R, X> {
    /// An upstream answered.
    Upstream {
        /// The response; its edits may be added to.
        delivery: Delivery<R>,
        /// What came with the answer.
        facts: X,
    },
    /// A stored copy.
    Store {
        /// The response; its edits may be added to.
        delivery: Delivery<R>,
        /// Its status.
        status: StatusCode,
        /// What came of asking the upstream, where that was tried first and failed.
        facts: Option<X>,
    },
    /// Nobody answered.
    Failed(Failed<X>),
}

/// Serves a request from the store, or from the upstream by way of the store.
///
/// `fill` asks the upstream, at most once for the visitor and once for a refresh. Its future may outlive the request:
/// a refresh runs behind the response.
pub async fn serve<P, X, Filling>(
    policy: &Policy,
    variant: Variant<'_>,
    head: &RequestHead,
    memory: &Memory,
    platform: &P,
    fill: impl Fn(Asking) -> Filling,
) -> Served<P::Response, X>
where
    P: Clock + ResponseStore + Deliver + Background + Clone + 'static,
    X: 'static,
    Filling: Future<Output = Result<Filled<P::Response, X>, Failed<X>>> + 'static,
{
    if let Err(reason) = policy.eligible(head) {
        let source = match fill(Asking::Bypass).await {
            Ok(Filled {
                delivery, facts, ..
            }) => Source::Upstream { delivery, facts },
            Err(failed) => Source::Failed(failed),
        };
        return Served {
            cache: CacheStatus::Bypass,
            reason: Some(reason),
            source,
        };
    }
    let errand = Errand {
        policy,
        method: &head.method,
        key: key::address(&policy.key, head, variant),
        memory,
        platform,
        fill,
    };
    if let Some(served) = errand.look().await {
        return served;
    }
    let turn = errand.turn().await;
    if turn.look_again
        && let Some(served) = errand.look().await
    {
        if let Some(lead) = turn.lead {
            memory.finish(&lead, platform.now());
        }
        return served;
    }
    errand.ask(turn.lead).await
}

/// One eligible request on its way.
struct Errand<'a, P, Fill> {
    policy: &'a Policy,
    method: &'a Method,
    key: String,
    memory: &'a Memory,
    platform: &'a P,
    fill: Fill,
}

/// How a request's turn came.
struct Turned {
    /// Whether it asks for others too.
    lead: Option<Lead>,
    /// Whether another has asked meanwhile. A leader ends its lead once its answer is stored, so that is where to look.
    look_again: bool,
}

impl<P, X, Fill, Filling> Errand<'_, P, Fill>
where
    P: Clock + ResponseStore + Deliver + Background + Clone + 'static,
    X: 'static,
    Fill: Fn(Asking) -> Filling,
    Filling: Future<Output = Result<Filled<P::Response, X>, Failed<X>>> + 'static,
{
    /// A stored copy that is good enough as it is; a stale one is refreshed behind the response.
    async fn look(&self) -> Option<Served<P::Response, X>> {
        if let Some(served) = self.kept() {
            return Some(served);
        }
        let (copy, stored_at, freshness) = self.look_up().await?;
        let cache = match freshness {
            Freshness::Fresh => return self.fresh(copy, stored_at).await,
            Freshness::Stale => {
                self.refresh();
                CacheStatus::Stale
            }
            // It is let go rather than held while the upstream is asked: an unread body keeps a connection.
            Freshness::OnError | Freshness::Gone => {
                self.platform.discard(copy.response);
                return None;
            }
        };
        Some(self.copy(cache, copy, stored_at, None))
    }

    /// A copy in memory, while it is fresh. Once it is not, another isolate may have stored a newer one.
    fn kept(&self) -> Option<Served<P::Response, X>> {
        let now = self.platform.now();
        let copy = self.platform.shelf()?.copy(&self.key, now)?;
        let age = now.since(copy.stored_at);
        let windows = self.policy.windows(copy.head.status)?;
        (windows.judge(age) == Freshness::Fresh).then(|| self.remade(&copy, age))
    }

    fn remade(&self, copy: &shelf::Copy<P::Kept>, age: Duration) -> Served<P::Response, X> {
        Served {
            cache: CacheStatus::Hit,
            reason: None,
            source: Source::Store {
                status: copy.head.status,
                delivery: Delivery {
                    response: self.platform.remake(&copy.body),
                    status: None,
                    edits: entry::restored(&copy.head, self.method, age),
                    body: BodyPlan::Remade,
                },
                facts: None,
            },
        }
    }

    /// A fresh copy of the store, kept in memory where it is asked for often.
    async fn fresh(
        &self,
        copy: Fetched<P::Response>,
        stored_at: Timestamp,
    ) -> Option<Served<P::Response, X>> {
        let now = self.platform.now();
        let kept = shelf::keepable(self.method, &copy.head, copy.has_body)
            .zip(self.platform.shelf())
            .filter(|(length, shelf)| shelf.takes(&self.key, *length, now));
        let Some((length, shelf)) = kept else {
            return Some(self.copy(CacheStatus::Hit, copy, stored_at, None));
        };
        // One whose body breaks off is none.
        let body = self.platform.keep(copy.response).await?;
        let copy = Rc::new(shelf::Copy {
            head: copy.head,
            stored_at,
            length,
            body,
        });
        shelf.put(&self.key, Rc::clone(&copy), now);
        // It was fresh when it was found, however long reading it took.
        let age = self.platform.now().since(stored_at);
        Some(self.remade(&copy, age))
    }

    /// Whatever copy may still stand in for an upstream that failed.
    async fn stand_in(&self) -> Option<(CacheStatus, Fetched<P::Response>, Timestamp)> {
        let (copy, stored_at, freshness) = self.look_up().await?;
        let cache = match freshness {
            Freshness::Fresh => CacheStatus::Hit,
            Freshness::Stale => CacheStatus::Stale,
            Freshness::OnError => CacheStatus::StaleError,
            Freshness::Gone => {
                self.platform.discard(copy.response);
                return None;
            }
        };
        Some((cache, copy, stored_at))
    }

    async fn look_up(&self) -> Option<(Fetched<P::Response>, Timestamp, Freshness)> {
        let copy = self.platform.lookup(&self.key).await?;
        let judged = entry::stored_at(&copy.head).zip(self.policy.windows(copy.head.status));
        let Some((stored_at, windows)) = judged else {
            self.platform.discard(copy.response);
            return None;
        };
        let age = self.platform.now().since(stored_at);
        Some((copy, stored_at, windows.judge(age)))
    }

    fn copy(
        &self,
        cache: CacheStatus,
        copy: Fetched<P::Response>,
        stored_at: Timestamp,
        facts: Option<X>,
    ) -> Served<P::Response, X> {
        let age = self.platform.now().since(stored_at);
        Served {
            cache,
            reason: None,
            source: Source::Store {
                status: copy.head.status,
                delivery: Delivery {
                    response: copy.response,
                    status: None,
                    edits: entry::restored(&copy.head, self.method, age),
                    body: BodyPlan::Untouched,
                },
                facts,
            },
        }
    }

    /// Waits until it is this request's turn to ask the upstream, for everybody or for itself alone.
    async fn turn(&self) -> Turned {
        let mut turn = Turned {
            lead: None,
            look_again: false,
        };
        if !self.policy.lock_misses {
            return turn;
        }
        let give_up = self.platform.now() + self.policy.longest_wait;
        let mut pause = LONGEST_PAUSE / 16;
        loop {
            let now = self.platform.now();
            match self.memory.turn(&self.key, now) {
                Turn::Lead(lead) => {
                    turn.lead = Some(lead);
                    return turn;
                }
                Turn::Wait if now < give_up => {
                    turn.look_again = true;
                    self.platform.sleep(pause).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                Turn::Wait | Turn::Alone => {
                    turn.look_again = true;
                    return turn;
                }
            }
        }
    }

    /// Asks the upstream, and stores the answer where that is allowed.
    async fn ask(&self, lead: Option<Lead>) -> Served<P::Response, X> {
        let leading = Leading {
            lead,
            memory: self.memory.clone(),
            platform: self.platform.clone(),
        };
        let Filled {
            upstream,
            delivery,
            facts,
        } = match leading.during((self.fill)(Asking::Miss)).await {
            Ok(filled) => filled,
            Err(failed) => {
                // A visitor who left says nothing about the upstream, so that another may lead in its place.
                if failed.failure == Failure::ClientClosed {
                    leading.give_up();
                } else {
                    leading.finish();
                }
                return self.despite(failed).await;
            }
        };
        if self.policy.covers_status(upstream.status)
            && let Some((cache, copy, stored_at)) = self.stand_in().await
        {
            leading.finish();
            self.platform.discard(delivery.response);
            return self.copy(cache, copy, stored_at, Some(facts));
        }
        let status = delivery.status.unwrap_or(upstream.status);
        let (delivery, reason) = match self.policy.storable(&upstream, status, &delivery.edits) {
            Ok(windows) => {
                let delivery = self.store(leading, &upstream, delivery, &windows).await;
                (delivery, None)
            }
            Err(reason) => {
                leading.finish();
                (delivery, Some(reason))
            }
        };
        Served {
            cache: CacheStatus::Miss,
            reason,
            source: Source::Upstream { delivery, facts },
        }
    }

    /// A failure, or the copy that stands in for it.
    async fn despite(&self, failed: Failed<X>) -> Served<P::Response, X> {
        if self.policy.covers_failure(&failed.failure)
            && let Some((cache, copy, stored_at)) = self.stand_in().await
        {
            return self.copy(cache, copy, stored_at, Some(failed.facts));
        }
        Served {
            cache: CacheStatus::Miss,
            reason: None,
            source: Source::Failed(failed),
        }
    }

    /// Stores a copy behind the response and gives back the visitor's own. Both are fed from one body: the visitor
    /// never waits for the store, and one who leaves does not end the storing.
    async fn store(
        &self,
        leading: Leading<P>,
        upstream: &ResponseHead,
        delivery: Delivery<P::Response>,
        windows: &Windows,
    ) -> Delivery<P::Response> {
        let stamp = entry::stamped(upstream, &delivery.edits, windows, self.platform.now());
        let (visitors, copy) = self
            .platform
            .tee(self.platform.deliver(delivery.kept()).await);
        let (key, platform) = (self.key.clone(), self.platform.clone());
        self.platform.wait_until(async move {
            leading.during(put(&platform, &key, copy, stamp)).await;
            leading.finish();
        });
        Delivery {
            response: visitors,
            status: None,
            edits: HeaderEdits::default(),
            body: BodyPlan::Untouched,
        }
    }

    /// Fetches a new copy behind the response, unless that is under way. An answer that may not be stored leaves the
    /// old copy where it is, for the next visitor to try again.
    fn refresh(&self) {
        let Some(lead) = self.memory.refresh(&self.key, self.platform.now()) else {
            return;
        };
        let leading = Leading {
            lead: Some(lead),
            memory: self.memory.clone(),
            platform: self.platform.clone(),
        };
        let (key, policy) = (self.key.clone(), self.policy.clone());
        let filling = (self.fill)(Asking::Refresh);
        self.platform.wait_until(async move {
            let platform = &leading.platform;
            if let Ok(filled) = leading.during(filling).await {
                let Filled {
                    upstream, delivery, ..
                } = filled;
                let status = delivery.status.unwrap_or(upstream.status);
                match policy.storable(&upstream, status, &delivery.edits) {
                    Ok(windows) => {
                        let stamp =
                            entry::stamped(&upstream, &delivery.edits, &windows, platform.now());
                        let copy = platform.deliver(delivery.kept()).await;
                        leading.during(put(platform, &key, copy, stamp)).await;
                    }
                    Err(_) => platform.discard(delivery.response),
                }
            }
            leading.finish();
        });
    }
}

/// Puts a new copy into the store, and takes away the one in memory.
async fn put<P: ResponseStore>(platform: &P, key: &str, copy: P::Response, stamp: HeaderEdits) {
    platform.store(key, copy, stamp).await;
    if let Some(shelf) = platform.shelf() {
        shelf.clear(key);
    }
}

/// A lead in use, or its absence.
struct Leading<P> {
    lead: Option<Lead>,
    memory: Memory,
    platform: P,
}

impl<P: Clock> Leading<P> {
    /// Carries work out, renewing the lead for as long as it takes. Work that is never carried on lets the lead lapse.
    async fn during<T>(&self, work: impl Future<Output = T>) -> T {
        let Some(lead) = &self.lead else {
            return work.await;
        };
        let mut work = pin!(work);
        loop {
            match select(work.as_mut(), pin!(self.platform.sleep(RENEWAL))).await {
                Either::Left((done, _)) => return done,
                Either::Right(((), _)) => self.memory.renew(lead, self.platform.now()),
            }
        }
    }

    /// Tells those who wait that there is nothing more to wait for.
    fn finish(&self) {
        if let Some(lead) = &self.lead {
            self.memory.finish(lead, self.platform.now());
        }
    }

    /// Leaves the lead to another.
    fn give_up(&self) {
        if let Some(lead) = &self.lead {
            self.memory.give_up(lead);
        }
    }
}

#[cfg(test)]
#[cfg(feature = "test-util")]
mod tests;
