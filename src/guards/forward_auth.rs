//! Asks another service about each request, as nginx's `auth_request` does: 2xx admits, everything else is the
//! service's own verdict and reaches the visitor as it was written, a login page's redirect included.
//!
//! The service is asked directly and never through the route table, so that its address may be one that a route takes.

use std::{borrow::Cow, time::Duration};

use http::{
    HeaderMap, HeaderName, HeaderValue, StatusCode,
    header::{AUTHORIZATION, COOKIE, InvalidHeaderValue},
};
use url::Url;

use super::{Request, fields, lines::combined};
use crate::{
    config::{Code, Issues, Path, Reported, document::ForwardAuth, header_rules},
    headers::{
        HeaderEdits,
        hop_by_hop::{HOP_BY_HOP, connection_named},
        reserved,
    },
    message::{RequestHead, ResponseHead},
    net::upstream::is_private_host,
    platform::{
        BodyPlan, Call, CallBody, Clock, Delivery, Fetch, FetchError, Fetched, HeaderBase, Redirect,
    },
};

/// Compiled `forwardAuth`.
#[derive(Debug, Clone)]
pub(super) struct Policy {
    url: String,
    /// Host and port of the service; events of its verdicts name it.
    pub(super) authority: String,
    /// Names of the visitor's headers that the service is shown.
    shown: Vec<HeaderName>,
    /// Names of the verdict's headers that the upstream is shown.
    copied: Vec<HeaderName>,
    timeout: Duration,
    fail_open: bool,
}

/// What came of asking.
#[derive(Debug)]
pub(super) enum Verdict<R> {
    /// The visitor may pass, with these changes to the request.
    Admitted(HeaderEdits),
    /// The service answers in the proxy's place.
    Relayed(StatusCode, Delivery<R>),
    /// The service cannot be asked.
    Unavailable,
    /// The visitor has hung up.
    VisitorLeft,
}

impl Policy {
    pub(super) fn compile(
        document: &ForwardAuth,
        private_allowed: bool,
        at: &Path<'_>,
        issues: &mut Issues,
    ) -> Result<Self, Reported> {
        let ForwardAuth {
            url,
            copy_request_headers,
            copy_response_headers,
            timeout_ms,
            fail_open,
        } = document;
        let url = service(url.as_deref(), private_allowed, &at.key("url"), issues);
        let mut names = |key, list: &Option<Vec<String>>| {
            list.as_ref()
                .map(|list| fields::each(list, &at.key(key), issues, name))
                .transpose()
        };
        let shown = names("copyRequestHeaders", copy_request_headers);
        let copied = match copy_response_headers {
            Some(list) if list.is_empty() => Ok(None),
            list => names("copyResponseHeaders", list),
        };
        let timeout = fields::within(
            timeout_ms.unwrap_or(2000),
            1..=5000,
            &at.key("timeoutMs"),
            issues,
        );
        let fail_open = fields::only_true(*fail_open, &at.key("failOpen"), issues);
        let (url, authority) = url?;
        Ok(Self {
            url,
            authority,
            shown: shown?.unwrap_or_else(|| vec![AUTHORIZATION, COOKIE]),
            copied: copied?.unwrap_or_default(),
            timeout: Duration::from_millis(timeout?),
            fail_open: fail_open?,
        })
    }

    pub(super) async fn ask<P>(&self, request: &Request<'_>, platform: &P) -> Verdict<P::Response>
    where
        P: Clock + Fetch,
    {
        let Ok(edits) = self.question(request) else {
            // A service that is told half of the story might admit the other half.
            return Verdict::Unavailable;
        };
        let call = Call {
            url: self.url.clone(),
            method: request.head.method.clone(),
            base: HeaderBase::Empty,
            edits,
            // The body can be sent once, and that is to the upstream.
            body: CallBody::None,
            redirect: Redirect::Manual,
            budget: self.timeout,
            follow_visitor: true,
        };
        match platform.fetch(call).await {
            Ok(fetched) if fetched.head.status.is_success() => {
                platform.discard(fetched.response);
                Verdict::Admitted(self.admitting(request.head, Some(&fetched.head.headers)))
            }
            // A switch of protocols is nothing that can be relayed to a visitor who has not asked for one.
            Ok(fetched) if fetched.head.status.is_informational() => {
                platform.discard(fetched.response);
                Verdict::Unavailable
            }
            Ok(fetched) => relayed(fetched),
            Err(FetchError::VisitorLeft) => Verdict::VisitorLeft,
            Err(_) if self.fail_open => Verdict::Admitted(self.admitting(request.head, None)),
            Err(_) => Verdict::Unavailable,
        }
    }

    /// What the service is told. The proxy's own account comes last, and the visitor's copies of these names are never
    /// among those shown: they are reserved.
    fn question(&self, request: &Request<'_>) -> Result<HeaderEdits, InvalidHeaderValue> {
        let Request {
            head, request_id, ..
        } = request;
        let mut edits = HeaderEdits::default();
        let shown = self
            .shown
            .iter()
            .filter_map(|name| Some((name.clone(), combined(&head.headers, name)?)));
        let told = [
            ("x-forwarded-host", Some(head.url.authority())),
            ("x-forwarded-proto", Some(head.url.scheme())),
            ("x-forwarded-for", head.address()),
            ("x-forwarded-method", Some(head.method.as_str())),
            ("x-forwarded-uri", Some(head.url.path_and_query())),
            ("x-request-id", Some(*request_id)),
        ];
        let told = told.into_iter().filter_map(|(name, value)| {
            let value = Cow::Borrowed(value?.as_bytes());
            Some((HeaderName::from_static(name), value))
        });
        for (name, value) in shown.chain(told) {
            edits.set(name, HeaderValue::from_bytes(&value)?);
        }
        Ok(edits)
    }

    /// What changes for the upstream. The visitor's own headers under the names that a verdict may set go first, also
    /// those that a server takes for them, whether or not there is a verdict: the upstream believes these names.
    fn admitting(&self, head: &RequestHead, verdict: Option<&HeaderMap>) -> HeaderEdits {
        let mut edits = HeaderEdits::default();
        for name in head.headers.keys() {
            if self.copied.iter().any(|copied| is_alias(copied, name)) {
                edits.remove(name.clone());
            }
        }
        for name in &self.copied {
            for value in verdict
                .into_iter()
                .flat_map(|headers| headers.get_all(name))
            {
                edits.append(name.clone(), value.clone());
            }
        }
        edits
    }
}

/// Status, headers and body as the service wrote them; only what describes its connection to the proxy stays behind.
fn relayed<R>(fetched: Fetched<R>) -> Verdict<R> {
    let Fetched {
        head: ResponseHead { status, headers },
        has_body: _,
        response,
    } = fetched;
    let mut edits = HeaderEdits::default();
    for name in connection_named(&headers).chain(HOP_BY_HOP) {
        if headers.contains_key(&name) {
            edits.remove(name);
        }
    }
    let delivery = Delivery {
        response,
        status: None,
        edits,
        body: BodyPlan::Untouched,
    };
    Verdict::Relayed(status, delivery)
}

/// Whether a server may take one name for the other: CGI and its heirs make `HTTP_X_USER_ID` of `x-user-id`,
/// `x_user_id` and `x.user.id` alike (RFC 3875 section 4.1.18).
fn is_alias(name: &HeaderName, other: &HeaderName) -> bool {
    let (name, other) = (name.as_str(), other.as_str());
    name.len() == other.len()
        && name.bytes().zip(other.bytes()).all(|(one, other)| {
            one == other || !(one.is_ascii_alphanumeric() || other.is_ascii_alphanumeric())
        })
}

/// The URL as it is asked for, and its host and port.
fn service(
    text: Option<&str>,
    private_allowed: bool,
    at: &Path<'_>,
    issues: &mut Issues,
) -> Result<(String, String), Reported> {
    let Some(text) = text else {
        return Err(issues.report(
            at,
            Code::Required,
            "expected the URL of the service that is asked, such as \"https://sso.example.com/check\"; found none",
        ));
    };
    let parsed = Url::parse(text).ok().filter(|url| {
        matches!(url.scheme(), "http" | "https")
            // The platform refuses to fetch a URL with credentials.
            && url.username().is_empty()
            && url.password().is_none()
    });
    let Some((mut url, host)) = parsed
        .as_ref()
        .and_then(|url| Some((url.clone(), url.host()?)))
    else {
        return Err(issues.report(
            at,
            Code::Value,
            format!("expected an absolute http or https URL without user name and password, such as \"https://sso.example.com/check\"; found {text:?}"),
        ));
    };
    if !private_allowed && is_private_host(&host) {
        return Err(issues.report(
            at,
            Code::PrivateUpstream,
            format!("expected a public host; found {text:?}, a loopback, private or metadata address or a name for one. \"allowPrivateUpstream\": true permits it"),
        ));
    }
    url.set_fragment(None);
    let authority = match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_string(),
    };
    Ok((url.into(), authority))
}

fn name(text: &str, at: &Path<'_>, issues: &mut Issues) -> Result<HeaderName, Reported> {
    header_rules::name(text, reserved::request, at, issues)
}

#[cfg(test)]
mod tests {
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
    fn admitted(
        document: &ForwardAuth,
        head: &RequestHead,
        answer: Answer,
    ) -> Vec<(String, String)> {
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
            let Verdict::Relayed(seen, delivery) =
                ask(&document, &head("GET", "/", &[]), &platform)
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
}
