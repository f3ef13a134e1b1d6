//! Response caching.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::FailureMode;
use crate::config::{
    Code, Path, Reported,
    reader::{Block, Findings, FromJson, Members, word},
    wording::mismatch,
};

/// Storing of responses at the edge. An empty block switches the defaults on.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Cache {
    /// Switches the block off without deleting it. Default: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Methods that take part: `GET`, `HEAD`. Default: both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub methods: Option<Vec<String>>,
    /// Seconds a 200 stays fresh: 1 to 31,536,000. Default: 300.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl_seconds: Option<u64>,
    /// Seconds after that in which the old copy is served while a new one is fetched: 0 to 31,536,000. Default: 60.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale_while_revalidate_seconds: Option<u64>,
    /// Types of 200 responses that are stored, as prefixes. Default: styles, scripts, images and fonts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_types: Option<Vec<String>>,
    /// Whether one miss fetches while the others wait. Default: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lock_misses: Option<bool>,
    /// Serves old copies while the upstream fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale_if_error: Option<StaleIfError>,
    /// Windows for other statuses: status to seconds, 0 to 31,536,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_ttl_seconds: Option<BTreeMap<String, u64>>,
    /// What tells entries apart beside the URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<CacheKey>,
    /// Any text, folded into the key: another one leaves all entries of the route behind.
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

/// Serving old copies while the upstream fails.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StaleIfError {
    /// Seconds past freshness: 0 to 31,536,000. Default: 3,600.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    /// Failures that count. Default: `timeout` and `unreachable`.
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

/// What tells entries apart beside the URL.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CacheKey {
    /// Which query parameters count. Default: `"all"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<KeyQuery>,
    /// Request headers folded into the key. Default: none.
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

/// Which query parameters tell entries apart.
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
    fn from_json(value: Value, at: &Path<'_>, findings: &mut Findings) -> Result<Self, Reported> {
        match value {
            Value::Object(_) => {}
            Value::String(_) => {
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
