//! The request an upstream is sent.

use std::time::Duration;

use http::Method;

use super::{Errand, Request};
use crate::{
    config::{Issues, Path, Reported, RouteDocument, document::Scheme, header_rules},
    headers::{
        Rules,
        outgoing::{self, Outgoing},
        reserved,
    },
    message::RequestHead,
    net::Upstream,
    platform::{Call, CallBody, HeaderBase, Redirect},
};

/// What a route says about the requests it sends.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    scheme: Scheme,
    rules: Rules,
    redirect: Redirect,
    /// Cap on the visitor's body in bytes, kept while it streams.
    pub(super) max_body_bytes: Option<u64>,
    /// Whether WebSocket handshakes are forwarded as such.
    pub(super) websocket: bool,
}

impl Shape {
    pub(super) fn compile(
        route: &RouteDocument,
        at: &Path<'_>,
        issues: &mut Issues,
    ) -> Result<Self, Reported> {
        let rules = header_rules::compile(
            route.request_headers.as_ref(),
            reserved::request,
            reserved::request,
            &at.key("requestHeaders"),
            issues,
        )?;
        Ok(Self {
            scheme: route.scheme.unwrap_or_default(),
            rules,
            redirect: match route.manual_redirect {
                Some(false) => Redirect::Follow,
                Some(true) | None => Redirect::Manual,
            },
            // The guard that refuses declared sizes checks the number itself.
            max_body_bytes: route
                .request_policy
                .as_ref()
                .and_then(|policy| policy.max_body_bytes),
            websocket: route.websocket.unwrap_or(true),
        })
    }

    /// The request for one candidate.
    pub(super) fn call(&self, request: Request<'_>, upstream: &Upstream, budget: Duration) -> Call {
        let Request {
            head,
            path,
            label: _,
            request_id,
            auth,
            errand,
        } = request;
        let sends_body = head.forwards_body();
        let edits = outgoing::edits(Outgoing {
            head,
            authority: upstream.authority(),
            request_id,
            rules: &self.rules,
            vouched: Some(auth),
            websocket: self.websocket,
            sends_body,
        });
        Call {
            url: upstream.url(self.scheme.as_str(), path, head.url.query()),
            method: head.method.clone(),
            base: HeaderBase::Visitor,
            edits,
            body: if sends_body {
                CallBody::Visitor {
                    limit: self.max_body_bytes,
                }
            } else {
                CallBody::None
            },
            redirect: self.redirect,
            budget,
            follow_visitor: errand == Errand::Visitor,
        }
    }
}

/// Whether a request may be sent a second time: the method is safe to repeat, and nothing would be missing from the
/// repetition. A body is a stream that the first attempt uses up, and so is a handshake.
pub(super) fn is_replayable(head: &RequestHead, handshake: bool) -> bool {
    let safe = matches!(
        head.method,
        Method::GET | Method::HEAD | Method::OPTIONS | Method::TRACE
    );
    safe && !head.has_body && !handshake
}
