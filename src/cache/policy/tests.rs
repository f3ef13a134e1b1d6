//! What takes part and what is stored, by tables.

use http::{HeaderMap, HeaderName, HeaderValue, header::CACHE_CONTROL};

use super::*;
use crate::{config::document::CacheKey, message::RequestUrl};

fn compiled(cache: Cache) -> Policy {
    compile(cache).unwrap().unwrap()
}

fn compile(cache: Cache) -> Result<Option<Policy>, String> {
    let route = RouteDocument {
        cache: Some(cache),
        ..Default::default()
    };
    let mut issues = Issues::default();
    Policy::compile(&route, &Path::root(), &mut issues).map_err(|_| {
        issues
            .into_vec()
            .into_iter()
            .map(|issue| issue.path)
            .collect::<Vec<_>>()
            .join(" ")
    })
}

fn headers(list: &[(&'static str, &'static str)]) -> HeaderMap {
    list.iter()
        .map(|(name, value)| {
            (
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            )
        })
        .collect()
}

fn windows(list: &[(&str, u64)]) -> Option<BTreeMap<String, u64>> {
    Some(
        list.iter()
            .map(|(status, seconds)| ((*status).to_owned(), *seconds))
            .collect(),
    )
}

#[track_caller]
fn check_request(
    policy: &Policy,
    method: Method,
    url: &str,
    list: &[(&'static str, &'static str)],
    expected: Result<(), CacheReason>,
) {
    let head = RequestHead {
        method,
        url: RequestUrl::parse(url).unwrap(),
        headers: headers(list),
        has_body: false,
    };
    assert_eq!(policy.eligible(&head), expected, "{head:?}");
}

#[track_caller]
fn check_answer(
    policy: &Policy,
    status: u16,
    list: &[(&'static str, &'static str)],
    expected: Result<u64, CacheReason>,
) {
    let status = StatusCode::from_u16(status).unwrap();
    let upstream = ResponseHead {
        status,
        headers: headers(list),
    };
    let windows = policy.storable(&upstream, status, &HeaderEdits::default());
    assert_eq!(
        windows.map(|windows| windows.fresh.as_secs()),
        expected,
        "{upstream:?}"
    );
}

#[test]
fn a_request_about_its_sender_takes_no_part() {
    let policy = compiled(Cache::default());
    let url = "https://a.b/x?y";
    let no_headers = &[];
    check_request(&policy, Method::GET, url, no_headers, Ok(()));
    check_request(&policy, Method::HEAD, url, no_headers, Ok(()));
    check_request(
        &policy,
        Method::POST,
        url,
        no_headers,
        Err(CacheReason::Method),
    );
    check_request(
        &policy,
        Method::GET,
        "https://a.b/x?__jouska_ck=1",
        no_headers,
        Err(CacheReason::KeyParameter),
    );
    for (name, value, reason) in [
        ("upgrade", "WebSocket", CacheReason::Upgrade),
        ("authorization", "Bearer t", CacheReason::Authorization),
        ("cookie", "", CacheReason::Cookie),
        ("range", "bytes=0-3", CacheReason::Range),
    ] {
        check_request(&policy, Method::GET, url, &[(name, value)], Err(reason));
    }
    for (name, value) in [
        ("cache-control", "no-cache, no-store"),
        ("pragma", "no-cache"),
        ("upgrade", "h2c"),
    ] {
        check_request(&policy, Method::GET, url, &[(name, value)], Ok(()));
    }
    let get_only = compiled(Cache {
        methods: Some(vec!["get".to_owned()]),
        ..Default::default()
    });
    check_request(
        &get_only,
        Method::HEAD,
        url,
        no_headers,
        Err(CacheReason::Method),
    );
}

#[test]
fn an_upstream_may_refuse_to_be_stored() {
    let policy = compiled(Cache::default());
    let css = ("content-type", "text/css");
    check_answer(&policy, 200, &[css], Ok(300));
    for (name, value, reason) in [
        ("set-cookie", "s=1", CacheReason::SetCookie),
        ("cache-control", "No-Store", CacheReason::NoStore),
        (
            "cache-control",
            "max-age=600, private",
            CacheReason::Private,
        ),
        ("cache-control", "private=\"x\"", CacheReason::Private),
        (
            "cache-control",
            "public,no-cache=set-cookie",
            CacheReason::NoCache,
        ),
        ("vary", "accept-language", CacheReason::Vary),
        ("vary", "Accept-Encoding, Origin", CacheReason::Vary),
        ("vary", "*", CacheReason::Vary),
    ] {
        check_answer(&policy, 200, &[css, (name, value)], Err(reason));
    }
    for (name, value) in [
        ("cache-control", "public, max-age=0"),
        ("cache-control", "max-age=0, must-revalidate"),
        ("cache-control", "not-private"),
        ("vary", "Accept-Encoding"),
        ("vary", ""),
        ("pragma", "no-cache"),
    ] {
        check_answer(&policy, 200, &[css, (name, value)], Ok(300));
    }
    let several = [css, ("vary", "accept-encoding"), ("vary", "x-a")];
    check_answer(&policy, 200, &several, Err(CacheReason::Vary));
}

#[test]
fn a_header_folded_into_the_key_covers_vary() {
    let policy = compiled(Cache {
        key: Some(CacheKey {
            headers: Some(vec!["Accept-Language".to_owned()]),
            ..Default::default()
        }),
        ..Default::default()
    });
    let css = ("content-type", "text/css");
    check_answer(&policy, 200, &[css, ("vary", "Accept-Language")], Ok(300));
    check_answer(
        &policy,
        200,
        &[css, ("vary", "accept-language, *")],
        Err(CacheReason::Vary),
    );
}

#[test]
fn only_listed_types_of_a_200_are_stored_and_streams_never() {
    let policy = compiled(Cache {
        status_ttl_seconds: windows(&[("404", 60), ("301", 5)]),
        ..Default::default()
    });
    for (content_type, expected) in [
        ("text/css; charset=utf-8", Ok(300)),
        ("IMAGE/webp", Ok(300)),
        ("font/woff2", Ok(300)),
        ("text/html", Err(CacheReason::ContentType)),
        ("application/json", Err(CacheReason::ContentType)),
        ("", Err(CacheReason::ContentType)),
        ("text/event-stream", Err(CacheReason::StreamingMedia)),
    ] {
        check_answer(&policy, 200, &[("content-type", content_type)], expected);
    }
    check_answer(&policy, 404, &[("content-type", "text/html")], Ok(60));
    check_answer(&policy, 301, &[], Ok(5));
    check_answer(
        &policy,
        404,
        &[("content-type", "application/x-ndjson")],
        Err(CacheReason::StreamingMedia),
    );
    check_answer(
        &policy,
        404,
        &[("set-cookie", "s=1")],
        Err(CacheReason::SetCookie),
    );
}

#[test]
fn only_statuses_with_a_window_are_stored() {
    let css = ("content-type", "text/css");
    let policy = compiled(Cache {
        ttl_seconds: Some(7),
        status_ttl_seconds: windows(&[("404", 60), ("410", 0)]),
        ..Default::default()
    });
    for (status, expected) in [
        (200, Ok(7)),
        (404, Ok(60)),
        (410, Err(CacheReason::Status)),
        (206, Err(CacheReason::Status)),
        (304, Err(CacheReason::Status)),
        (500, Err(CacheReason::Status)),
    ] {
        check_answer(&policy, status, &[css], expected);
    }
    let without = compiled(Cache {
        status_ttl_seconds: windows(&[("200", 0)]),
        ..Default::default()
    });
    check_answer(&without, 200, &[css], Err(CacheReason::Status));
}

#[test]
fn the_delivered_type_counts_and_the_upstreams_veto_stays() {
    let policy = compiled(Cache::default());
    let upstream = ResponseHead {
        status: StatusCode::OK,
        headers: headers(&[("content-type", "text/plain"), ("cache-control", "private")]),
    };
    let mut edits = HeaderEdits::default();
    edits.remove(CACHE_CONTROL);
    edits.set(CONTENT_TYPE, HeaderValue::from_static("text/css"));
    let verdict = policy.storable(&upstream, StatusCode::OK, &edits);
    assert_eq!(verdict, Err(CacheReason::Private));
    let upstream = ResponseHead {
        headers: headers(&[("content-type", "text/plain")]),
        ..upstream
    };
    assert!(policy.storable(&upstream, StatusCode::OK, &edits).is_ok());
    let relabelled = ResponseHead {
        headers: headers(&[("content-type", "text/event-stream")]),
        ..upstream
    };
    assert_eq!(
        policy.storable(&relabelled, StatusCode::OK, &edits),
        Err(CacheReason::StreamingMedia)
    );
}

#[test]
fn only_listed_failures_are_covered() {
    let policy = |on: Option<Vec<FailureMode>>| {
        compiled(Cache {
            stale_if_error: Some(StaleIfError { seconds: None, on }),
            ..Default::default()
        })
    };
    let unavailable = StatusCode::SERVICE_UNAVAILABLE;
    let default = policy(None);
    assert!(default.covers_failure(&Failure::Timeout));
    assert!(default.covers_failure(&Failure::Unreachable));
    assert!(!default.covers_failure(&Failure::ClientClosed));
    assert!(!default.covers_failure(&Failure::InFlightLimit));
    assert!(!default.covers_status(unavailable));
    let listed = policy(Some(vec![FailureMode::ServerError]));
    assert!(listed.covers_status(unavailable));
    assert!(!listed.covers_status(StatusCode::NOT_FOUND));
    assert!(!listed.covers_failure(&Failure::Timeout));
    let none = compiled(Cache::default());
    assert!(!none.covers_failure(&Failure::Timeout));
    assert_eq!(
        none.windows(StatusCode::OK)
            .map(|windows| windows.lifetime()),
        Some(Duration::from_secs(360))
    );
    assert_eq!(
        default
            .windows(StatusCode::OK)
            .map(|windows| windows.lifetime()),
        Some(Duration::from_secs(3900))
    );
}

#[test]
fn a_block_that_is_switched_off_is_checked_and_not_there() {
    let off = |ttl_seconds| Cache {
        enabled: Some(false),
        ttl_seconds,
        ..Default::default()
    };
    assert!(compile(off(Some(60))).unwrap().is_none());
    assert_eq!(
        compile(off(Some(0))).err().as_deref(),
        Some("cache.ttlSeconds")
    );
}

#[test]
fn everything_wrong_with_a_block_is_reported_at_its_place() {
    let texts = |list: &[&str]| Some(list.iter().map(|text| (*text).to_owned()).collect());
    for (cache, places) in [
        (
            Cache {
                methods: texts(&["GET", "POST"]),
                ttl_seconds: Some(31_536_001),
                stale_while_revalidate_seconds: Some(31_536_001),
                content_types: texts(&[]),
                stale_if_error: Some(StaleIfError {
                    seconds: Some(31_536_001),
                    on: Some(Vec::new()),
                }),
                status_ttl_seconds: windows(&[
                    ("100", 1),
                    ("204", 1),
                    ("404", 31_536_001),
                    ("500", 1),
                    ("x", 1),
                ]),
                key: Some(CacheKey {
                    query: None,
                    headers: texts(&["x-a", "Cookie", "a b"]),
                }),
                ..Default::default()
            },
            "cache.methods[1] cache.ttlSeconds cache.statusTtlSeconds.100 cache.statusTtlSeconds.204 \
             cache.statusTtlSeconds.404 cache.statusTtlSeconds.500 cache.statusTtlSeconds.x \
             cache.staleWhileRevalidateSeconds cache.staleIfError.seconds cache.staleIfError.on \
             cache.contentTypes cache.key.headers[1] cache.key.headers[2]",
        ),
        (
            Cache {
                methods: texts(&[]),
                content_types: texts(&["text/css", ""]),
                ..Default::default()
            },
            "cache.methods cache.contentTypes[1]",
        ),
    ] {
        assert_eq!(compile(cache).err().as_deref(), Some(places));
    }
}
