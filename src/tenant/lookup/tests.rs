//! What is asked of whom, and what is remembered, row by row.

use std::{cell::Cell, rc::Rc, time::Duration};

use super::*;
use crate::{
    platform::fake::{FakePlatform, Script, Visit, World},
    tenant::testing::{
        fakes::{Database, Says, Store},
        get,
    },
    time::Timestamp,
};

fn world() -> World {
    let refuse = Box::new(|_: &_| Script::Refuse);
    World::new(Timestamp::from_millis(0), refuse)
}

fn platform(world: &World) -> FakePlatform {
    world.visit(Visit {
        head: get("shop.example.com", "/"),
        body: Vec::new(),
        country: None,
        leaves_at: None,
    })
}

/// Looks a host up and lets what is done behind the response be done. Also says how long the visitor waited.
fn ask(
    world: &World,
    host: &'static str,
    store: Option<&Store>,
    database: &Rc<Database>,
) -> (Lookup, u64) {
    let (store, database, platform) = (store.cloned(), Rc::clone(database), platform(world));
    let started = world.now();
    let found = world
        .run(Duration::from_secs(60), async move {
            lookup(host, store.as_ref(), &*database, &platform).await
        })
        .unwrap();
    let waited = world.now().since(started).as_millis() as u64;
    settle(world, Duration::ZERO);
    (found, waited)
}

/// Lets time pass.
fn settle(world: &World, time: Duration) {
    let clock = world.clone();
    world.run(time, async move { clock.sleep(time).await });
}

fn tenant(id: &str) -> Lookup {
    Lookup::Tenant(TenantId::parse(id).unwrap())
}

fn late(id: &'static str, millis: u64) -> Says {
    Says::Late(id, Duration::from_millis(millis))
}

const HOST: &str = "shop.example.com";
const KEY: &str = "host:shop.example.com";

#[test]
fn what_the_store_says_is_not_asked_of_the_database() {
    for (value, expected) in [
        (r#"{"t":"t_x"}"#, tenant("t_x")),
        (r#"{"t":"t_x","more":1}"#, tenant("t_x")),
        (r#"{"t":null}"#, Lookup::Nobody(Nobody::Remembered)),
    ] {
        let world = world();
        let store = Store::holding(&world, KEY, value);
        let database = Rc::new(Database::new(&world, Says::Tenant("t_y")));
        let (found, _) = ask(&world, HOST, Some(&store), &database);
        assert_eq!(found, expected, "{value}");
        assert_eq!(database.take_asked(), 0, "{value}");
        assert_eq!(store.written(), [], "{value}");
    }
}

#[test]
fn what_the_store_does_not_say_is_asked_and_remembered() {
    let written = |value: &str, seconds| vec![(KEY.to_owned(), value.to_owned(), seconds)];
    for (says, expected, writes) in [
        (
            Says::Tenant("t_x"),
            tenant("t_x"),
            written(r#"{"t":"t_x"}"#, 3600),
        ),
        // No row, and a row that is not verified, are the same to whoever asks for verified ones only.
        (
            Says::NoRow,
            Lookup::Nobody(Nobody::NoClaim),
            written(r#"{"t":null}"#, 60),
        ),
        (
            late("t_x", 799),
            tenant("t_x"),
            written(r#"{"t":"t_x"}"#, 3600),
        ),
    ] {
        let world = world();
        let store = Store::new(&world);
        let database = Rc::new(Database::new(&world, says));
        let (found, _) = ask(&world, HOST, Some(&store), &database);
        assert_eq!(found, expected);
        assert_eq!(database.take_asked(), 1);
        assert_eq!(store.written(), writes);
    }
}

#[test]
fn an_answer_that_did_not_come_is_not_remembered() {
    let timed_out = || Lookup::Failed(LookupFailure::TimedOut);
    let failed = Lookup::Failed(LookupFailure::Database("no such table: domains".to_owned()));
    let invalid = Lookup::Failed(LookupFailure::InvalidTenant("no id".to_owned()));
    for (says, expected, waited) in [
        (Says::Never, timed_out(), 800),
        (late("t_x", 900), timed_out(), 800),
        (Says::Error, failed, 0),
        (Says::Tenant("no id"), invalid, 0),
    ] {
        let world = world();
        let store = Store::new(&world);
        let database = Rc::new(Database::new(&world, says));
        assert_eq!(
            ask(&world, HOST, Some(&store), &database),
            (expected, waited)
        );
        // The late answer is thrown away.
        settle(&world, Duration::from_secs(5));
        assert_eq!(store.written(), []);
    }
}

#[test]
fn without_a_store_the_database_is_asked_every_time() {
    let world = world();
    let database = Rc::new(Database::new(&world, Says::Tenant("t_x")));
    for _ in 0..3 {
        assert_eq!(ask(&world, HOST, None, &database).0, tenant("t_x"));
        assert_eq!(database.take_asked(), 1);
    }
}

#[test]
fn a_store_that_cannot_be_read_is_passed_over_and_left_alone() {
    for (hangs, waited) in [(false, 0), (true, 800)] {
        let world = world();
        let store = Store::new(&world);
        if hangs {
            store.hang_reads();
        } else {
            store.fail_reads();
        }
        let database = Rc::new(Database::new(&world, Says::Tenant("t_x")));
        assert_eq!(
            ask(&world, HOST, Some(&store), &database),
            (tenant("t_x"), waited)
        );
        assert_eq!(database.take_asked(), 1);
        assert_eq!(store.written(), []);
    }
}

#[test]
fn an_entry_that_says_nothing_is_repaired() {
    for value in [
        "",
        "t_x",
        "{",
        "{}",
        "null",
        "[]",
        r#"{"t":7}"#,
        r#"{"t":""}"#,
        r#"{"t":"a b"}"#,
        r#"{"t":{}}"#,
    ] {
        let world = world();
        let store = Store::holding(&world, KEY, value);
        let database = Rc::new(Database::new(&world, Says::Tenant("t_x")));
        assert_eq!(
            ask(&world, HOST, Some(&store), &database).0,
            tenant("t_x"),
            "{value}"
        );
        assert_eq!(store.written().len(), 1, "{value}");
        ask(&world, HOST, Some(&store), &database);
        assert_eq!(database.take_asked(), 1, "{value}");
    }
}

#[test]
fn a_write_that_fails_costs_nobody_a_page() {
    for says in [Says::Tenant("t_x"), Says::NoRow] {
        let world = world();
        let store = Store::new(&world);
        store.fail_writes();
        let database = Rc::new(Database::new(&world, says));
        let (found, _) = ask(&world, HOST, Some(&store), &database);
        assert!(!matches!(found, Lookup::Failed(_)));
        assert_eq!(store.written().len(), 1);
    }
}

/// Sequence (a).
#[test]
fn a_tenant_is_asked_for_once_in_an_hour() {
    let world = world();
    let store = Store::new(&world);
    let database = Rc::new(Database::new(&world, Says::Tenant("t_x")));
    for (pause, asked) in [(0, 1), (0, 0), (3599, 0), (1, 1)] {
        settle(&world, Duration::from_secs(pause));
        assert_eq!(ask(&world, HOST, Some(&store), &database).0, tenant("t_x"));
        assert_eq!(database.take_asked(), asked, "{pause} s later");
    }
}

/// Sequence (b).
#[test]
fn nobodys_host_is_asked_for_once_in_a_minute() {
    let world = world();
    let store = Store::new(&world);
    let database = Rc::new(Database::new(&world, Says::NoRow));
    for (pause, asked) in [(0, 1), (59, 0), (1, 1)] {
        settle(&world, Duration::from_secs(pause));
        let (found, _) = ask(&world, HOST, Some(&store), &database);
        assert!(matches!(found, Lookup::Nobody(_)));
        assert_eq!(database.take_asked(), asked, "{pause} s later");
    }
}

/// Sequence (c).
#[test]
fn after_a_timeout_the_database_is_asked_again() {
    let world = world();
    let store = Store::new(&world);
    let database = Rc::new(Database::new(&world, Says::Never));
    let (found, _) = ask(&world, HOST, Some(&store), &database);
    assert_eq!(found, Lookup::Failed(LookupFailure::TimedOut));
    database.says(Says::Tenant("t_x"));
    assert_eq!(ask(&world, HOST, Some(&store), &database).0, tenant("t_x"));
    assert_eq!(database.take_asked(), 2);
}

/// Sequence (d).
#[test]
fn two_hosts_of_one_tenant_are_two_keys() {
    let world = world();
    let store = Store::new(&world);
    let database = Rc::new(Database::new(&world, Says::Tenant("t_x")));
    for host in ["a.example.com", "b.example.com"] {
        assert_eq!(ask(&world, host, Some(&store), &database).0, tenant("t_x"));
    }
    let keys: Vec<String> = store.written().into_iter().map(|(key, _, _)| key).collect();
    assert_eq!(keys, ["host:a.example.com", "host:b.example.com"]);
}

/// Sequence (e).
#[test]
fn an_answer_in_time_leaves_no_timer() {
    /// A clock that counts the timers that run.
    #[derive(Clone, Default)]
    struct Counting(Rc<Cell<i32>>);

    struct Running(Rc<Cell<i32>>);

    impl Drop for Running {
        fn drop(&mut self) {
            self.0.set(self.0.get() - 1);
        }
    }

    impl Clock for Counting {
        fn now(&self) -> Timestamp {
            Timestamp::default()
        }

        async fn sleep(&self, _: Duration) {
            self.0.set(self.0.get() + 1);
            let _running = Running(Rc::clone(&self.0));
            // Let the other one come first.
            std::future::pending().await
        }
    }

    let clock = Counting::default();
    let clock_of_work = clock.clone();
    let mut polled = false;
    let work = std::future::poll_fn(move |context| {
        if std::mem::replace(&mut polled, true) {
            assert_eq!(
                clock_of_work.0.get(),
                1,
                "the timer runs while the database is asked"
            );
            return std::task::Poll::Ready(());
        }
        context.waker().wake_by_ref();
        std::task::Poll::Pending
    });
    futures_executor::block_on(within(&clock, work)).unwrap();
    assert_eq!(clock.0.get(), 0);
}

#[test]
fn an_id_is_up_to_96_visible_characters() {
    let (longest, longer) = ("t".repeat(96), "t".repeat(97));
    for (text, expected) in [
        ("t_x", true),
        ("1f0c…", false),
        ("a b", false),
        ("a\r\nx: y", false),
        ("", false),
        (&longest, true),
        (&longer, false),
    ] {
        assert_eq!(TenantId::parse(text).is_some(), expected, "{text}");
    }
}
