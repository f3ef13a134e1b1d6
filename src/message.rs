//! The messages the stages read and make: heads as received, and the answers the proxy writes itself. Bodies stay with
//! the platform as opaque handles.

use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode};

/// The URL a visitor asked for, as it stood on the request line.
///
/// Nothing is normalised: dot segments, percent-escapes, backslashes and doubled slashes are what was sent, because
/// the path is forwarded byte for byte and signed links sign it as written. Only the host is folded to lower case.
///
/// ```
/// use jouska::message::RequestUrl;
///
/// let url = RequestUrl::parse("https://Shop.example.com:8443/a/../b?x=%20").unwrap();
/// assert_eq!(url.hostname(), "shop.example.com");
/// assert_eq!(url.authority(), "shop.example.com:8443");
/// assert_eq!(url.path(), "/a/../b");
/// assert_eq!(url.query(), Some("x=%20"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestUrl {
    text: String,
    scheme_end: usize,
    authority: String,
    hostname_end: usize,
    path_start: usize,
    path_end: usize,
}

/// The URL of a request could not be taken apart. Platforms hand over absolute http(s) URLs, so this is their fault,
/// not the visitor's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected an absolute http or https URL, found {0:?}")]
pub struct InvalidRequestUrl(String);

impl RequestUrl {
    /// Takes an absolute `http` or `https` URL apart. A fragment is cut off.
    pub fn parse(text: &str) -> Result<Self, InvalidRequestUrl> {
        let invalid = || InvalidRequestUrl(text.chars().take(200).collect());
        let text = text.split('#').next().unwrap_or_default();
        let (scheme, rest) = text.split_once("://").ok_or_else(invalid)?;
        if !matches!(scheme, "http" | "https") {
            return Err(invalid());
        }
        let authority_end = rest.find(['/', '?', '\\']).unwrap_or(rest.len());
        let (authority, tail) = rest.split_at(authority_end);
        let authority = authority
            .rsplit_once('@')
            .map_or(authority, |(_, host)| host)
            .to_ascii_lowercase();
        let hostname_end = match authority.rfind(':') {
            // A colon inside brackets belongs to an IPv6 address.
            Some(at) if !authority.get(at..).is_some_and(|port| port.contains(']')) => at,
            _ => authority.len(),
        };
        if hostname_end == 0 {
            return Err(invalid());
        }
        let scheme_end = scheme.len();
        let mut text = text.to_owned();
        let path_start = scheme_end + 3 + authority_end;
        if !tail.starts_with(['/', '\\']) {
            text.insert(path_start, '/');
        }
        let path_end = text
            .get(path_start..)
            .and_then(|tail| tail.find('?'))
            .map_or(text.len(), |at| path_start + at);
        Ok(Self {
            text,
            scheme_end,
            authority,
            hostname_end,
            path_start,
            path_end,
        })
    }

    /// The whole URL as it was sent (a fragment cut off, an empty path written as `/`).
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// `http` or `https`.
    pub fn scheme(&self) -> &str {
        self.text.get(..self.scheme_end).unwrap_or_default()
    }

    /// Host and, where one was written, port; in lower case.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// The host without its port, in lower case.
    pub fn hostname(&self) -> &str {
        self.authority.get(..self.hostname_end).unwrap_or_default()
    }

    /// The path as it stood on the request line; never empty.
    pub fn path(&self) -> &str {
        self.text
            .get(self.path_start..self.path_end)
            .unwrap_or_default()
    }

    /// What follows the first `?`, without it; `None` where there is none.
    pub fn query(&self) -> Option<&str> {
        self.text.get(self.path_end + 1..)
    }

    /// Path and query as they are sent on: `/a?b=c`.
    pub fn path_and_query(&self) -> &str {
        self.text.get(self.path_start..).unwrap_or_default()
    }
}

/// What a visitor asked, without the body.
#[derive(Debug, Clone)]
pub struct RequestHead {
    /// The method, unknown ones included.
    pub method: Method,
    /// The URL as it stood on the request line.
    pub url: RequestUrl,
    /// All headers as received; repeated ones stay apart where the platform keeps them apart.
    pub headers: HeaderMap,
    /// Whether a body came along, by the runtime's view. `Content-Length: 0` counts as none.
    pub has_body: bool,
}

impl RequestHead {
    /// The visitor's address as the platform vouches for it (`cf-connecting-ip`).
    pub fn address(&self) -> Option<&str> {
        self.headers
            .get("cf-connecting-ip")
            .and_then(|value| value.to_str().ok())
            .filter(|value| !value.is_empty())
    }

    /// Whether this is a WebSocket handshake.
    pub fn is_upgrade(&self) -> bool {
        self.headers
            .get(http::header::UPGRADE)
            .is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"websocket"))
    }

    /// Whether a body came along that can be sent on. The fetch API refuses a GET or HEAD with one, so theirs stay
    /// behind.
    pub fn forwards_body(&self) -> bool {
        self.has_body && !matches!(self.method, Method::GET | Method::HEAD)
    }
}

/// What an upstream answered, without the body.
#[derive(Debug, Clone)]
pub struct ResponseHead {
    /// The status as received.
    pub status: StatusCode,
    /// All headers as received, `Set-Cookie` lines apart.
    pub headers: HeaderMap,
}

/// An answer the proxy writes itself: a refusal, a failure, an edge answer, a preflight.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status, always within 200..=599.
    pub status: StatusCode,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body; empty for answers that may carry none.
    pub body: Bytes,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: (&str, &str, &str, &str, Option<&str>)) {
        let url = RequestUrl::parse(text).expect(text);
        assert_eq!(
            (
                url.scheme(),
                url.authority(),
                url.hostname(),
                url.path(),
                url.query()
            ),
            expected,
            "{text}"
        );
    }

    #[test]
    fn a_url_is_taken_apart_as_written() {
        check("https://a.b", ("https", "a.b", "a.b", "/", None));
        check("http://A.b:80?q", ("http", "a.b:80", "a.b", "/", Some("q")));
        check("https://a.b/x?", ("https", "a.b", "a.b", "/x", Some("")));
        check(
            "https://u:p@a.b//x/../%2e?y?z#f",
            ("https", "a.b", "a.b", "//x/../%2e", Some("y?z")),
        );
        check(
            "https://[::1]:8443/",
            ("https", "[::1]:8443", "[::1]", "/", None),
        );
        check("https://[::1]/", ("https", "[::1]", "[::1]", "/", None));
        check(r"https://a.b\x", ("https", "a.b", "a.b", r"\x", None));
    }

    #[test]
    fn what_is_no_absolute_http_url_is_refused() {
        for text in [
            "",
            "/x",
            "ftp://a/",
            "https://",
            "https:///x",
            "https://:80/",
        ] {
            assert!(RequestUrl::parse(text).is_err(), "{text}");
        }
    }
}
