//! Who gets what, row by row, while the origin is well, slow, failing or gone.

mod outages;

use std::{cell::RefCell, rc::Rc, time::Duration};

use bytes::Bytes;
use http::HeaderMap;

use super::*;
use crate::{
    platform::fake::{Received, Script, ScriptedAnswer, ScriptedEnd, StoreCondition, Visit, World},
    request_id::inbound_or_random,
    tenant::{
        Attempt,
        testing::{get, headers},
    },
    time::Timestamp,
};

/// One isolate, its origin, and what is told of both.
struct Stage {
    world: World,
    breaker: Rc<Breaker>,
    says: Rc<RefCell<Script>>,
}

/// What a visitor saw.
#[derive(Debug)]
struct Seen {
    status: u16,
    headers: HeaderMap,
    body: String,
    stale: bool,
}

/// How one visit went: what was seen, whether the origin was asked, and how long it took in milliseconds.
type Visited = (Result<Seen, NotServed>, bool, u64);

impl Stage {
    fn new() -> Self {
        let says = Rc::new(RefCell::new(Script::Refuse));
        let asked = Rc::clone(&says);
        let upstreams = Box::new(move |_: &Received| asked.borrow().clone());
        Self {
            world: World::new(Timestamp::from_millis(1_000_000), upstreams),
            breaker: Rc::default(),
            says,
        }
    }

    /// A stage with a copy of `/p` that is fresh for a minute, and this long gone.
    fn holding(copy_age: u64) -> Self {
        let stage = Self::new();
        stage.says(page("first", "s-maxage=60"));
        stage.visit(Method::GET, "t_x").0.unwrap();
        stage.pause(copy_age * 1000);
        stage.world.take_received();
        stage
    }

    fn says(&self, script: Script) {
        *self.says.borrow_mut() = script;
    }

    /// Lets time pass, and what is behind responses be done.
    fn pause(&self, millis: u64) {
        let clock = self.world.clone();
        let time = Duration::from_millis(millis);
        self.world.run(time, async move { clock.sleep(time).await });
    }

    fn visit(&self, method: Method, tenant: &'static str) -> Visited {
        self.visit_until(method, tenant, None)
    }

    fn get(&self) -> Visited {
        self.visit(Method::GET, "t_x")
    }

    fn post(&self) -> Visited {
        self.visit(Method::POST, "t_x")
    }

    fn visit_until(
        &self,
        method: Method,
        tenant: &'static str,
        leaves_at: Option<Timestamp>,
    ) -> Visited {
        let mut head = get("shop.example.com", "/p");
        head.method = method;
        let platform = self.world.visit(Visit {
            head,
            body: Vec::new(),
            country: None,
            leaves_at,
        });
        let breaker = Rc::clone(&self.breaker);
        let started = self.world.now();
        let visited = async move {
            let head = platform.head();
            let id = inbound_or_random(head, || [7; 16]);
            let errand = Errand {
                subject: &Subject::new(head),
                tenant: &TenantId::parse(tenant).unwrap(),
                origin: &Origin::parse(Some("https://o.test")).unwrap(),
                secret: &EdgeSecret::resolve(Some("s3"), None).unwrap(),
                id: &id,
            };
            let served = serve(&errand, &breaker, &platform).await;
            let seen = match served {
                Err(reason) => Err(reason),
                Ok(Served {
                    delivery,
                    status,
                    stale,
                }) => {
                    let mut response = platform.deliver(delivery).await;
                    let mut body = Vec::new();
                    while let Some(chunk) = response.chunk().await {
                        body.extend_from_slice(&chunk.unwrap());
                    }
                    assert_eq!(response.head.status, status);
                    Ok(Seen {
                        status: status.as_u16(),
                        headers: response.head.headers,
                        body: String::from_utf8(body).unwrap(),
                        stale,
                    })
                }
            };
            (seen, platform.now())
        };
        let (seen, ended) = self.world.run(Duration::from_secs(60), visited).unwrap();
        self.pause(0);
        let received = self.world.take_received();
        assert!(received.len() <= 1, "one attempt at most");
        (
            seen,
            received.len() == 1,
            ended.since(started).as_millis() as u64,
        )
    }

    /// What the breaker was told: failures in a row.
    fn failures(&self) -> u32 {
        self.breaker.failures()
    }
}

fn answer(
    status: u16,
    sent: &[(&'static str, &'static str)],
    body: &'static str,
) -> ScriptedAnswer {
    ScriptedAnswer {
        delay: Duration::ZERO,
        status,
        headers: headers(sent),
        chunks: vec![(Duration::ZERO, Bytes::from_static(body.as_bytes()))],
        end: ScriptedEnd::Complete,
    }
}

fn page(body: &'static str, control: &'static str) -> Script {
    Script::Answer(answer(200, &[("cache-control", control)], body))
}

fn status(status: u16) -> Script {
    Script::Answer(answer(
        status,
        &[("cache-control", "s-maxage=60")],
        "the origin's",
    ))
}

fn after(millis: u64, status: u16) -> Script {
    Script::Answer(ScriptedAnswer {
        delay: Duration::from_millis(millis),
        ..answer(status, &[], "late")
    })
}

/// What is expected of a visit: the body and whether it is stale, or the failure; whether the origin was asked; how long
/// it took.
type Expected = (Result<(u16, &'static str, bool), NotServed>, bool, u64);

#[track_caller]
fn check(visited: Visited, expected: Expected, row: &str) {
    let (seen, asked, took) = &visited;
    let seen = seen
        .as_ref()
        .map(|seen| (seen.status, seen.body.as_str(), seen.stale));
    assert_eq!(
        (seen.map_err(|reason| *reason), *asked, *took),
        expected,
        "{row}"
    );
}

const FRESH: u64 = 59;
const STALE: u64 = 60;
const READ: Kind = Kind::Read;
const WRITE: Kind = Kind::Write;

#[test]
fn a_fresh_copy_is_the_answer() {
    let stage = Stage::holding(FRESH);
    stage.says(page("second", "s-maxage=60"));
    check(stage.get(), (Ok((200, "first", false)), false, 0), "closed");
    open(&stage);
    check(stage.get(), (Ok((200, "first", false)), false, 0), "open");
    assert_eq!(stage.failures(), 5, "a hit tells the breaker nothing");
}

#[test]
fn without_a_copy_the_origin_is_asked_and_what_may_be_is_stored() {
    for (control, stored) in [("s-maxage=60", true), ("no-store", false)] {
        let stage = Stage::new();
        stage.breaker.failed(Attempt::Ordinary, stage.world.now());
        stage.says(page("first", control));
        check(stage.get(), (Ok((200, "first", false)), true, 0), control);
        assert_eq!(stage.failures(), 0, "a success: {control}");
        stage.says(page("second", control));
        let expected = if stored {
            (Ok((200, "first", false)), false, 0)
        } else {
            (Ok((200, "second", false)), true, 0)
        };
        check(stage.get(), expected, control);
    }
}

#[test]
fn a_stale_copy_is_never_ahead_of_a_refresh() {
    let stage = Stage::holding(STALE);
    stage.says(page("second", "s-maxage=60"));
    check(
        stage.get(),
        (Ok((200, "second", false)), true, 0),
        "storable",
    );
    check(
        stage.get(),
        (Ok((200, "second", false)), false, 0),
        "replaced",
    );
}

#[test]
fn an_answer_that_is_not_stored_leaves_the_old_copy() {
    let stage = Stage::holding(STALE);
    stage.says(page("second", "no-store"));
    check(
        stage.get(),
        (Ok((200, "second", false)), true, 0),
        "not storable",
    );
    stage.says(Script::Refuse);
    check(
        stage.get(),
        (Ok((200, "first", true)), false, 0),
        "the old one stands in",
    );
}

#[test]
fn below_500_is_the_answer_whatever_it_says() {
    for code in [301, 304, 404, 410, 499] {
        let stage = Stage::holding(STALE);
        stage.breaker.failed(Attempt::Ordinary, stage.world.now());
        stage.says(status(code));
        let body = if code == 304 { "" } else { "the origin's" };
        check(
            stage.get(),
            (Ok((code, body, false)), true, 0),
            "the answer",
        );
        assert_eq!(stage.failures(), 0, "{code} is a success");
        stage.says(page("second", "s-maxage=60"));
        check(
            stage.get(),
            (Ok((200, "second", false)), true, 0),
            "and not stored",
        );
    }
}

#[test]
fn a_stale_copy_stands_in_for_an_origin_that_fails() {
    for (script, asked, took, row) in [
        (status(500), true, 0, "500"),
        (status(503), true, 0, "503"),
        (status(599), true, 0, "599"),
        (Script::Hang, true, 1500, "no headers in time"),
        (after(1600, 200), true, 1500, "headers too late"),
        (Script::Refuse, false, 0, "refused"),
    ] {
        let stage = Stage::holding(STALE);
        stage.says(script);
        check(stage.get(), (Ok((200, "first", true)), asked, took), row);
        assert_eq!(stage.failures(), 1, "a failure: {row}");
    }
}

#[test]
fn without_a_copy_a_failure_is_shown() {
    let timed_out = Err(NotServed::TimedOut(READ));
    for (script, expected, row) in [
        (
            status(500),
            (Ok((500, "the origin's", false)), true, 0),
            "its own 500",
        ),
        (
            status(599),
            (Ok((599, "the origin's", false)), true, 0),
            "its own 599",
        ),
        (Script::Hang, (timed_out, true, 1500), "no headers in time"),
        (
            Script::Refuse,
            (Err(NotServed::Unreachable), false, 0),
            "refused",
        ),
    ] {
        let stage = Stage::new();
        stage.says(script);
        check(stage.get(), expected, row);
        assert_eq!(stage.failures(), 1, "a failure: {row}");
        stage.says(page("second", "s-maxage=60"));
        check(
            stage.get(),
            (Ok((200, "second", false)), true, 0),
            "nothing was stored",
        );
    }
}

fn open(stage: &Stage) {
    for _ in 0..5 {
        stage.breaker.failed(Attempt::Ordinary, stage.world.now());
    }
}

#[test]
fn while_the_breaker_is_open_the_origin_is_not_asked() {
    let stage = Stage::holding(STALE);
    open(&stage);
    stage.says(page("second", "s-maxage=60"));
    check(
        stage.get(),
        (Ok((200, "first", true)), false, 0),
        "the copy at once",
    );
    check(
        stage.post(),
        (Err(NotServed::Open), false, 0),
        "a write never",
    );
    let stage = Stage::new();
    open(&stage);
    check(stage.get(), (Err(NotServed::Open), false, 0), "no copy");
    assert_eq!(stage.failures(), 5, "and it is told nothing");
}

#[test]
fn a_write_is_never_answered_by_a_copy() {
    let timed_out = Err(NotServed::TimedOut(WRITE));
    for (script, expected, failures, row) in [
        (
            status(200),
            (Ok((200, "the origin's", false)), true, 0),
            0,
            "2xx",
        ),
        (
            status(303),
            (Ok((303, "the origin's", false)), true, 0),
            0,
            "3xx",
        ),
        (
            status(404),
            (Ok((404, "the origin's", false)), true, 0),
            0,
            "4xx",
        ),
        (
            status(500),
            (Ok((500, "the origin's", false)), true, 0),
            1,
            "5xx",
        ),
        (
            after(4000, 200),
            (Ok((200, "late", false)), true, 4000),
            0,
            "after 4 s",
        ),
        (Script::Hang, (timed_out, true, 10_000), 1, "after 10 s"),
        (
            Script::Refuse,
            (Err(NotServed::Unreachable), false, 0),
            1,
            "refused",
        ),
    ] {
        for age in [FRESH, STALE] {
            let stage = Stage::holding(age);
            stage.says(script.clone());
            check(stage.post(), expected, row);
            assert_eq!(stage.failures(), failures, "{row}");
        }
    }
    // What a write brought is not stored.
    let stage = Stage::new();
    stage.says(status(200));
    stage.post().0.unwrap();
    stage.says(page("second", "s-maxage=60"));
    check(
        stage.get(),
        (Ok((200, "second", false)), true, 0),
        "read after write",
    );
}

#[test]
fn a_store_that_takes_nothing_harms_no_answer() {
    for condition in [StoreCondition::ReadOnly, StoreCondition::Down] {
        let stage = Stage::new();
        stage.world.set_store(condition);
        stage.says(page("first", "s-maxage=60"));
        for _ in 0..2 {
            check(
                stage.get(),
                (Ok((200, "first", false)), true, 0),
                "every time",
            );
        }
    }
}

#[test]
fn a_head_request_is_given_the_copys_headers_and_none_of_its_body() {
    for (age, stale) in [(FRESH, false), (STALE, true)] {
        let stage = Stage::holding(age);
        stage.says(Script::Refuse);
        let (seen, asked, _) = stage.visit(Method::HEAD, "t_x");
        let seen = seen.unwrap();
        assert_eq!(
            (seen.status, seen.body.as_str(), seen.stale, asked),
            (200, "", stale, false)
        );
        assert_eq!(seen.headers["cache-control"], "s-maxage=60");
    }
    // And stores nothing itself.
    let stage = Stage::new();
    stage.says(page("first", "s-maxage=60"));
    check(
        stage.visit(Method::HEAD, "t_x"),
        (Ok((200, "", false)), true, 0),
        "HEAD",
    );
    check(stage.get(), (Ok((200, "first", false)), true, 0), "GET");
}

#[test]
fn a_copy_is_shown_as_it_was_said_and_as_old_as_it_is() {
    let stage = Stage::holding(STALE);
    stage.says(Script::Refuse);
    let seen = stage.get().0.unwrap();
    let expected = headers(&[
        ("cache-control", "s-maxage=60"),
        ("age", "60"),
        ("x-request-id", "07070707-0707-4707-8707-070707070707"),
    ]);
    assert_eq!(seen.headers, expected);
}

#[test]
fn a_host_that_changed_hands_shows_nothing_of_its_last_tenant() {
    for age in [FRESH, STALE] {
        let stage = Stage::holding(age);
        stage.says(Script::Refuse);
        let seen = stage.visit(Method::GET, "t_y");
        check(
            seen,
            (Err(NotServed::Unreachable), false, 0),
            "a copy of t_x",
        );
    }
}

#[test]
fn a_redirect_and_its_cookies_reach_the_visitor() {
    for (code, location) in [
        (303, "/cart"),
        (301, "https://elsewhere.test/"),
        (307, "//elsewhere.test/x"),
    ] {
        let stage = Stage::new();
        let sent = [
            ("location", location),
            ("set-cookie", "c=1"),
            ("set-cookie", "d=2"),
            ("x-cache", "HIT"),
        ];
        stage.says(Script::Answer(answer(code, &sent, "")));
        let seen = stage.post().0.unwrap();
        let mut expected = headers(&sent);
        expected.remove("x-cache");
        expected.extend(headers(&[(
            "x-request-id",
            "07070707-0707-4707-8707-070707070707",
        )]));
        assert_eq!((seen.status, seen.headers), (code, expected));
    }
}
