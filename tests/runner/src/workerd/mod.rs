//! Plays cases on workerd: a Worker, a visitor's socket and a server of upstreams for each case.

#![expect(clippy::disallowed_methods, reason = "workerd runs in real time")]

mod answer;
mod process;
mod upstream;
mod visitor;
mod websocket;

use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use crate::case::{Case, Expect, Plot, RateLimit, Request, RequestBody, Step};
use crate::driver::{Driver, OpenError, Stage};
use crate::events::{Event, Ledger};
use crate::expect::{Issue, TableAnswer, fell_through, upstream_differences};
use crate::observed::{Answered, Exchange, Observed, Outcome};
use crate::script::Script;

use process::{Instance, NodeProcess, Start};
use upstream::Upstreams;

/// The driver for workerd.
#[derive(Debug)]
pub struct Workerd {
    node: NodeProcess,
}

impl Workerd {
    /// Starts the process that starts Workers.
    ///
    /// `root` is the repository, `worker` the folder with the Worker's `index.js` and `index_bg.wasm`.
    ///
    /// # Errors
    ///
    /// When Node.js or the built Worker is missing.
    pub fn start(root: &Path, worker: &Path) -> Result<Self, OpenError> {
        Ok(Self {
            node: NodeProcess::spawn(root, worker)?,
        })
    }
}

impl Driver for Workerd {
    fn name(&self) -> &'static str {
        "workerd"
    }

    fn open(&self, case: &Case) -> Result<Box<dyn Stage>, OpenError> {
        let (happened, happenings) = mpsc::channel();
        let script = Script::new(&case.upstreams);
        let upstreams = Upstreams::listen(script, happened.clone())
            .map_err(|error| OpenError::new(format_args!("no port for the upstreams: {error}")))?;
        let start = Start {
            upstream: upstreams.address().to_string(),
            config: &case.config,
            vars: &case.vars,
            ratelimits: &case.ratelimits,
        };
        let instance = self.node.start(&start, happened)?;
        wait_for_a_fresh_minute(case);
        Ok(Box::new(WorkerdStage {
            instance,
            upstreams,
            happenings,
            ledger: Ledger::default(),
            output: Vec::new(),
        }))
    }
}

/// The local rate limiter counts in whole periods of the clock: a case that straddles two would be let through twice.
fn wait_for_a_fresh_minute(case: &Case) {
    let Some(period) = case
        .ratelimits
        .values()
        .map(|RateLimit { period, limit: _ }| *period)
        .min()
    else {
        return;
    };
    let period = Duration::from_secs(u64::from(period));
    let waits: Duration = match &case.plot {
        Plot::Steps(steps) => steps.iter().map(|step| step.wait).sum(),
        Plot::Refused(_) => Duration::ZERO,
    };
    let Ok(now) = SystemTime::now().duration_since(UNIX_EPOCH) else {
        return;
    };
    let into = Duration::from_millis(
        u64::try_from(now.as_millis() % period.as_millis().max(1)).unwrap_or_default(),
    );
    let left = period.saturating_sub(into);
    if left < waits + RATE_LIMIT_MARGIN {
        thread::sleep(left);
    }
}

struct WorkerdStage {
    instance: Instance,
    upstreams: Upstreams,
    happenings: Receiver<Happening>,
    ledger: Ledger,
    /// What the runtime printed during the present step.
    output: Vec<String>,
}

/// Something that a waiting stage wants to know of at once.
#[derive(Debug)]
enum Happening {
    /// The runtime printed a line.
    Line(String),
    /// A request reached an upstream, or more of its body.
    Upstream,
}

impl Stage for WorkerdStage {
    fn play(&mut self, step: &Step) -> Observed {
        thread::sleep(step.wait);
        self.take_in_what_happened();
        self.ledger.begin_step();
        self.output.clear();
        let reached_before = self.upstreams.count();
        let mut exchanges = send(self.instance.port(), &step.request);
        self.settle(&step.expect, &mut exchanges, reached_before);
        self.ledger
            .end_step(lacking(&mut exchanges).filter_map(|exchange| request_id(exchange)));
        let upstream = self.upstreams.since(reached_before);
        Observed {
            exchanges,
            upstream,
            output: std::mem::take(&mut self.output),
        }
    }

    fn table(&mut self) -> TableAnswer {
        let exchange = visitor::visit(self.instance.port(), &table_probe());
        self.take_in_what_happened();
        match exchange.outcome {
            Outcome::Answered(answered) => self.read_table_answer(&answered),
            Outcome::Aborted => TableAnswer::Unclear("no answer".to_owned()),
            Outcome::Unanswered(reason) => TableAnswer::Unclear(reason),
        }
    }
}

impl WorkerdStage {
    /// Waits until the step is over behind the visitor's back too: its events printed, its upstream requests arrived.
    fn settle(&mut self, expect: &Expect, exchanges: &mut [Exchange], reached_before: usize) {
        let start = Instant::now();
        let events_by = start + patience_for_events(expect);
        let upstream_by = start + patience_for_upstream(expect);
        loop {
            self.claim(exchanges);
            let now = Instant::now();
            let waits_for_event = now < events_by && lacking(exchanges).next().is_some();
            let waits_for_upstream = now < upstream_by
                && !upstream_differences(expect, &self.upstreams.since(reached_before)).is_empty();
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

    /// Reads the answer that the conformance Worker gives to every request when its table is unusable.
    fn read_table_answer(&self, answered: &Answered) -> TableAnswer {
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
                self.output.join("\n"),
            )),
            _ => TableAnswer::Accepted,
        }
    }
}

/// Sends a request as often as it says.
fn send(port: u16, request: &Request) -> Vec<Exchange> {
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

/// The id that an answer carries.
fn request_id(exchange: &Exchange) -> Option<String> {
    let Outcome::Answered(answered) = &exchange.outcome else {
        return None;
    };
    let id = answered.headers.joined("x-request-id")?;
    Some(String::from_utf8_lossy(&id).into_owned())
}

/// The event in a line that the conformance Worker printed, if it is one.
fn event_in(line: &str) -> Option<Event> {
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

/// What a rate-limited case may take besides its waits.
const RATE_LIMIT_MARGIN: Duration = Duration::from_secs(2);

#[cfg(test)]
mod tests;
