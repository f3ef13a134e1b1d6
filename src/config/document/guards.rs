//! Who is let through.

use serde::Serialize;
use serde_json::Value;

use crate::config::{
    Path, Reported,
    reader::{Block, Findings, FromJson, Members, word},
    wording::mismatch,
};

/// Methods and body sizes that are forwarded.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RequestPolicy {
    /// Methods that are forwarded; others get 405.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_methods: Option<Vec<String>>,
    /// Largest request body in bytes: 1 to 524,288,000. Over it: 413.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_body_bytes: Option<u64>,
    /// What happens to paths whose spellings disagree, such as encoded dot segments. Default: `forward`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ambiguous_path: Option<AmbiguousPath>,
}

impl Block for RequestPolicy {
    fn read(members: &mut Members<'_>) -> Self {
        Self {
            allowed_methods: members.take("allowedMethods"),
            max_body_bytes: members.take("maxBodyBytes"),
            ambiguous_path: members.take("ambiguousPath"),
        }
    }
}

/// What happens to a path whose spellings disagree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum AmbiguousPath {
    /// It is forwarded as it is.
    #[default]
    Forward,
    /// It is refused with 400.
    Refuse,
}

impl FromJson for AmbiguousPath {
    fn from_json(value: Value, at: &Path<'_>, findings: &mut Findings) -> Result<Self, Reported> {
        let words = [("forward", Self::Forward), ("refuse", Self::Refuse)];
        word(&value, &words, at, findings)
    }
}

/// Cross-origin sharing, answered by the proxy.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Cors {
    /// Origins that are allowed, exactly. Default: the caller's own is reflected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origins: Option<Vec<String>>,
    /// Methods a preflight is told. Default: GET, HEAD, PUT, POST, DELETE, PATCH.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_methods: Option<Vec<String>>,
    /// Headers a preflight is told. Default: those it asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_headers: Option<Vec<String>>,
    /// Headers scripts may read. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expose_headers: Option<Vec<String>>,
    /// Whether cookies may come along. Default: false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credentials: Option<bool>,
    /// Seconds a preflight may be remembered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_age: Option<u64>,
}

impl Block for Cors {
    fn read(members: &mut Members<'_>) -> Self {
        Self {
            origins: members.take("origins"),
            allow_methods: members.take("allowMethods"),
            allow_headers: members.take("allowHeaders"),
            expose_headers: members.take("exposeHeaders"),
            credentials: members.take("credentials"),
            max_age: members.take("maxAge"),
        }
    }
}

/// Address rules: `deny` first, then `allow`. At least one entry.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Ip {
    /// Addresses and CIDR ranges that pass. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow: Option<Vec<String>>,
    /// Addresses and CIDR ranges that do not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deny: Option<Vec<String>>,
}

impl Block for Ip {
    fn read(members: &mut Members<'_>) -> Self {
        Self {
            allow: members.take("allow"),
            deny: members.take("deny"),
        }
    }
}

/// Pages that may embed what the route serves. The header is forgeable: a fence, not a lock.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Referer {
    /// Hosts, in the grammar of `match.host`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow: Option<Vec<String>>,
    /// Whether a missing referer passes. Default: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_empty: Option<bool>,
    /// 403 or 404. Default: 403.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_refuse: Option<u64>,
}

impl Block for Referer {
    fn read(members: &mut Members<'_>) -> Self {
        Self {
            allow: members.take("allow"),
            allow_empty: members.take("allowEmpty"),
            on_refuse: members.take("onRefuse"),
        }
    }
}

/// A limit by a native rate limit binding.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RateLimit {
    /// Name of the binding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binding: Option<String>,
    /// What shares a bucket. Default: `ip`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<RateLimitBy>,
    /// Whether CORS preflights count. Default: false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count_preflight: Option<bool>,
}

impl Block for RateLimit {
    fn read(members: &mut Members<'_>) -> Self {
        Self {
            binding: members.take("binding"),
            by: members.take("by"),
            count_preflight: members.take("countPreflight"),
        }
    }
}

/// What shares a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum RateLimitBy {
    /// A caller on this route.
    #[default]
    Ip,
    /// A caller on one path.
    Path,
    /// Everybody on this route.
    Route,
}

impl FromJson for RateLimitBy {
    fn from_json(value: Value, at: &Path<'_>, findings: &mut Findings) -> Result<Self, Reported> {
        let words = [
            ("ip", Self::Ip),
            ("path", Self::Path),
            ("route", Self::Route),
        ];
        word(&value, &words, at, findings)
    }
}

/// Links that carry a signature over their path and an expiry.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SignedLink {
    /// Name of the secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_binding: Option<String>,
    /// Query parameter of the signature. Default: `sig`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub param: Option<String>,
    /// Query parameter of the expiry. Default: `exp`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_param: Option<String>,
}

impl Block for SignedLink {
    fn read(members: &mut Members<'_>) -> Self {
        Self {
            secret_binding: members.take("secretBinding"),
            param: members.take("param"),
            expires_param: members.take("expiresParam"),
        }
    }
}

/// Who may use the route. Where both mechanisms are given, both must pass.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Access {
    /// Tokens issued by Cloudflare Access.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cloudflare: Option<CloudflareAccess>,
    /// SHA-256 digests of keys, 64 lower-case hex digits each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keys: Option<Vec<AccessKey>>,
    /// Header the key stands in, raw. Default: `Authorization: Bearer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
}

impl Block for Access {
    fn read(members: &mut Members<'_>) -> Self {
        Self {
            cloudflare: members.take("cloudflare"),
            keys: members.take("keys"),
            header: members.take("header"),
        }
    }
}

/// A key: its bare digest, or the digest with what is known about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum AccessKey {
    /// SHA-256 of the key, 64 lower-case hex digits.
    Digest(String),
    /// A digest with a name, an expiry and a note.
    Described(DescribedKey),
}

impl Default for AccessKey {
    fn default() -> Self {
        Self::Digest(String::new())
    }
}

impl FromJson for AccessKey {
    fn from_json(value: Value, at: &Path<'_>, findings: &mut Findings) -> Result<Self, Reported> {
        match value {
            Value::String(digest) => Ok(Self::Digest(digest)),
            Value::Object(_) => DescribedKey::from_json(value, at, findings).map(Self::Described),
            other => {
                let expected = "a SHA-256 digest in quotation marks or an object with \"sha256\"";
                Err(mismatch(&other, expected, None, at, &mut findings.issues))
            }
        }
    }
}

/// A key's digest and what is known about it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DescribedKey {
    /// Name of the key, which events give; never the key itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// SHA-256 of the key, 64 lower-case hex digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// From when on the key is refused, as an RFC 3339 time such as `2027-01-31T00:00:00Z`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Free text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Block for DescribedKey {
    fn read(members: &mut Members<'_>) -> Self {
        Self {
            id: members.take("id"),
            sha256: members.take("sha256"),
            expires_at: members.take("expiresAt"),
            note: members.take("note"),
        }
    }
}

/// Tokens issued by Cloudflare Access.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CloudflareAccess {
    /// Team name: the label before `.cloudflareaccess.com`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// Audience tag of the application.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audience: Option<String>,
    /// Addresses that are let in. Default: everybody Access admits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emails: Option<Vec<String>>,
}

impl Block for CloudflareAccess {
    fn read(members: &mut Members<'_>) -> Self {
        Self {
            team: members.take("team"),
            audience: members.take("audience"),
            emails: members.take("emails"),
        }
    }
}

/// Asks another service about each request.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ForwardAuth {
    /// Absolute http(s) URL of the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Request headers it is sent. Default: `authorization`, `cookie`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy_request_headers: Option<Vec<String>>,
    /// Headers of its verdict that the upstream is sent. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy_response_headers: Option<Vec<String>>,
    /// Deadline in milliseconds: 1 to 5,000. Default: 2,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Only `true`: lets requests through while the service cannot be reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fail_open: Option<bool>,
}

impl Block for ForwardAuth {
    fn read(members: &mut Members<'_>) -> Self {
        Self {
            url: members.take("url"),
            copy_request_headers: members.take("copyRequestHeaders"),
            copy_response_headers: members.take("copyResponseHeaders"),
            timeout_ms: members.take("timeoutMs"),
            fail_open: members.take("failOpen"),
        }
    }
}

/// Where request ids come from.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RequestIdOptions {
    /// Whether a caller's own `x-request-id` is adopted. Default: false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trust_inbound: Option<bool>,
}

impl Block for RequestIdOptions {
    fn read(members: &mut Members<'_>) -> Self {
        Self {
            trust_inbound: members.take("trustInbound"),
        }
    }
}
