//! What a Worker really serves, told to who may know: the panel sets it beside what it published.
//!
//! It is one isolate's own view. Others may have loaded earlier or later, by as long as a table is kept.

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use serde::Serialize;
use serde_json::Value;

use crate::{
    config::{self, document::Revision},
    crypto::constant_time_eq,
    message::{Answer, RequestHead},
    table::RouteTable,
    time::Timestamp,
};

/// Where the status is told. To who does not prove the secret it is a path like any other.
pub const PATH: &str = "/__jouska/status";

/// What an isolate serves.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// `jouska`, by which the answer is told from one that a route gave.
    service: &'static str,
    /// The revision the table's `meta` names; null where it names none.
    pub revision: Option<Revision>,
    /// Who wrote the table, by its `meta`.
    pub updated_by: Option<String>,
    /// When, by its `meta`.
    pub updated_at: Option<String>,
    /// [`config::digest`] of the document the table was read from; null where it is all in code.
    pub digest: Option<String>,
    /// Number of routes; null where there is no table.
    pub routes: Option<usize>,
    /// When this isolate loaded the table, in seconds since 1970; null where it did not load it.
    pub loaded_at: Option<u64>,
    /// The last load of this isolate that failed; null where none did.
    pub last_error: Option<LoadError>,
}

/// A load that failed. The table that was in use stayed in use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LoadError {
    /// When.
    #[serde(serialize_with = "seconds")]
    pub at: Timestamp,
    /// What went wrong.
    pub message: String,
}

fn seconds<S: serde::Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(at.as_secs())
}

/// Whether a request asks for the status.
pub fn is_asked_for(head: &RequestHead) -> bool {
    head.method == Method::GET && head.url.path() == PATH
}

/// Whether a request proves to know `secret`: `Authorization: Bearer <secret>`. Nobody can prove an empty one.
pub fn is_proved(head: &RequestHead, secret: &str) -> bool {
    let Some(given) = head
        .headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.as_bytes().strip_prefix(b"Bearer "))
    else {
        return false;
    };
    !secret.is_empty() && constant_time_eq(given, secret.as_bytes())
}

/// The digest of a document's text; `None` where it is no JSON.
pub fn digest(text: &str) -> Option<String> {
    let document: Value = serde_json::from_str(text).ok()?;
    Some(config::digest(&document))
}

impl Status {
    /// The status of an isolate with this table.
    pub fn of(
        table: Option<&RouteTable>,
        loaded_at: Option<Timestamp>,
        digest: Option<String>,
        last_error: Option<LoadError>,
    ) -> Self {
        let meta = table.and_then(RouteTable::meta);
        Self {
            service: "jouska",
            revision: meta.and_then(|meta| meta.revision.clone()),
            updated_by: meta.and_then(|meta| meta.updated_by.clone()),
            updated_at: meta.and_then(|meta| meta.updated_at.clone()),
            digest,
            routes: table.map(|table| table.routes().len()),
            loaded_at: loaded_at.map(Timestamp::as_secs),
            last_error,
        }
    }

    /// It as an answer that nobody stores.
    pub fn answer(&self) -> Answer {
        let lines = [
            (header::CONTENT_TYPE, "application/json"),
            (header::CACHE_CONTROL, "no-store"),
        ];
        Answer {
            status: StatusCode::OK,
            headers: HeaderMap::from_iter(
                lines.map(|(name, value)| (name, HeaderValue::from_static(value))),
            ),
            body: Bytes::from(serde_json::to_vec(self).unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{message::RequestUrl, table::compile_text};

    fn request(method: Method, path: &str, authorization: Option<&str>) -> RequestHead {
        let mut headers = HeaderMap::new();
        if let Some(value) = authorization {
            headers.insert(header::AUTHORIZATION, value.parse().unwrap());
        }
        RequestHead {
            method,
            url: RequestUrl::parse(&format!("https://a.example{path}")).unwrap(),
            headers,
            has_body: false,
        }
    }

    #[test]
    fn only_who_proves_the_secret_is_told() {
        for (authorization, secret, proved) in [
            (Some("Bearer s3cret"), "s3cret", true),
            (Some("Bearer s3cre"), "s3cret", false),
            (Some("Bearer s3crets"), "s3cret", false),
            (Some("s3cret"), "s3cret", false),
            (Some("Basic s3cret"), "s3cret", false),
            (Some("Bearer "), "", false),
            (None, "s3cret", false),
            (None, "", false),
        ] {
            let head = request(Method::GET, PATH, authorization);
            assert_eq!(
                is_proved(&head, secret),
                proved,
                "{authorization:?} {secret}"
            );
        }
    }

    #[test]
    fn the_status_has_one_path_and_one_method() {
        for (method, path, asked) in [
            (Method::GET, PATH, true),
            (Method::GET, "/__jouska/status?x", true),
            (Method::GET, "/__jouska/status/", false),
            (Method::GET, "/__jouska/%73tatus", false),
            (Method::POST, PATH, false),
            (Method::HEAD, PATH, false),
        ] {
            let head = request(method, path, None);
            assert_eq!(is_asked_for(&head), asked, "{path}");
        }
    }

    #[test]
    fn it_tells_what_is_served_since_when_and_what_went_wrong_last() {
        let text = r#"{ "meta": { "revision": 7, "updatedBy": "ops" },
            "routes": [{ "match": { "path": "/" }, "respond": { "status": 204 } }] }"#;
        let table = compile_text(text).unwrap().table;
        let error = LoadError {
            at: Timestamp::from_millis(9_500),
            message: "down".to_owned(),
        };
        let loaded = Timestamp::from_millis(5_000);
        let status = Status::of(Some(&table), Some(loaded), digest(text), Some(error));
        let answer = status.answer();
        assert_eq!(answer.headers[header::CACHE_CONTROL], "no-store");
        let told: Value = serde_json::from_slice(&answer.body).unwrap();
        assert_eq!(
            told,
            json!({
                "service": "jouska",
                "revision": 7,
                "updatedBy": "ops",
                "updatedAt": null,
                "digest": digest(text),
                "routes": 1,
                "loadedAt": 5,
                "lastError": { "at": 9, "message": "down" },
            })
        );
        let nothing = Status::of(None, None, None, None);
        assert_eq!(nothing.routes, None);
    }
}
