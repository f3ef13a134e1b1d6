//! What `Cache-Control` says to a cache that many visitors share (RFC 9111 section 5.2.2).

use http::{HeaderMap, header::CACHE_CONTROL};

use super::words;

/// Why a response may not be given to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forbids {
    /// `no-store`.
    Storing,
    /// `private`, also where it names headers.
    Sharing,
    /// `no-cache`, also where it names headers.
    Reusing,
}

/// The first directive by which a response forbids to be stored for others.
pub fn forbids(headers: &HeaderMap) -> Option<Forbids> {
    words(headers, &CACHE_CONTROL).find_map(|directive| match name(&directive) {
        "no-store" => Some(Forbids::Storing),
        "private" => Some(Forbids::Sharing),
        "no-cache" => Some(Forbids::Reusing),
        _ => None,
    })
}

/// The name of a directive, which [`words()`] gives in lower case.
pub fn name(directive: &str) -> &str {
    directive.split('=').next().unwrap_or_default().trim_end()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn only_whole_directives_forbid() {
        for (value, expected) in [
            ("max-age=60, No-Store", Some(Forbids::Storing)),
            ("private=\"set-cookie\"", Some(Forbids::Sharing)),
            ("no-cache = \"a\"", Some(Forbids::Reusing)),
            ("private, no-store", Some(Forbids::Sharing)),
            ("x-private=1, max-age=60", None),
            ("max-age=60; foo=private", None),
            ("", None),
        ] {
            let headers = HeaderMap::from_iter([(CACHE_CONTROL, HeaderValue::from_static(value))]);
            assert_eq!(forbids(&headers), expected, "{value}");
        }
    }
}
