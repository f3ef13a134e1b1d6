//! How much of everything there may be. `GET /api/meta` tells them, so that nobody keeps copies.

use serde_json::{Value, json};

use crate::exchange::Window;

/// Characters of a route's id: the first is a letter or a digit, the others may also be `.`, `_` and `-`.
pub(crate) const ROUTE_ID: usize = 64;

/// Bytes of one definition and of the defaults block, as compact JSON.
pub(crate) const DEFINITION: usize = 64 * 1024;

/// Bytes of a compiled document. It has to fit one row of the database.
pub(crate) const DOCUMENT: usize = 1_500_000;

/// Bytes of a request's body.
pub(crate) const BODY: usize = 256 * 1024;

/// Bytes of a request's body that carries a whole document.
pub(crate) const IMPORT: usize = 2_000_000;

/// Characters of the note of a publish, and of the reason why a token was revoked.
pub(crate) const NOTE: usize = 500;

/// Characters of an address, and of a token's name.
pub(crate) const NAME: usize = 128;

/// Revisions that are kept.
pub(crate) const REVISIONS: u64 = 50;

/// Days a token lives.
pub(crate) const TOKEN_DAYS: std::ops::RangeInclusive<u64> = 1..=365;

/// Days a token lives where nothing else is asked for.
pub(crate) const USUAL_TOKEN_DAYS: u64 = 90;

/// Whether a text may be a route's id.
pub(crate) fn is_route_id(text: &str) -> bool {
    text.len() <= ROUTE_ID
        && text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

/// All of them, as the user interface reads them.
pub(crate) fn told() -> Value {
    json!({
        "routeId": { "maxLength": ROUTE_ID, "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$" },
        "definitionBytes": DEFINITION,
        "documentBytes": DOCUMENT,
        "bodyBytes": BODY,
        "importBytes": IMPORT,
        "note": NOTE,
        "revokeReason": NOTE,
        "subject": NAME,
        "email": NAME,
        "tokenName": NAME,
        "list": { "default": Window::USUAL, "maximum": Window::MOST },
        "revisions": REVISIONS,
        "tokenDays": {
            "minimum": TOKEN_DAYS.start(),
            "maximum": TOKEN_DAYS.end(),
            "default": USUAL_TOKEN_DAYS,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_short_and_plain() {
        let longest = "a".repeat(64);
        for (text, sound) in [
            ("a", true),
            ("A.b_c-9", true),
            ("9", true),
            (longest.as_str(), true),
            (&format!("{longest}a"), false),
            ("", false),
            (".a", false),
            ("-a", false),
            ("a b", false),
            ("a/b", false),
            ("é", false),
            ("aé", false),
        ] {
            assert_eq!(is_route_id(text), sound, "{text}");
        }
    }
}
