//! Every small policy against every short course of events, with what must hold for all of them.

use super::*;

#[test]
fn no_walk_breaks_its_bounds() {
    let acts: [Act; 8] = [
        (0, Ok(200)),
        (39, Ok(404)),
        (5, Ok(503)),
        (0, Err(FetchError::Unreachable)),
        (30, Err(FetchError::Unreachable)),
        HANGS,
        (5, Err(FetchError::VisitorLeft)),
        (5, Err(FetchError::BodyTooLarge)),
    ];
    let courses: Vec<[Act; 3]> = (0..512)
        .map(|number| [acts[number / 64], acts[number / 8 % 8], acts[number % 8]])
        .collect();
    let modes = [
        FailureMode::Timeout,
        FailureMode::Unreachable,
        FailureMode::ServerError,
    ];
    let mut policies = Vec::new();
    for backoff in [0, 10, 70] {
        for retries in 0..3 {
            policies.push(RouteDocument {
                retry_backoff_ms: Some(backoff),
                ..with_retries(retries)
            });
        }
        for upstreams in [
            &["a.test", "b.test", "c.test"],
            &["a.test", "a.test", "b.test"],
        ] {
            for max_attempts in [1, 2, 64] {
                for subset in 1..8_u8 {
                    let on = (0..3).filter(|bit| subset & (1 << bit) != 0);
                    policies.push(RouteDocument {
                        failover: Some(document::Failover {
                            on: Some(on.map(|bit| modes[bit]).collect()),
                            max_attempts: Some(max_attempts),
                        }),
                        retry_backoff_ms: Some(backoff),
                        ..route(upstreams)
                    });
                }
            }
        }
    }
    for document in &policies {
        let policy = compile(document);
        for head in [get(), post()] {
            for course in &courses {
                let platform = Scripted::new(*course);
                let memory = Memory::default();
                let sent = run(&policy, &head, Errand::Visitor, &memory, &platform);
                hold_invariants(&policy, &head, course, &platform, &sent);
            }
        }
    }
}

#[track_caller]
fn hold_invariants(
    policy: &Policy,
    head: &RequestHead,
    course: &[Act],
    platform: &Scripted,
    sent: &Sent<usize>,
) {
    let told = || format!("{policy:?}\n{course:?}\n{sent:?}");
    let calls = platform.calls();
    let replayable = head.method == Method::GET;
    let several = policy.candidates.len() > 1;
    let cap = match (replayable, several) {
        (false, _) => 1,
        (true, false) => policy.pace.retries + 1,
        (true, true) => policy.failover.max_attempts.min(policy.candidates.len()),
    };
    assert_eq!(sent.attempts as usize, calls.len(), "{}", told());
    assert!((1..=cap).contains(&calls.len()), "{}", told());

    for (start, call) in &calls {
        let end = u128::from(*start) + call.budget.as_millis();
        assert!(!call.budget.is_zero(), "{}", told());
        assert!(call.budget <= policy.pace.timeout, "{}", told());
        assert!(end <= policy.pace.total_timeout.as_millis(), "{}", told());
    }
    assert!(platform.now() <= Timestamp::default() + policy.pace.total_timeout);
    let order = policy.candidates.iter().map(Upstream::authority);
    assert!(
        asked(platform)
            .iter()
            .zip(order.cycle())
            .all(|(asked, planned)| { !several || asked == planned })
    );

    // Every response is delivered or has its connection ended, and neither twice.
    let brought: Vec<usize> = course
        .iter()
        .zip(&calls)
        .enumerate()
        .filter(|(_, ((after, result), (_, call)))| {
            result.is_ok() && u128::from(*after) < call.budget.as_millis()
        })
        .map(|(number, _)| number)
        .collect();
    let delivered = sent.result.as_ref().ok().map(|exchange| exchange.response);
    let mut accounted = platform.discarded();
    accounted.extend(delivered);
    accounted.sort_unstable();
    assert_eq!(accounted, brought, "{}", told());

    // The best answer is delivered: the last one there was, unless the visitor ended the walk.
    let left = matches!(
        sent.result,
        Err(Failure::ClientClosed | Failure::BodyTooLarge { .. })
    );
    assert_eq!(
        delivered,
        brought.last().copied().filter(|_| !left),
        "{}",
        told()
    );
    if let Ok(exchange) = &sent.result {
        assert_eq!(exchange.candidate.authority(), sent.upstream);
        assert_eq!(asked(platform)[exchange.response], sent.upstream);
        let last = exchange.response + 1 == calls.len();
        assert!(last || exchange.head.status.is_server_error(), "{}", told());
    } else {
        assert_eq!(asked(platform).last(), Some(&sent.upstream), "{}", told());
    }
    assert!(
        !replayable || several || calls.len() == cap || left || delivered.is_some() || {
            // A single upstream is given up early only when time is short.
            let spent = platform.now().since(Timestamp::default());
            let pause = policy.pace.backoff.as_millis() << (calls.len() - 1);
            spent.as_millis() + pause >= policy.pace.total_timeout.as_millis()
        }
    );
}
