//! What a route has that does not state its own.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{
    Access, BodyRewrite, Cache, Cors, ForwardAuth, HeaderRules, Ip, RateLimit, Referer,
    RequestIdOptions, RequestPolicy, RouteDocument, Scheme, SignedLink,
};
use crate::config::reader::{Block, Members};

/// Values for every route that does not state its own. A field means here what it means in a route. Header rules
/// fill gaps entry by entry and their removals add up; every other block is taken whole or not at all.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Defaults {
    /// See [`RouteDocument::scheme`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheme: Option<Scheme>,
    /// See [`RouteDocument::strip_prefix`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strip_prefix: Option<bool>,
    /// See [`RouteDocument::timeout_ms`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// See [`RouteDocument::total_timeout_ms`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_timeout_ms: Option<u64>,
    /// See [`RouteDocument::first_chunk_timeout_ms`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_chunk_timeout_ms: Option<u64>,
    /// See [`RouteDocument::stream_idle_timeout_ms`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream_idle_timeout_ms: Option<u64>,
    /// See [`RouteDocument::retries`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retries: Option<u64>,
    /// See [`RouteDocument::retry_backoff_ms`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_backoff_ms: Option<u64>,
    /// See [`RouteDocument::rewrite_headers`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rewrite_headers: Option<bool>,
    /// See [`RouteDocument::manual_redirect`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manual_redirect: Option<bool>,
    /// See [`RouteDocument::websocket`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub websocket: Option<bool>,
    /// See [`RouteDocument::block_countries`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_countries: Option<Vec<String>>,
    /// See [`RouteDocument::allow_countries`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_countries: Option<Vec<String>>,
    /// See [`RouteDocument::upstream_headers`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstream_headers: Option<BTreeMap<String, String>>,
    /// See [`RouteDocument::request_headers`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_headers: Option<HeaderRules>,
    /// See [`RouteDocument::response_headers`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_headers: Option<HeaderRules>,
    /// See [`RouteDocument::cache`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<Cache>,
    /// See [`RouteDocument::body_rewrite`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_rewrite: Option<BodyRewrite>,
    /// See [`RouteDocument::cors`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cors: Option<Cors>,
    /// See [`RouteDocument::request_policy`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_policy: Option<RequestPolicy>,
    /// See [`RouteDocument::ip`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ip: Option<Ip>,
    /// See [`RouteDocument::referer`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub referer: Option<Referer>,
    /// See [`RouteDocument::rate_limit`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<RateLimit>,
    /// See [`RouteDocument::signed_link`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signed_link: Option<SignedLink>,
    /// See [`RouteDocument::access`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<Access>,
    /// See [`RouteDocument::forward_auth`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forward_auth: Option<ForwardAuth>,
    /// See [`RouteDocument::request_id`].
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
