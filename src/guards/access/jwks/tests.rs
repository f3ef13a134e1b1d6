//! How often a team is asked, and who waits for the answer.

use futures_util::future::{join, join3};

use super::*;
use crate::{
    guards::{
        access::test_key::{KEY_ID, MODULUS, key_set},
        fake::{Answer, Fake, block_on},
    },
    platform::FetchError,
};

fn team() -> Team {
    "acme".parse().expect("a team")
}

fn answering(answers: Vec<Answer>) -> Fake {
    Fake::default()
        .at(1000)
        .answering(&team().certs_url(), answers)
}

fn good(key_id: &str) -> Answer {
    Answer::new(200, &[], &key_set(key_id))
}

/// Whether the key is found, and how often the team was asked up to then.
#[track_caller]
fn check(platform: &Fake, memory: &Memory, key_id: &str, expected: (Result<(), NoKey>, usize)) {
    let found = block_on(find(&team(), key_id, memory, platform)).map(|_| ());
    assert_eq!((found, platform.calls().len()), expected, "{key_id}");
}

#[test]
fn a_set_is_good_for_an_hour() {
    let (platform, memory) = (answering(vec![good("a")]), Memory::default());
    check(&platform, &memory, "a", (Ok(()), 1));
    check(&platform, &memory, "a", (Ok(()), 1));
    platform.pass(Duration::from_secs(3599));
    check(&platform, &memory, "a", (Ok(()), 1));
    platform.pass(Duration::from_secs(1));
    check(&platform, &memory, "a", (Ok(()), 2));
}

#[test]
fn an_unknown_key_loads_again_once_a_minute_at_most() {
    let answers = vec![good("old"), good("new")];
    let (platform, memory) = (answering(answers), Memory::default());
    check(&platform, &memory, "old", (Ok(()), 1));
    check(&platform, &memory, "new", (Err(NoKey::Unknown), 1));
    platform.pass(Duration::from_secs(60));
    check(&platform, &memory, "new", (Err(NoKey::Unknown), 1));
    platform.pass(Duration::from_secs(1));
    check(&platform, &memory, "new", (Ok(()), 2));
    for invented in ["x", "y", "z"] {
        check(&platform, &memory, invented, (Err(NoKey::Unknown), 2));
    }
}

#[test]
fn a_failed_load_is_remembered_for_a_minute() {
    for failure in [
        Answer::Fails(FetchError::Unreachable),
        Answer::Fails(FetchError::TimedOut),
        Answer::new(500, &[], &key_set("a")),
        Answer::new(302, &[("location", "https://evil.test/")], ""),
        Answer::new(200, &[], "<html>"),
        Answer::new(200, &[], "{}"),
        Answer::new(200, &[], "{\"keys\":{}}"),
        Answer::new(200, &[], &" ".repeat(MOST_BYTES + 1)),
    ] {
        let (platform, memory) = (answering(vec![failure, good("a")]), Memory::default());
        check(&platform, &memory, "a", (Err(NoKey::Unavailable), 1));
        platform.pass(Duration::from_secs(59));
        check(&platform, &memory, "a", (Err(NoKey::Unavailable), 1));
        platform.pass(Duration::from_secs(1));
        check(&platform, &memory, "a", (Ok(()), 2));
    }
}

#[test]
fn a_failed_reload_leaves_keys_that_are_still_good() {
    let answers = vec![good("old"), Answer::new(503, &[], ""), good("new")];
    let (platform, memory) = (answering(answers), Memory::default());
    check(&platform, &memory, "old", (Ok(()), 1));
    platform.pass(Duration::from_secs(61));
    check(&platform, &memory, "new", (Err(NoKey::Unavailable), 2));
    check(&platform, &memory, "old", (Ok(()), 2));
    check(&platform, &memory, "new", (Err(NoKey::Unavailable), 2));
    assert_eq!(platform.discarded(), 1);
    platform.pass(Duration::from_secs(60));
    check(&platform, &memory, "new", (Ok(()), 3));
}

#[test]
fn a_load_has_five_seconds_whatever_it_hangs_on() {
    for hanging in [Answer::Hangs, Answer::Stalled] {
        let (platform, memory) = (answering(vec![hanging]), Memory::default());
        check(&platform, &memory, "a", (Err(NoKey::Unavailable), 1));
        let waited = platform.now().since(Timestamp::from_millis(1_000_000));
        assert!((DEADLINE..DEADLINE * 2).contains(&waited), "{waited:?}");
    }
}

#[test]
fn requests_at_once_share_one_load() {
    let slow = good("a").after(Duration::from_secs(2));
    let (platform, memory) = (answering(vec![slow]), Memory::default());
    let team = team();
    let find = |key_id| find(&team, key_id, &memory, &platform);
    let found = block_on(join3(find("a"), find("a"), find("unknown")));
    assert!(found.0.is_ok() && found.1.is_ok());
    assert_eq!(found.2, Err(NoKey::Unknown));
    assert_eq!(platform.calls().len(), 1);
}

#[test]
fn requests_at_once_share_one_failure() {
    let (platform, memory) = (answering(vec![Answer::Hangs]), Memory::default());
    let team = team();
    let find = || find(&team, "a", &memory, &platform);
    let unavailable = Err(NoKey::Unavailable);
    assert_eq!(
        block_on(join(find(), find())),
        (unavailable.clone(), unavailable)
    );
    assert_eq!(platform.calls().len(), 1);
}

#[test]
fn a_leader_that_is_dropped_hands_over_at_once() {
    let answers = vec![Answer::Hangs, good("a")];
    let (platform, memory) = (answering(answers), Memory::default());
    let team = team();
    {
        let leader = pin!(find(&team, "a", &memory, &platform));
        let waker = futures_util::task::noop_waker_ref();
        let mut context = std::task::Context::from_waker(waker);
        assert!(leader.poll(&mut context).is_pending());
    }
    check(&platform, &memory, "a", (Ok(()), 2));
}

#[test]
fn a_leader_that_vanishes_without_a_word_is_replaced_when_its_lease_ends() {
    let (platform, memory) = (answering(vec![good("a")]), Memory::default());
    let started = platform.now();
    let lease = memory.next_step(&team(), "a", started);
    assert_eq!(lease, Step::Load(started + DEADLINE));
    assert_eq!(memory.next_step(&team(), "a", started), Step::Wait);
    check(&platform, &memory, "a", (Ok(()), 1));
    assert!(platform.now().since(started) >= DEADLINE);
}

#[test]
fn the_endpoint_is_asked_plainly() {
    let (platform, memory) = (answering(vec![good("a")]), Memory::default());
    check(&platform, &memory, "a", (Ok(()), 1));
    let call = platform.calls().remove(0);
    assert_eq!(
        call.url,
        "https://acme.cloudflareaccess.com/cdn-cgi/access/certs"
    );
    assert_eq!((call.method, call.base), (Method::GET, HeaderBase::Empty));
    assert_eq!(
        (call.redirect, call.body),
        (Redirect::Manual, CallBody::None)
    );
    assert!(call.edits.is_empty() && !call.follow_visitor);
}

#[test]
fn teams_are_bounded() {
    let memory = Memory::default();
    for number in 0..MOST_TEAMS * 2 {
        let team: Team = format!("team-{number}").parse().expect("a team");
        memory.next_step(&team, "a", Timestamp::default());
    }
    assert_eq!(memory.teams.borrow().len(), MOST_TEAMS);
}

#[test]
fn only_sound_keys_for_this_use_are_taken() {
    let entry = |change: Value| {
        let mut entry = serde_json::json!({ "kid": KEY_ID, "kty": "RSA", "alg": "RS256", "use": "sig", "e": "AQAB", "n": MODULUS });
        for (name, value) in change.as_object().expect("an object") {
            entry[name] = value.clone();
        }
        entry
    };
    for (change, expected) in [
        (serde_json::json!({}), true),
        (serde_json::json!({ "alg": null, "use": null }), true),
        (serde_json::json!({ "kty": "EC" }), false),
        (serde_json::json!({ "kty": null }), false),
        (serde_json::json!({ "alg": "RS512" }), false),
        (serde_json::json!({ "use": "enc" }), false),
        (serde_json::json!({ "kid": 7 }), false),
        (serde_json::json!({ "kid": null }), false),
        (serde_json::json!({ "e": "" }), false),
        (serde_json::json!({ "n": "AQAB" }), false),
        (serde_json::json!({ "n": MODULUS.replace('_', "/") }), false),
        (serde_json::json!({ "n": MODULUS.repeat(5) }), false),
    ] {
        let set = serde_json::json!({ "keys": [7, null, [], entry(change.clone())] });
        let keys = keys_of(&set.to_string()).expect("a set");
        assert_eq!(keys.contains_key(KEY_ID), expected, "{change}");
    }
}
