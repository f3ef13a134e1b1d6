//! Which of an answer's headers a visitor gets to see.
//!
//! Every `x-` header is the inside's own unless it is listed here. A list of what to hide would drift: each new internal
//! header is a leak until somebody thinks of it.

use http::{HeaderMap, HeaderName, header::X_CONTENT_TYPE_OPTIONS};

use crate::{
    headers::{
        HeaderEdits,
        hop_by_hop::{HOP_BY_HOP, connection_named},
    },
    request_id::{RequestId, X_REQUEST_ID},
};

/// The `x-` headers that visitors may see. The request id is the edge's own, whatever the origin said.
pub const PUBLIC: [HeaderName; 2] = [X_CONTENT_TYPE_OPTIONS, X_REQUEST_ID];

/// The changes that take the inside's headers off an answer.
pub(super) fn public(headers: &HeaderMap, id: &RequestId) -> HeaderEdits {
    let mut edits = HeaderEdits::default();
    let internal = |name: &&HeaderName| name.as_str().starts_with("x-") && !PUBLIC.contains(name);
    let hidden = headers.keys().filter(internal).cloned();
    for name in hidden.chain(connection_named(headers)).chain(HOP_BY_HOP) {
        if headers.contains_key(&name) {
            edits.remove(name);
        }
    }
    edits.set(X_REQUEST_ID, id.header_value());
    edits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        request_id::inbound_or_random,
        tenant::testing::{get, headers},
    };

    #[track_caller]
    fn check(sent: &[(&'static str, &'static str)], passed: &[(&'static str, &'static str)]) {
        let id = inbound_or_random(&get("a.b", "/"), || [0xff; 16]);
        let mut seen = headers(sent);
        public(&seen, &id).apply(&mut seen);
        let mut expected = headers(passed);
        expected.insert(X_REQUEST_ID, id.header_value());
        assert_eq!(seen, expected, "{sent:?}");
    }

    #[test]
    fn what_does_not_begin_with_x_is_passed() {
        let passed = [
            ("content-type", "text/html"),
            ("cache-control", "s-maxage=300"),
            ("set-cookie", "a=1"),
            ("set-cookie", "b=2"),
            ("location", "/cart"),
            ("vary", "accept"),
            ("content-security-policy", "default-src 'none'"),
            ("retry-after", "5"),
            ("etag", "\"1\""),
        ];
        check(&passed, &passed);
    }

    #[test]
    fn two_that_begin_with_x_are_passed() {
        let options = ("x-content-type-options", "nosniff");
        check(&[options], &[options]);
        check(&[("x-request-id", "the-origins")], &[]);
    }

    #[test]
    fn every_other_x_is_dropped() {
        for name in [
            "x-tenant",
            "x-cache",
            "x-theme-version",
            "x-surrogate-keys",
            "x-powered-by",
            "x-ratio-stale",
            "x-ratio-cached-at",
            "x-ratio-cache-control",
            "x-ratio-tenant",
            "x-ratio-anything",
            "x-edge-auth",
            "x-frame-options",
            "x-robots-tag",
            "x-",
        ] {
            check(&[(name, "1"), (name, "2")], &[]);
        }
    }

    #[test]
    fn what_is_of_one_connection_does_not_travel() {
        check(
            &[
                ("connection", "close, foo"),
                ("foo", "1"),
                ("keep-alive", "timeout=5"),
            ],
            &[],
        );
    }
}
