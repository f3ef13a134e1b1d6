//! Where the target of a refresh stands, in the header and in `<meta http-equiv>` alike (HTML, 4.2.5.3).

use std::ops::Range;

/// The target in `text`: `5`, `5; url=/x`, `5, URL = '/x'` and `5 /x` are all refreshes. Empty where there is none.
pub(super) fn target(text: &[u8]) -> Range<usize> {
    let blank = |byte: u8| byte.is_ascii_whitespace();
    let mut at = skip(text, 0, blank);
    at = skip(text, at, |byte| byte.is_ascii_digit() || byte == b'.');
    at = skip(text, at, blank);
    if matches!(text.get(at), Some(b';' | b',')) {
        at = skip(text, at + 1, blank);
    }
    at = after_name(text, at).unwrap_or(at);
    let quote = text
        .get(at)
        .copied()
        .filter(|byte| matches!(byte, b'"' | b'\''));
    let start = at + usize::from(quote.is_some());
    let rest = text.get(start..).unwrap_or_default();
    let len = quote
        .and_then(|quote| memchr::memchr(quote, rest))
        .unwrap_or(rest.len());
    start..start + len
}

/// Past `url =` at `at`.
fn after_name(text: &[u8], at: usize) -> Option<usize> {
    let name = text.get(at..at + 3)?;
    let blank = |byte: u8| byte.is_ascii_whitespace();
    let equals = skip(text, at + 3, blank);
    (name.eq_ignore_ascii_case(b"url") && text.get(equals) == Some(&b'='))
        .then(|| skip(text, equals + 1, blank))
}

fn skip(text: &[u8], at: usize, while_true: impl Fn(u8) -> bool) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| while_true(**byte)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(&text[target(text.as_bytes())], expected, "{text}");
    }

    #[test]
    fn a_target_is_found_in_every_spelling() {
        check("5", "");
        check("5;", "");
        check("0;url=https://a/b", "https://a/b");
        check("0; URL='https://a/b'", "https://a/b");
        check(" 3.5 , Url = \"https://a/b\" x", "https://a/b");
        check("0;url='https://a/b", "https://a/b");
        check("0; https://a/b", "https://a/b");
        check("0 https://a/b", "https://a/b");
        check("0;urlx", "urlx");
        check("0;url", "url");
        check("", "");
    }
}
