//! One event per proxied request: what happened, without a word of what was asked beyond the path.

use serde::Serialize;

use crate::{
    body::Pending,
    outcome::{
        CacheReason, CacheStatus, GuardReason, InjectReport, LimitReason, MirrorReport, Outcome,
        RewriteOutcome, Selection, SkipReason, StreamReport,
    },
};

/// What is known once the response is decided. The JSON names are those of the fields in camel case; what does not
/// apply is absent.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Facts {
    /// The route, by its id or a label made of what it matches.
    pub route_id: String,
    /// The value of `x-request-id`.
    pub request_id: String,
    /// Authority the request was sent to, or would have been; empty on an edge answer.
    pub upstream: String,
    /// Method of the request.
    pub method: String,
    /// Path as the visitor wrote it.
    pub path: String,
    /// Status the visitor received.
    pub status: u16,
    /// Milliseconds from match to response.
    pub duration_ms: u64,
    /// Attempts at upstreams, the first included.
    pub attempts: u32,
    /// How it ended.
    pub outcome: Outcome,
    /// What the response cache did; absent without a `cache` block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheStatus>,
    /// Why the cache did not store or serve, where it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_reason: Option<CacheReason>,
    /// How a split picked its upstream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selection: Option<Selection>,
    /// Candidates that were skipped because they had failed before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ejected: Vec<String>,
    /// Which fuse held the request back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit_reason: Option<LimitReason>,
    /// Which guard refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guard_reason: Option<GuardReason>,
    /// Name of the secret or limiter a guard needed and did not find.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binding: Option<String>,
    /// Name of the access key that let the request in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_id: Option<String>,
    /// Milliseconds delegated authentication took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth_duration_ms: Option<u64>,
    /// Whether the body was handed to the rewriter.
    pub body_rewritten: bool,
    /// Why it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rewrite_skipped: Option<SkipReason>,
    /// Whether the visitor's `Location` differs from the upstream's.
    pub redirect_rewritten: bool,
}

/// One proxied request. What is only known once the body has gone through is pending; each of the four always
/// resolves, also when the visitor leaves.
#[derive(Debug)]
pub struct ProxyEvent {
    /// What is known now.
    pub facts: Facts,
    /// How the upstream's body ended; absent when nothing streamed from one.
    pub stream: Option<Pending<StreamReport>>,
    /// What became of the mirrored copy; absent when none was sent.
    pub mirror: Option<Pending<MirrorReport>>,
    /// How far the rewriting of a document went; absent when none was rewritten.
    pub rewrite: Option<Pending<RewriteOutcome>>,
    /// Which anchors received their markup; absent when nothing was to be injected.
    pub inject: Option<Pending<InjectReport>>,
}

/// An event whose pending parts have resolved.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SettledEvent {
    /// What was known when the response was decided.
    #[serde(flatten)]
    pub facts: Facts,
    /// How the upstream's body ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream: Option<StreamReport>,
    /// What became of the mirrored copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mirror: Option<MirrorReport>,
    /// How far the rewriting of a document went.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rewrite: Option<RewriteOutcome>,
    /// Which anchors received their markup.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inject: Option<InjectReport>,
}

impl ProxyEvent {
    /// Waits until everything is known. On a long stream that is when it ends: wait behind the response.
    pub async fn settled(self) -> SettledEvent {
        let Self {
            facts,
            stream,
            mirror,
            rewrite,
            inject,
        } = self;
        SettledEvent {
            facts,
            stream: resolved(stream).await,
            mirror: resolved(mirror).await,
            rewrite: resolved(rewrite).await,
            inject: resolved(inject).await,
        }
    }
}

async fn resolved<T>(pending: Option<Pending<T>>) -> Option<T> {
    match pending {
        Some(pending) => Some(pending.await),
        None => None,
    }
}
