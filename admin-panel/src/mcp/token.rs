//! Tokens as text: how a new one is made, and what one looks like.

use jouska::crypto::{base64url_encode, hex, sha256};

use crate::outside::Surroundings;

/// A token that was just made. Its text is shown once and kept nowhere.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Fresh {
    pub(crate) id: String,
    pub(crate) text: String,
    /// The beginning of the text, by which a person recognises it.
    pub(crate) prefix: String,
    /// What is kept.
    pub(crate) hash: String,
}

/// A new token: 32 random bytes behind a name that secret scanners find.
pub(crate) fn fresh(outside: &dyn Surroundings) -> Fresh {
    let bytes = [outside.random(), outside.random()].concat();
    let text = format!("{BEGINNING}{}", base64url_encode(&bytes));
    let id = base64url_encode(outside.random().get(..12).unwrap_or_default());
    Fresh {
        id,
        prefix: text.chars().take(PREFIX).collect(),
        hash: hash(&text),
        text,
    }
}

/// What is kept of a token.
pub(super) fn hash(text: &str) -> String {
    hex(&sha256(text.as_bytes()))
}

/// The token in an `Authorization` header, if it looks like one. Anything else is not worth a digest.
pub(super) fn bearer(header: &str) -> Option<&str> {
    let (scheme, token) = header.trim().split_once(' ')?;
    let token = token.trim();
    let random = token.strip_prefix(BEGINNING)?;
    let is_one = scheme.eq_ignore_ascii_case("bearer")
        && random.len() == RANDOM
        && random
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    is_one.then_some(token)
}

const BEGINNING: &str = "jska_mcp_";

/// Characters of 32 bytes in base64url.
const RANDOM: usize = 43;

/// Characters that are shown.
const PREFIX: usize = 17;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_looks_like_a_token_is_looked_up() {
        let token = format!("jska_mcp_{}", "Aa9-_".repeat(9).get(..43).unwrap());
        for (header, expected) in [
            (format!("Bearer {token}"), true),
            (format!("bearer   {token} "), true),
            (token.clone(), false),
            (format!("Basic {token}"), false),
            (format!("Bearer {token}a"), false),
            (format!("Bearer {}", token.replace('9', "!")), false),
            (format!("Bearer {}", token.replace("jska", "jskb")), false),
            ("Bearer ".to_owned(), false),
            ("Bearer jska_mcp_é".to_owned(), false),
        ] {
            assert_eq!(bearer(&header).is_some(), expected, "{header}");
        }
    }
}
