//! A header as one value.

use std::borrow::Cow;

use http::{HeaderMap, HeaderName, header::COOKIE};

/// The value of a header, several lines joined as `a, b` (RFC 9110 section 5.3) and cookies as `a; b` (RFC 9113 section
/// 8.2.3); `None` where there is none, which an empty one is not.
pub fn combined<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<Cow<'h, [u8]>> {
    let mut lines = headers.get_all(name).iter();
    let mut combined = Cow::Borrowed(lines.next()?.as_bytes());
    let separator = if *name == COOKIE { b"; " } else { b", " };
    for line in lines {
        let combined = combined.to_mut();
        combined.extend_from_slice(separator);
        combined.extend_from_slice(line.as_bytes());
    }
    Some(combined)
}

#[cfg(test)]
mod tests {
    use http::{HeaderValue, header::REFERER};

    use super::*;

    #[test]
    fn several_lines_are_one_value() {
        for (name, lines, expected) in [
            (REFERER, &[][..], None),
            (REFERER, &[""], Some("")),
            (REFERER, &["a"], Some("a")),
            (REFERER, &["a", "b", "c"], Some("a, b, c")),
            (COOKIE, &["a=1", "b=2"], Some("a=1; b=2")),
        ] {
            let values = lines.iter().map(|line| HeaderValue::from_static(line));
            let headers: HeaderMap = values.map(|value| (name.clone(), value)).collect();
            let combined = combined(&headers, &name);
            assert_eq!(
                combined.as_deref(),
                expected.map(str::as_bytes),
                "{name} {lines:?}"
            );
        }
    }
}
