//! The one value a request goes by: on the upstream request, on the visitor's response and in the event.
//!
//! A value is adopted or replaced, never repaired: a line break that lands in a log line is a forged log line, and an
//! escaped value is an id nobody else writes down.

use std::fmt;

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::{
    config::{Issues, Path, Reported, RouteDocument, document::RequestIdOptions},
    message::RequestHead,
};

pub use crate::headers::names::X_REQUEST_ID;

/// A route's compiled `requestId`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Policy {
    /// Whether the caller's own id is adopted. Off by default, because it lets a caller write what logs say.
    pub trust_inbound: bool,
}

impl Policy {
    /// Compiles `requestId`, in which nothing can be wrong.
    pub fn compile(
        route: &RouteDocument,
        _at: &Path<'_>,
        _issues: &mut Issues,
    ) -> Result<Self, Reported> {
        let Some(RequestIdOptions { trust_inbound }) = &route.request_id else {
            return Ok(Self::default());
        };
        Ok(Self {
            trust_inbound: trust_inbound.unwrap_or(false),
        })
    }
}

/// A request's id: 1 to 64 of `A-Z`, `a-z`, `0-9`, `_` and `-`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RequestId(String);

impl RequestId {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id as the value of [`X_REQUEST_ID`].
    pub fn header_value(&self) -> HeaderValue {
        // The alphabet of ids lies within that of header values, so this cannot fail.
        HeaderValue::from_str(&self.0).unwrap_or(HeaderValue::from_static(""))
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The id of a request: the caller's own where the route trusts it, else Cloudflare's ray, which its own logs go by,
/// else a random UUID.
pub fn resolve(
    policy: &Policy,
    head: &RequestHead,
    random: impl FnOnce() -> [u8; 16],
) -> RequestId {
    let inbound = policy
        .trust_inbound
        .then(|| adopted(&head.headers, &X_REQUEST_ID))
        .flatten();
    inbound
        .or_else(|| adopted(&head.headers, &CF_RAY))
        .unwrap_or_else(|| RequestId(uuid(random())))
}

/// The id of a request to a front that mints ids itself: the caller's own if it is one, else a random UUID.
pub fn inbound_or_random(head: &RequestHead, random: impl FnOnce() -> [u8; 16]) -> RequestId {
    adopted(&head.headers, &X_REQUEST_ID).unwrap_or_else(|| RequestId(uuid(random())))
}

/// The id under `name`, if it is one. A header sent twice is no id.
fn adopted(headers: &HeaderMap, name: &HeaderName) -> Option<RequestId> {
    let mut lines = headers.get_all(name).iter();
    let value = lines.next()?.to_str().ok()?;
    let usable = (1..=64).contains(&value.len())
        && value
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    (usable && lines.next().is_none()).then(|| RequestId(value.to_owned()))
}

/// A version 4 UUID (RFC 9562 section 5.4): random but for four bits of version and two of variant.
fn uuid(random: [u8; 16]) -> String {
    const VERSION: u128 = 0xf << 76;
    const VARIANT: u128 = 0b11 << 62;
    let bits = u128::from_be_bytes(random) & !(VERSION | VARIANT) | 4 << 76 | 0b10 << 62;
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        bits >> 96,
        bits >> 80 & 0xffff,
        bits >> 64 & 0xffff,
        bits >> 48 & 0xffff,
        bits & 0xffff_ffff_ffff,
    )
}

const CF_RAY: HeaderName = HeaderName::from_static("cf-ray");

#[cfg(test)]
mod tests {
    use http::Method;

    use super::*;
    use crate::message::RequestUrl;

    #[track_caller]
    fn check(trust_inbound: bool, headers: &[(&'static str, &[u8])], expected: &str) {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_bytes(value).unwrap());
        }
        let head = RequestHead {
            method: Method::GET,
            url: RequestUrl::parse("https://a.b/").unwrap(),
            headers: map,
            has_body: false,
        };
        let id = resolve(&Policy { trust_inbound }, &head, || [0xff; 16]);
        assert_eq!(id.as_str(), expected, "{headers:?}");
        assert_eq!(id.header_value(), expected);
    }

    #[test]
    fn the_first_usable_of_caller_ray_and_random_is_the_id() {
        const RANDOM: &str = "ffffffff-ffff-4fff-bfff-ffffffffffff";
        let ray = ("cf-ray", &b"91c0ffee5eed1234-CDG"[..]);
        let own = ("x-request-id", &b"Order_7-b"[..]);
        let long = [b'a'; 65];
        check(true, &[own, ray], "Order_7-b");
        check(false, &[own, ray], "91c0ffee5eed1234-CDG");
        check(false, &[own], RANDOM);
        check(true, &[], RANDOM);
        check(true, &[own, own, ray], "91c0ffee5eed1234-CDG");
        for unusable in [&b""[..], b"id 7", b"a;b", b"a\xffb", b"a.b", &long] {
            check(true, &[("x-request-id", unusable)], RANDOM);
            check(false, &[("cf-ray", unusable)], RANDOM);
        }
        check(true, &[("x-request-id", &long[1..])], &"a".repeat(64));
    }

    #[test]
    fn a_random_id_is_a_version_4_uuid() {
        assert_eq!(uuid([0; 16]), "00000000-0000-4000-8000-000000000000");
        assert_eq!(
            uuid(*b"\x01\x23\x45\x67\x89\xab\xcd\xef\x01\x23\x45\x67\x89\xab\xcd\xef"),
            "01234567-89ab-4def-8123-456789abcdef"
        );
    }
}
