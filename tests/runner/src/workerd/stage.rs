//! Plays one case on a Worker that is up.

#![expect(clippy::disallowed_methods, reason = "workerd runs in real time")]

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::mpsc::Receiver;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::period::FreshPeriod;
use super::process::Runtime;
use super::upstream::Upstreams;
use super::visitor;
use crate::case::{Expect, Request, RequestBody, Step};
use crate::driver::Stage;
use crate::events::{Event, Ledger};
use crate::expect::{Issue, TableAnswer, fell_through, upstream_differences};
use crate::observed::{Answered, Exchange, Observed, Outcome, UpstreamRequest};

/// One case's Worker, upstreams and visitor.
pub(super) struct WorkerdStage {
    shared: Rc<RefCell<Shared>>,
    port: u16,
    upstreams: Upstreams,
    /// Taken when the first step begins.
    fresh_period: Option<FreshPeriod>,
}

/// What the cases that were brought up together share. They are played one after the other, so whatever the runtime
/// prints belongs to the one whose turn it is, unless it carries the request id of an earlier one.
pub(super) struct Shared {
    /// Held so that it goes on running.
    _runtime: Runtime,
    happenings: Receiver<Happening>,
    ledger: Ledger,
    /// What the runtime printed during the present step.
    output: Vec<String>,
}

/// Something that a waiting stage wants to know of at once.
#[derive(Debug)]
pub(super) enum Happening {
    /// The runtime printed a line.
    Line(String),
    /// A request reached an upstream, or more of its body.
    Upstream,
}

impl WorkerdStage {
    pub(super) fn new(
        shared: Rc<RefCell<Shared>>,
        port: u16,
        upstreams: Upstreams,
        fresh_period: Option<FreshPeriod>,
    ) -> Self {
        Self {
            shared,
            port,
            upstreams,
            fresh_period,
        }
    }
}

impl Stage for WorkerdStage {
    fn play(&mut self, step: &Step) -> Observed {
        if let Some(fresh_period) = self.fresh_period.take() {
            fresh_period.wait();
        }
        thread::sleep(step.wait);
        let mut shared = self.shared.borrow_mut();
        shared.begin_step();
        let reached_before = self.upstreams.count();
        let mut exchanges = send(self.port, &step.request);
        shared.settle(&step.expect, &mut exchanges, || {
            self.upstreams.since(reached_before)
        });
        let output = shared.end_step(&mut exchanges);
        Observed {
            exchanges,
            upstream: self.upstreams.since(reached_before),
            output,
        }
    }

    fn table(&mut self) -> TableAnswer {
        let mut shared = self.shared.borrow_mut();
        shared.begin_step();
        let exchange = visitor::visit(self.port, &table_probe());
        shared.take_in_what_happened();
        match exchange.outcome {
            Outcome::Answered(answered) => read_table_answer(&answered, &shared.output),
            Outcome::Aborted => TableAnswer::Unclear("no answer".to_owned()),
            Outcome::Unanswered(reason) => TableAnswer::Unclear(reason),
        }
    }
}

impl Shared {
    pub(super) fn new(runtime: Runtime, happenings: Receiver<Happening>) -> Self {
        Self {
            _runtime: runtime,
            happenings,
            ledger: Ledger::default(),
            output: Vec::new(),
        }
    }

    /// Whatever came until now belongs to what went before.
    fn begin_step(&mut self) {
        self.take_in_what_happened();
        self.ledger.begin_step();
        self.output.clear();
    }

    fn end_step(&mut self, exchanges: &mut [Exchange]) -> Vec<String> {
        self.ledger
            .end_step(lacking(exchanges).filter_map(|exchange| request_id(exchange)));
        std::mem::take(&mut self.output)
    }

    /// Waits until the step is over behind the visitor's back too: its events printed, its upstream requests arrived.
    fn settle(
        &mut self,
        expect: &Expect,
        exchanges: &mut [Exchange],
        upstream: impl Fn() -> Vec<UpstreamRequest>,
    ) {
        let start = Instant::now();
        let events_by = start + patience_for_events(expect);
        let upstream_by = start + patience_for_upstream(expect);
        loop {
            self.claim(exchanges);
            let now = Instant::now();
            let waits_for_event = now < events_by && lacking(exchanges).next().is_some();
            let waits_for_upstream =
                now < upstream_by && !upstream_differences(expect, &upstream()).is_empty();
            let until = match (waits_for_event, waits_for_upstream) {
                (false, false) => break,
                (true, false) => events_by,
                (false, true) => upstream_by,
                (true, true) => events_by.max(upstream_by),
            };
            if let Ok(happening) = self.happenings.recv_timeout(until - now) {
                self.take_in(happening);
            }
        }
        // An event under another id than its answer's is still this step's, and the id is one of the things compared.
        for exchange in lacking(exchanges) {
            exchange.event = self.ledger.claim_oldest();
        }
    }

    fn claim(&mut self, exchanges: &mut [Exchange]) {
        for exchange in lacking(exchanges) {
            exchange.event = request_id(exchange).and_then(|id| self.ledger.claim(&id));
        }
        for exchange in lacking(exchanges).filter(|exchange| request_id(exchange).is_none()) {
            exchange.event = self.ledger.claim_oldest();
        }
    }

    fn take_in_what_happened(&mut self) {
        while let Ok(happening) = self.happenings.try_recv() {
            self.take_in(happening);
        }
    }

    fn take_in(&mut self, happening: Happening) {
        let Happening::Line(line) = happening else {
            return;
        };
        match event_in(&line) {
            Some(event) => self.ledger.arrive(event),
            None => self.output.push(line),
        }
    }
}

/// Sends a request as often as it says.
pub(super) fn send(port: u16, request: &Request) -> Vec<Exchange> {
    let mut exchanges = Vec::new();
    for _ in 0..request.repeat {
        if request.parallel == 1 {
            exchanges.push(visitor::visit(port, request));
            continue;
        }
        thread::scope(|scope| {
            let visits: Vec<_> = (0..request.parallel)
                .map(|_| scope.spawn(|| visitor::visit(port, request)))
                .collect();
            exchanges.extend(visits.into_iter().filter_map(|visit| visit.join().ok()));
        });
    }
    exchanges
}

/// The exchanges that the proxy has an event for and that have not been given it yet.
///
/// A request that no route took has none, and neither has one that the runtime left without an answer.
fn lacking(exchanges: &mut [Exchange]) -> impl Iterator<Item = &mut Exchange> {
    exchanges.iter_mut().filter(|exchange| {
        exchange.event.is_none()
            && match &exchange.outcome {
                Outcome::Answered(answered) => !fell_through(answered),
                Outcome::Aborted => true,
                Outcome::Unanswered(_) => false,
            }
    })
}

/// How long the events of a step may take.
///
/// Where the step does not compare one it is waited for only briefly, so that what the proxy still does for this step is
/// not taken for part of the next.
fn patience_for_events(expect: &Expect) -> Duration {
    match &expect.event {
        Some(event)
            if event
                .keys()
                .any(|key| RESOLVED_LATE.contains(&key.as_str())) =>
        {
            LATE_EVENT_PATIENCE
        }
        Some(_) => EVENT_PATIENCE,
        None => UNASKED_EVENT_PATIENCE,
    }
}

fn patience_for_upstream(expect: &Expect) -> Duration {
    if expect.looks_upstream() {
        UPSTREAM_PATIENCE
    } else {
        Duration::ZERO
    }
}

/// Reads the answer that the conformance Worker gives to every request when its table is unusable.
fn read_table_answer(answered: &Answered, output: &[String]) -> TableAnswer {
    #[derive(serde::Deserialize)]
    struct Body {
        error: String,
        issues: Vec<Issue>,
    }
    match serde_json::from_slice::<Body>(&answered.body) {
        Ok(Body { error, issues }) if answered.status == 500 && error == "config_invalid" => {
            TableAnswer::Refused(issues)
        }
        _ if answered.status == 500 => TableAnswer::Unclear(format!(
            "status 500 with {:?}, having printed {:?}",
            String::from_utf8_lossy(&answered.body),
            output.join("\n"),
        )),
        _ => TableAnswer::Accepted,
    }
}

/// The id that an answer carries.
fn request_id(exchange: &Exchange) -> Option<String> {
    let Outcome::Answered(answered) = &exchange.outcome else {
        return None;
    };
    let id = answered.headers.joined("x-request-id")?;
    Some(String::from_utf8_lossy(&id).into_owned())
}

/// The event in a line that the conformance Worker printed, if it is one.
pub(super) fn event_in(line: &str) -> Option<Event> {
    let Value::Object(event) = serde_json::from_str(line.strip_prefix(EVENT_MARK)?).ok()? else {
        return None;
    };
    Some(event)
}

fn table_probe() -> Request {
    Request {
        method: "GET".to_owned(),
        url: "https://proxy.example.com/".to_owned(),
        headers: Vec::new(),
        body: RequestBody::Absent,
        cf: None,
        repeat: 1,
        parallel: 1,
        abort_after: None,
    }
}

/// What the conformance Worker begins the line of an event with.
const EVENT_MARK: &str = "JOUSKA_EVENT ";

/// Fields that are promises until the body, the mirror or the page is through.
const RESOLVED_LATE: [&str; 3] = ["stream", "mirror", "inject"];

/// For an event that waits for nothing.
const EVENT_PATIENCE: Duration = Duration::from_secs(4);

/// For an event that waits for a stream, a mirror or a page.
const LATE_EVENT_PATIENCE: Duration = Duration::from_secs(10);

/// For an event that no expectation looks at.
const UNASKED_EVENT_PATIENCE: Duration = Duration::from_millis(150);

/// For the upstream requests that a step asks for, some of which the proxy sends after its answer.
const UPSTREAM_PATIENCE: Duration = Duration::from_secs(1);
