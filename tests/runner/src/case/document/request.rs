//! What the visitor sends.

use std::time::Duration;

use serde::{Deserialize, Deserializer, de};
use serde_json::{Map, Value};

use super::primitive::{Base64, some_millis};
use crate::case::{Piece, Request, RequestBody};

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RequestDocument {
    #[serde(default = "get")]
    method: String,
    url: String,
    #[serde(default)]
    headers: Vec<(String, String)>,
    body: Option<String>,
    body_base64: Option<Base64>,
    body_chunks: Option<Vec<Piece>>,
    cf: Option<Map<String, Value>>,
    #[serde(default = "one")]
    repeat: u32,
    #[serde(default = "one")]
    parallel: u32,
    #[serde(default, deserialize_with = "some_millis")]
    abort_after_ms: Option<Duration>,
}

impl<'de> Deserialize<'de> for Request {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        RequestDocument::deserialize(deserializer)?
            .compile()
            .map_err(de::Error::custom)
    }
}

impl RequestDocument {
    fn compile(self) -> Result<Request, &'static str> {
        let Self {
            method,
            url,
            headers,
            body,
            body_base64,
            body_chunks,
            cf,
            repeat,
            parallel,
            abort_after_ms,
        } = self;
        let body = match (body, body_base64, body_chunks) {
            (None, None, None) => RequestBody::Absent,
            (Some(text), None, None) => RequestBody::Whole(text.into_bytes()),
            (None, Some(Base64(bytes)), None) => RequestBody::Whole(bytes),
            (None, None, Some(pieces)) => RequestBody::Pieces(pieces),
            _ => return Err("at most one of `body`, `bodyBase64` and `bodyChunks` is expected"),
        };
        if repeat == 0 || parallel == 0 {
            return Err("`repeat` and `parallel` are at least 1");
        }
        Ok(Request {
            method,
            url,
            headers,
            body,
            cf,
            repeat,
            parallel,
            abort_after: abort_after_ms,
        })
    }
}

fn get() -> String {
    "GET".to_owned()
}

fn one() -> u32 {
    1
}
