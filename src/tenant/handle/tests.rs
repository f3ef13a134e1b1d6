//! Whole requests: what ends them where, what is told of them, and what they are called.

use std::{cell::RefCell, rc::Rc, time::Duration};

use http::{HeaderMap, HeaderValue, Method};

use super::*;
use crate::{
    platform::fake::{Received, Script, ScriptedAnswer, ScriptedEnd, Visit, World},
    tenant::testing::{
        fakes::{Database, Lines, Points, Says, Store},
        get, headers,
    },
    time::Timestamp,
};

/// A deployment.
struct Stage {
    world: World,
    edge: Edge,
    breaker: Breaker,
    store: Store,
    database: Database,
    log: Lines,
    dataset: Points,
    origin: Rc<RefCell<Script>>,
}

impl Stage {
    /// One that works: every host is the tenant `t_x`.
    fn new() -> Rc<Self> {
        Self::with(|_| ())
    }

    fn with(change: impl FnOnce(&mut Edge)) -> Rc<Self> {
        let page = ScriptedAnswer {
            delay: Duration::ZERO,
            status: 200,
            headers: headers(&[
                ("cache-control", "s-maxage=60"),
                ("x-request-id", "the-origins"),
                ("x-theme-version", "7"),
            ]),
            chunks: vec![(Duration::ZERO, "a page".into())],
            end: ScriptedEnd::Complete,
        };
        let origin = Rc::new(RefCell::new(Script::Answer(page)));
        let says = Rc::clone(&origin);
        let world = World::new(
            Timestamp::from_millis(1_000_000),
            Box::new(move |_: &Received| says.borrow().clone()),
        );
        let mut edge = Edge {
            origin: Origin::parse(Some("https://o.test/")),
            secret: EdgeSecret::resolve(Some("s3"), None),
            pages: Pages::default(),
        };
        change(&mut edge);
        Rc::new(Self {
            edge,
            breaker: Breaker::default(),
            store: Store::new(&world),
            database: Database::new(&world, Says::Tenant("t_x")),
            log: Lines::default(),
            dataset: Points::default(),
            origin,
            world,
        })
    }

    fn visit(self: &Rc<Self>, head: RequestHead) -> Seen {
        let platform = self.world.visit(Visit {
            head,
            body: Vec::new(),
            country: None,
            leaves_at: None,
        });
        let stage = Rc::clone(self);
        let response = async move {
            let bindings = Bindings {
                store: Some(&stage.store),
                domains: &stage.database,
                log: &stage.log,
                dataset: Some(&stage.dataset),
            };
            let head = platform.head();
            let mut response =
                handle(&stage.edge, &stage.breaker, &bindings, head, &platform).await;
            let mut body = Vec::new();
            while let Some(chunk) = response.chunk().await {
                body.extend_from_slice(&chunk.unwrap());
            }
            (response.head, String::from_utf8(body).unwrap())
        };
        let (head, body) = self.world.run(Duration::from_secs(60), response).unwrap();
        self.pause(0);
        Seen {
            status: head.status.as_u16(),
            headers: head.headers,
            body,
            asked: (self.database.take_asked(), self.world.take_received().len()),
        }
    }

    fn get(self: &Rc<Self>, host: &str, target: &str) -> Seen {
        self.visit(get(host, target))
    }

    fn pause(&self, millis: u64) {
        let clock = self.world.clone();
        let time = Duration::from_millis(millis);
        self.world.run(time, async move { clock.sleep(time).await });
    }
}

/// What a visitor saw, and how often database and origin were asked for it.
struct Seen {
    status: u16,
    headers: HeaderMap,
    body: String,
    asked: (u32, usize),
}

const HOST: &str = "shop.example.com";

#[test]
fn the_insides_paths_are_nobodys_and_cost_nothing() {
    for path in [
        "/__stats",
        "/__",
        "/__x/y",
        "/__?x=1",
        "/%5f%5fstats",
        "/%5F_stats",
        "/%255f_stats",
        "//__stats",
        "///__stats",
        "/\\__stats",
        "/%2f__stats",
        "/./__stats",
        "/a/../__stats",
        "/a/%2e%2E/__stats",
        "/;x/__stats",
        "/a/..;/__stats",
    ] {
        let stage = Stage::new();
        let seen = stage.get(HOST, path);
        assert_eq!((seen.status, seen.asked), (404, (0, 0)), "{path}");
        assert!(seen.body.contains("Not found"), "{path}");
        let line = stage.log.take_access();
        assert!(
            line.starts_with(r#"{"tenant":null,"method":"GET","path":""#),
            "{line}"
        );
        assert!(line.contains(r#""status":404,"stale":false"#), "{line}");
    }
}

#[test]
fn other_paths_with_underscores_are_pages() {
    for path in [
        "/_x", "/a/__b", "/", "/a__", "/_/_", "/?__x", "/__/../x", "/%5fx",
    ] {
        let stage = Stage::new();
        let seen = stage.get(HOST, path);
        assert_eq!((seen.status, seen.asked), (200, (1, 1)), "{path}");
    }
}

#[test]
fn a_host_that_is_nobodys_is_a_404_on_a_broken_edge_too() {
    let broken = |edge: &mut Edge| {
        edge.origin = Origin::parse(None);
        edge.secret = EdgeSecret::resolve(None, None);
    };
    let stage = Stage::with(broken);
    stage.database.says(Says::NoRow);
    let seen = stage.get(HOST, "/p");
    assert_eq!((seen.status, seen.asked), (404, (1, 0)));
    assert!(stage.log.take_access().starts_with(r#"{"tenant":null,"#));
    assert_eq!(
        stage.get("", "/p").asked,
        (0, 0),
        "and one that is none is not looked up"
    );
}

#[test]
fn whatever_goes_wrong_is_the_one_page() {
    type Break = fn(&Stage);
    type Unset = fn(&mut Edge);
    let sound: Unset = |_| ();
    let cases: [(Unset, Break, &str, &str); 8] = [
        (
            sound,
            |stage| stage.database.says(Says::Never),
            "null",
            "the domains database did not answer within 800 ms",
        ),
        (
            sound,
            |stage| stage.database.says(Says::Error),
            "null",
            "the domains database failed: no such table: domains",
        ),
        (
            sound,
            |stage| stage.database.says(Says::Tenant("")),
            "null",
            "has the tenant \"\"",
        ),
        (
            |edge| edge.origin = Origin::parse(None),
            |_| (),
            "\"t_x\"",
            "ORIGIN_URL is not set",
        ),
        (
            |edge| edge.origin = Origin::parse(Some("o.test")),
            |_| (),
            "\"t_x\"",
            "ORIGIN_URL is \"o.test\"",
        ),
        (
            |edge| edge.secret = EdgeSecret::resolve(None, Some("1")),
            |_| (),
            "\"t_x\"",
            "EDGE_SECRET is not set",
        ),
        (
            sound,
            |stage| *stage.origin.borrow_mut() = Script::Refuse,
            "\"t_x\"",
            "the origin cannot be reached",
        ),
        (
            sound,
            |stage| *stage.origin.borrow_mut() = Script::Hang,
            "\"t_x\"",
            "the origin did not answer within 1500 ms",
        ),
    ];
    for (unset, break_it, tenant, trouble) in cases {
        let stage = Stage::with(unset);
        break_it(&stage);
        let seen = stage.get(HOST, "/p?token=abc");
        assert_eq!(
            (seen.status, &*seen.body),
            (503, include_str!("../pages/unavailable.html")),
            "{trouble}"
        );
        assert_eq!(seen.headers["retry-after"], "30");
        assert!(seen.headers.contains_key("x-request-id"));
        let line = stage.log.take_access();
        assert!(
            line.starts_with(&format!(
                r#"{{"tenant":{tenant},"method":"GET","path":"/p","status":503,"stale":false,"ms":"#
            )),
            "{line}"
        );
        let said = stage.log.take_trouble();
        assert!(
            matches!(said.as_slice(), [line] if line.contains(trouble)),
            "{said:?}"
        );
        assert_eq!(stage.dataset.take().len(), 1);
    }
}

#[test]
fn without_a_secret_the_origin_is_not_asked() {
    let stage = Stage::with(|edge| edge.secret = EdgeSecret::resolve(None, None));
    assert_eq!(stage.get(HOST, "/p").asked, (1, 0));
}

#[test]
fn failed_lookups_are_not_the_origins() {
    let stage = Stage::new();
    stage.database.says(Says::Error);
    for _ in 0..6 {
        assert_eq!(stage.get(HOST, "/p").status, 503);
    }
    assert_eq!(stage.breaker.failures(), 0);
}

#[test]
fn a_line_and_a_point_are_told_of_a_page() {
    let stage = Stage::new();
    stage.get(HOST, "/p?token=abc");
    stage.log.take_access();
    stage.pause(60_000);
    *stage.origin.borrow_mut() = Script::Hang;
    stage.dataset.take();
    let seen = stage.get(HOST, "/p?token=abc");
    assert_eq!((seen.status, &*seen.body), (200, "a page"));
    assert_eq!(
        stage.log.take_access(),
        r#"{"tenant":"t_x","method":"GET","path":"/p","status":200,"stale":true,"ms":1500}"#
    );
    let points = stage.dataset.take();
    let [point] = points.as_slice() else {
        panic!("one point for each request: {points:?}");
    };
    assert_eq!(point.index, "t_x");
    assert_eq!(point.doubles, [200.0, 1500.0, 1.0]);
    assert!(
        !seen
            .headers
            .keys()
            .any(|name| name.as_str().starts_with("x-ratio"))
    );
}

#[test]
fn a_dataset_that_refuses_harms_nobody() {
    let stage = Stage::new();
    stage.dataset.refuses.set(true);
    assert_eq!(stage.get(HOST, "/p").status, 200);
    stage.database.says(Says::NoRow);
    assert_eq!(stage.get("other.example.com", "/p").status, 404);
    let indexes: Vec<String> = stage
        .dataset
        .take()
        .into_iter()
        .map(|point| point.index)
        .collect();
    assert_eq!(indexes, ["t_x", "_none"]);
}

#[test]
fn a_request_goes_by_one_id() {
    let long = "a".repeat(65);
    for (sent, adopted) in [
        ("9915c666-3da3-4b01-8c5a", true),
        (&"a".repeat(32), true),
        (&long[1..], true),
        (&long, false),
        ("", false),
        ("a b", false),
        ("a\"b", false),
        ("a{b", false),
        ("a.b", false),
        ("a:b", false),
    ] {
        let stage = Stage::new();
        let mut head = get(HOST, "/p");
        head.headers
            .insert("x-request-id", HeaderValue::from_str(sent).unwrap());
        // Not even the ray stands in for the visitor's.
        head.headers
            .insert("cf-ray", HeaderValue::from_static("91c0ffee5eed1234-CDG"));

        let seen = stage.visit(head);
        let id = seen.headers["x-request-id"].to_str().unwrap();
        if adopted {
            assert_eq!(id, sent);
        } else {
            assert_eq!(
                (id.len(), &id[14..15]),
                (36, "4"),
                "{sent:?} is replaced by {id}"
            );
        }
    }
    for status in [404, 503] {
        let stage = Stage::new();
        stage.database.says(if status == 404 {
            Says::NoRow
        } else {
            Says::Error
        });
        let mut head = get(HOST, "/p");
        head.headers.extend(headers(&[("x-request-id", "theirs")]));
        let seen = stage.visit(head);
        assert_eq!(
            (seen.status, &seen.headers["x-request-id"]),
            (status, &HeaderValue::from_static("theirs"))
        );
    }
}

#[test]
fn the_override_asks_neither_store_nor_database() {
    let stage = Stage::new();
    stage.database.says(Says::Error);
    stage.store.fail_reads();
    let seen = stage.get("shop.localhost", "/p?store=t_dev&a=1");
    assert_eq!((seen.status, seen.asked), (200, (0, 1)));
    assert!(stage.log.take_access().starts_with(r#"{"tenant":"t_dev","#));
    // The copy is the address's, query and all.
    assert_eq!(
        stage.get("shop.localhost", "/p?store=t_dev&a=1").asked,
        (0, 0)
    );
    assert_eq!(
        stage.get("shop.localhost", "/p?store=t_other&a=1").asked,
        (0, 1)
    );
}

#[test]
fn elsewhere_store_is_a_parameter_like_any_other() {
    let stage = Stage::new();
    let seen = stage.get("my-app.workers.dev", "/p?store=t_dev");
    assert_eq!((seen.status, seen.asked), (200, (1, 1)));
    assert!(stage.log.take_access().starts_with(r#"{"tenant":"t_x","#));
}

#[test]
fn addresses_do_not_share_copies() {
    let stage = Stage::new();
    for (host, target, origin_calls) in [
        (HOST, "/p", 1),
        (HOST, "/p", 0),
        (HOST, "/p?utm=1", 1),
        (HOST, "/p?utm=2", 1),
        ("other.example.com", "/p", 1),
    ] {
        assert_eq!(
            stage.get(host, target).asked.1,
            origin_calls,
            "{host}{target}"
        );
    }
}

#[test]
fn a_head_request_for_what_is_not_there_has_no_body() {
    let stage = Stage::new();
    stage.database.says(Says::Error);
    let mut head = get(HOST, "/p");
    head.method = Method::HEAD;
    let seen = stage.visit(head);
    assert_eq!((seen.status, &*seen.body), (503, ""));
    assert_eq!(seen.headers["content-type"], "text/html; charset=utf-8");
}
