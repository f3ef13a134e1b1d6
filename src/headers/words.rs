//! Headers whose value is a list of words, of which `Cache-Control` and `Vary` are two.

use http::{HeaderMap, HeaderName};

/// The comma-separated parts of all of a header's lines, trimmed and in lower case; empty ones are passed over.
pub fn words<'h>(
    headers: &'h HeaderMap,
    name: &HeaderName,
) -> impl Iterator<Item = String> + use<'h> {
    headers
        .get_all(name)
        .iter()
        .flat_map(|line| line.as_bytes().split(|byte| *byte == b','))
        .map(|word| String::from_utf8_lossy(word.trim_ascii()).to_ascii_lowercase())
        .filter(|word| !word.is_empty())
}
