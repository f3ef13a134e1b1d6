//! What is written onto a stored copy, and taken off again before a visitor sees it.
//!
//! A store keeps what it is told to keep by `Cache-Control`, and platforms do not say truthfully how long they have
//! kept it. So a copy carries its own time and a lifetime that covers every window, and the upstream's own
//! `Cache-Control` is parked beside it. So is its `Content-Length`: a store states the length of what it holds, which of
//! an answer to HEAD is nothing.

use std::time::Duration;

use http::{
    HeaderName, HeaderValue, Method,
    header::{AGE, CACHE_CONTROL, CONTENT_LENGTH, SET_COOKIE},
};

use super::freshness::Windows;
use crate::{
    headers::{
        HeaderEdits, combined,
        names::{X_JOUSKA_CACHE, X_REQUEST_ID},
    },
    message::ResponseHead,
    time::Timestamp,
};

/// The changes that turn a delivered response into the copy that is stored at `now`. `edits` are those that made the
/// delivered response out of the upstream's.
pub(super) fn stamped(
    upstream: &ResponseHead,
    edits: &HeaderEdits,
    windows: &Windows,
    now: Timestamp,
) -> HeaderEdits {
    let mut stamp = HeaderEdits::default();
    // A cookie or an id on a stored copy would be handed to strangers.
    for name in [
        SET_COOKIE,
        AGE,
        X_REQUEST_ID,
        X_JOUSKA_CACHE,
        PARKED,
        LENGTH,
    ] {
        stamp.remove(name);
    }
    if let Some(length) = edits.value(&CONTENT_LENGTH, &upstream.headers) {
        stamp.set(LENGTH, length.clone());
    }
    if let Some(control) = delivered_control(upstream, edits) {
        stamp.set(PARKED, control);
    }
    stamp.set(CACHE_CONTROL, max_age(windows.lifetime()));
    stamp.set(STORED_AT, HeaderValue::from(now.as_millis()));
    stamp
}

/// When a copy was stored; `None` for what is no copy of ours.
pub(super) fn stored_at(stored: &ResponseHead) -> Option<Timestamp> {
    let millis = stored.headers.get(STORED_AT)?.to_str().ok()?.parse().ok()?;
    Some(Timestamp::from_millis(millis))
}

/// The changes that turn a stored copy back into what was delivered to a request of this method, now of the given age.
pub(super) fn restored(stored: &ResponseHead, method: &Method, age: Duration) -> HeaderEdits {
    let mut restore = HeaderEdits::default();
    match stored.headers.get(PARKED) {
        Some(control) => restore.set(CACHE_CONTROL, control.clone()),
        None => restore.remove(CACHE_CONTROL),
    }
    if *method == Method::HEAD {
        match stored.headers.get(LENGTH) {
            Some(length) => restore.set(CONTENT_LENGTH, length.clone()),
            None => restore.remove(CONTENT_LENGTH),
        }
    }
    for name in [PARKED, LENGTH, STORED_AT] {
        restore.remove(name);
    }
    // A shared cache owes its visitors the true age (RFC 9111 section 5.1).
    restore.set(AGE, HeaderValue::from(age.as_secs()));
    restore
}

fn delivered_control(upstream: &ResponseHead, edits: &HeaderEdits) -> Option<HeaderValue> {
    let first = edits.value(&CACHE_CONTROL, &upstream.headers)?;
    if upstream.headers.get(CACHE_CONTROL) != Some(first) {
        return Some(first.clone());
    }
    combined(&upstream.headers, &CACHE_CONTROL)
        .and_then(|control| HeaderValue::from_bytes(&control).ok())
}

fn max_age(lifetime: Duration) -> HeaderValue {
    // Digits are a header value, so this cannot fail.
    HeaderValue::from_str(&format!("max-age={}", lifetime.as_secs()))
        .unwrap_or(HeaderValue::from_static("no-store"))
}

const STORED_AT: HeaderName = HeaderName::from_static("x-jouska-stored-at");
const PARKED: HeaderName = HeaderName::from_static("x-jouska-cache-control");
const LENGTH: HeaderName = HeaderName::from_static("x-jouska-content-length");

#[cfg(test)]
mod tests {
    use http::{HeaderMap, StatusCode, header::CONTENT_TYPE};

    use super::*;

    fn head(headers: &[(&'static str, &'static str)]) -> ResponseHead {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_static(value));
        }
        ResponseHead {
            status: StatusCode::OK,
            headers: map,
        }
    }

    const WINDOWS: Windows = Windows {
        fresh: Duration::from_secs(60),
        while_revalidate: Duration::from_secs(10),
        if_error: Duration::from_secs(30),
    };

    fn stored(upstream: &ResponseHead, edits: &HeaderEdits) -> ResponseHead {
        let mut stored = upstream.clone();
        edits.apply(&mut stored.headers);
        let stamp = stamped(upstream, edits, &WINDOWS, Timestamp::from_millis(5000));
        stamp.apply(&mut stored.headers);
        stored
    }

    #[track_caller]
    fn check(
        upstream: &ResponseHead,
        edits: &HeaderEdits,
        expected: &[(&'static str, &'static str)],
    ) {
        let mut served = stored(upstream, edits);
        restored(&served, &Method::GET, Duration::from_millis(7900)).apply(&mut served.headers);
        assert_eq!(served.headers, head(expected).headers);
    }

    #[test]
    fn a_copy_says_when_it_was_stored_and_how_long_it_is_of_use() {
        let copy = stored(
            &head(&[("cache-control", "max-age=0")]),
            &HeaderEdits::default(),
        );
        assert_eq!(stored_at(&copy), Some(Timestamp::from_millis(5000)));
        assert_eq!(copy.headers[CACHE_CONTROL], "max-age=90");
    }

    #[test]
    fn what_is_no_copy_of_ours_has_no_time() {
        for time in ["", "x", "-1", "1.5"] {
            assert_eq!(
                stored_at(&head(&[("x-jouska-stored-at", time)])),
                None,
                "{time}"
            );
        }
        assert_eq!(stored_at(&head(&[])), None);
    }

    #[test]
    fn a_visitor_gets_what_was_delivered_with_its_true_age() {
        let none = HeaderEdits::default();
        check(
            &head(&[("content-type", "text/css")]),
            &none,
            &[("content-type", "text/css"), ("age", "7")],
        );
        check(
            &head(&[
                ("cache-control", "public"),
                ("cache-control", "max-age=0"),
                ("age", "500"),
            ]),
            &none,
            &[("cache-control", "public, max-age=0"), ("age", "7")],
        );
        let mut edits = HeaderEdits::default();
        edits.set(CACHE_CONTROL, HeaderValue::from_static("max-age=5"));
        edits.set(CONTENT_TYPE, HeaderValue::from_static("text/css"));
        check(
            &head(&[("cache-control", "max-age=0")]),
            &edits,
            &[
                ("cache-control", "max-age=5"),
                ("content-type", "text/css"),
                ("age", "7"),
            ],
        );
    }

    #[test]
    fn a_head_request_is_told_the_length_that_was_delivered() {
        let upstream = head(&[("content-length", "1234")]);
        let mut rewritten = HeaderEdits::default();
        rewritten.remove(CONTENT_LENGTH);
        for (edits, expected) in [(HeaderEdits::default(), Some("1234")), (rewritten, None)] {
            let mut copy = stored(&upstream, &edits);
            // What a store says of a body that is none.
            copy.headers
                .insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
            restored(&copy, &Method::HEAD, Duration::ZERO).apply(&mut copy.headers);
            let length = copy.headers.get(CONTENT_LENGTH);
            assert_eq!(length.map(|length| length.to_str().unwrap()), expected);
            assert!(!copy.headers.contains_key(LENGTH));
        }
    }

    #[test]
    fn what_belongs_to_one_visitor_or_to_the_cache_itself_is_not_stored() {
        let upstream = head(&[
            ("set-cookie", "s=1"),
            ("x-request-id", "theirs"),
            ("x-jouska-cache", "hit"),
            ("x-jouska-cache-control", "forged"),
            ("x-jouska-content-length", "9"),
            ("x-jouska-stored-at", "1"),
        ]);
        let copy = stored(&upstream, &HeaderEdits::default());
        assert_eq!(stored_at(&copy), Some(Timestamp::from_millis(5000)));
        check(&upstream, &HeaderEdits::default(), &[("age", "7")]);
    }
}
