//! Who is let through.

use serde::Serialize;

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

/// Where request ids come from.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RequestIdOptions {
    /// Whether a caller's own `x-request-id` is adopted. Default: false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trust_inbound: Option<bool>,
}
