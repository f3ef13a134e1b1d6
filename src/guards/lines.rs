//! Header values as rules read them.

use std::borrow::Cow;

use http::{HeaderMap, HeaderName, HeaderValue};

/// The value under `name`: repeated lines are one text, joined as RFC 9110 section 5.3 says (cookies as RFC 6265
/// section 4.2 does). A rule that read the first line alone could be told something else than the upstream reads.
pub(super) fn combined<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<Cow<'h, [u8]>> {
    let mut lines = headers.get_all(name).iter().map(HeaderValue::as_bytes);
    let first = lines.next()?;
    let separator: &[u8] = match *name {
        http::header::COOKIE => b"; ",
        _ => b", ",
    };
    Some(lines.fold(Cow::Borrowed(first), |text, line| {
        Cow::Owned([&text, separator, line].concat())
    }))
}

#[cfg(test)]
mod tests {
    use http::header::{COOKIE, REFERER};

    use super::*;
    use crate::guards::fake::headers;

    #[test]
    fn repeated_lines_are_one_text() {
        let lines = [
            ("referer", "a"),
            ("cookie", "a=1"),
            ("referer", "b"),
            ("cookie", "b=2"),
        ];
        for (count, name, expected) in [
            (0, REFERER, None),
            (1, REFERER, Some("a")),
            (4, REFERER, Some("a, b")),
            (4, COOKIE, Some("a=1; b=2")),
        ] {
            let headers = headers(lines.get(..count).unwrap());
            let combined = combined(&headers, &name);
            assert_eq!(combined.as_deref(), expected.map(str::as_bytes), "{name}");
        }
    }
}
