//! What a visitor is told when a request is refused or fails: the only place a [`Refusal`] or [`Failure`] becomes a
//! status and a payload.
//!
//! Visitors are told what happened, not to whom: names of bindings and upstreams are for the event and the log.

use bytes::Bytes;
use http::{
    HeaderMap, HeaderValue, Method, StatusCode,
    header::{ALLOW, CONTENT_TYPE},
};
use serde::Serialize;

use super::{error_page, for_method};
use crate::{
    message::Answer,
    outcome::{Failure, Refusal},
};

/// What a visitor is told, as JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Payload<'a> {
    error: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    allow: Option<&'a [&'a str]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_body_bytes: Option<u64>,
}

impl<'a> Payload<'a> {
    fn new(error: &'a str) -> Self {
        Self {
            error,
            allow: None,
            max_body_bytes: None,
        }
    }
}

/// The answer to a request a guard refused.
pub fn refused(refusal: &Refusal, method: &Method) -> Answer {
    let answer = match refusal {
        Refusal::MethodNotAllowed { allow } => method_not_allowed(allow),
        Refusal::PayloadTooLarge { max_body_bytes } => payload_too_large(*max_body_bytes),
        Refusal::AmbiguousPath => error(StatusCode::BAD_REQUEST, "ambiguous_path"),
        Refusal::Geo | Refusal::Ip => forbidden(),
        Refusal::Referer { status } => error(*status, "referer_forbidden"),
        Refusal::RateLimited => error(StatusCode::TOO_MANY_REQUESTS, "rate_limited"),
        Refusal::RateLimitUnidentifiable => {
            error(StatusCode::FORBIDDEN, "rate_limit_unidentifiable")
        }
        Refusal::RateLimitMisconfigured { binding: _ } => error(
            StatusCode::INTERNAL_SERVER_ERROR,
            "rate_limit_misconfigured",
        ),
        Refusal::SignedLinkInvalid => error(StatusCode::FORBIDDEN, "signed_link_invalid"),
        Refusal::SignedLinkMisconfigured { binding: _ } => error(
            StatusCode::INTERNAL_SERVER_ERROR,
            "signed_link_misconfigured",
        ),
        Refusal::AccessMissing => error(StatusCode::UNAUTHORIZED, "access_missing"),
        Refusal::AccessTooLong => error(StatusCode::UNAUTHORIZED, "access_too_long"),
        Refusal::AccessInvalid => error(StatusCode::UNAUTHORIZED, "access_invalid"),
        Refusal::AccessForbidden => error(StatusCode::FORBIDDEN, "access_forbidden"),
        Refusal::AccessJwksUnavailable => {
            error(StatusCode::SERVICE_UNAVAILABLE, "access_jwks_unavailable")
        }
        Refusal::ForwardAuthUnavailable => {
            error(StatusCode::SERVICE_UNAVAILABLE, "forward_auth_unavailable")
        }
    };
    for_method(method, answer)
}

/// The answer to a request no upstream's answer can be delivered for. Where no upstream could be reached, that is the
/// route's page for the status, if it has one; else a payload that names the failure.
pub fn failed(failure: &Failure, pages: &error_page::Policy, method: &Method) -> Answer {
    let unreached = |status, name| pages.answer(status).unwrap_or_else(|| error(status, name));
    let answer = match failure {
        Failure::Timeout => unreached(StatusCode::GATEWAY_TIMEOUT, "upstream_timeout"),
        Failure::Unreachable => unreached(StatusCode::BAD_GATEWAY, "upstream_unreachable"),
        Failure::InFlightLimit => error(StatusCode::SERVICE_UNAVAILABLE, "in_flight_limit"),
        Failure::ClientClosed => error(client_closed_request(), "client_closed_request"),
        Failure::BodyTooLarge { max_body_bytes } => payload_too_large(*max_body_bytes),
    };
    for_method(method, answer)
}

fn method_not_allowed(allow: &[Method]) -> Answer {
    let names: Vec<&str> = allow.iter().map(Method::as_str).collect();
    let mut answer = json_answer(
        StatusCode::METHOD_NOT_ALLOWED,
        &Payload {
            allow: Some(&names),
            ..Payload::new("method_not_allowed")
        },
    );
    // Methods are tokens, so this cannot fail; a 405 must carry the header (RFC 9110 section 15.5.6).
    let list = HeaderValue::from_str(&names.join(", ")).unwrap_or(HeaderValue::from_static(""));
    answer.headers.insert(ALLOW, list);
    answer
}

fn payload_too_large(max_body_bytes: u64) -> Answer {
    json_answer(
        StatusCode::PAYLOAD_TOO_LARGE,
        &Payload {
            max_body_bytes: Some(max_body_bytes),
            ..Payload::new("payload_too_large")
        },
    )
}

fn forbidden() -> Answer {
    Answer {
        status: StatusCode::FORBIDDEN,
        headers: content_type("text/plain; charset=utf-8"),
        body: Bytes::from_static(b"Forbidden"),
    }
}

fn error(status: StatusCode, name: &str) -> Answer {
    json_answer(status, &Payload::new(name))
}

fn json_answer(status: StatusCode, payload: &Payload<'_>) -> Answer {
    Answer {
        status,
        headers: content_type("application/json"),
        // A struct of texts and numbers always serialises.
        body: Bytes::from(serde_json::to_vec(payload).unwrap_or_default()),
    }
}

fn content_type(value: &'static str) -> HeaderMap {
    HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(value))])
}

/// 499, nginx's word for a visitor who left first. Nobody reads it but the log.
fn client_closed_request() -> StatusCode {
    // 499 lies within what a status may be, so this cannot fail.
    StatusCode::from_u16(499).unwrap_or(StatusCode::REQUEST_TIMEOUT)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::config::{Issues, Path, RouteDocument, document::ErrorPage};

    #[track_caller]
    fn check(answer: &Answer, status: u16, content_type: &str, body: &str) {
        assert_eq!(answer.status.as_u16(), status);
        assert_eq!(answer.headers[CONTENT_TYPE], content_type);
        assert_eq!(answer.body, body);
    }

    #[test]
    fn a_refusal_says_what_was_wrong_and_names_nothing_inside() {
        let binding = || "SECRET_NAME".to_owned();
        for (refusal, status, body) in [
            (
                Refusal::MethodNotAllowed {
                    allow: vec![Method::GET, Method::POST],
                },
                405,
                r#"{"error":"method_not_allowed","allow":["GET","POST"]}"#,
            ),
            (
                Refusal::PayloadTooLarge { max_body_bytes: 9 },
                413,
                r#"{"error":"payload_too_large","maxBodyBytes":9}"#,
            ),
            (Refusal::AmbiguousPath, 400, r#"{"error":"ambiguous_path"}"#),
            (
                Refusal::Referer {
                    status: StatusCode::NOT_FOUND,
                },
                404,
                r#"{"error":"referer_forbidden"}"#,
            ),
            (Refusal::RateLimited, 429, r#"{"error":"rate_limited"}"#),
            (
                Refusal::RateLimitUnidentifiable,
                403,
                r#"{"error":"rate_limit_unidentifiable"}"#,
            ),
            (
                Refusal::RateLimitMisconfigured { binding: binding() },
                500,
                r#"{"error":"rate_limit_misconfigured"}"#,
            ),
            (
                Refusal::SignedLinkInvalid,
                403,
                r#"{"error":"signed_link_invalid"}"#,
            ),
            (
                Refusal::SignedLinkMisconfigured { binding: binding() },
                500,
                r#"{"error":"signed_link_misconfigured"}"#,
            ),
            (Refusal::AccessMissing, 401, r#"{"error":"access_missing"}"#),
            (
                Refusal::AccessTooLong,
                401,
                r#"{"error":"access_too_long"}"#,
            ),
            (Refusal::AccessInvalid, 401, r#"{"error":"access_invalid"}"#),
            (
                Refusal::AccessForbidden,
                403,
                r#"{"error":"access_forbidden"}"#,
            ),
            (
                Refusal::AccessJwksUnavailable,
                503,
                r#"{"error":"access_jwks_unavailable"}"#,
            ),
            (
                Refusal::ForwardAuthUnavailable,
                503,
                r#"{"error":"forward_auth_unavailable"}"#,
            ),
        ] {
            check(
                &refused(&refusal, &Method::GET),
                status,
                "application/json",
                body,
            );
        }
        for refusal in [Refusal::Geo, Refusal::Ip] {
            let answer = refused(&refusal, &Method::GET);
            check(&answer, 403, "text/plain; charset=utf-8", "Forbidden");
        }
    }

    #[test]
    fn a_405_lists_the_methods_that_are_allowed() {
        let refusal = Refusal::MethodNotAllowed {
            allow: vec![Method::GET, Method::POST],
        };
        let answer = refused(&refusal, &Method::HEAD);
        assert_eq!(answer.headers[ALLOW], "GET, POST");
        assert!(answer.body.is_empty(), "HEAD gets no body");
    }

    #[test]
    fn a_failure_is_told_by_its_status_and_a_word() {
        let none = error_page::Policy::default();
        for (failure, status, body) in [
            (Failure::Timeout, 504, r#"{"error":"upstream_timeout"}"#),
            (
                Failure::Unreachable,
                502,
                r#"{"error":"upstream_unreachable"}"#,
            ),
            (
                Failure::InFlightLimit,
                503,
                r#"{"error":"in_flight_limit"}"#,
            ),
            (
                Failure::ClientClosed,
                499,
                r#"{"error":"client_closed_request"}"#,
            ),
            (
                Failure::BodyTooLarge { max_body_bytes: 5 },
                413,
                r#"{"error":"payload_too_large","maxBodyBytes":5}"#,
            ),
        ] {
            let answer = failed(&failure, &none, &Method::GET);
            check(&answer, status, "application/json", body);
        }
    }

    #[test]
    fn a_page_replaces_the_payload_of_its_status_alone() {
        let page = ErrorPage {
            body: Some("<h1>Down</h1>".to_owned()),
            content_type: Some("text/html".to_owned()),
            headers: Some(BTreeMap::from([
                ("retry-after".to_owned(), "300".to_owned()),
                ("content-type".to_owned(), "text/plain".to_owned()),
            ])),
        };
        let route = RouteDocument {
            error_pages: Some(BTreeMap::from([("502".to_owned(), page)])),
            ..Default::default()
        };
        let pages =
            error_page::Policy::compile(&route, &Path::root(), &mut Issues::default()).unwrap();
        let answer = failed(&Failure::Unreachable, &pages, &Method::GET);
        check(&answer, 502, "text/html", "<h1>Down</h1>");
        assert_eq!(answer.headers["retry-after"], "300");
        let head = failed(&Failure::Unreachable, &pages, &Method::HEAD);
        assert_eq!(head.headers, answer.headers);
        assert!(head.body.is_empty());
        let other = failed(&Failure::Timeout, &pages, &Method::GET);
        check(
            &other,
            504,
            "application/json",
            r#"{"error":"upstream_timeout"}"#,
        );
    }
}
