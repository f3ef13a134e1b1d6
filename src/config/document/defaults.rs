//! What a route has that does not state its own.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{
    Access, BodyRewrite, Cache, Cors, ForwardAuth, HeaderRules, Ip, RateLimit, Referer,
    RequestIdOptions, RequestPolicy, RouteDocument, Scheme, SignedLink,
};
use crate::config::reader::{Block, Members};

/// Values for every route that does not state its own.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Defaults {
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

impl Block for Defaults {
    fn read(members: &mut Members<'_>) -> Self {
        let defaults = Self {
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
        };
        members.refuse_members_of::<RouteDocument>(
            "cannot be set in defaults; write it into each route that needs it",
        );
        defaults
    }
}
