//! The pages the edge writes itself, out of nothing but itself, so that they can always be had.

use std::borrow::Cow;

use bytes::Bytes;
use http::{
    HeaderMap, HeaderValue, Method, StatusCode,
    header::{
        CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, RETRY_AFTER,
        X_CONTENT_TYPE_OPTIONS,
    },
};

use crate::{
    answer::for_method,
    message::Answer,
    request_id::{RequestId, X_REQUEST_ID},
};

/// The edge's own pages, which an operator may give his own colours. They load nothing: [`POLICY`] forbids it.
#[derive(Debug, Clone)]
pub struct Pages {
    /// For a shop that cannot be served just now. It names no tenant and no error.
    pub unavailable: Cow<'static, str>,
    /// For a host that is nobody's, and for what is not to be had from outside.
    pub unknown: Cow<'static, str>,
}

impl Default for Pages {
    fn default() -> Self {
        Self {
            unavailable: Cow::Borrowed(include_str!("pages/unavailable.html")),
            unknown: Cow::Borrowed(include_str!("pages/unknown.html")),
        }
    }
}

/// What a page of the edge may load: its own style, and pictures an operator puts in.
pub const POLICY: &str = "default-src 'none'; script-src 'none'; style-src 'unsafe-inline'; img-src https: data:; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// When a visitor may try again, in seconds.
const RETRY: HeaderValue = HeaderValue::from_static("30");

impl Pages {
    /// The answer to a request that cannot be served just now.
    pub(super) fn unavailable(&self, method: &Method, id: &RequestId) -> Answer {
        let mut answer = page(
            StatusCode::SERVICE_UNAVAILABLE,
            &self.unavailable,
            method,
            id,
        );
        answer.headers.insert(RETRY_AFTER, RETRY);
        answer
    }

    /// The answer to a request for what there is not.
    pub(super) fn unknown(&self, method: &Method, id: &RequestId) -> Answer {
        page(StatusCode::NOT_FOUND, &self.unknown, method, id)
    }
}

fn page(status: StatusCode, html: &str, method: &Method, id: &RequestId) -> Answer {
    let fixed = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CACHE_CONTROL, "no-store"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "strict-origin-when-cross-origin"),
    ];
    let mut headers: HeaderMap = fixed
        .into_iter()
        .map(|(name, value)| (name, HeaderValue::from_static(value)))
        .collect();
    headers.insert(X_REQUEST_ID, id.header_value());
    let answer = Answer {
        status,
        headers,
        body: Bytes::copy_from_slice(html.as_bytes()),
    };
    for_method(method, answer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        request_id::inbound_or_random,
        tenant::testing::{get, headers},
    };

    fn unavailable(method: &Method) -> Answer {
        let id = inbound_or_random(&get("a.b", "/"), || [0xff; 16]);
        Pages::default().unavailable(method, &id)
    }

    #[test]
    fn the_503_says_when_to_come_back_and_loads_nothing() {
        let answer = unavailable(&Method::GET);
        assert_eq!(answer.status, 503);
        assert_eq!(
            answer.headers,
            headers(&[
                ("content-type", "text/html; charset=utf-8"),
                ("retry-after", "30"),
                ("cache-control", "no-store"),
                ("content-security-policy", POLICY),
                ("x-content-type-options", "nosniff"),
                ("referrer-policy", "strict-origin-when-cross-origin"),
                ("x-request-id", "ffffffff-ffff-4fff-bfff-ffffffffffff"),
            ])
        );
        let html = std::str::from_utf8(&answer.body).unwrap();
        assert!(html.contains("<style>") && html.starts_with("<!doctype html>"));
        for outside in [
            "http:", "https:", "//", "src=", "href=", "url(", "<script", "@import",
        ] {
            assert!(!html.contains(outside), "{outside}");
        }
    }

    #[test]
    fn a_head_request_gets_the_headers_alone() {
        let (get, head) = (unavailable(&Method::GET), unavailable(&Method::HEAD));
        assert_eq!(get.headers, head.headers);
        assert!(head.body.is_empty());
    }
}
