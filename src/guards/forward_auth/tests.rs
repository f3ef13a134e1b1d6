//! What the service is told, what its verdict does, and where it may be.

use super::*;
use crate::{
    guards::fake::{Answer, Body, Fake, block_on, complaints, head},
    headers::Edit,
};

const URL: &str = "https://sso.test/check";

fn document() -> ForwardAuth {
    ForwardAuth {
        url: Some(URL.into()),
        copy_response_headers: Some(vec!["X-User-Id".into(), "x-groups".into()]),
        ..ForwardAuth::default()
    }
}

fn ask(document: &ForwardAuth, head: &RequestHead, platform: &Fake) -> Verdict<Body> {
    let policy = Policy::compile(document, false, &Path::root(), &mut Issues::default());
    let request = Request {
        head,
        path: "/",
        label: "main",
        request_id: "id-1",
    };
    block_on(policy.expect("compiles").ask(&request, platform))
}

/// What the upstream would see of the visitor's headers.
#[track_caller]
fn admitted(document: &ForwardAuth, head: &RequestHead, answer: Answer) -> Vec<(String, String)> {
    let platform = Fake::default().answering(URL, vec![answer]);
    let Verdict::Admitted(edits) = ask(document, head, &platform) else {
        panic!("not admitted");
    };
    let mut headers = head.headers.clone();
    edits.apply(&mut headers);
    let pairs = headers.iter();
    pairs
        .map(|(name, value)| (name.to_string(), value.to_str().expect("text").to_owned()))
        .collect()
}

fn sent(call: &Call) -> Vec<(&str, &str)> {
    call.edits
        .iter()
        .map(|edit| match edit {
            Edit::Set(name, value) => (name.as_str(), value.to_str().expect("text")),
            other => panic!("{other:?}"),
        })
        .collect()
}

#[test]
fn the_service_is_asked_once_with_what_it_may_know() {
    let lines = [
        ("cookie", "a=1"),
        ("authorization", "Bearer t"),
        ("x-client", "mine"),
        ("cookie", "b=2"),
        ("x-forwarded-for", "forged"),
        ("x-forwarded-uri", "/forged"),
        ("cf-connecting-ip", "203.0.113.9"),
    ];
    let head = head("POST", "/admin/../x?y=%20", &lines);
    let platform = Fake::default().answering(URL, vec![Answer::new(204, &[], "")]);
    assert!(matches!(
        ask(&document(), &head, &platform),
        Verdict::Admitted(_)
    ));
    let calls = platform.calls();
    assert_eq!(calls.len(), 1);
    assert_eq!(
        sent(&calls[0]),
        [
            ("authorization", "Bearer t"),
            ("cookie", "a=1; b=2"),
            ("x-forwarded-host", "proxy.test"),
            ("x-forwarded-proto", "https"),
            ("x-forwarded-for", "203.0.113.9"),
            ("x-forwarded-method", "POST"),
            ("x-forwarded-uri", "/admin/../x?y=%20"),
            ("x-request-id", "id-1"),
        ]
    );
    let Call {
        url,
        method,
        base,
        body,
        redirect,
        budget,
        follow_visitor,
        edits: _,
    } = &calls[0];
    assert_eq!((url.as_str(), method.as_str()), (URL, "POST"));
    assert_eq!(
        (base, body, redirect),
        (&HeaderBase::Empty, &CallBody::None, &Redirect::Manual)
    );
    assert_eq!((budget, follow_visitor), (&Duration::from_secs(2), &true));
    assert_eq!(platform.discarded(), 1);
}

#[test]
fn a_list_of_ones_own_replaces_the_usual_pair() {
    let document = ForwardAuth {
        copy_request_headers: Some(vec!["X-Session".into(), "x-absent".into()]),
        ..document()
    };
    let lines = [
        ("cookie", "a=1"),
        ("x-session", "9"),
        ("authorization", "t"),
    ];
    let platform = Fake::default().answering(URL, vec![Answer::new(200, &[], "")]);
    ask(&document, &head("GET", "/", &lines), &platform);
    let calls = platform.calls();
    let names: Vec<_> = sent(&calls[0]).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names.first(), Some(&"x-session"));
    assert!(
        !names
            .iter()
            .any(|name| ["cookie", "authorization", "x-absent"].contains(name))
    );
}

#[test]
fn a_verdicts_headers_reach_the_upstream_and_the_visitors_never_do() {
    let lines = [
        ("x-user-id", "forged"),
        ("x_user_id", "forged"),
        ("X_User-Id", "forged"),
        ("x.user.id", "forged"),
        ("x-groups", "forged"),
        ("x-user-ids", "mine"),
        ("xuserid", "mine"),
    ];
    let mine = [("x-user-ids", "mine"), ("xuserid", "mine")];
    let verdict = [
        ("x-user-id", "u-17"),
        ("x-other", "no"),
        ("x-groups", "a"),
        ("x-groups", "b"),
    ];
    for (answer, copied) in [
        (
            Answer::new(200, &verdict, ""),
            vec![("x-user-id", "u-17"), ("x-groups", "a"), ("x-groups", "b")],
        ),
        (Answer::new(204, &[], ""), vec![]),
        (Answer::Fails(FetchError::Unreachable), vec![]),
        (Answer::Fails(FetchError::TimedOut), vec![]),
    ] {
        let document = ForwardAuth {
            fail_open: Some(true),
            ..document()
        };
        let mut expected: Vec<_> = mine
            .iter()
            .chain(&copied)
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect();
        let mut seen = admitted(&document, &head("GET", "/", &lines), answer.clone());
        expected.sort();
        seen.sort();
        assert_eq!(seen, expected, "{answer:?}");
    }
}

#[test]
fn any_other_status_is_relayed_as_it_was_written() {
    for status in [301, 302, 304, 400, 401, 403, 404, 500, 503] {
        let lines = [
            ("location", "https://login.test/?next=%2F"),
            ("set-cookie", "a=1"),
            ("connection", "close, X-Hop"),
            ("x-hop", "1"),
            ("keep-alive", "5"),
        ];
        let answer = Answer::new(status, &lines, "please log in");
        let platform = Fake::default().answering(URL, vec![answer]);
        let document = ForwardAuth {
            fail_open: Some(true),
            ..document()
        };
        let Verdict::Relayed(seen, delivery) = ask(&document, &head("GET", "/", &[]), &platform)
        else {
            panic!("not relayed: {status}");
        };
        assert_eq!(seen.as_u16(), status);
        assert_eq!(delivery.response, Body(Some("please log in".into())));
        assert!(delivery.status.is_none() && matches!(delivery.body, BodyPlan::Untouched));
        let mut removed: Vec<_> = delivery.edits.iter().cloned().collect();
        removed.dedup();
        let names = ["x-hop", "connection", "keep-alive"].map(HeaderName::from_static);
        assert_eq!(removed, names.map(Edit::Remove));
        assert_eq!(platform.discarded(), 0);
    }
}

#[test]
fn what_cannot_be_asked_closes_unless_the_route_opens_it() {
    for (answer, opens) in [
        (Answer::Fails(FetchError::Unreachable), true),
        (Answer::Fails(FetchError::TimedOut), true),
        (Answer::Hangs, true),
        (Answer::new(101, &[], ""), false),
    ] {
        for fail_open in [None, Some(true)] {
            let document = ForwardAuth {
                fail_open,
                ..document()
            };
            let platform = Fake::default().answering(URL, vec![answer.clone()]);
            let verdict = ask(&document, &head("GET", "/", &[]), &platform);
            match fail_open.is_some() && opens {
                true => assert!(matches!(verdict, Verdict::Admitted(_)), "{answer:?}"),
                false => assert!(matches!(verdict, Verdict::Unavailable), "{answer:?}"),
            }
        }
    }
}

#[test]
fn a_visitor_who_has_left_is_let_through_nowhere() {
    let document = ForwardAuth {
        fail_open: Some(true),
        ..document()
    };
    let answer = Answer::Fails(FetchError::VisitorLeft);
    let platform = Fake::default().answering(URL, vec![answer]);
    let verdict = ask(&document, &head("GET", "/", &[]), &platform);
    assert!(matches!(verdict, Verdict::VisitorLeft));
}

#[track_caller]
fn check_url(url: &str, private_allowed: bool, expected: Result<(&str, &str), Code>) {
    let mut issues = Issues::default();
    let service = service(Some(url), private_allowed, &Path::root(), &mut issues);
    let code = issues.into_vec().first().map(|issue| issue.code);
    let seen = service
        .as_ref()
        .map(|(url, authority)| (url.as_str(), authority.as_str()));
    assert_eq!(seen.map_err(|_| code.expect("reported")), expected, "{url}");
}

#[test]
fn the_service_has_an_absolute_address() {
    for (url, expected) in [
        (
            "https://SSO.test/Check?a=1#frag",
            Ok(("https://sso.test/Check?a=1", "sso.test")),
        ),
        (
            "http://sso.test:8080",
            Ok(("http://sso.test:8080/", "sso.test:8080")),
        ),
        (
            "https://sso.test:443/",
            Ok(("https://sso.test/", "sso.test")),
        ),
        ("/check", Err(Code::Value)),
        ("sso.test/check", Err(Code::Value)),
        ("ftp://sso.test/", Err(Code::Value)),
        ("https://", Err(Code::Value)),
        ("https://u@sso.test/", Err(Code::Value)),
        ("https://:p@sso.test/", Err(Code::Value)),
        ("https://sso.test:99999/", Err(Code::Value)),
        ("", Err(Code::Value)),
    ] {
        check_url(url, false, expected);
    }
}

#[test]
fn the_service_is_at_no_private_address_however_it_is_spelled() {
    for host in [
        "localhost",
        "api.localhost",
        "localhost.",
        "LOCALHOST",
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "%31%32%37.0.0.1",
        "１２７.0.0.1",
        "10.0.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "metadata.google.internal",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::ffff:0:127.0.0.1]",
        "[::127.0.0.1]",
        "[fd00::1]",
        "[fe80::1]",
        "[64:ff9b::10.0.0.1]",
        "[2002:7f00:1::]",
    ] {
        let url = format!("http://{host}/auth");
        check_url(&url, false, Err(Code::PrivateUpstream));
        let mut issues = Issues::default();
        assert!(
            service(Some(&url), true, &Path::root(), &mut issues).is_ok(),
            "{host}"
        );
    }
    check_url(
        "http://[2606:4700::1111]/",
        false,
        Ok(("http://[2606:4700::1111]/", "[2606:4700::1111]")),
    );
}

#[test]
fn what_makes_no_sense_is_reported_where_it_stands() {
    let names = |list: &[&str]| Some(list.iter().map(ToString::to_string).collect());
    for (document, expected) in [
        (ForwardAuth::default(), vec!["auth.url"]),
        (
            ForwardAuth {
                url: Some("https://sso.test/".into()),
                copy_request_headers: names(&["cookie", "host", "a b"]),
                copy_response_headers: names(&["X-Forwarded-For"]),
                timeout_ms: Some(5001),
                fail_open: Some(false),
            },
            vec![
                "auth.copyRequestHeaders[1]",
                "auth.copyRequestHeaders[2]",
                "auth.copyResponseHeaders[0]",
                "auth.timeoutMs",
                "auth.failOpen",
            ],
        ),
        (
            ForwardAuth {
                copy_request_headers: names(&[]),
                copy_response_headers: names(&[]),
                ..document()
            },
            vec!["auth.copyRequestHeaders"],
        ),
    ] {
        let found = complaints("auth", |at, issues| {
            Policy::compile(&document, false, at, issues)
        });
        assert_eq!(found, expected);
    }
}
