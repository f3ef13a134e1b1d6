//! Who is let through.

use serde::Serialize;

use crate::config::{
    Path, Reported,
    json::Json,
    reader::{Block, Findings, FromJson, Members, word},
    wording::mismatch,
};

/// Limits what is forwarded.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RequestPolicy {
    /// Methods that are forwarded, in any letter case; others are answered with 405. At least one. Default: all.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_methods: Option<Vec<String>>,
    /// Largest request body in bytes; 1 to 524,288,000. Over it the answer is 413. Default: no limit.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 524_288_000)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_body_bytes: Option<u64>,
    /// What happens to paths that the proxy and an upstream may read differently, such as ones with encoded dot
    /// segments. Default: `forward`.
    #[cfg_attr(feature = "schema", schemars(extend("default" = "forward")))]
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
    fn from_json(
        value: Json<'_>,
        at: &Path<'_>,
        findings: &mut Findings,
    ) -> Result<Self, Reported> {
        let words = [("forward", Self::Forward), ("refuse", Self::Refuse)];
        word(&value, &words, at, findings)
    }
}

/// Answers cross-origin questions of browsers, without asking the upstream.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Cors {
    /// Origins that may use the route, such as `https://app.example.com`, exactly. At least one. Default: whichever
    /// asks.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origins: Option<Vec<String>>,
    /// Methods that preflights are told, in any letter case; an empty list tells none. Default: GET, HEAD, PUT, POST,
    /// DELETE, PATCH.
    #[cfg_attr(feature = "schema", schemars(extend("default" = ["GET", "HEAD", "PUT", "POST", "DELETE", "PATCH"])))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_methods: Option<Vec<String>>,
    /// Request headers that preflights are told. Default: those they ask for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_headers: Option<Vec<String>>,
    /// Response headers that scripts may read. Default: none beyond the usual.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expose_headers: Option<Vec<String>>,
    /// Whether cookies may come along. Default: false.
    #[cfg_attr(feature = "schema", schemars(extend("default" = false)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credentials: Option<bool>,
    /// Seconds browsers may remember a preflight. Default: not told.
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

/// Lets callers in or out by address. At least one entry in one of the lists; `deny` is looked at first.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Ip {
    /// Addresses and ranges such as `198.51.100.0/24` that alone are let in. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow: Option<Vec<String>>,
    /// Addresses and ranges that are refused. Default: none.
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

/// Lets requests in by the page they come from. The header can be forged: this keeps other sites from embedding
/// what the route serves, and keeps no secret.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("required" = ["allow"])))]
#[serde(rename_all = "camelCase")]
pub struct Referer {
    /// Hosts whose pages may refer here, written like `match.host`. At least one; required.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow: Option<Vec<String>>,
    /// Whether requests without a referer are let in, such as typed addresses. Default: true.
    #[cfg_attr(feature = "schema", schemars(extend("default" = true)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_empty: Option<bool>,
    /// Status of a refusal: 403 or 404. Default: 403.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = [403, 404], "default" = 403)))]
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

/// Limits how often callers may ask, with a rate limit binding of the platform, which says how often that is.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("required" = ["binding"])))]
#[serde(rename_all = "camelCase")]
pub struct RateLimit {
    /// Name of the binding. Required.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binding: Option<String>,
    /// What is counted together. Default: `ip`.
    #[cfg_attr(feature = "schema", schemars(extend("default" = "ip")))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<RateLimitBy>,
    /// Whether CORS preflights count. Default: false.
    #[cfg_attr(feature = "schema", schemars(extend("default" = false)))]
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
    fn from_json(
        value: Json<'_>,
        at: &Path<'_>,
        findings: &mut Findings,
    ) -> Result<Self, Reported> {
        let words = [
            ("ip", Self::Ip),
            ("path", Self::Path),
            ("route", Self::Route),
        ];
        word(&value, &words, at, findings)
    }
}

/// Lets requests in by a signature in their URL: the HMAC-SHA256 of the path, a line feed and the expiry in Unix
/// seconds, as base64url without padding.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("required" = ["secretBinding"])))]
#[serde(rename_all = "camelCase")]
pub struct SignedLink {
    /// Name of the secret that links are signed with. Required.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_binding: Option<String>,
    /// Query parameter that holds the signature. Default: `sig`.
    #[cfg_attr(feature = "schema", schemars(length(min = 1), extend("default" = "sig")))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub param: Option<String>,
    /// Query parameter that holds the expiry. Default: `exp`.
    #[cfg_attr(feature = "schema", schemars(length(min = 1), extend("default" = "exp")))]
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

/// Lets callers in by key or by Cloudflare Access. At least one of `cloudflare` and `keys` is required; where both
/// are given, both must be satisfied.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Access {
    /// Tokens that Cloudflare Access issued.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cloudflare: Option<CloudflareAccess>,
    /// Keys, as SHA-256 digests of 64 lower-case hexadecimal digits: never the keys themselves. At least one.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keys: Option<Vec<AccessKey>>,
    /// Header that holds the key, as it is. Default: `authorization`, behind `Bearer`.
    #[cfg_attr(feature = "schema", schemars(extend("default" = "authorization")))]
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
    fn from_json(
        value: Json<'_>,
        at: &Path<'_>,
        findings: &mut Findings,
    ) -> Result<Self, Reported> {
        match value {
            Json::Text(digest) => Ok(Self::Digest(digest.to_owned())),
            Json::Object(_) => DescribedKey::from_json(value, at, findings).map(Self::Described),
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
#[cfg_attr(feature = "schema", schemars(extend("required" = ["sha256"])))]
#[serde(rename_all = "camelCase")]
pub struct DescribedKey {
    /// Name of the key, for logs.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// SHA-256 digest of the key, 64 lower-case hexadecimal digits. Required.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"^[0-9a-f]{64}$")))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Time from which on the key is refused, in the form of RFC 3339, such as `2027-01-31T00:00:00Z`. Default:
    /// never.
    #[cfg_attr(feature = "schema", schemars(extend("format" = "date-time")))]
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

/// Tokens that Cloudflare Access issued. `team` and `audience` are required.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("required" = ["team", "audience"])))]
#[serde(rename_all = "camelCase")]
pub struct CloudflareAccess {
    /// Name of the team: what stands before `.cloudflareaccess.com`. From 2 to 64 lower-case letters, digits and
    /// inner hyphens.
    #[cfg_attr(
        feature = "schema",
        schemars(regex(pattern = r"^[a-z0-9][a-z0-9-]{0,62}[a-z0-9]$"))
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// Audience tag (AUD) of the application.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audience: Option<String>,
    /// Addresses that are let in. At least one. Default: everybody whom Access lets in.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
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

/// Asks another service about each request. A 2xx answer lets it pass; any other is given to the caller as it is.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("required" = ["url"])))]
#[serde(rename_all = "camelCase")]
pub struct ForwardAuth {
    /// Absolute `http` or `https` URL of the service. Required.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Request headers the service is sent. At least one. Default: `authorization` and `cookie`.
    #[cfg_attr(feature = "schema", schemars(length(min = 1), extend("default" = ["authorization", "cookie"])))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy_request_headers: Option<Vec<String>>,
    /// Headers of its answer that the upstream is sent. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy_response_headers: Option<Vec<String>>,
    /// Milliseconds its answer may take; 1 to 5,000. Default: 2,000.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 5_000), extend("default" = 2_000)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// `true` lets requests pass while the service cannot be reached; otherwise they are answered with 503. Only
    /// `true` may be written.
    #[cfg_attr(feature = "schema", schemars(extend("const" = true)))]
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

/// Where the id of a request comes from. Every request has one; the upstream, the visitor and the log see the same.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RequestIdOptions {
    /// Whether an `x-request-id` of the caller is kept, if it is one. Default: false.
    #[cfg_attr(feature = "schema", schemars(extend("default" = false)))]
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
