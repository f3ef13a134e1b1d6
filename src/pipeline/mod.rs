//! The life of a request, step by step. Each step's place has a reason, which stands beside it.

mod origin;

use std::{rc::Rc, time::Duration};

use http::{HeaderName, HeaderValue, StatusCode};

use self::origin::{Account, AnswerAccount, Origin};
use crate::{
    answer,
    body::{Pending, pending},
    cache::{self, Asking, Failed, Filled, Served, Source, Variant},
    event::{Facts, ProxyEvent},
    forward::{self, Plan},
    guards::{self, Admitted, Relayed, Stop},
    headers::HeaderEdits,
    isolate::Isolate,
    matching::Subject,
    message::{Answer, RequestHead},
    mirror,
    outcome::{
        CacheReason, CacheStatus, Failure, GuardReason, MirrorOutcome, MirrorReport, Outcome,
        Refusal, SkipReason,
    },
    platform::{Delivery, Platform},
    request_id::{self, RequestId, X_REQUEST_ID},
    table::{Action, Caching, Forward, Route, RouteTable},
    time::Timestamp,
};

/// Answers a request, or gives `None` where no route takes it. `report` hears of each proxied request once, when its
/// response is decided.
pub async fn handle<P: Platform>(
    table: &RouteTable,
    head: &Rc<RequestHead>,
    isolate: &Rc<Isolate>,
    platform: &P,
    report: &dyn Fn(ProxyEvent),
) -> Option<P::Response> {
    // Find.
    let subject = Subject::new(head);
    let route = table.find(&subject)?;

    // Identify, before anything can refuse: a refusal is a line in the log too.
    let id = request_id::resolve(&route.request_id, head, || platform.random());
    let journey = Journey {
        route,
        subject,
        head,
        id,
        started: platform.now(),
        isolate,
        platform,
        report,
    };

    // Plan, before the guards, because a refusal is reported under the upstream the request was meant for.
    let plan = match &route.action {
        Action::Forward(forward) => Some(forward::plan(&forward.upstream, head)),
        Action::Respond(_) => None,
    };

    // Admit.
    let admitted = match journey.admit().await {
        Ok(admitted) => admitted,
        Err(stop) => return Some(journey.stopped(stop, plan).await),
    };

    // Answer, or forward.
    Some(match &route.action {
        Action::Respond(policy) => journey.respond(policy, admitted),
        Action::Forward(forward) => {
            let plan = plan.unwrap_or_else(|| forward::plan(&forward.upstream, head));
            journey.forward(forward, plan, admitted).await
        }
    })
}

/// One request on its way.
struct Journey<'a, P: Platform> {
    route: &'a Rc<Route>,
    subject: Subject<'a>,
    head: &'a Rc<RequestHead>,
    id: RequestId,
    started: Timestamp,
    isolate: &'a Rc<Isolate>,
    platform: &'a P,
    report: &'a dyn Fn(ProxyEvent),
}

/// A forwarded request's last leg: what is known before its response is made.
struct Leg<'r> {
    forward: &'r Forward,
    plan: Plan,
    facts: Facts,
    mirror: Option<Pending<MirrorReport>>,
    cached: Option<Cached>,
}

/// What the cache did, and why it did no more.
#[derive(Clone, Copy)]
struct Cached {
    status: CacheStatus,
    reason: Option<CacheReason>,
}

impl<P: Platform> Journey<'_, P> {
    async fn admit(&self) -> Result<Admitted, Stop<P::Response>> {
        let path = self.subject.plainest();
        let request = guards::Request {
            head: self.head,
            path: &path,
            label: self.route.label(),
            request_id: self.id.as_str(),
        };
        guards::admit(
            &self.route.guards,
            &request,
            &self.isolate.guards,
            self.platform,
        )
        .await
    }

    async fn stopped(&self, stop: Stop<P::Response>, plan: Option<Plan>) -> P::Response {
        let facts = self.facts(plan);
        match stop {
            // A preflight is a question about a request, not one.
            Stop::Preflight(answer) => self.made(*answer, &HeaderEdits::default()),
            Stop::Refused(refusal) => {
                let answer = answer::refused(&refusal, &self.head.method);
                let auth = matches!(refusal, Refusal::ForwardAuthUnavailable)
                    .then(|| self.route.guards.auth_authority())
                    .flatten();
                self.tell(Facts {
                    outcome: Outcome::Refused,
                    guard_reason: Some(refusal.reason()),
                    binding: refusal.binding().map(str::to_owned),
                    status: answer.status.as_u16(),
                    upstream: auth.map_or(facts.upstream, str::to_owned),
                    ..facts
                });
                self.made(answer, &HeaderEdits::default())
            }
            Stop::Relayed(relayed) => {
                let Relayed {
                    mut delivery,
                    status,
                    auth_duration,
                } = *relayed;
                self.tell(Facts {
                    outcome: Outcome::Refused,
                    guard_reason: Some(GuardReason::ForwardAuth),
                    status: status.as_u16(),
                    upstream: self
                        .route
                        .guards
                        .auth_authority()
                        .unwrap_or_default()
                        .to_owned(),
                    auth_duration_ms: Some(millis(auth_duration)),
                    ..facts
                });
                delivery.edits.set(X_REQUEST_ID, self.id.header_value());
                self.platform.deliver(delivery).await
            }
            Stop::VisitorLeft => {
                let failure = Failure::ClientClosed;
                let pages = answer::error_page::Policy::default();
                let answer = answer::failed(&failure, &pages, &self.head.method);
                self.tell(Facts {
                    outcome: failure.outcome(),
                    status: answer.status.as_u16(),
                    ..facts
                });
                self.made(answer, &HeaderEdits::default())
            }
        }
    }

    fn respond(&self, policy: &answer::Policy, admitted: Admitted) -> P::Response {
        let answer = answer::respond(policy, &self.head.method);
        self.tell(Facts {
            outcome: Outcome::Responded,
            status: answer.status.as_u16(),
            key_id: admitted.key_id,
            auth_duration_ms: admitted.auth_duration.map(millis),
            ..self.facts(None)
        });
        self.made(answer, &self.route.guards.answer_edits(self.head))
    }

    async fn forward(&self, forward: &Rc<Forward>, plan: Plan, admitted: Admitted) -> P::Response {
        let Admitted {
            edits,
            key_id,
            auth_duration,
        } = admitted;
        let path = self.route.matching.forward_path(&self.subject).into_owned();
        let mut leg = Leg {
            forward,
            plan,
            facts: Facts {
                key_id,
                auth_duration_ms: auth_duration.map(millis),
                ..self.facts(Some(plan))
            },
            // After the guards, because a refused request is no traffic; before the cache, because what the mirror
            // would have made of a request is worth knowing of a hit too.
            mirror: self.mirror(forward, &path, &edits),
            cached: None,
        };
        let origin = Rc::new(Origin {
            route: Rc::clone(self.route),
            forward: Rc::clone(forward),
            head: Rc::clone(self.head),
            id: self.id.clone(),
            path,
            plan,
            admitted: edits,
            isolate: Rc::clone(self.isolate),
            platform: self.platform.clone(),
        });
        let Some(Caching {
            policy,
            fingerprint,
        }) = forward.cache.as_deref()
        else {
            return match origin.ask(Asking::Bypass).await {
                Ok(Filled {
                    delivery, facts, ..
                }) => self.answered(leg, delivery, facts).await,
                Err(failed) => self.failed(leg, failed),
            };
        };
        let variant = Variant {
            fingerprint,
            bucket: plan.selection().map(|selection| selection.index),
        };
        let Served {
            cache: status,
            reason,
            source,
        } = cache::serve(
            policy,
            variant,
            self.head,
            &self.isolate.cache,
            self.platform,
            |asking| Rc::clone(&origin).ask(asking),
        )
        .await;
        leg.cached = Some(Cached { status, reason });
        match source {
            Source::Upstream { delivery, facts } => self.answered(leg, delivery, facts).await,
            Source::Store {
                delivery,
                status,
                facts,
            } => self.stored(leg, delivery, status, facts).await,
            Source::Failed(failed) => self.failed(leg, failed),
        }
    }

    async fn answered(
        &self,
        leg: Leg<'_>,
        mut delivery: Delivery<P::Response>,
        account: Account,
    ) -> P::Response {
        let AnswerAccount {
            status,
            upgraded,
            body_rewritten,
            rewrite_skipped,
            redirect_rewritten,
            stream,
            rewrite,
            inject,
        } = account.answer;
        // A WebSocket's handshake is passed on as it is: rebuilding the response would lose the socket.
        if !upgraded {
            self.finish(&leg, &account.upstream, &mut delivery.edits);
        }
        (self.report)(ProxyEvent {
            facts: Facts {
                upstream: account.upstream,
                attempts: account.attempts,
                ejected: account.ejected,
                limit_reason: account.limit_reason,
                status: status.as_u16(),
                body_rewritten,
                rewrite_skipped,
                redirect_rewritten,
                ..self.known(leg.facts, leg.cached)
            },
            stream,
            mirror: leg.mirror,
            rewrite,
            inject,
        });
        if upgraded {
            delivery.response
        } else {
            self.platform.deliver(delivery).await
        }
    }

    /// A stored copy. An account comes with it where the upstream was asked first, in vain.
    async fn stored(
        &self,
        leg: Leg<'_>,
        mut delivery: Delivery<P::Response>,
        status: StatusCode,
        account: Option<Account>,
    ) -> P::Response {
        let assigned = leg.plan.authority(&leg.forward.upstream);
        self.finish(&leg, assigned, &mut delivery.edits);
        let skipped = if leg.forward.rewrite.rewrites_bodies() {
            SkipReason::ServedFromCache
        } else {
            SkipReason::NotConfigured
        };
        let mut facts = Facts {
            status: status.as_u16(),
            rewrite_skipped: Some(skipped),
            ..self.known(leg.facts, leg.cached)
        };
        if let Some(account) = account {
            facts.upstream = account.upstream;
            facts.attempts = account.attempts;
            facts.ejected = account.ejected;
            facts.limit_reason = account.limit_reason;
        }
        (self.report)(ProxyEvent {
            facts,
            stream: None,
            mirror: leg.mirror,
            rewrite: None,
            inject: None,
        });
        self.platform.deliver(delivery).await
    }

    fn failed(&self, leg: Leg<'_>, failed: Failed<Account>) -> P::Response {
        let Failed {
            failure,
            facts: account,
        } = failed;
        let answer = answer::failed(&failure, &leg.forward.error_pages, &self.head.method);
        let mut last = HeaderEdits::default();
        mark(leg.cached, &mut last);
        last.extend(&self.route.guards.answer_edits(self.head));
        (self.report)(ProxyEvent {
            facts: Facts {
                upstream: account.upstream,
                attempts: account.attempts,
                ejected: account.ejected,
                limit_reason: account.limit_reason,
                outcome: failure.outcome(),
                guard_reason: failure.guard_reason(),
                status: answer.status.as_u16(),
                ..self.known(leg.facts, leg.cached)
            },
            stream: None,
            mirror: leg.mirror,
            rewrite: None,
            inject: None,
        });
        self.made(answer, &last)
    }

    /// What every upstream answer gets last, whoever kept it meanwhile.
    fn finish(&self, leg: &Leg<'_>, answered_by: &str, edits: &mut HeaderEdits) {
        mark(leg.cached, edits);
        edits.set(X_REQUEST_ID, self.id.header_value());
        // The operator's rules come behind everything the proxy writes into an upstream's answer: a value somebody
        // wrote on purpose must not be unreliable.
        leg.forward.rewrite.operator_rules().write(edits);
        // The proxy's own cookie is no header of the upstream's, and no rule means it.
        if let Some(cookie) = leg.forward.upstream.sticky_cookie(&leg.plan, answered_by) {
            edits.push(cookie);
        }
        edits.extend(&self.route.guards.answer_edits(self.head));
    }

    /// Sends a copy behind the response, where the route asks for one.
    fn mirror(
        &self,
        forward: &Forward,
        path: &str,
        vouched: &HeaderEdits,
    ) -> Option<Pending<MirrorReport>> {
        let policy = forward.mirror.as_ref()?;
        let plan = mirror::plan(policy, self.head, path, self.id.as_str(), vouched)?;
        let (settle, pending) = pending(MirrorReport {
            upstream: plan.upstream().to_owned(),
            outcome: MirrorOutcome::Unreachable,
            duration_ms: 0,
        });
        let sent = mirror::send(plan, self.platform.clone());
        self.platform
            .wait_until(async move { settle.settle(sent.await) });
        Some(pending)
    }

    /// An answer of the proxy's own, which carries the request's id like every other.
    fn made(&self, mut answer: Answer, last: &HeaderEdits) -> P::Response {
        answer.headers.insert(X_REQUEST_ID, self.id.header_value());
        last.apply(&mut answer.headers);
        self.platform.make(answer)
    }

    fn tell(&self, facts: Facts) {
        (self.report)(ProxyEvent {
            facts: self.known(facts, None),
            stream: None,
            mirror: None,
            rewrite: None,
            inject: None,
        });
    }

    /// What is known of a request from the start.
    fn facts(&self, plan: Option<Plan>) -> Facts {
        let upstream = match (&self.route.action, plan) {
            (Action::Forward(forward), Some(plan)) => plan.authority(&forward.upstream),
            _ => "",
        };
        Facts {
            route_id: self.route.label().to_owned(),
            request_id: self.id.as_str().to_owned(),
            upstream: upstream.to_owned(),
            method: self.head.method.as_str().to_owned(),
            path: self.head.url.path().to_owned(),
            status: 0,
            duration_ms: 0,
            attempts: 0,
            outcome: Outcome::Ok,
            cache: None,
            cache_reason: None,
            selection: plan.and_then(|plan| plan.selection()),
            ejected: Vec::new(),
            limit_reason: None,
            guard_reason: None,
            binding: None,
            key_id: None,
            auth_duration_ms: None,
            body_rewritten: false,
            rewrite_skipped: None,
            redirect_rewritten: false,
        }
    }

    /// Those facts with what is only known at the end.
    fn known(&self, facts: Facts, cached: Option<Cached>) -> Facts {
        Facts {
            duration_ms: millis(self.platform.now().since(self.started)),
            cache: cached.map(|cached| cached.status),
            cache_reason: cached.and_then(|cached| cached.reason),
            ..facts
        }
    }
}

/// Says what the cache did.
fn mark(cached: Option<Cached>, edits: &mut HeaderEdits) {
    if let Some(Cached { status, .. }) = cached {
        edits.set(X_JOUSKA_CACHE, HeaderValue::from_static(status.as_str()));
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

const X_JOUSKA_CACHE: HeaderName = HeaderName::from_static("x-jouska-cache");
