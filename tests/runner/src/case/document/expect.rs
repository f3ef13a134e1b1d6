//! What must come of a step.

use std::collections::BTreeMap;
use std::time::Duration;

use regex::Regex;
use serde::{Deserialize, Deserializer, de};
use serde_json::{Map, Value};

use super::primitive::{Base64, some_millis};
use crate::case::{Expect, UpstreamCount, UpstreamExpect, ValueMatch};

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
struct ExpectDocument {
    fallthrough: Option<bool>,
    status: OneOrMany,
    headers: BTreeMap<String, ValueMatch>,
    no_headers: Vec<String>,
    body: Option<String>,
    body_contains: Vec<String>,
    body_lacks: Vec<String>,
    body_base64: Option<Base64>,
    body_bytes: Option<usize>,
    body_error: bool,
    chunks_at_least: Option<usize>,
    #[serde(deserialize_with = "some_millis")]
    first_byte_within_ms: Option<Duration>,
    #[serde(deserialize_with = "some_millis")]
    within_ms: Option<Duration>,
    #[serde(deserialize_with = "some_millis")]
    not_before_ms: Option<Duration>,
    upstream: Option<Vec<UpstreamExpect>>,
    upstream_count: Option<UpstreamCount>,
    event: Option<Map<String, Value>>,
}

impl<'de> Deserialize<'de> for Expect {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let document = ExpectDocument::deserialize(deserializer)?;
        Ok(Self {
            fallthrough: document.fallthrough,
            status: document.status.0,
            headers: document.headers,
            no_headers: document.no_headers,
            body: document.body,
            body_contains: document.body_contains,
            body_lacks: document.body_lacks,
            body_bytes: document.body_base64.map(|Base64(bytes)| bytes),
            body_length: document.body_bytes,
            body_error: document.body_error,
            chunks_at_least: document.chunks_at_least,
            first_byte_within: document.first_byte_within_ms,
            within: document.within_ms,
            not_before: document.not_before_ms,
            upstream: document.upstream,
            upstream_count: document.upstream_count,
            event: document.event,
        })
    }
}

impl<'de> Deserialize<'de> for ValueMatch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match ValueMatchDocument::deserialize(deserializer)? {
            ValueMatchDocument::Exact(value) => Self::Exact(value),
            ValueMatchDocument::Lines(lines) => Self::Lines(lines),
            ValueMatchDocument::Pattern(PatternDocument::Contains(text)) => Self::Contains(text),
            ValueMatchDocument::Pattern(PatternDocument::Matches(pattern)) => {
                Self::Matches(Regex::new(&pattern).map_err(de::Error::custom)?)
            }
        })
    }
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected a text, a list of texts, {\"matches\": \"regex\"} or {\"contains\": \"text\"}"
)]
enum ValueMatchDocument {
    Exact(String),
    Lines(Vec<String>),
    Pattern(PatternDocument),
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum PatternDocument {
    Matches(String),
    Contains(String),
}

impl<'de> Deserialize<'de> for UpstreamCount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match UpstreamCountDocument::deserialize(deserializer)? {
            UpstreamCountDocument::Total(count) => Self::Total(count),
            UpstreamCountDocument::ByHost(counts) => Self::ByHost(counts),
        })
    }
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected a number or an object of numbers by host"
)]
enum UpstreamCountDocument {
    Total(usize),
    ByHost(BTreeMap<String, usize>),
}

/// A status or a list of them; empty when the key is absent.
#[derive(Default)]
struct OneOrMany(Vec<u16>);

impl<'de> Deserialize<'de> for OneOrMany {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected a status or a list of statuses")]
        enum Document {
            One(u16),
            Many(Vec<u16>),
        }
        Ok(match Document::deserialize(deserializer)? {
            Document::One(status) => Self(vec![status]),
            Document::Many(statuses) => Self(statuses),
        })
    }
}
