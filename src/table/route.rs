//! One compiled route: a policy per stage.

use std::rc::Rc;

use super::fingerprint::fingerprint;
use crate::{
    answer, cache,
    config::{Code, Issues, Path, Reported, RouteDocument},
    forward, guards,
    matching::{self, Subject, Verdict},
    mirror, request_id, rewrite,
};

/// One compiled route.
#[derive(Debug)]
pub struct Route {
    /// Its id, or a label made of what it matches; events, buckets and memories know it by this.
    pub(crate) label: String,
    pub(crate) matching: matching::Policy,
    pub(crate) request_id: request_id::Policy,
    pub(crate) guards: guards::Policy,
    pub(crate) action: Action,
}

/// What a route does with a request it let through.
#[derive(Debug)]
pub(crate) enum Action {
    /// It answers at the edge.
    Respond(answer::Policy),
    /// It forwards.
    Forward(Rc<Forward>),
}

/// Everything that concerns a forwarded request.
#[derive(Debug)]
pub(crate) struct Forward {
    pub(crate) upstream: forward::Policy,
    pub(crate) error_pages: answer::error_page::Policy,
    pub(crate) mirror: Option<Box<mirror::Policy>>,
    pub(crate) cache: Option<Box<Caching>>,
    pub(crate) rewrite: rewrite::Policy,
}

/// How a route's answers are stored.
#[derive(Debug)]
pub(crate) struct Caching {
    pub(crate) policy: cache::Policy,
    /// [`fingerprint`] of everything the route says, as it stands in every key.
    pub(crate) fingerprint: String,
}

impl Route {
    /// Whether the request is what the route asks for. In a table it also takes it only if no route above it does.
    pub fn takes(&self, subject: &Subject<'_>) -> bool {
        matches!(self.matching.verdict(subject), Verdict::Takes { .. })
    }

    /// Compiles one route. Every stage is asked, whatever the others found.
    pub(super) fn compile(
        document: &RouteDocument,
        index: usize,
        epoch: Option<&str>,
        at: &Path<'_>,
        issues: &mut Issues,
    ) -> Result<Self, Reported> {
        let matching = matching::Policy::compile(document, at, issues);
        let request_id = request_id::Policy::compile(document, at, issues);
        let respond = answer::Policy::compile(document, at, issues);
        let upstream = forward::Policy::compile(document, at, issues);
        let error_pages = answer::error_page::Policy::compile(document, at, issues);
        let mirror = mirror::Policy::compile(document, at, issues);
        let rewrite = rewrite::Policy::compile(document, at, issues);
        let cache = cache::Policy::compile(document, at, issues);
        let guards = guards::Policy::compile(document, at, issues);
        let action = match (respond?, upstream?) {
            (Some(respond), _) => Action::Respond(respond),
            (None, Some(upstream)) => Action::Forward(Rc::new(Forward {
                upstream,
                error_pages: error_pages?,
                mirror: mirror?.map(Box::new),
                cache: cache?.map(|policy| {
                    Box::new(Caching {
                        policy,
                        fingerprint: fingerprint(document, epoch).to_string(),
                    })
                }),
                rewrite: rewrite?,
            })),
            (None, None) => {
                return Err(issues.report(
                    at,
                    Code::Required,
                    "expected one of \"upstream\", \"upstreams\", \"trafficSplit\" or \"respond\"; a route has to send requests somewhere or answer them",
                ));
            }
        };
        Ok(Self {
            label: matching::label(document, index),
            matching: matching?,
            request_id: request_id?,
            guards: guards?,
            action,
        })
    }

    /// Its id, or a label made of what it matches.
    pub fn label(&self) -> &str {
        &self.label
    }
}
