//! Copies in memory: when they are served, and when the store is asked again. A store that is down shows which it was.

use super::{edge::Answers, *};
use crate::platform::fake::StoreCondition;

/// An upstream whose answers are small and say so.
fn small(bodies: [&'static str; 2]) -> impl Fn(usize) -> Answers {
    move |number| css(bodies[number.min(1)]).header("content-length", "3")
}

/// An edge that keeps a copy in memory, 100 milliseconds after it was stored.
fn kept(cache: Cache) -> Edge {
    let edge = Edge::new(cache, small(["one", "two"]));
    edge.check(CSS, CacheStatus::Miss, "one", None);
    edge.wait(100);
    edge.check(CSS, CacheStatus::Hit, "one", Some("0"));
    edge.check(CSS, CacheStatus::Hit, "one", Some("0"));
    edge
}

#[test]
fn what_is_asked_for_often_needs_no_store() {
    let edge = kept(cache(60, 0));
    edge.world.set_store(StoreCondition::Down);
    edge.wait(4000);
    edge.check(CSS, CacheStatus::Hit, "one", Some("4"));
    edge.wait(1000);
    edge.check(CSS, CacheStatus::Miss, "two", None);
}

#[test]
fn what_was_asked_for_once_does() {
    let edge = Edge::new(cache(60, 0), small(["one", "two"]));
    edge.check(CSS, CacheStatus::Miss, "one", None);
    edge.check(CSS, CacheStatus::Hit, "one", Some("0"));
    edge.world.set_store(StoreCondition::Down);
    edge.check(CSS, CacheStatus::Miss, "two", None);
}

#[test]
fn a_copy_of_unknown_length_does() {
    let edge = Edge::new(cache(60, 0), in_turn(["one", "two"]));
    edge.check(CSS, CacheStatus::Miss, "one", None);
    for _ in 0..3 {
        edge.check(CSS, CacheStatus::Hit, "one", Some("0"));
    }
    edge.world.set_store(StoreCondition::Down);
    edge.check(CSS, CacheStatus::Miss, "two", None);
}

#[test]
fn a_copy_in_memory_is_served_only_while_it_is_fresh() {
    let edge = kept(cache(1, 0));
    edge.wait(1000);
    edge.check(CSS, CacheStatus::Miss, "two", None);
}

#[test]
fn a_stale_copy_is_looked_for_in_the_store_and_its_successor_seen_at_once() {
    let edge = kept(cache(1, 30));
    edge.wait(1000);
    edge.check(CSS, CacheStatus::Stale, "one", Some("1"));
    edge.wait(100);
    edge.check(CSS, CacheStatus::Hit, "two", Some("0"));
}

#[test]
fn each_key_has_a_copy_of_its_own() {
    let edge = Edge::new(cache(60, 0), |number| {
        css(["one", "two"][number]).header("content-length", "3")
    });
    let other = "/a.css?other";
    edge.check(CSS, CacheStatus::Miss, "one", None);
    edge.check(other, CacheStatus::Miss, "two", None);
    edge.wait(1500);
    for _ in 0..3 {
        edge.check(CSS, CacheStatus::Hit, "one", Some("1"));
        edge.check(other, CacheStatus::Hit, "two", Some("1"));
    }
}
