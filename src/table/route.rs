//! One compiled route: a policy per stage.

use crate::{answer, forward, matching, request_id};

/// One compiled route.
#[derive(Debug, Clone)]
pub struct Route {
    /// Its id, or a label made of what it matches; events, buckets and memories know it by this.
    pub label: String,
    /// What it takes.
    pub matching: matching::Policy,
    /// Where request ids come from.
    pub request_id: request_id::Policy,
    /// What it does with a request it let through.
    pub action: Action,
}

/// What a route does with a request it let through.
#[derive(Debug, Clone)]
pub enum Action {
    /// It answers at the edge.
    Respond(answer::Policy),
    /// It forwards.
    Forward(Box<Forward>),
}

/// Everything that concerns a forwarded request.
#[derive(Debug, Clone)]
pub struct Forward {
    /// Where to, and how persistently.
    pub upstream: forward::Policy,
    /// Pages for the proxy's own failures.
    pub error_pages: answer::error_page::Policy,
}
