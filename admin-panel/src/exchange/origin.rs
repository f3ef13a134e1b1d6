//! The same-origin rule: whoever changes something has to come from the panel's own pages.

use http::{HeaderMap, header};
use url::{Host, Url};

use super::{ErrorCode, Refused};

/// Where a request says it comes from, compared with where it may come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// From the panel itself.
    Same,
    /// It does not say.
    Missing,
    /// What it says is no address; `null` is none.
    Unreadable,
    /// From elsewhere.
    Other,
}

impl Origin {
    /// Judges a request to `own`, which may also come from `also`. Host and port are compared; a port that is not
    /// written is the scheme's.
    pub(crate) fn of(headers: &HeaderMap, own: &str, also: Option<&Url>) -> Self {
        let mut given = headers.get_all(header::ORIGIN).iter();
        let Some(origin) = given.next() else {
            return Self::Missing;
        };
        let origin = origin.to_str().ok().and_then(|text| Url::parse(text).ok());
        let (Some(origin), None) = (origin.as_ref().and_then(place), given.next()) else {
            return Self::Unreadable;
        };
        let own = Url::parse(own).ok();
        let is_ours = own
            .iter()
            .chain(also)
            .filter_map(place)
            .any(|ours| ours == origin);
        if is_ours { Self::Same } else { Self::Other }
    }
}

/// Refuses what does not come from the panel itself.
pub(crate) fn same_origin(
    headers: &HeaderMap,
    own: &str,
    also: Option<&Url>,
) -> Result<(), Refused> {
    let (code, detail) = match Origin::of(headers, own, also) {
        Origin::Same => return Ok(()),
        Origin::Missing => (
            ErrorCode::MissingOrigin,
            "a request that changes something has to carry an Origin header with the panel's own address",
        ),
        Origin::Unreadable => (
            ErrorCode::BadOrigin,
            "the Origin header is no address such as https://panel.example.com",
        ),
        Origin::Other => (
            ErrorCode::CrossOrigin,
            "the request comes from another origin; where a front proxy changes the host, set PANEL_URL to the address in the browser",
        ),
    };
    Err(Refused::because(code, detail))
}

fn place(url: &Url) -> Option<(Host<&str>, u16)> {
    url.host().zip(url.port_or_known_default())
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[track_caller]
    fn check(origin: Option<&str>, own: &str, also: Option<&str>, expected: Origin) {
        let mut headers = HeaderMap::new();
        if let Some(origin) = origin {
            headers.append(header::ORIGIN, HeaderValue::from_str(origin).unwrap());
        }
        let also = also.map(|also| Url::parse(also).unwrap());
        assert_eq!(
            Origin::of(&headers, own, also.as_ref()),
            expected,
            "{origin:?} at {own}"
        );
    }

    #[test]
    fn host_and_port_decide() {
        let own = "https://panel.example.com/api/routes/x";
        let front = Some("https://front.example.com");
        for (origin, also, expected) in [
            (None, None, Origin::Missing),
            (Some("https://panel.example.com"), None, Origin::Same),
            (Some("https://PANEL.example.com:443"), None, Origin::Same),
            (Some("https://panel.example.com:8443"), None, Origin::Other),
            (
                Some("https://panel.example.com.evil.net"),
                None,
                Origin::Other,
            ),
            (Some("https://sub.panel.example.com"), None, Origin::Other),
            (Some("https://front.example.com"), None, Origin::Other),
            (Some("https://front.example.com"), front, Origin::Same),
            (Some("https://panel.example.com"), front, Origin::Same),
            (Some("null"), None, Origin::Unreadable),
            (Some(""), None, Origin::Unreadable),
            (Some("panel.example.com"), None, Origin::Unreadable),
            (Some("file:///etc/passwd"), None, Origin::Unreadable),
            (Some("data:text/html,x"), None, Origin::Unreadable),
            (
                Some("https://panel.example.com, https://evil.example"),
                None,
                Origin::Unreadable,
            ),
        ] {
            check(origin, own, also, expected);
        }
        check(
            Some("http://127.0.0.1:8787"),
            "http://127.0.0.1:8787/api/publish",
            None,
            Origin::Same,
        );
        check(
            Some("http://127.0.0.1"),
            "http://127.0.0.1:8787/api/publish",
            None,
            Origin::Other,
        );
    }

    #[test]
    fn two_origins_are_none() {
        let mut headers = HeaderMap::new();
        for _ in 0..2 {
            let origin = HeaderValue::from_static("https://a.example");
            headers.append(header::ORIGIN, origin);
        }
        let judged = Origin::of(&headers, "https://a.example/", None);
        assert_eq!(judged, Origin::Unreadable);
    }
}
