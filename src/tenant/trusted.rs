//! What the origin is asked: the visitor's request with four of its headers, and what the edge vouches for.

use std::time::Duration;

use http::{
    HeaderName, HeaderValue, Method,
    header::{ACCEPT, ACCEPT_LANGUAGE, CONTENT_TYPE, COOKIE},
};

use super::{EdgeSecret, Origin, TenantId};
use crate::{
    headers::{HeaderEdits, combined},
    matching::Subject,
    platform::{Call, CallBody, HeaderBase, Redirect},
    request_id::{RequestId, X_REQUEST_ID},
};

/// Carries the edge's secret.
pub const X_EDGE_AUTH: HeaderName = HeaderName::from_static("x-edge-auth");

/// Carries the tenant, which an origin believes behind the secret only.
pub const X_RATIO_TENANT: HeaderName = HeaderName::from_static("x-ratio-tenant");

/// The visitor's headers that an origin gets to see. All others stay behind, so that no answer can depend on them.
pub(super) const PASSED: [HeaderName; 4] = [CONTENT_TYPE, ACCEPT, ACCEPT_LANGUAGE, COOKIE];

/// Longest wait for the headers of an answer to a read.
pub const READ_BUDGET: Duration = Duration::from_millis(1500);

/// Longest wait for the headers of an answer to anything else, which must not be given up lightly.
pub const WRITE_BUDGET: Duration = Duration::from_secs(10);

/// What a request is to the edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `GET` or `HEAD`: a stored copy may stand in.
    Read,
    /// Anything else: only the origin can do it.
    Write,
}

impl Kind {
    /// The kind of a request with this method.
    pub fn of(method: &Method) -> Self {
        if matches!(*method, Method::GET | Method::HEAD) {
            Self::Read
        } else {
            Self::Write
        }
    }

    /// Longest wait for the answer's headers.
    pub fn budget(self) -> Duration {
        match self {
            Self::Read => READ_BUDGET,
            Self::Write => WRITE_BUDGET,
        }
    }
}

/// The request to the origin.
///
/// Redirects are the visitor's to follow: a form that answers 303 with a cookie would lose the cookie otherwise.
pub(super) fn call(
    subject: &Subject<'_>,
    origin: &Origin,
    secret: &EdgeSecret,
    tenant: &TenantId,
    id: &RequestId,
) -> Call {
    let head = subject.head();
    let mut edits = HeaderEdits::default();
    for name in PASSED {
        if let Some(value) = combined(&head.headers, &name)
            && !value.is_empty()
            && let Ok(value) = HeaderValue::from_bytes(&value)
        {
            edits.set(name, value);
        }
    }
    edits.set(X_EDGE_AUTH, secret.header_value());
    edits.set(X_RATIO_TENANT, tenant.header_value());
    edits.set(X_REQUEST_ID, id.header_value());
    Call {
        url: origin.address(subject),
        method: head.method.clone(),
        base: HeaderBase::Empty,
        edits,
        body: if head.forwards_body() {
            CallBody::Visitor { limit: None }
        } else {
            CallBody::None
        },
        redirect: Redirect::Manual,
        budget: Kind::of(&head.method).budget(),
        follow_visitor: true,
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;

    use super::*;
    use crate::{
        request_id::inbound_or_random,
        tenant::testing::{get, headers},
    };

    fn called(method: Method, has_body: bool, sent: &[(&'static str, &'static str)]) -> Call {
        let mut head = get("shop.example.com", "/p");
        head.method = method;
        head.has_body = has_body;
        head.headers.extend(headers(sent));
        let origin = Origin::parse(Some("https://o.test")).unwrap();
        let secret = EdgeSecret::resolve(Some("s3"), None).unwrap();
        let tenant = TenantId::parse("t_x").unwrap();
        let id = inbound_or_random(&head, || [0xff; 16]);
        call(&Subject::new(&head), &origin, &secret, &tenant, &id)
    }

    #[track_caller]
    fn check(sent: &[(&'static str, &'static str)], passed: &[(&'static str, &'static str)]) {
        let mut received = HeaderMap::new();
        called(Method::GET, false, sent).edits.apply(&mut received);
        let mut expected = headers(&[
            ("x-edge-auth", "s3"),
            ("x-ratio-tenant", "t_x"),
            ("x-request-id", "ffffffff-ffff-4fff-bfff-ffffffffffff"),
        ]);
        expected.extend(headers(passed));
        assert_eq!(received, expected, "{sent:?}");
    }

    #[test]
    fn four_of_the_visitors_headers_are_passed() {
        let all = [
            ("content-type", "text/plain"),
            ("accept", "text/html"),
            ("accept-language", "fr"),
            ("cookie", "a=1"),
        ];
        check(&all, &all);
        check(&all.map(|(name, _)| (name, "")), &[]);
        check(
            &[
                ("cookie", "a=1"),
                ("cookie", "b=2"),
                ("accept", "a/b"),
                ("accept", "c/d"),
            ],
            &[("cookie", "a=1; b=2"), ("accept", "a/b, c/d")],
        );
    }

    #[test]
    fn no_other_header_of_the_visitor_is_passed() {
        check(
            &[
                ("authorization", "Basic eDp5"),
                ("user-agent", "x"),
                ("referer", "https://a.test/"),
                ("accept-encoding", "br"),
                ("if-none-match", "\"1\""),
                ("range", "bytes=0-1"),
                ("x-forwarded-for", "192.0.2.1"),
                ("cf-connecting-ip", "192.0.2.1"),
                ("x-anything", "1"),
            ],
            &[],
        );
    }

    #[test]
    fn what_the_edge_vouches_for_is_never_the_visitors() {
        check(
            &[
                ("x-edge-auth", "forged"),
                ("x-edge-auth", "forged"),
                ("x-ratio-tenant", "t_y"),
                ("x_edge_auth", "forged"),
                ("x-request-id", "not an id"),
            ],
            &[],
        );
    }

    #[test]
    fn reads_and_writes_differ_in_budget_and_body() {
        for (method, has_body, budget, body) in [
            (Method::GET, false, 1500, CallBody::None),
            (Method::GET, true, 1500, CallBody::None),
            (Method::HEAD, true, 1500, CallBody::None),
            (
                Method::POST,
                true,
                10_000,
                CallBody::Visitor { limit: None },
            ),
            (Method::DELETE, false, 10_000, CallBody::None),
            (Method::OPTIONS, false, 10_000, CallBody::None),
            (
                Method::from_bytes(b"PURGE").unwrap(),
                true,
                10_000,
                CallBody::Visitor { limit: None },
            ),
        ] {
            let call = called(method.clone(), has_body, &[]);
            assert_eq!(
                (
                    call.method,
                    call.budget.as_millis(),
                    call.body,
                    call.redirect
                ),
                (method, budget, body, Redirect::Manual)
            );
        }
    }
}
