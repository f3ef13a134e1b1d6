//! Whether a request may take part in caching, and whether its answer may be stored.

use std::{collections::BTreeMap, time::Duration};

use http::{
    Method, StatusCode,
    header::{AUTHORIZATION, CONTENT_TYPE, COOKIE, RANGE, SET_COOKIE, VARY},
};

use super::{freshness::Windows, key};
use crate::{
    config::{
        Code, Issues, Path, Reported, RouteDocument, bounds,
        document::{Cache, FailureMode, StaleIfError},
    },
    headers::{
        HeaderEdits,
        cache_control::{Forbids, forbids},
        media_type, words,
    },
    message::{RequestHead, ResponseHead},
    outcome::{CacheReason, Failure},
};

/// A route's compiled `cache`.
#[derive(Debug, Clone)]
pub struct Policy {
    /// Of `GET` and `HEAD`, those that take part.
    methods: Vec<Method>,
    /// How long a status stays fresh; a status that is not here is not stored.
    windows: BTreeMap<u16, Duration>,
    while_revalidate: Duration,
    on_error: Option<OnError>,
    /// Beginnings of the types of 200 responses that are stored, in lower case.
    content_types: Vec<String>,
    pub(super) key: key::Policy,
    pub(super) lock_misses: bool,
    /// Longest wait for another visitor's fetch.
    pub(super) longest_wait: Duration,
}

/// `staleIfError`: how long past freshness an entry stands in for which failures.
#[derive(Debug, Clone)]
struct OnError {
    window: Duration,
    failures: Vec<FailureMode>,
}

impl Policy {
    /// Compiles `cache`; `None` on routes that do not cache.
    ///
    /// The epoch is not looked at: like everything else in a route it is part of the fingerprint that keys are made
    /// with, and another epoch makes other keys.
    pub fn compile(
        route: &RouteDocument,
        at: &Path<'_>,
        issues: &mut Issues,
    ) -> Result<Option<Self>, Reported> {
        let Some(document) = &route.cache else {
            return Ok(None);
        };
        let at = at.key("cache");
        let Cache {
            enabled,
            methods,
            ttl_seconds,
            stale_while_revalidate_seconds,
            content_types,
            lock_misses,
            stale_if_error,
            status_ttl_seconds,
            key,
            epoch: _,
        } = document;
        let methods = compile_methods(methods.as_deref(), &at.key("methods"), issues);
        let ttl = seconds(*ttl_seconds, 1, 300, &at.key("ttlSeconds"), issues);
        let windows = compile_windows(
            status_ttl_seconds.as_ref(),
            &at.key("statusTtlSeconds"),
            issues,
        );
        let while_revalidate = seconds(
            *stale_while_revalidate_seconds,
            0,
            60,
            &at.key("staleWhileRevalidateSeconds"),
            issues,
        );
        let on_error = stale_if_error
            .as_ref()
            .map(|block| OnError::compile(block, &at.key("staleIfError"), issues))
            .transpose();
        let content_types =
            compile_content_types(content_types.as_deref(), &at.key("contentTypes"), issues);
        let key = key::Policy::compile(key.as_ref(), route, &at.key("key"), issues);
        let mut windows = windows?;
        // A window stated for 200 is more specific than the one for whatever is not stated.
        let ttl = ttl?;
        windows.entry(StatusCode::OK.as_u16()).or_insert(ttl);
        windows.retain(|_, window| !window.is_zero());
        let policy = Self {
            methods: methods?,
            windows,
            while_revalidate: while_revalidate?,
            on_error: on_error?,
            content_types: content_types?,
            key: key?,
            lock_misses: lock_misses.unwrap_or(true),
            longest_wait: Duration::from_millis(
                route.total_timeout_ms.unwrap_or(DEFAULT_TOTAL_TIMEOUT_MS),
            ),
        };
        Ok(enabled.unwrap_or(true).then_some(policy))
    }

    /// Whether a request takes part.
    pub(super) fn eligible(&self, head: &RequestHead) -> Result<(), CacheReason> {
        let has = |name| head.headers.contains_key(name);
        if !self.methods.contains(&head.method) {
            Err(CacheReason::Method)
        } else if head.is_upgrade() {
            Err(CacheReason::Upgrade)
        } else if has(AUTHORIZATION) {
            Err(CacheReason::Authorization)
        } else if has(COOKIE) {
            Err(CacheReason::Cookie)
        } else if has(RANGE) {
            Err(CacheReason::Range)
        } else if key::has_key_parameter(head.url.query().unwrap_or_default()) {
            Err(CacheReason::KeyParameter)
        } else {
            Ok(())
        }
    }

    /// Whether an answer may be stored, and for how long it is of use.
    ///
    /// What the upstream said about storing is read from what it sent, so that a rule which takes a header off the
    /// visitor's copy does not take back the statement. Status and type are those of the delivered response, because a
    /// type is a label an operator may correct.
    pub(super) fn storable(
        &self,
        upstream: &ResponseHead,
        status: StatusCode,
        edits: &HeaderEdits,
    ) -> Result<Windows, CacheReason> {
        let windows = self.windows(status).ok_or(CacheReason::Status)?;
        let delivered = text(edits.value(&CONTENT_TYPE, &upstream.headers));
        let sent = text(upstream.headers.get(CONTENT_TYPE));
        if media_type::is_stream(delivered) || media_type::is_stream(sent) {
            return Err(CacheReason::StreamingMedia);
        }
        if upstream.headers.contains_key(SET_COOKIE) {
            return Err(CacheReason::SetCookie);
        }
        match forbids(&upstream.headers) {
            None => {}
            Some(Forbids::Storing) => return Err(CacheReason::NoStore),
            Some(Forbids::Sharing) => return Err(CacheReason::Private),
            Some(Forbids::Reusing) => return Err(CacheReason::NoCache),
        }
        if words(&upstream.headers, &VARY).any(|name| !self.covers_header(&name)) {
            return Err(CacheReason::Vary);
        }
        let essence = media_type::essence(delivered);
        let listed = |prefix: &String| essence.starts_with(prefix.as_str());
        // The list keeps documents from being stored by accident; a status with a window of its own is no accident.
        if status == StatusCode::OK && !self.content_types.iter().any(listed) {
            return Err(CacheReason::ContentType);
        }
        Ok(windows)
    }

    /// The windows of an entry with this status; `None` where there is none.
    pub(super) fn windows(&self, status: StatusCode) -> Option<Windows> {
        Some(Windows {
            fresh: *self.windows.get(&status.as_u16())?,
            while_revalidate: self.while_revalidate,
            if_error: self
                .on_error
                .as_ref()
                .map_or(Duration::ZERO, |on_error| on_error.window),
        })
    }

    /// Whether a stored entry stands in for this failure.
    pub(super) fn covers_failure(&self, failure: &Failure) -> bool {
        match failure {
            Failure::Timeout => self.covers(FailureMode::Timeout),
            Failure::Unreachable => self.covers(FailureMode::Unreachable),
            // Nobody is left to serve, the visitor's own body is at fault, or the route protects its upstream.
            Failure::ClientClosed | Failure::BodyTooLarge { .. } | Failure::InFlightLimit => false,
        }
    }

    /// Whether a stored entry stands in for an upstream that answered with this status.
    pub(super) fn covers_status(&self, status: StatusCode) -> bool {
        status.is_server_error() && self.covers(FailureMode::ServerError)
    }

    fn covers(&self, mode: FailureMode) -> bool {
        self.on_error
            .as_ref()
            .is_some_and(|on_error| on_error.failures.contains(&mode))
    }

    /// Whether two requests that differ in this header have entries of their own, or cannot differ in it.
    fn covers_header(&self, name: &str) -> bool {
        // The proxy removes `accept-encoding` from every request, so the upstream cannot tell any two apart by it.
        name == "accept-encoding" || self.key.headers.iter().any(|folded| folded == name)
    }
}

impl OnError {
    fn compile(block: &StaleIfError, at: &Path<'_>, issues: &mut Issues) -> Result<Self, Reported> {
        let StaleIfError {
            seconds: window,
            on,
        } = block;
        let window = seconds(*window, 0, 3600, &at.key("seconds"), issues);
        let failures = match on.as_deref() {
            None => Ok(vec![FailureMode::Timeout, FailureMode::Unreachable]),
            Some([]) => Err(issues.report(
                &at.key("on"),
                Code::Required,
                "expected at least one of \"timeout\", \"unreachable\" and \"5xx\"; to cover no failure leave \"staleIfError\" out",
            )),
            Some(modes) => Ok(modes.to_vec()),
        };
        Ok(Self {
            window: window?,
            failures: failures?,
        })
    }
}

fn compile_methods(
    list: Option<&[String]>,
    at: &Path<'_>,
    issues: &mut Issues,
) -> Result<Vec<Method>, Reported> {
    let Some(list) = list else {
        return Ok(vec![Method::GET, Method::HEAD]);
    };
    if list.is_empty() {
        return Err(issues.report(
            at,
            Code::Required,
            "expected \"GET\", \"HEAD\" or both; to store nothing write \"enabled\": false",
        ));
    }
    let mut methods = Vec::new();
    let mut failed = None;
    for (index, text) in list.iter().enumerate() {
        match text.to_ascii_uppercase().as_str() {
            "GET" => methods.push(Method::GET),
            "HEAD" => methods.push(Method::HEAD),
            _ => {
                failed = Some(issues.report(
                    &at.index(index),
                    Code::Value,
                    format!("expected \"GET\" or \"HEAD\", whose answers may be given to others; found {text:?}"),
                ));
            }
        }
    }
    failed.map_or(Ok(methods), Err)
}

fn compile_windows(
    map: Option<&BTreeMap<String, u64>>,
    at: &Path<'_>,
    issues: &mut Issues,
) -> Result<BTreeMap<u16, Duration>, Reported> {
    let mut windows = BTreeMap::new();
    let mut failed = None;
    for (text, window) in map.into_iter().flatten() {
        let at = at.key(text);
        let window = seconds(Some(*window), 0, 0, &at, issues);
        let status = text
            .parse()
            .ok()
            .filter(|status| (200..=499).contains(status) && text.len() == 3)
            .filter(|status| !matches!(status, 204 | 206 | 304))
            .ok_or_else(|| {
                issues.report(
                    &at,
                    Code::Value,
                    format!("expected a status from 200 to 499 other than 204, 206 and 304, whose answers cannot be stored; found {text:?}"),
                )
            });
        match (status, window) {
            (Ok(status), Ok(window)) => {
                windows.insert(status, window);
            }
            (Err(reported), _) | (_, Err(reported)) => failed = Some(reported),
        }
    }
    failed.map_or(Ok(windows), Err)
}

fn compile_content_types(
    list: Option<&[String]>,
    at: &Path<'_>,
    issues: &mut Issues,
) -> Result<Vec<String>, Reported> {
    match list {
        None => Ok(DEFAULT_CONTENT_TYPES.map(str::to_owned).to_vec()),
        Some([]) => Err(issues.report(
            at,
            Code::Required,
            "expected at least one type, such as \"text/css\" or \"image/\"; to store no 200 write \"statusTtlSeconds\": {\"200\": 0}",
        )),
        Some(list) => match list.iter().position(|prefix| prefix.trim().is_empty()) {
            Some(index) => Err(issues.report(
                &at.index(index),
                Code::Required,
                "expected a type or the beginning of one, such as \"image/\"; found nothing, with which every type begins",
            )),
            None => Ok(list
                .iter()
                .map(|prefix| prefix.trim().to_ascii_lowercase())
                .collect()),
        },
    }
}

fn seconds(
    stated: Option<u64>,
    least: u64,
    default: u64,
    at: &Path<'_>,
    issues: &mut Issues,
) -> Result<Duration, Reported> {
    bounds::whole(stated, least..=MOST_SECONDS, default, at, issues).map(Duration::from_secs)
}

fn text(value: Option<&http::HeaderValue>) -> &str {
    value
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}

const DEFAULT_CONTENT_TYPES: [&str; 5] = [
    "text/css",
    "text/javascript",
    "application/javascript",
    "image/",
    "font/",
];

const MOST_SECONDS: u64 = 31_536_000;

/// `totalTimeoutMs` where the route states none.
const DEFAULT_TOTAL_TIMEOUT_MS: u64 = 30_000;

#[cfg(test)]
mod tests;
