//! A route.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{
    Access, BodyRewrite, Cache, Cors, ErrorPage, Failover, ForwardAuth, HashBy, HashType,
    HeaderRules, Ip, Limits, Match, Mirror, Outlier, RateLimit, Referer, RequestIdOptions,
    RequestPolicy, Respond, Scheme, SignedLink, SplitEntry, StickyBy,
};
use crate::config::reader::{Block, Members};

/// One route: what it takes, where that goes, and what happens on the way. Exactly one of `upstream`, `upstreams`,
/// `trafficSplit` and `respond` is required, and so is `match`.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("required" = ["match"])))]
#[serde(rename_all = "camelCase")]
pub struct RouteDocument {
    /// A name for the route that stays when the table is reordered. Merging tables, rate limits, logs and memories
    /// of failing upstreams know the route by it; without one they use a label made of `match` and the position.
    /// From 1 to 256 characters.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 256)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What a request must be for the route to take it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(rename = "match")]
    pub r#match: Option<Match>,
    /// Where requests go: `host`, `host:port` or `host/base/path`, without a scheme. Loopback, private and metadata
    /// addresses are refused unless `allowPrivateUpstream` is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstream: Option<String>,
    /// Several upstreams in order: the first is asked, the others only after it failed in a way `failover` names.
    /// From 1 to 64. Naming one twice is how it is retried.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 64)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstreams: Option<Vec<String>>,
    /// Several upstreams that share the callers by weight. From 1 to 64; each host may stand here once.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 64)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traffic_split: Option<Vec<SplitEntry>>,
    /// When the next upstream is asked. Only with `upstreams` or `trafficSplit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failover: Option<Failover>,
    /// When a failing upstream is left out for a while. Only with `upstreams` or `trafficSplit`, and there on by
    /// default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outlier: Option<Outlier>,
    /// Fuses against adding to the load of an upstream in trouble. Without them nothing is limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    /// What decides which participant of `trafficSplit` a caller gets. Default: the caller's address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash_by: Option<HashBy>,
    /// `cookie` keeps a caller on the upstream it was given, by a cookie. Only with `trafficSplit`, and not with a
    /// `hashBy` other than `ip`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sticky_by: Option<StickyBy>,
    /// How `trafficSplit` maps the hash onto its participants. Default: `modulo`.
    #[cfg_attr(feature = "schema", schemars(extend("default" = "modulo")))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash_type: Option<HashType>,
    /// `true` lets the upstreams, the mirror and the URL of `forwardAuth` name loopback, private and metadata
    /// addresses. Only `true` may be written.
    #[cfg_attr(feature = "schema", schemars(extend("const" = true)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_private_upstream: Option<bool>,
    /// Answers here, at the edge, instead of asking an upstream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub respond: Option<Respond>,
    /// Pages shown instead of the proxy's own error messages, by status from 500 to 599. The status stays. 502 and
    /// 504 are those that occur.
    #[cfg_attr(feature = "schema", schemars(extend("propertyNames" = { "pattern": "^5[0-9]{2}$" })))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_pages: Option<BTreeMap<String, ErrorPage>>,
    /// Sends a copy of requests to a second upstream, whose answers nobody sees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mirror: Option<Mirror>,
    /// Scheme towards the upstream. Default: `https`.
    #[cfg_attr(feature = "schema", schemars(extend("default" = "https")))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheme: Option<Scheme>,
    /// Whether `match.path` is cut off before forwarding: with `/api`, a request for `/api/users` asks the upstream
    /// for `/users`. Default: false.
    #[cfg_attr(feature = "schema", schemars(extend("default" = false)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strip_prefix: Option<bool>,
    /// Milliseconds one attempt may take until headers arrive; 1 to 120,000. May not exceed `totalTimeoutMs`.
    /// Default: 10,000.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 120_000), extend("default" = 10_000)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Milliseconds all attempts together may take until headers arrive, pauses included; 1 to 300,000. Default:
    /// 30,000.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 300_000), extend("default" = 30_000)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_timeout_ms: Option<u64>,
    /// Milliseconds from the headers to the first byte of the body; 1 to 600,000. Default: 60,000.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 600_000), extend("default" = 60_000)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_chunk_timeout_ms: Option<u64>,
    /// Milliseconds of silence between two bytes of the body; 1 to 600,000. A body may take as long as it likes
    /// while bytes keep coming. Default: 60,000.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 600_000), extend("default" = 60_000)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream_idle_timeout_ms: Option<u64>,
    /// Further attempts after a failed connection or a timeout; 0 to 100. Only requests that can be repeated are:
    /// GET, HEAD, OPTIONS and TRACE without a body. Default: 0.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 100), extend("default" = 0)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retries: Option<u64>,
    /// Milliseconds before the first further attempt, doubled before each one after; 0 to 5,000. Default: 100.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 5_000), extend("default" = 100)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_backoff_ms: Option<u64>,
    /// Whether addresses of the upstream in Location, Content-Location, Refresh and Set-Cookie are rewritten to the
    /// proxy's. Default: true.
    #[cfg_attr(feature = "schema", schemars(extend("default" = true)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rewrite_headers: Option<bool>,
    /// Whether redirects of the upstream reach the visitor; `false` follows them here. Default: true.
    #[cfg_attr(feature = "schema", schemars(extend("default" = true)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manual_redirect: Option<bool>,
    /// Whether WebSocket connections are let through. Default: true.
    #[cfg_attr(feature = "schema", schemars(extend("default" = true)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub websocket: Option<bool>,
    /// Countries that are refused with 403, as two letters of ISO 3166-1 in any case. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_countries: Option<Vec<String>>,
    /// Countries that alone are let in, as two letters of ISO 3166-1 in any case; a request of unknown origin is
    /// refused. At least one. Default: all.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_countries: Option<Vec<String>>,
    /// Another name for `requestHeaders.set`, for tables from before that existed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstream_headers: Option<BTreeMap<String, String>>,
    /// Headers written and deleted on the way to the upstream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_headers: Option<HeaderRules>,
    /// Headers written and deleted on the way back, after everything else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_headers: Option<HeaderRules>,
    /// Stores responses at the edge. Not together with `forwardAuth`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<Cache>,
    /// Rewrites response bodies while they stream through.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_rewrite: Option<BodyRewrite>,
    /// Answers cross-origin questions of browsers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cors: Option<Cors>,
    /// Limits methods, body sizes and ambiguous paths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_policy: Option<RequestPolicy>,
    /// Lets callers in or out by address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ip: Option<Ip>,
    /// Lets requests in by the page they come from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub referer: Option<Referer>,
    /// Limits how often callers may ask.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<RateLimit>,
    /// Lets requests in by a signature in their URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signed_link: Option<SignedLink>,
    /// Lets callers in by key or by Cloudflare Access.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<Access>,
    /// Asks another service about each request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forward_auth: Option<ForwardAuth>,
    /// Where the id of a request comes from.
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
