//! Which answers are stored, what is written onto a stored copy, and whether it is fresh.
//!
//! A store forgets what is past the lifetime its `Cache-Control` states, and a forgotten copy cannot stand in for a dead
//! origin. So a copy is stored with a lifetime of the edge's own, and what the origin stated is parked beside it.

use std::time::Duration;

use http::{
    HeaderMap, HeaderName, HeaderValue, StatusCode,
    header::{AGE, CACHE_CONTROL, SET_COOKIE, VARY},
};

use super::{
    TenantId,
    trusted::{PASSED, X_RATIO_TENANT},
};
use crate::{
    headers::{
        HeaderEdits,
        cache_control::{Forbids, forbids, name},
        combined,
        names::X_REQUEST_ID,
        words,
    },
    message::ResponseHead,
    time::Timestamp,
};

/// How long a copy is kept for the day its origin is gone.
const KEPT: HeaderValue = HeaderValue::from_static("public, max-age=31536000");

/// When a copy was stored, in milliseconds since the Unix epoch.
const X_RATIO_CACHED_AT: HeaderName = HeaderName::from_static("x-ratio-cached-at");

/// What the origin said of caching.
const X_RATIO_CACHE_CONTROL: HeaderName = HeaderName::from_static("x-ratio-cache-control");

/// Why an answer is not stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotStored {
    /// Its status is not from 200 to 299, or 206.
    Status,
    /// It sets a cookie, so it is one visitor's.
    SetCookie,
    /// `no-store`.
    NoStore,
    /// `private`.
    Private,
    /// `no-cache`.
    NoCache,
    /// It differs by a header that the key does not hold.
    Vary,
    /// It states no time to be fresh, or none that counts.
    NoWindow,
}

/// How long an answer to a `GET` is fresh, if it is stored at all.
pub fn storable(head: &ResponseHead) -> Result<Duration, NotStored> {
    if !head.status.is_success() || head.status == StatusCode::PARTIAL_CONTENT {
        return Err(NotStored::Status);
    }
    if head.headers.contains_key(SET_COOKIE) {
        return Err(NotStored::SetCookie);
    }
    match forbids(&head.headers) {
        None => {}
        Some(Forbids::Storing) => return Err(NotStored::NoStore),
        Some(Forbids::Sharing) => return Err(NotStored::Private),
        Some(Forbids::Reusing) => return Err(NotStored::NoCache),
    }
    if words(&head.headers, &VARY).any(|name| varies_by(&name)) {
        return Err(NotStored::Vary);
    }
    window(&head.headers, &CACHE_CONTROL).ok_or(NotStored::NoWindow)
}

/// Whether two visitors' answers may differ by this header: only by what the origin is shown of them.
fn varies_by(header: &str) -> bool {
    header == "*" || PASSED.iter().any(|passed| passed == header) || X_REQUEST_ID == *header
}

/// `s-maxage` if it is there at all, else `max-age`; more than nothing, in plain digits.
fn window(headers: &HeaderMap, control: &HeaderName) -> Option<Duration> {
    let directives: Vec<String> = words(headers, control).collect();
    let stated = |wanted: &str| {
        directives
            .iter()
            .find(|directive| name(directive) == wanted)
    };
    let directive = stated("s-maxage").or_else(|| stated("max-age"))?;
    let (_, seconds) = directive.split_once('=')?;
    let seconds = seconds.trim_start();
    // A parser of numbers would take a sign too.
    if !seconds.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let seconds = seconds.parse().ok().filter(|seconds| *seconds > 0)?;
    Some(Duration::from_secs(seconds))
}

/// The changes that turn an origin's answer into the copy that is stored at `now`.
pub(super) fn stamped(head: &ResponseHead, tenant: &TenantId, now: Timestamp) -> HeaderEdits {
    let mut stamp = HeaderEdits::default();
    for name in [AGE, X_REQUEST_ID] {
        stamp.remove(name);
    }
    match combined(&head.headers, &CACHE_CONTROL).map(|control| HeaderValue::from_bytes(&control)) {
        Some(Ok(control)) => stamp.set(X_RATIO_CACHE_CONTROL, control),
        _ => stamp.remove(X_RATIO_CACHE_CONTROL),
    }
    stamp.set(CACHE_CONTROL, KEPT);
    stamp.set(X_RATIO_CACHED_AT, HeaderValue::from(now.as_millis()));
    stamp.set(X_RATIO_TENANT, tenant.header_value());
    stamp
}

/// What a stored copy is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// It is the answer.
    Fresh,
    /// It stands in for an origin that fails.
    Stale,
    /// Nothing: another tenant's, from before the host changed hands.
    Foreign,
}

/// What a stored copy is good for to a visitor of `tenant`, at `now`.
pub fn judge(stored: &HeaderMap, tenant: &TenantId, now: Timestamp) -> Freshness {
    if stored.get(X_RATIO_TENANT) != Some(&tenant.header_value()) {
        return Freshness::Foreign;
    }
    match (age(stored, now), window(stored, &X_RATIO_CACHE_CONTROL)) {
        (Some(age), Some(window)) if age < window => Freshness::Fresh,
        _ => Freshness::Stale,
    }
}

/// The changes that turn a stored copy back into what the origin sent, now of its true age (RFC 9111 section 5.1): a
/// browser must not take a copy that stands in for a fresh one.
pub(super) fn restored(stored: &HeaderMap, now: Timestamp) -> HeaderEdits {
    let mut restore = HeaderEdits::default();
    match stored.get(X_RATIO_CACHE_CONTROL) {
        Some(control) => restore.set(CACHE_CONTROL, control.clone()),
        None => restore.remove(CACHE_CONTROL),
    }
    match age(stored, now) {
        Some(age) => restore.set(AGE, HeaderValue::from(age.as_secs())),
        None => restore.remove(AGE),
    }
    restore
}

fn age(stored: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let millis = stored.get(X_RATIO_CACHED_AT)?.to_str().ok()?.parse().ok()?;
    Some(now.since(Timestamp::from_millis(millis)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tenant::testing::headers;

    fn head(status: u16, sent: &[(&'static str, &'static str)]) -> ResponseHead {
        ResponseHead {
            status: StatusCode::from_u16(status).unwrap(),
            headers: headers(sent),
        }
    }

    #[track_caller]
    fn check(
        control: &'static str,
        more: &[(&'static str, &'static str)],
        expected: Result<u64, NotStored>,
    ) {
        let mut head = head(200, more);
        if !control.is_empty() {
            head.headers
                .insert(CACHE_CONTROL, HeaderValue::from_static(control));
        }
        assert_eq!(
            storable(&head).map(|window| window.as_secs()),
            expected,
            "{control} {more:?}"
        );
    }

    #[test]
    fn the_window_is_s_maxage_before_max_age() {
        for (control, expected) in [
            ("public, s-maxage=300", Ok(300)),
            ("public, max-age=60, s-maxage=300", Ok(300)),
            ("s-maxage=300, max-age=60", Ok(300)),
            ("max-age=60", Ok(60)),
            ("s-maxage=0, max-age=600", Err(NotStored::NoWindow)),
            ("max-age=0", Err(NotStored::NoWindow)),
            ("public", Err(NotStored::NoWindow)),
            ("", Err(NotStored::NoWindow)),
            ("S-MaxAge=300", Ok(300)),
            ("s-maxage = 300", Ok(300)),
            ("s-maxage=\"300\"", Err(NotStored::NoWindow)),
            ("max-age=-5", Err(NotStored::NoWindow)),
            ("max-age=+5", Err(NotStored::NoWindow)),
            ("max-age=abc", Err(NotStored::NoWindow)),
            ("max-age=", Err(NotStored::NoWindow)),
            ("max-age", Err(NotStored::NoWindow)),
            ("max-age=99999999999999999999", Err(NotStored::NoWindow)),
        ] {
            check(control, &[], expected);
        }
    }

    #[test]
    fn an_answer_that_forbids_it_is_not_stored() {
        for (control, expected) in [
            ("no-store, s-maxage=300", NotStored::NoStore),
            ("No-Store, s-maxage=9", NotStored::NoStore),
            ("private, max-age=60", NotStored::Private),
            ("max-age=60, private=\"x\"", NotStored::Private),
            ("no-cache, s-maxage=300", NotStored::NoCache),
        ] {
            check(control, &[], Err(expected));
        }
    }

    #[test]
    fn only_whole_directives_count() {
        check("x-private=1, s-maxage=300", &[], Ok(300));
        check("x-s-maxage=5, max-age=60", &[], Ok(60));
        // One directive, whose value is no number.
        check("max-age=60; foo=private", &[], Err(NotStored::NoWindow));
    }

    #[test]
    fn an_answer_that_sets_a_cookie_is_not_stored() {
        check(
            "public, s-maxage=300",
            &[("set-cookie", "a=1")],
            Err(NotStored::SetCookie),
        );
    }

    #[test]
    fn an_answer_that_differs_by_what_the_key_does_not_hold_is_not_stored() {
        for (vary, stored) in [
            ("cookie", false),
            ("Cookie", false),
            ("*", false),
            ("accept-encoding, Accept-Language", false),
            ("accept", false),
            // The origin sees nothing of these.
            ("accept-encoding", true),
            ("user-agent", true),
        ] {
            let expected = if stored {
                Ok(300)
            } else {
                Err(NotStored::Vary)
            };
            check("s-maxage=300", &[("vary", vary)], expected);
        }
    }

    #[test]
    fn only_a_success_is_stored() {
        for (status, stored) in [
            (200, true),
            (203, true),
            (204, true),
            (299, true),
            (206, false),
            (301, false),
            (304, false),
            (404, false),
            (410, false),
            (503, false),
        ] {
            let head = head(status, &[("cache-control", "s-maxage=300")]);
            assert_eq!(storable(&head).is_ok(), stored, "{status}");
        }
    }

    fn tenant(id: &str) -> TenantId {
        TenantId::parse(id).unwrap()
    }

    const AT: Timestamp = Timestamp::from_millis(1_000_000);

    fn stored(sent: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut head = head(200, sent);
        stamped(&head, &tenant("t_x"), AT).apply(&mut head.headers);
        head.headers
    }

    #[test]
    fn a_copy_is_fresh_until_its_window_ends() {
        let copy = stored(&[("cache-control", "public, s-maxage=300")]);
        for (after, expected) in [
            (0, Freshness::Fresh),
            (299_999, Freshness::Fresh),
            (300_000, Freshness::Stale),
            (31_000_000_000, Freshness::Stale),
        ] {
            let now = AT + Duration::from_millis(after);
            assert_eq!(judge(&copy, &tenant("t_x"), now), expected, "after {after}");
        }
        // A wall clock may step back.
        let before = Timestamp::from_millis(1);
        assert_eq!(judge(&copy, &tenant("t_x"), before), Freshness::Fresh);
    }

    #[test]
    fn a_copy_without_a_time_or_a_window_is_not_fresh() {
        for (name, value) in [
            (X_RATIO_CACHED_AT, ""),
            (X_RATIO_CACHED_AT, "x"),
            (X_RATIO_CACHED_AT, "-1"),
            (X_RATIO_CACHE_CONTROL, "public"),
        ] {
            let mut copy = stored(&[("cache-control", "s-maxage=300")]);
            copy.insert(&name, HeaderValue::from_static(value));
            assert_eq!(
                judge(&copy, &tenant("t_x"), AT),
                Freshness::Stale,
                "{name} {value:?}"
            );
            copy.remove(&name);
            assert_eq!(
                judge(&copy, &tenant("t_x"), AT),
                Freshness::Stale,
                "no {name}"
            );
        }
    }

    #[test]
    fn a_copy_of_another_tenant_is_nobodys() {
        let copy = stored(&[("cache-control", "s-maxage=300")]);
        assert_eq!(judge(&copy, &tenant("t_y"), AT), Freshness::Foreign);
        let forged = headers(&[
            ("x-ratio-cached-at", "1000000"),
            ("x-ratio-cache-control", "max-age=9"),
        ]);
        assert_eq!(judge(&forged, &tenant("t_x"), AT), Freshness::Foreign);
    }

    #[test]
    fn a_copy_is_kept_for_longer_than_it_is_fresh_and_gives_back_what_was_said() {
        let mut copy = stored(&[
            ("cache-control", "public"),
            ("cache-control", "s-maxage=300"),
            ("content-type", "text/html"),
            ("age", "50"),
            ("x-request-id", "the-first-visitors"),
            ("x-ratio-cache-control", "forged"),
        ]);
        assert_eq!(copy[CACHE_CONTROL], "public, max-age=31536000");
        assert!(!copy.contains_key(X_REQUEST_ID));
        restored(&copy, AT + Duration::from_millis(7_900)).apply(&mut copy);
        assert_eq!(copy[CACHE_CONTROL], "public, s-maxage=300");
        assert_eq!(copy[AGE], "7");
        assert_eq!(copy["content-type"], "text/html");
    }
}
