//! Where requests go, and how persistently.

use serde::Serialize;

use crate::config::{
    Path, Reported,
    json::Json,
    reader::{Block, Findings, FromJson, Members, word},
    wording::mismatch,
};

/// A participant of `trafficSplit`. Both fields are required.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("required" = ["upstream", "weight"])))]
#[serde(rename_all = "camelCase")]
pub struct SplitEntry {
    /// Where its callers go: `host`, `host:port` or `host/base/path`, without a scheme.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstream: Option<String>,
    /// Its share of the callers, relative to the other weights; 1 to 1,000,000.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1_000_000)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<u64>,
}

impl Block for SplitEntry {
    fn read(members: &mut Members<'_>) -> Self {
        Self {
            upstream: members.take("upstream"),
            weight: members.take("weight"),
        }
    }
}

/// When the next upstream is asked. Requests that cannot be repeated are sent to one upstream only.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Failover {
    /// Failures that move on to the next upstream. At least one. Default: `timeout` and `unreachable`.
    #[cfg_attr(feature = "schema", schemars(length(min = 1), extend("default" = ["timeout", "unreachable"])))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<Vec<FailureMode>>,
    /// Most upstreams that are asked for one request; 1 to 64. Default: all there are.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 64)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_attempts: Option<u64>,
}

impl Block for Failover {
    fn read(members: &mut Members<'_>) -> Self {
        Self {
            on: members.take("on"),
            max_attempts: members.take("maxAttempts"),
        }
    }
}

/// A way an upstream can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum FailureMode {
    /// No headers in time.
    #[default]
    Timeout,
    /// No connection.
    Unreachable,
    /// Any status from 500 to 599.
    #[serde(rename = "5xx")]
    ServerError,
}

impl FromJson for FailureMode {
    fn from_json(
        value: Json<'_>,
        at: &Path<'_>,
        findings: &mut Findings,
    ) -> Result<Self, Reported> {
        let words = [
            ("timeout", Self::Timeout),
            ("unreachable", Self::Unreachable),
            ("5xx", Self::ServerError),
        ];
        word(&value, &words, at, findings)
    }
}

/// When a failing upstream is left out for a while, so that the next visitor does not wait for it again. Each
/// isolate of the Worker learns for itself.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Outlier {
    /// Failures in a row after which an upstream is left out; 1 to 10. Default: 3.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 10), extend("default" = 3)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consecutive_failures: Option<u64>,
    /// Seconds for which it is left out; 1 to 300. Default: 30.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 300), extend("default" = 30)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eject_seconds: Option<u64>,
}

impl Block for Outlier {
    fn read(members: &mut Members<'_>) -> Self {
        Self {
            consecutive_failures: members.take("consecutiveFailures"),
            eject_seconds: members.take("ejectSeconds"),
        }
    }
}

/// Fuses against adding to the load of an upstream in trouble. They count within one isolate of the Worker, of
/// which there are many: size them as fuses, not as quotas.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// Largest share of recent requests that may be retries; 0 to 1. Over it further attempts are left out, never
    /// first ones. Default: no limit.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_ratio: Option<f64>,
    /// Most requests that may wait for the headers of one upstream at the same time; 1 to 10,000. Over it a request
    /// is answered with 503. Default: no limit.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 10_000)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_in_flight: Option<u64>,
}

impl Block for Limits {
    fn read(members: &mut Members<'_>) -> Self {
        Self {
            retry_ratio: members.take("retryRatio"),
            max_in_flight: members.take("maxInFlight"),
        }
    }
}

/// What the weighted hash of a split is taken over. Default: the caller's address.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "source", rename_all = "lowercase")]
pub enum HashBy {
    /// The caller's address.
    #[default]
    Ip,
    /// The path as sent.
    Path,
    /// The whole URL as sent.
    Url,
    /// The value of a header.
    Header {
        /// Its name.
        header: String,
    },
    /// The value of a cookie.
    Cookie {
        /// Its name.
        cookie: String,
    },
    /// The first value of a query parameter.
    Query {
        /// Its name.
        query: String,
    },
}

impl FromJson for HashBy {
    fn from_json(
        value: Json<'_>,
        at: &Path<'_>,
        findings: &mut Findings,
    ) -> Result<Self, Reported> {
        if let Json::Text(source) = &value {
            let expected = "an object in curly braces";
            let way_out = Some(format!("Write {{\"source\": {source:?}}}"));
            return Err(mismatch(
                &value,
                expected,
                way_out,
                at,
                &mut findings.issues,
            ));
        }
        let mut members = Members::open(value, at, findings)?;
        let source = members.require(
            "source",
            "expected what the hash is taken over: \"ip\", \"path\", \"url\", \"header\", \"cookie\" or \"query\"; found nothing",
        );
        let hash_by = source.and_then(|source| match source {
            HashSource::Ip => Ok(Self::Ip),
            HashSource::Path => Ok(Self::Path),
            HashSource::Url => Ok(Self::Url),
            HashSource::Header => members
                .require(
                    "header",
                    "expected the name of the header that is hashed; found nothing",
                )
                .map(|header| Self::Header { header }),
            HashSource::Cookie => members
                .require(
                    "cookie",
                    "expected the name of the cookie that is hashed; found nothing",
                )
                .map(|cookie| Self::Cookie { cookie }),
            HashSource::Query => members
                .require(
                    "query",
                    "expected the name of the query parameter that is hashed; found nothing",
                )
                .map(|query| Self::Query { query }),
        });
        members.close();
        hash_by
    }
}

/// The tag of [`HashBy`].
#[derive(Clone, Copy)]
enum HashSource {
    Ip,
    Path,
    Url,
    Header,
    Cookie,
    Query,
}

impl FromJson for HashSource {
    fn from_json(
        value: Json<'_>,
        at: &Path<'_>,
        findings: &mut Findings,
    ) -> Result<Self, Reported> {
        let words = [
            ("ip", Self::Ip),
            ("path", Self::Path),
            ("url", Self::Url),
            ("header", Self::Header),
            ("cookie", Self::Cookie),
            ("query", Self::Query),
        ];
        word(&value, &words, at, findings)
    }
}

/// How the hashed key maps onto candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum HashType {
    /// By the remainder over the sum of weights.
    #[default]
    Modulo,
    /// By a ring, on which removing a candidate moves only its own callers.
    Consistent,
}

impl FromJson for HashType {
    fn from_json(
        value: Json<'_>,
        at: &Path<'_>,
        findings: &mut Findings,
    ) -> Result<Self, Reported> {
        let words = [("modulo", Self::Modulo), ("consistent", Self::Consistent)];
        word(&value, &words, at, findings)
    }
}

/// What keeps an assigned caller on its upstream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum StickyBy {
    /// A host-only `__jouska_upstream` cookie.
    #[default]
    Cookie,
}

impl FromJson for StickyBy {
    fn from_json(
        value: Json<'_>,
        at: &Path<'_>,
        findings: &mut Findings,
    ) -> Result<Self, Reported> {
        let words = [("cookie", Self::Cookie)];
        word(&value, &words, at, findings)
    }
}

/// Scheme used towards the upstream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Scheme {
    /// TLS.
    #[default]
    Https,
    /// Plain text.
    Http,
}

impl Scheme {
    /// As a URL starts with it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Https => "https",
            Self::Http => "http",
        }
    }
}

impl FromJson for Scheme {
    fn from_json(
        value: Json<'_>,
        at: &Path<'_>,
        findings: &mut Findings,
    ) -> Result<Self, Reported> {
        let words = [("https", Self::Https), ("http", Self::Http)];
        word(&value, &words, at, findings)
    }
}

/// A copy of requests, sent to a second upstream. Visitors notice nothing of it, and requests that were refused are
/// not copied.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("required" = ["upstream"])))]
#[serde(rename_all = "camelCase")]
pub struct Mirror {
    /// Where the copies go: `host`, `host:port` or `host/base/path`. Required.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstream: Option<String>,
    /// Share of the requests that is copied, in percent; 1 to 100. Whether a request is copied follows from its id.
    /// Default: 100.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 100), extend("default" = 100)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percent: Option<u64>,
    /// Whether request bodies are copied too. They are held in memory up to 256 KiB; a larger one goes without its
    /// copy. Default: false.
    #[cfg_attr(feature = "schema", schemars(extend("default" = false)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_body: Option<bool>,
    /// Methods that are copied. Any other than GET, HEAD, OPTIONS and TRACE is carried out twice. At least one.
    /// Default: GET and HEAD.
    #[cfg_attr(feature = "schema", schemars(length(min = 1), extend("default" = ["GET", "HEAD"])))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub methods: Option<Vec<String>>,
    /// Milliseconds a copy may take; 1 to 5,000. Default: 2,000.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 5_000), extend("default" = 2_000)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

impl Block for Mirror {
    fn read(members: &mut Members<'_>) -> Self {
        Self {
            upstream: members.take("upstream"),
            percent: members.take("percent"),
            include_body: members.take("includeBody"),
            methods: members.take("methods"),
            timeout_ms: members.take("timeoutMs"),
        }
    }
}
