//! What the tests of this folder share.

#[cfg(feature = "test-util")]
pub(super) mod fakes;

use http::{HeaderMap, HeaderName, HeaderValue, Method, header::HOST};

use crate::message::{RequestHead, RequestUrl};

/// A `GET` of path and query, with this `Host` header.
pub(super) fn get(host: &str, target: &str) -> RequestHead {
    let authority = if crate::net::host::is_hostname(host) {
        host
    } else {
        "host.test"
    };
    let value = HeaderValue::from_str(host).unwrap();
    RequestHead {
        method: Method::GET,
        url: RequestUrl::parse(&format!("https://{authority}{target}")).unwrap(),
        headers: HeaderMap::from_iter([(HOST, value)]),
        has_body: false,
    }
}

/// Headers, repeated ones apart.
pub(super) fn headers(lines: &[(&'static str, &'static str)]) -> HeaderMap {
    let line = |(name, value): &(&'static str, &'static str)| {
        (
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        )
    };
    lines.iter().map(line).collect()
}
