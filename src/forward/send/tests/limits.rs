//! The two fuses, and what becomes of a walk that is given up.

use std::future::pending;

use super::*;

fn limited(retries: u64, retry_ratio: Option<f64>, max_in_flight: Option<u64>) -> RouteDocument {
    RouteDocument {
        limits: Some(document::Limits {
            retry_ratio,
            max_in_flight,
        }),
        retry_backoff_ms: Some(0),
        ..with_retries(retries)
    }
}

#[test]
fn the_retry_budget_cuts_repetitions_and_says_so() {
    let denied = Some(LimitReason::RetryBudget);
    for (ratio, expected) in [
        (Some(0.2), [(2, denied), (1, denied), (1, denied)]),
        (Some(0.0), [(2, denied), (1, denied), (1, denied)]),
        (None, [(6, None), (6, None), (6, None)]),
    ] {
        let policy = compile(&limited(5, ratio, None));
        let memory = Memory::default();
        for (number, expected) in expected.into_iter().enumerate() {
            let sent = run(
                &policy,
                &get(),
                Errand::Visitor,
                &memory,
                &Scripted::new([]),
            );
            assert_eq!(
                (sent.attempts, sent.limit_reason),
                expected,
                "{ratio:?} {number}"
            );
        }
    }
}

#[test]
fn a_refresh_neither_draws_on_the_limits_nor_is_held_back() {
    let policy = compile(&limited(5, Some(0.0), Some(1)));
    let memory = Memory::default();
    let platform = Scripted::new([]);
    for _ in 0..3 {
        let sent = run(&policy, &get(), Errand::Refresh, &memory, &platform);
        assert_eq!((sent.attempts, sent.limit_reason), (6, None));
    }
    assert!(
        platform
            .calls()
            .iter()
            .all(|(_, call)| !call.follow_visitor)
    );
    let sent = run(&policy, &get(), Errand::Visitor, &memory, &platform);
    assert_eq!(sent.attempts, 2, "the visitor's budget is whole");
}

/// A platform whose fetches after the script never end.
struct Stuck(Scripted, usize);

impl Clock for Stuck {
    fn now(&self) -> Timestamp {
        self.0.now()
    }

    async fn sleep(&self, duration: Duration) {
        self.0.sleep(duration).await;
    }
}

impl Fetch for Stuck {
    type Response = usize;

    async fn fetch(&self, call: Call) -> Result<Fetched<usize>, FetchError> {
        if self.0.calls().len() >= self.1 {
            pending::<()>().await;
        }
        self.0.fetch(call).await
    }

    fn discard(&self, response: usize) {
        self.0.discard(response);
    }
}

#[test]
fn at_the_cap_a_request_is_turned_away_until_a_seat_is_free() {
    let policy = compile(&limited(0, None, Some(1)));
    let memory = Memory::default();
    let head = get();
    let auth = HeaderEdits::default();
    let request = Request {
        head: &head,
        path: "/x",
        label: "route",
        request_id: "id-7",
        auth: &auth,
        errand: Errand::Visitor,
    };
    let plan = plan(&policy, &head);
    let stuck = Stuck(Scripted::new([]), 0);
    let mut waiting = Box::pin(send(&policy, &plan, request, &memory, &stuck));
    assert!(waiting.as_mut().now_or_never().is_none());

    let platform = Scripted::new([(0, Ok(200)), (0, Ok(200))]);
    let refused = run(&policy, &head, Errand::Visitor, &memory, &platform);
    assert_eq!(refused.result.err(), Some(Failure::InFlightLimit));
    assert_eq!(refused.limit_reason, Some(LimitReason::InFlight));
    assert_eq!((refused.attempts, refused.upstream.as_str()), (0, "a.test"));

    drop(waiting);
    let served = run(&policy, &head, Errand::Visitor, &memory, &platform);
    assert!(served.result.is_ok());

    // A future that is never dropped gives its seat up when its lease ends.
    let mut lost = Box::pin(send(&policy, &plan, request, &memory, &stuck));
    assert!(lost.as_mut().now_or_never().is_none());
    std::mem::forget(lost);
    platform.pass(100);
    let served = run(&policy, &head, Errand::Visitor, &memory, &platform);
    assert!(served.result.is_ok());
}

#[test]
fn an_answer_kept_when_the_walk_is_given_up_has_its_connection_ended() {
    let policy = compile(&moving_on(
        &["a.test", "b.test"],
        &[FailureMode::ServerError],
    ));
    let (memory, head, auth) = (Memory::default(), get(), HeaderEdits::default());
    let request = Request {
        head: &head,
        path: "/x",
        label: "route",
        request_id: "id-7",
        auth: &auth,
        errand: Errand::Visitor,
    };
    let stuck = Stuck(Scripted::new([(0, Ok(503))]), 1);
    let plan = plan(&policy, &head);
    let sent = send(&policy, &plan, request, &memory, &stuck).now_or_never();
    assert!(sent.is_none());
    assert_eq!(stuck.0.discarded(), [0]);
}
