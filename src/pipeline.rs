//! The life of a request, step by step. Each step's place has a reason, which stands beside it.

use crate::{
    answer,
    body::{Pending, Relay, StreamWatch, pending},
    event::{Facts, ProxyEvent},
    finish,
    forward::{self, Errand, Exchange, Plan, Sent},
    headers::HeaderEdits,
    isolate::Isolate,
    matching::Subject,
    message::{Answer, RequestHead},
    mirror,
    outcome::{Failure, MirrorOutcome, MirrorReport, Outcome},
    platform::{BodyPlan, Delivery, Platform},
    request_id::{self, RequestId, X_REQUEST_ID},
    rewrite::{self, Delivered},
    table::{Action, Forward, Route, RouteTable},
    time::Timestamp,
};

/// Answers a request, or gives `None` where no route takes it. `report` hears of each proxied request once, when its
/// response is decided.
pub async fn handle<P: Platform>(
    table: &RouteTable,
    head: &RequestHead,
    isolate: &Isolate,
    platform: &P,
    report: &dyn Fn(ProxyEvent),
) -> Option<P::Response> {
    let subject = Subject::new(head);
    let route = table.find(&subject)?;
    let journey = Journey {
        route,
        subject,
        head,
        // Before anything can refuse: a refusal is a line in the log too.
        id: request_id::resolve(&route.request_id, head, || platform.random()),
        started: platform.now(),
        isolate,
        platform,
        report,
    };
    Some(match &route.action {
        Action::Respond(policy) => journey.respond(policy),
        Action::Forward(forward) => {
            let plan = forward::plan(&forward.upstream, head);
            journey.forward(forward, &plan).await
        }
    })
}

/// One request on its way.
struct Journey<'a, P: Platform> {
    route: &'a Route,
    subject: Subject<'a>,
    head: &'a RequestHead,
    id: RequestId,
    started: Timestamp,
    isolate: &'a Isolate,
    platform: &'a P,
    report: &'a dyn Fn(ProxyEvent),
}

impl<P: Platform> Journey<'_, P> {
    fn respond(&self, policy: &answer::Policy) -> P::Response {
        let answer = answer::respond(policy, &self.head.method);
        let facts = self.facts(Outcome::Responded, answer.status.as_u16());
        self.tell(facts, None);
        self.own(answer)
    }

    async fn forward(&self, forward: &Forward, plan: &Plan) -> P::Response {
        let path = self.route.matching.forward_path(&self.subject);
        // After the guards, because a refused request is no traffic; before the cache, because what the mirror would
        // have made of a request is worth knowing of a hit too.
        let mirror = self.mirror(forward, &path);
        let auth = HeaderEdits::default();
        let request = forward::Request {
            head: self.head,
            path: &path,
            label: &self.route.label,
            request_id: self.id.as_str(),
            auth: &auth,
            errand: Errand::Visitor,
        };
        let sent = forward::send(
            &forward.upstream,
            plan,
            request,
            &self.isolate.forward,
            self.platform,
        )
        .await;
        let Sent {
            result,
            attempts,
            upstream,
            ejected,
            limit_reason,
        } = sent;
        let facts = Facts {
            upstream,
            attempts,
            selection: plan.selection(),
            ejected,
            limit_reason,
            ..self.facts(Outcome::Ok, 0)
        };
        match result {
            Ok(exchange) if exchange.upgraded => self.upgraded(exchange, facts, mirror),
            Ok(exchange) => self.delivered(forward, plan, exchange, facts, mirror).await,
            Err(failure) => self.failed(forward, &failure, facts, mirror),
        }
    }

    /// A WebSocket's handshake is passed on as it is: rebuilding the response would lose the socket.
    fn upgraded(
        &self,
        exchange: Exchange<P::Response>,
        facts: Facts,
        mirror: Option<Pending<MirrorReport>>,
    ) -> P::Response {
        let facts = Facts {
            status: exchange.head.status.as_u16(),
            ..facts
        };
        self.tell(facts, mirror);
        exchange.response
    }

    async fn delivered(
        &self,
        forward: &Forward,
        plan: &Plan,
        exchange: Exchange<P::Response>,
        facts: Facts,
        mirror: Option<Pending<MirrorReport>>,
    ) -> P::Response {
        let context = rewrite::Context {
            request: self.head,
            upstream: &exchange.candidate,
            stripped_prefix: self.route.matching.stripped_prefix(),
        };
        let Delivered {
            mut edits,
            transform,
            body_rewritten,
            skipped,
            redirect_rewritten,
            inject,
        } = rewrite::apply(
            &forward.rewrite,
            &context,
            &exchange.head,
            exchange.has_body,
        );
        edits.set(X_REQUEST_ID, self.id.header_value());
        // The operator's rules come last but for the cookie, which is the proxy's own and which a rule about the
        // upstream's headers does not mean.
        forward.rewrite.operator_rules().write(&mut edits);
        if let Some(cookie) = forward
            .upstream
            .sticky_cookie(plan, exchange.candidate.authority())
        {
            edits.push(cookie);
        }
        let (body, stream) = if exchange.has_body {
            let (first_chunk, idle) = forward.upstream.stream_deadlines();
            let (watch, stream) = StreamWatch::new(first_chunk, idle, self.platform.now());
            (BodyPlan::Relayed(Relay { watch, transform }), Some(stream))
        } else {
            (BodyPlan::Untouched, None)
        };
        (self.report)(ProxyEvent {
            facts: Facts {
                status: exchange.head.status.as_u16(),
                body_rewritten,
                rewrite_skipped: skipped,
                redirect_rewritten,
                ..facts
            },
            stream,
            mirror,
            inject,
        });
        self.platform
            .deliver(Delivery {
                response: exchange.response,
                status: None,
                edits,
                body,
            })
            .await
    }

    /// Sends a copy behind the response, where the route asks for one.
    fn mirror(&self, forward: &Forward, path: &str) -> Option<Pending<MirrorReport>> {
        let policy = forward.mirror.as_ref()?;
        let plan = mirror::plan(policy, self.head, path, self.id.as_str())?;
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

    fn failed(
        &self,
        forward: &Forward,
        failure: &Failure,
        facts: Facts,
        mirror: Option<Pending<MirrorReport>>,
    ) -> P::Response {
        let answer = answer::failed(failure, &forward.error_pages, &self.head.method);
        let facts = Facts {
            outcome: failure.outcome(),
            guard_reason: failure.guard_reason(),
            status: answer.status.as_u16(),
            ..facts
        };
        self.tell(facts, mirror);
        self.own(answer)
    }

    fn own(&self, answer: Answer) -> P::Response {
        let last = HeaderEdits::default();
        self.platform.make(finish::own(answer, &self.id, &last))
    }

    fn tell(&self, facts: Facts, mirror: Option<Pending<MirrorReport>>) {
        (self.report)(ProxyEvent {
            facts,
            stream: None,
            mirror,
            inject: None,
        });
    }

    fn facts(&self, outcome: Outcome, status: u16) -> Facts {
        Facts {
            route_id: self.route.label.clone(),
            request_id: self.id.as_str().to_owned(),
            upstream: String::new(),
            method: self.head.method.as_str().to_owned(),
            path: self.head.url.path().to_owned(),
            status,
            duration_ms: self.platform.now().since(self.started).as_millis() as u64,
            attempts: 0,
            outcome,
            cache: None,
            cache_reason: None,
            selection: None,
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
}
