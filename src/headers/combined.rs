//! A header as one value.

use std::borrow::Cow;

use http::{HeaderMap, HeaderName};

/// The value of a header, several lines joined as `a, b` (RFC 9110 section 5.3); `None` where there is none, which an
/// empty one is not.
pub fn combined<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<Cow<'h, [u8]>> {
    let mut lines = headers.get_all(name).iter();
    let mut combined = Cow::Borrowed(lines.next()?.as_bytes());
    for line in lines {
        let combined = combined.to_mut();
        combined.extend_from_slice(b", ");
        combined.extend_from_slice(line.as_bytes());
    }
    Some(combined)
}
