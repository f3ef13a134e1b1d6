//! Response caching.

use std::collections::BTreeMap;

use serde::Serialize;

use super::FailureMode;
use crate::config::{
    Code, Path, Reported,
    json::Json,
    reader::{Block, Findings, FromJson, Members, word},
    wording::mismatch,
};

/// Stores responses at the edge. An empty block is enough for styles, scripts, images and fonts. Requests with
/// cookies or credentials, and responses that set cookies or forbid storing, are never stored.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Cache {
    /// `false` switches the cache off without losing the block. Default: true.
    #[cfg_attr(feature = "schema", schemars(extend("default" = true)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Methods that take part: GET and HEAD, in any letter case. At least one. Default: both.
    #[cfg_attr(feature = "schema", schemars(length(min = 1), extend("default" = ["GET", "HEAD"])))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub methods: Option<Vec<String>>,
    /// Seconds a response of status 200 is fresh; 1 to 31,536,000. Default: 300.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 31_536_000), extend("default" = 300)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl_seconds: Option<u64>,
    /// Seconds after that in which the old copy is still given out while a new one is fetched behind it; 0 to
    /// 31,536,000. Default: 60.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 31_536_000), extend("default" = 60)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale_while_revalidate_seconds: Option<u64>,
    /// Types of responses of status 200 that are stored, by their beginning. At least one. Storing `text/html` can
    /// show one visitor's page to another. Default: `text/css`, `text/javascript`, `application/javascript`,
    /// `image/`, `font/`.
    #[cfg_attr(feature = "schema", schemars(length(min = 1), extend("default" = ["text/css", "text/javascript", "application/javascript", "image/", "font/"])))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_types: Option<Vec<String>>,
    /// Whether, of several requests for what is not stored yet, one asks the upstream and the others wait for its
    /// answer. Default: true.
    #[cfg_attr(feature = "schema", schemars(extend("default" = true)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lock_misses: Option<bool>,
    /// Gives out old copies while the upstream fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale_if_error: Option<StaleIfError>,
    /// Seconds that responses of other statuses are fresh, by status; 0 to 31,536,000, and 0 stores none. Not for
    /// 1xx, 204, 206, 304 and 5xx.
    #[cfg_attr(feature = "schema", schemars(extend("propertyNames" = { "pattern": "^[234][0-9]{2}$" }, "additionalProperties" = { "type": "integer", "minimum": 0, "maximum": 31_536_000 })))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_ttl_seconds: Option<BTreeMap<String, u64>>,
    /// What tells stored responses apart, beside the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<CacheKey>,
    /// Any text. Writing another one leaves everything behind that this route has stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epoch: Option<String>,
}

impl Block for Cache {
    fn read(members: &mut Members<'_>) -> Self {
        Self {
            enabled: members.take("enabled"),
            methods: members.take("methods"),
            ttl_seconds: members.take("ttlSeconds"),
            stale_while_revalidate_seconds: members.take("staleWhileRevalidateSeconds"),
            content_types: members.take("contentTypes"),
            lock_misses: members.take("lockMisses"),
            stale_if_error: members.take("staleIfError"),
            status_ttl_seconds: members.take("statusTtlSeconds"),
            key: members.take("key"),
            epoch: members.take("epoch"),
        }
    }
}

/// Gives out old copies while the upstream fails.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StaleIfError {
    /// Seconds past its freshness for which a copy may be given out; 0 to 31,536,000. Default: 3,600.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 31_536_000), extend("default" = 3_600)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    /// Failures for which it is. At least one. Default: `timeout` and `unreachable`.
    #[cfg_attr(feature = "schema", schemars(length(min = 1), extend("default" = ["timeout", "unreachable"])))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<Vec<FailureMode>>,
}

impl Block for StaleIfError {
    fn read(members: &mut Members<'_>) -> Self {
        Self {
            seconds: members.take("seconds"),
            on: members.take("on"),
        }
    }
}

/// What tells stored responses apart, beside the path.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CacheKey {
    /// Which query parameters count. Default: `all`.
    #[cfg_attr(feature = "schema", schemars(extend("default" = "all")))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<KeyQuery>,
    /// Request headers whose values count, so that responses which vary by them can be stored. Not `authorization`
    /// and `cookie`. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headers: Option<Vec<String>>,
}

impl Block for CacheKey {
    fn read(members: &mut Members<'_>) -> Self {
        Self {
            query: members.take("query"),
            headers: members.take("headers"),
        }
    }
}

/// Which query parameters tell stored responses apart: `"all"`, `"none"`, all but some, or only some. Letter case
/// counts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum KeyQuery {
    /// All of them.
    #[default]
    All,
    /// None of them.
    None,
    /// All but these.
    #[serde(untagged)]
    Ignore {
        /// Names, in their own case.
        ignore: Vec<String>,
    },
    /// Only these.
    #[serde(untagged)]
    Include {
        /// Names, in their own case.
        include: Vec<String>,
    },
}

impl FromJson for KeyQuery {
    fn from_json(
        value: Json<'_>,
        at: &Path<'_>,
        findings: &mut Findings,
    ) -> Result<Self, Reported> {
        match value {
            Json::Object(_) => {}
            Json::Text(_) => {
                let words = [("all", Self::All), ("none", Self::None)];
                return word(&value, &words, at, findings);
            }
            other => {
                let expected = "\"all\", \"none\", {\"ignore\": [...]} or {\"include\": [...]}";
                return Err(mismatch(&other, expected, None, at, &mut findings.issues));
            }
        }
        let mut members = Members::open(value, at, findings)?;
        let query = match (members.stated("ignore"), members.stated("include")) {
            (Some(ignore), None) => ignore.map(|ignore| Self::Ignore { ignore }),
            (None, Some(include)) => include.map(|include| Self::Include { include }),
            (Some(_), Some(_)) => Err(members.report_whole(
                Code::Conflict,
                "expected either \"ignore\" or \"include\"; found both. Keep the one that says which query parameters count",
            )),
            (None, None) => Err(members.report_whole(
                Code::Required,
                "expected \"ignore\" or \"include\" with a list of query parameters; found neither. For all or none of them write \"all\" or \"none\"",
            )),
        };
        members.close();
        query
    }
}
