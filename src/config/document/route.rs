//! A route.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{
    Access, BodyRewrite, Cache, Cors, ErrorPage, Failover, ForwardAuth, HashBy, HashType,
    HeaderRules, Ip, Limits, Match, Mirror, Outlier, RateLimit, Referer, RequestIdOptions,
    RequestPolicy, Respond, Scheme, SignedLink, SplitEntry, StickyBy,
};
use crate::config::reader::{Block, Members};

/// One route as a person writes it: everything optional, nothing filled in.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RouteDocument {
    /// Stable handle of the route: merges, rate-limit buckets and events name it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What a request must be for the route to take it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(rename = "match")]
    pub r#match: Option<Match>,
    /// Where requests go: `host`, `host:port` or `host/base/path`, without a scheme.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstream: Option<String>,
    /// Candidates in order, the first the primary: 1 to 64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstreams: Option<Vec<String>>,
    /// Weighted participants: 1 to 64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traffic_split: Option<Vec<SplitEntry>>,
    /// When the walk moves to the next candidate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failover: Option<Failover>,
    /// Ejection of failing candidates; on by default with several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outlier: Option<Outlier>,
    /// Fuses over load.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    /// What a split's hash is taken over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash_by: Option<HashBy>,
    /// Keeps callers on their upstream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sticky_by: Option<StickyBy>,
    /// How the hash maps onto participants. Default: `modulo`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash_type: Option<HashType>,
    /// Only `true`: permits loopback, private and metadata addresses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_private_upstream: Option<bool>,
    /// Answers at the edge instead of forwarding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub respond: Option<Respond>,
    /// Pages for the proxy's own failures, by status 500 to 599.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_pages: Option<BTreeMap<String, ErrorPage>>,
    /// Copies requests to a second upstream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mirror: Option<Mirror>,
    /// Scheme towards the upstream. Default: `https`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheme: Option<Scheme>,
    /// Removes the matched prefix before forwarding. Default: false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strip_prefix: Option<bool>,
    /// Milliseconds one attempt may take to headers: 1 to 120,000. Default: 10,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Milliseconds all attempts together may take to headers: 1 to 300,000. Default: 30,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_timeout_ms: Option<u64>,
    /// Milliseconds from headers to the first byte: 1 to 600,000. Default: 60,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_chunk_timeout_ms: Option<u64>,
    /// Milliseconds between two bytes: 1 to 600,000. Default: 60,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream_idle_timeout_ms: Option<u64>,
    /// Further attempts for requests that can be repeated: 0 to 100. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retries: Option<u64>,
    /// Milliseconds before the first retry, doubled for each further one: 0 to 5,000. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_backoff_ms: Option<u64>,
    /// Rewrites Location, Refresh and Set-Cookie. Default: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rewrite_headers: Option<bool>,
    /// Hands redirects to the visitor instead of following them. Default: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manual_redirect: Option<bool>,
    /// Forwards WebSocket handshakes. Default: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub websocket: Option<bool>,
    /// Countries that are refused, two letters each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_countries: Option<Vec<String>>,
    /// Countries that alone are admitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_countries: Option<Vec<String>>,
    /// Alias for `requestHeaders.set`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstream_headers: Option<BTreeMap<String, String>>,
    /// Header rules towards the upstream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_headers: Option<HeaderRules>,
    /// Header rules towards the visitor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_headers: Option<HeaderRules>,
    /// Stores responses at the edge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<Cache>,
    /// Rewrites response bodies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_rewrite: Option<BodyRewrite>,
    /// Answers cross-origin questions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cors: Option<Cors>,
    /// Limits methods and body sizes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_policy: Option<RequestPolicy>,
    /// Address rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ip: Option<Ip>,
    /// Referer rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub referer: Option<Referer>,
    /// Rate limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<RateLimit>,
    /// Signed links.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signed_link: Option<SignedLink>,
    /// Identity checks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<Access>,
    /// Delegated authentication.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forward_auth: Option<ForwardAuth>,
    /// Where request ids come from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<RequestIdOptions>,
}

impl Block for RouteDocument {
    fn read(members: &mut Members<'_>) -> Self {
        Self {
            id: members.take("id"),
            r#match: members.take("match"),
            upstream: members.take("upstream"),
            upstreams: members.take("upstreams"),
            traffic_split: members.take("trafficSplit"),
            failover: members.take("failover"),
            outlier: members.take("outlier"),
            limits: members.take("limits"),
            hash_by: members.take("hashBy"),
            sticky_by: members.take("stickyBy"),
            hash_type: members.take("hashType"),
            allow_private_upstream: members.take("allowPrivateUpstream"),
            respond: members.take("respond"),
            error_pages: members.take("errorPages"),
            mirror: members.take("mirror"),
            scheme: members.take("scheme"),
            strip_prefix: members.take("stripPrefix"),
            timeout_ms: members.take("timeoutMs"),
            total_timeout_ms: members.take("totalTimeoutMs"),
            first_chunk_timeout_ms: members.take("firstChunkTimeoutMs"),
            stream_idle_timeout_ms: members.take("streamIdleTimeoutMs"),
            retries: members.take("retries"),
            retry_backoff_ms: members.take("retryBackoffMs"),
            rewrite_headers: members.take("rewriteHeaders"),
            manual_redirect: members.take("manualRedirect"),
            websocket: members.take("websocket"),
            block_countries: members.take("blockCountries"),
            allow_countries: members.take("allowCountries"),
            upstream_headers: members.take("upstreamHeaders"),
            request_headers: members.take("requestHeaders"),
            response_headers: members.take("responseHeaders"),
            cache: members.take("cache"),
            body_rewrite: members.take("bodyRewrite"),
            cors: members.take("cors"),
            request_policy: members.take("requestPolicy"),
            ip: members.take("ip"),
            referer: members.take("referer"),
            rate_limit: members.take("rateLimit"),
            signed_link: members.take("signedLink"),
            access: members.take("access"),
            forward_auth: members.take("forwardAuth"),
            request_id: members.take("requestId"),
        }
    }
}
