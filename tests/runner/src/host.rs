//! Plays cases on the core's fake platform: no socket, no clock of the machine, the same expectations. A case takes
//! milliseconds, however long it says it waits.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::{Either, join_all, select};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use jouska::isolate::Isolate;
use jouska::message::{RequestHead, RequestUrl};
use jouska::platform::Background as _;
use jouska::platform::fake::{
    FakePlatform, FakeResponse, Received, Script as Fake, ScriptedAnswer, ScriptedEnd, Visit, World,
};
use jouska::time::Timestamp;
use jouska::{ConfigError, ProxyEvent, RouteTable, pipeline, table};
use serde_json::Value;

use crate::case::{Act, Answer, AnswerBody, Case, End, Piece, Request, RequestBody, Step, Then};
use crate::driver::{Driver, OpenError, Stage};
use crate::events::Ledger;
use crate::expect::{Issue, TableAnswer};
use crate::observed::{
    Answered, BodyEnd, Exchange, Headers, Observed, Outcome, Read, UpstreamRequest,
};
use crate::script::{Reach, Script, echo, no_rule};

/// The driver for the core alone.
#[derive(Debug)]
pub struct Host;

impl Driver for Host {
    fn name(&self) -> &'static str {
        "host"
    }

    fn batch(&self) -> usize {
        1
    }

    fn open(&self, cases: &[&Case]) -> Result<Vec<Box<dyn Stage>>, OpenError> {
        Ok(cases.iter().map(|case| stage(case)).collect())
    }
}

fn stage(case: &Case) -> Box<dyn Stage> {
    let script = RefCell::new(Script::new(&case.upstreams));
    let limits: BTreeMap<_, _> = case
        .ratelimits
        .iter()
        .map(|(name, limit)| {
            let period = Duration::from_secs(u64::from(limit.period));
            (name.clone(), (u64::from(limit.limit), period))
        })
        .collect();
    let world = World::with_bindings(
        BEGINNING,
        Box::new(move |received| scripted(&script, received)),
        case.vars.clone(),
        limits,
    );
    Box::new(HostStage {
        world,
        table: table::compile_text(&case.config).map(|compiled| Rc::new(compiled.table)),
        isolate: Rc::default(),
        ledger: Rc::default(),
    })
}

struct HostStage {
    world: World,
    table: Result<Rc<RouteTable>, ConfigError>,
    isolate: Rc<Isolate>,
    ledger: Rc<RefCell<Ledger>>,
}

impl Stage for HostStage {
    fn play(&mut self, step: &Step) -> Observed {
        let Step {
            wait,
            request,
            expect,
        } = step;
        self.rest(*wait);
        self.world.take_received();
        let mut exchanges = Vec::new();
        for _ in 0..request.repeat {
            let visits: Vec<_> = (0..request.parallel).map(|_| self.visit(request)).collect();
            exchanges.extend(
                self.world
                    .run(PATIENCE, join_all(visits))
                    .unwrap_or_else(|| vec![unanswered("no answer ever came")]),
            );
        }
        self.claim(&mut exchanges);
        let mut waited = Duration::ZERO;
        while expect.event.is_some()
            && exchanges.iter().any(|exchange| exchange.event.is_none())
            && waited < PATIENCE
        {
            self.rest(LOOK_AGAIN);
            waited += LOOK_AGAIN;
            self.claim(&mut exchanges);
        }
        if expect.looks_upstream() {
            self.rest(UPSTREAM_PATIENCE);
        }
        self.ledger.borrow_mut().end_step(std::iter::empty());
        Observed {
            exchanges,
            upstream: self
                .world
                .take_received()
                .iter()
                .map(upstream_request)
                .collect(),
            output: Vec::new(),
        }
    }

    fn table(&mut self) -> TableAnswer {
        match &self.table {
            Ok(_) => TableAnswer::Accepted,
            Err(refused) => TableAnswer::Refused(
                refused
                    .issues
                    .iter()
                    .map(|issue| Issue {
                        path: issue.path.clone(),
                        message: issue.message.clone(),
                    })
                    .collect(),
            ),
        }
    }
}

impl HostStage {
    fn rest(&self, duration: Duration) {
        self.world.run(duration, self.world.sleep(duration));
    }

    fn visit(&self, request: &Request) -> impl Future<Output = Exchange> + 'static {
        let (world, isolate, ledger) = (
            self.world.clone(),
            Rc::clone(&self.isolate),
            Rc::clone(&self.ledger),
        );
        let table = self.table.as_ref().map(Rc::clone).map_err(Clone::clone);
        let head = head(request);
        let body = upload(&request.body);
        let country = request
            .cf
            .as_ref()
            .and_then(|cf| cf.get("country"))
            .and_then(Value::as_str)
            .map(str::to_owned);
        let abort_after = request.abort_after;
        async move {
            let start = world.now();
            let (table, head) = match (table, head) {
                (Ok(table), Ok(head)) => (table, Rc::new(head)),
                (Err(refused), _) => return unanswered(&refused.to_string()),
                (_, Err(reason)) => return unanswered(&reason),
            };
            let platform = world.visit(Visit {
                head: RequestHead::clone(&head),
                body,
                country,
                leaves_at: abort_after.map(|after| start + after),
            });
            let report = {
                let platform = platform.clone();
                move |event| arrive(&platform, event, &ledger)
            };
            let handled = pin!(pipeline::handle(
                &table, &head, &isolate, &platform, &report
            ));
            let leaving = pin!(async {
                match abort_after {
                    Some(after) => world.sleep(after).await,
                    None => std::future::pending().await,
                }
            });
            let (handled, leaving) = match select(handled, leaving).await {
                Either::Left(answered) => answered,
                // The visitor is gone; the handler goes on by itself, as it does on the runtime.
                Either::Right(((), handled)) => {
                    handled.await;
                    return exchange(Outcome::Aborted, world.now().since(start));
                }
            };
            let outcome = match handled {
                Some(response) => {
                    let mut answered = Answered {
                        status: response.head.status.as_u16(),
                        headers: headers(&response.head.headers),
                        ..Answered::default()
                    };
                    let left = {
                        let read = pin!(read(response, &world, start, &mut answered));
                        matches!(select(read, leaving).await, Either::Right(_))
                    };
                    if left {
                        answered.end = BodyEnd::Aborted;
                    }
                    Outcome::Answered(answered)
                }
                None => Outcome::Answered(fell_through()),
            };
            exchange(outcome, world.now().since(start))
        }
    }

    fn claim(&self, exchanges: &mut [Exchange]) {
        let mut ledger = self.ledger.borrow_mut();
        for exchange in exchanges.iter_mut() {
            if exchange.event.is_some() {
                continue;
            }
            let id = match &exchange.outcome {
                Outcome::Answered(answered) => answered.headers.joined("x-request-id"),
                Outcome::Aborted | Outcome::Unanswered(_) => None,
            };
            exchange.event = id
                .and_then(|id| ledger.claim(&String::from_utf8_lossy(&id)))
                .or_else(|| ledger.claim_oldest());
        }
    }
}

fn arrive(platform: &FakePlatform, event: ProxyEvent, ledger: &Rc<RefCell<Ledger>>) {
    let ledger = Rc::clone(ledger);
    platform.wait_until(async move {
        if let Ok(Value::Object(event)) = serde_json::to_value(event.settled().await) {
            ledger.borrow_mut().arrive(event);
        }
    });
}

async fn read(
    mut response: FakeResponse,
    world: &World,
    start: Timestamp,
    answered: &mut Answered,
) {
    while let Some(chunk) = response.chunk().await {
        match chunk {
            Ok(chunk) => {
                answered.reads.push(Read {
                    at: world.now().since(start),
                    bytes: chunk.len(),
                });
                answered.body.extend_from_slice(&chunk);
            }
            Err(_) => {
                answered.end = BodyEnd::Broken("the body broke off".to_owned());
                return;
            }
        }
    }
}

fn head(request: &Request) -> Result<RequestHead, String> {
    let mut headers = HeaderMap::new();
    for (name, value) in &request.headers {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|error| error.to_string())?;
        let value =
            HeaderValue::from_bytes(value.trim().as_bytes()).map_err(|error| error.to_string())?;
        headers.append(name, value);
    }
    match &request.body {
        RequestBody::Absent => {}
        RequestBody::Whole(bytes) => {
            headers
                .entry(http::header::CONTENT_LENGTH)
                .or_insert(HeaderValue::from(bytes.len()));
        }
        RequestBody::Pieces(_) => {
            headers.insert(
                http::header::TRANSFER_ENCODING,
                HeaderValue::from_static("chunked"),
            );
        }
    }
    let empty = headers
        .get(http::header::CONTENT_LENGTH)
        .is_some_and(|length| length == "0");
    Ok(RequestHead {
        method: Method::from_bytes(request.method.as_bytes()).map_err(|error| error.to_string())?,
        url: RequestUrl::parse(&request.url).map_err(|error| error.to_string())?,
        has_body: !empty
            && (headers.contains_key(http::header::CONTENT_LENGTH)
                || headers.contains_key(http::header::TRANSFER_ENCODING)),
        headers,
    })
}

fn upload(body: &RequestBody) -> Vec<(Duration, Bytes)> {
    match body {
        RequestBody::Absent => Vec::new(),
        RequestBody::Whole(bytes) => vec![(Duration::ZERO, Bytes::from(bytes.clone()))],
        RequestBody::Pieces(pieces) => pieces.iter().map(chunk).collect(),
    }
}

fn chunk(piece: &Piece) -> (Duration, Bytes) {
    (piece.after, Bytes::from(piece.bytes.clone()))
}

/// What the case's script makes of a request.
fn scripted(script: &RefCell<Script>, received: &Received) -> Fake {
    let request = upstream_request(received);
    let Then { delay, act } = match script.borrow_mut().reach(&request) {
        Reach::Nobody => return Fake::Refuse,
        Reach::Upstream(then) => then,
        Reach::NoRule => no_rule(),
    };
    match act {
        Act::Refuse => Fake::Refuse,
        Act::Hang => Fake::Hang,
        Act::Echo => Fake::Answer(answer(delay, echo(&request))),
        Act::Answer(written) => Fake::Answer(answer(delay, written)),
    }
}

fn answer(delay: Duration, written: Answer) -> ScriptedAnswer {
    let Answer {
        status,
        headers: lines,
        body,
        end,
    } = written;
    let mut headers = HeaderMap::new();
    for (name, value) in lines {
        if let (Ok(name), Ok(value)) = (
            HeaderName::from_bytes(name.as_bytes()),
            HeaderValue::from_bytes(value.as_bytes()),
        ) {
            headers.append(name, value);
        }
    }
    let bodyless = matches!(status, 101 | 204 | 304);
    let chunks = match body {
        AnswerBody::Whole(bytes) => {
            if !bodyless && end == End::Complete {
                headers
                    .entry(http::header::CONTENT_LENGTH)
                    .or_insert(HeaderValue::from(bytes.len()));
            }
            if bytes.is_empty() {
                Vec::new()
            } else {
                vec![(Duration::ZERO, Bytes::from(bytes))]
            }
        }
        AnswerBody::Pieces(pieces) => {
            headers.insert(
                http::header::TRANSFER_ENCODING,
                HeaderValue::from_static("chunked"),
            );
            pieces.iter().map(chunk).collect()
        }
    };
    ScriptedAnswer {
        delay,
        status,
        headers,
        chunks,
        end: match end {
            End::Complete => ScriptedEnd::Complete,
            End::Stall => ScriptedEnd::Stall,
            End::Reset => ScriptedEnd::Reset,
        },
    }
}

fn upstream_request(received: &Received) -> UpstreamRequest {
    let (path, query) = received
        .path_and_query
        .split_once('?')
        .unwrap_or((&received.path_and_query, ""));
    UpstreamRequest {
        method: received.method.to_string(),
        url: format!(
            "{}://{}{}",
            received.scheme, received.authority, received.path_and_query
        ),
        host: received.authority.clone(),
        path: path.to_owned(),
        query: query.to_owned(),
        headers: headers(&received.headers),
        body: received.body.to_vec(),
    }
}

fn headers(map: &HeaderMap) -> Headers {
    Headers(
        map.iter()
            .map(|(name, value)| (name.to_string(), value.as_bytes().to_vec()))
            .collect(),
    )
}

/// What the conformance Worker's own handler answers.
fn fell_through() -> Answered {
    Answered {
        status: 404,
        headers: Headers(vec![("x-fell-through".to_owned(), b"1".to_vec())]),
        ..Answered::default()
    }
}

fn exchange(outcome: Outcome, total: Duration) -> Exchange {
    Exchange {
        outcome,
        total,
        event: None,
    }
}

fn unanswered(reason: &str) -> Exchange {
    exchange(Outcome::Unanswered(reason.to_owned()), Duration::ZERO)
}

/// 2026-11-29T00:00:00Z: a whole minute, because rate limits count in those.
const BEGINNING: Timestamp = Timestamp::from_millis(1_795_910_400_000);

/// The longest a case may wait for an answer or an event, in its own time.
const PATIENCE: Duration = Duration::from_secs(700);

/// How long a step waits before it looks for an event again.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// For what the proxy sends behind its answer.
const UPSTREAM_PATIENCE: Duration = Duration::from_millis(200);
