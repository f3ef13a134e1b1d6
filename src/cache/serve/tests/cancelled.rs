//! Requests that end at every moment there is, and those who waited for them.

use super::{edge::Answers, *};
use crate::platform::fake::StoreCondition;

#[test]
fn whenever_a_leader_ends_those_who_wait_are_answered() {
    for end in [End::HangsUp, End::Killed] {
        for after in (0..=1100).step_by(20) {
            // Headers after 400 ms, the rest of the body 300 ms later.
            let edge = Edge::new(cache(60, 0), |_| css("x").after(400).then(300, "y"));
            let party = [
                Guest {
                    arrives: 0,
                    end: end(after),
                },
                Guest::who_stays(0),
                Guest::who_stays(50),
                Guest::who_stays(1000),
            ];
            let case = format!("{:?}", end(after));
            let seen = edge.meet(&party);
            for (guest, seen) in party.iter().zip(&seen).skip(1) {
                let seen = seen.as_ref().unwrap();
                assert_eq!(seen.body, "xy", "{case}");
                let waited = seen.answered.as_millis() - guest.arrives;
                // One lease, a look, and a fetch of one's own.
                assert!(waited < 3000 + 100 + 700 + 100, "{case}: {waited}");
            }
            assert!(edge.asked() <= 2, "{case}: asked {}", edge.asked());
            edge.check_no_lead(&case);
            edge.check_healthy(&case);
        }
    }
}

#[test]
fn a_refresh_that_is_killed_is_made_again() {
    for after in (0..=900).step_by(20) {
        let edge = Edge::new(cache(1, 60), |number| {
            css("x")
                .after(if number == 0 { 0 } else { 400 })
                .then(300, "y")
        });
        edge.visit(get(CSS, &[]));
        edge.wait(1200);
        let now = edge.world.now().as_millis();
        let seen = edge.meet(&[Guest {
            arrives: now,
            end: End::Killed(after),
        }]);
        drop(seen);
        // A lease later another visitor sets off another refresh, unless the first was done.
        edge.wait(3100);
        assert_eq!(edge.visit(get(CSS, &[])).body, "xy");
        edge.wait(800);
        let seen = edge.visit(get(CSS, &[]));
        assert_eq!(
            (seen.cache, seen.body.as_str()),
            (CacheStatus::Hit, "xy"),
            "{after}"
        );
        edge.check_no_lead(&after.to_string());
    }
}

#[test]
fn a_store_that_fails_fails_no_request() {
    for condition in [StoreCondition::ReadOnly, StoreCondition::Down] {
        let edge = Edge::new(cache(60, 0), |_| css("x").after(400).then(300, "y"));
        edge.world.set_store(condition);
        let seen = edge.burst(4);
        assert!(
            seen.iter().all(|seen| seen.body == "xy" && !seen.broke),
            "{condition:?}"
        );
        assert!(
            seen.iter().all(|seen| seen.answered.as_millis() < 1400),
            "{condition:?} {seen:?}"
        );
        edge.check_no_lead(&format!("{condition:?}"));
        edge.world.set_store(StoreCondition::Sound);
        edge.check_healthy("mended");
        // One that goes down later costs the entries and nothing else.
        edge.world.set_store(condition);
        assert_eq!(edge.visit(get(CSS, &[])).body, "xy");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whoever comes and goes, whatever the upstream and the store do meanwhile.
    #[test]
    fn everybody_who_stays_is_answered_in_time_and_whole(
        party in prop::collection::vec(any_guest(), 1..7),
        manners in prop::collection::vec(any_manner(), 1..6),
        condition in prop::sample::select(vec![
            StoreCondition::Sound, StoreCondition::Sound, StoreCondition::ReadOnly, StoreCondition::Down,
        ]),
        stale in 0_u64..3,
    ) {
        let cache = Cache {
            stale_if_error: Some(StaleIfError {
                seconds: Some(2),
                on: Some(vec![FailureMode::Timeout, FailureMode::Unreachable, FailureMode::ServerError]),
            }),
            ..cache(1, stale)
        };
        let healthy = Rc::new(Cell::new(false));
        let mended = Rc::clone(&healthy);
        let edge = Edge::new(cache, move |number| {
            if mended.get() { whole() } else { manners[number % manners.len()].clone() }
        });
        edge.world.set_store(condition);
        for (guest, seen) in party.iter().zip(edge.meet(&party)) {
            let Some(seen) = seen else { continue };
            if matches!(guest.end, End::Stays) {
                let waited = u128::from(seen.answered.as_millis() - guest.arrives);
                // The longest wait for another, the slowest answer, and one pause between them.
                prop_assert!(waited <= TOTAL_TIMEOUT.as_millis() + SLOWEST + 100, "{guest:?} {seen:?}");
                prop_assert!(seen.body != "client closed", "{guest:?} {seen:?}");
            }
            if matches!(seen.cache, CacheStatus::Hit | CacheStatus::Stale | CacheStatus::StaleError) {
                prop_assert_eq!(&seen.body, "xy", "half a body was stored: {:?}", &seen);
                prop_assert!(!seen.broke);
            }
            prop_assert!(seen.broke || ["xy", "unreachable", "client closed"].contains(&seen.body.as_str()), "{seen:?}");
        }
        // What runs behind the responses ends by itself; what does not run any more lapses.
        edge.wait(4000);
        edge.check_no_lead("at the end");
        healthy.set(true);
        edge.world.set_store(StoreCondition::Sound);
        // Past every window, so that nothing old is in the way.
        edge.wait(10_000);
        edge.check_healthy("at the end");
    }
}

/// How a request ends, counted from its arrival.
#[derive(Debug, Clone, Copy)]
enum End {
    Stays,
    /// The visitor hangs up, which the code learns.
    HangsUp(u64),
    /// The request stops in the middle, with all its work behind the response, and no code of it runs again.
    Killed(u64),
}

#[derive(Debug, Clone, Copy)]
struct Guest {
    arrives: u64,
    end: End,
}

impl Guest {
    const fn who_stays(arrives: u64) -> Self {
        Self {
            arrives,
            end: End::Stays,
        }
    }
}

fn any_guest() -> impl Strategy<Value = Guest> {
    let end = prop_oneof![
        3 => Just(End::Stays),
        1 => (0_u64..2500).prop_map(End::HangsUp),
        2 => (0_u64..2500).prop_map(End::Killed),
    ];
    (0_u64..6000, end).prop_map(|(arrives, end)| Guest { arrives, end })
}

fn any_manner() -> impl Strategy<Value = Answers> {
    let answer = prop::sample::select(vec![
        whole(),
        whole(),
        whole().header("set-cookie", "s=1"),
        whole().status(503),
        whole().ends(ScriptedEnd::Reset),
        css("x").ends(ScriptedEnd::Reset),
        css("").status(0),
    ]);
    (answer, 0_u64..900).prop_map(|(answer, delay)| answer.after(delay))
}

fn whole() -> Answers {
    css("x").then(300, "y")
}

/// The slowest answer's headers, in milliseconds.
const SLOWEST: u128 = 900;

impl Edge {
    /// Lets everybody come and go; nothing is seen of a request that was killed before its end.
    fn meet(&self, party: &[Guest]) -> Vec<Option<Seen>> {
        let visits = join_all(party.iter().map(|guest| {
            let at = Timestamp::from_millis;
            let arrives = at(guest.arrives);
            let (leaves, dies) = match guest.end {
                End::Stays => (None, None),
                End::HangsUp(after) => (Some(at(guest.arrives + after)), None),
                End::Killed(after) => (None, Some(at(guest.arrives + after))),
            };
            let mut platform = self.platform(get(CSS, &[]), leaves);
            if let Some(dies) = dies {
                platform = platform.killed_at(dies);
            }
            let pause = self.world.sleep(arrives.since(self.world.now()));
            let visit = self.seen(platform);
            let world = self.world.clone();
            async move {
                pause.await;
                let Some(dies) = dies else {
                    return Some(visit.await);
                };
                let end = world.sleep(dies.since(world.now()));
                match select(Box::pin(visit), Box::pin(end)).await {
                    Either::Left((seen, _)) => Some(seen),
                    Either::Right(_) => None,
                }
            }
        }));
        self.run(visits)
    }

    /// Nobody who comes later waits for somebody who is gone.
    #[track_caller]
    fn check_no_lead(&self, case: &str) {
        let key = key::address(
            &self.policy.key,
            &get(CSS, &[]),
            Variant {
                fingerprint: "f",
                bucket: None,
            },
        );
        match self.memory.turn(&key, self.world.now()) {
            Turn::Lead(lead) => self.memory.give_up(&lead),
            Turn::Alone => {}
            Turn::Wait => panic!("{case}: somebody is waited for"),
        }
    }

    /// The cache does its work: what is asked twice is there the second time, whole.
    #[track_caller]
    fn check_healthy(&self, case: &str) {
        assert_eq!(self.visit(get(CSS, &[])).body, "xy", "{case}");
        self.wait(50);
        let seen = self.visit(get(CSS, &[]));
        assert_eq!(
            (seen.cache, seen.body.as_str()),
            (CacheStatus::Hit, "xy"),
            "{case}"
        );
    }
}
