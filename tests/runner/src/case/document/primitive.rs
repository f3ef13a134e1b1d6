//! Values that occur in several places.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::{Deserialize, Deserializer, de};

use crate::case::Piece;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct PieceDocument {
    #[serde(default, deserialize_with = "millis")]
    after_ms: Duration,
    text: Option<String>,
    base64: Option<Base64>,
}

impl<'de> Deserialize<'de> for Piece {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let PieceDocument {
            after_ms: after,
            text,
            base64,
        } = PieceDocument::deserialize(deserializer)?;
        let bytes = match (text, base64) {
            (Some(text), None) => text.into_bytes(),
            (None, Some(Base64(bytes))) => bytes,
            _ => {
                return Err(de::Error::custom(
                    "a chunk has exactly one of `text` and `base64`",
                ));
            }
        };
        Ok(Self { after, bytes })
    }
}

/// Bytes, which JSON has no type of its own for.
pub(super) struct Base64(pub(super) Vec<u8>);

impl<'de> Deserialize<'de> for Base64 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        BASE64.decode(text).map(Self).map_err(de::Error::custom)
    }
}

pub(in crate::case) fn millis<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Duration, D::Error> {
    u64::deserialize(deserializer).map(Duration::from_millis)
}

pub(super) fn some_millis<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Duration>, D::Error> {
    millis(deserializer).map(Some)
}
