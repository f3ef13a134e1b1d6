//! Mirroring: a copy of a request goes to a second upstream behind the visitor's back, and its answer is discarded
//! unread. Nothing that happens to a copy reaches the visitor, and nothing of the primary's walk reaches the copy.

use std::{future::Future, time::Duration};

use http::{HeaderValue, Method};

use crate::{
    config::{
        Code, Issues, Path, Reported, RouteDocument, bounds,
        document::{Mirror, Scheme},
        header_rules, upstream,
    },
    hash::fnv1a,
    headers::{
        HeaderEdits, Rules,
        outgoing::{self, MIRROR_MARK, Outgoing},
        reserved,
    },
    message::RequestHead,
    net::Upstream,
    outcome::{MirrorOutcome, MirrorReport},
    platform::{Call, CallBody, Clock, CopyBody, Fetch, FetchError, HeaderBase, Redirect},
};

/// A compiled `mirror` block, with what a copy shares with the primary request.
#[derive(Debug, Clone)]
pub struct Policy {
    upstream: Upstream,
    /// Percent of the requests that are copied.
    percent: u64,
    include_body: bool,
    methods: Vec<Method>,
    timeout: Duration,
    scheme: Scheme,
    rules: Rules,
    websocket: bool,
}

impl Policy {
    /// Compiles the block; `None` on routes without one.
    pub fn compile(
        route: &RouteDocument,
        at: &Path<'_>,
        issues: &mut Issues,
    ) -> Result<Option<Self>, Reported> {
        let Some(Mirror {
            upstream,
            percent,
            include_body,
            methods,
            timeout_ms,
        }) = &route.mirror
        else {
            return Ok(None);
        };
        // The rules are the primary request's, and what is wrong with them is reported where that one is compiled.
        let rules = header_rules::compile(
            route.request_headers.as_ref(),
            reserved::request,
            reserved::request,
            &at.key("requestHeaders"),
            &mut Issues::default(),
        );
        let at = at.key("mirror");
        let upstream = upstream::compile(
            upstream.as_deref(),
            upstream::allows_private(route),
            &at.key("upstream"),
            issues,
        );
        let percent = bounds::whole(*percent, 1..=100, 100, &at.key("percent"), issues);
        let methods = self::methods(methods.as_deref(), &at.key("methods"), issues);
        let timeout = bounds::millis(*timeout_ms, 1..=5_000, 2_000, &at.key("timeoutMs"), issues);
        Ok(Some(Self {
            upstream: upstream?,
            percent: percent?,
            include_body: include_body.unwrap_or(false),
            methods: methods?,
            timeout: timeout?,
            scheme: route.scheme.unwrap_or_default(),
            rules: rules?,
            websocket: route.websocket.unwrap_or(true),
        }))
    }
}

/// A copy about to be sent.
#[derive(Debug, Clone)]
pub struct MirrorPlan {
    upstream: String,
    /// Whole but for the body.
    call: Call,
    /// Whether the visitor's body is to be copied into it.
    copies_body: bool,
}

impl MirrorPlan {
    /// Authority of the mirror.
    pub fn upstream(&self) -> &str {
        &self.upstream
    }
}

/// Plans a copy of a request that was let through; `path` is the one the primary is asked for. `None` where none is
/// sent: the method is not listed, the request opens a WebSocket, or the sample passes it over.
///
/// `vouched` is what a delegated verdict changes for the primary. The copy is told nothing of it, but is not told the
/// visitor's own claims under those names either.
///
/// The sample is a hash of the request's id, so that anybody can tell afterwards why a request was copied.
///
/// ```
/// use http::{HeaderMap, Method};
/// use jouska::{
///     config::{Issues, Path, RouteDocument, document::Mirror},
///     headers::HeaderEdits,
///     message::{RequestHead, RequestUrl},
///     mirror,
/// };
///
/// let route = RouteDocument {
///     mirror: Some(Mirror {
///         upstream: Some("v2.example.com".to_owned()),
///         percent: Some(25),
///         ..Mirror::default()
///     }),
///     ..RouteDocument::default()
/// };
/// let policy = mirror::Policy::compile(&route, &Path::root(), &mut Issues::default())
///     .unwrap()
///     .unwrap();
/// let head = RequestHead {
///     method: Method::GET,
///     url: RequestUrl::parse("https://proxy.example.com/a").unwrap(),
///     headers: HeaderMap::new(),
///     has_body: false,
/// };
/// let vouched = HeaderEdits::default();
/// assert!(mirror::plan(&policy, &head, "/a", "7c0000000002ed5e-LHR", &vouched).is_some());
/// assert!(mirror::plan(&policy, &head, "/a", "7c00000000015445-AMS", &vouched).is_none());
/// ```
pub fn plan(
    policy: &Policy,
    head: &RequestHead,
    path: &str,
    request_id: &str,
    vouched: &HeaderEdits,
) -> Option<MirrorPlan> {
    let copied = policy.methods.contains(&head.method)
        && !head.is_upgrade()
        && is_sampled(policy.percent, request_id);
    if !copied {
        return None;
    }
    let copies_body = policy.include_body && head.forwards_body();
    let mut edits = outgoing::edits(Outgoing {
        head,
        authority: policy.upstream.authority(),
        request_id,
        rules: &policy.rules,
        // What was vouched for was vouched for before the primary alone, but what the visitor claims under those names
        // is as false here as there.
        vouched: Some(&vouched.removals()),
        websocket: policy.websocket,
        sends_body: copies_body,
    });
    edits.set(MIRROR_MARK, HeaderValue::from_static("1"));
    Some(MirrorPlan {
        upstream: policy.upstream.authority().to_owned(),
        call: Call {
            url: policy
                .upstream
                .url(policy.scheme.as_str(), path, head.url.query()),
            method: head.method.clone(),
            base: HeaderBase::Visitor,
            edits,
            body: CallBody::None,
            redirect: Redirect::Manual,
            budget: policy.timeout,
            follow_visitor: false,
        },
        copies_body,
    })
}

/// Sends a copy. The work is done by the future, to be run behind the response; only the copying of the body begins at
/// once, because it has to begin before the primary request reads it.
pub fn send<P: Fetch + Clock + CopyBody + 'static>(
    plan: MirrorPlan,
    platform: P,
) -> impl Future<Output = MirrorReport> + 'static {
    let MirrorPlan {
        upstream,
        mut call,
        copies_body,
    } = plan;
    let body = if copies_body {
        Some(platform.copy_body(MOST_BODY_BYTES))
    } else {
        None
    };
    async move {
        let mut started = platform.now();
        let copied = match body {
            Some(body) => body.await.map(CallBody::Bytes),
            None => Ok(CallBody::None),
        };
        let outcome = match copied {
            Ok(body) => {
                // The visitor's upload is none of the mirror's time.
                started = platform.now();
                call.body = body;
                match platform.fetch(call).await {
                    Ok(fetched) => {
                        platform.discard(fetched.response);
                        MirrorOutcome::Answered
                    }
                    Err(FetchError::TimedOut) => MirrorOutcome::Timeout,
                    Err(
                        FetchError::Unreachable
                        | FetchError::VisitorLeft
                        | FetchError::BodyTooLarge,
                    ) => MirrorOutcome::Unreachable,
                }
            }
            Err(outcome) => outcome,
        };
        let duration = platform.now().since(started);
        MirrorReport {
            upstream,
            outcome,
            duration_ms: u64::try_from(duration.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

/// Whether a request id lies in the first `percent` of the hash space.
fn is_sampled(percent: u64, request_id: &str) -> bool {
    u64::from(fnv1a(request_id)) * 100 < percent << u32::BITS
}

fn methods(
    stated: Option<&[String]>,
    at: &Path<'_>,
    issues: &mut Issues,
) -> Result<Vec<Method>, Reported> {
    let Some(texts) = stated else {
        return Ok(vec![Method::GET, Method::HEAD]);
    };
    let mut failed = texts.is_empty().then(|| {
        issues.report(
            at,
            Code::Required,
            "expected at least one method; found an empty list, which would copy nothing",
        )
    });
    let mut compiled = Vec::with_capacity(texts.len());
    for (index, text) in texts.iter().enumerate() {
        let letters = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphabetic());
        match Method::from_bytes(text.to_ascii_uppercase().as_bytes()) {
            Ok(method) if letters => compiled.push(method),
            Ok(_) | Err(_) => {
                failed = Some(issues.report(
                    &at.index(index),
                    Code::Value,
                    format!("expected a method such as \"GET\"; found {text:?}"),
                ));
            }
        }
    }
    failed.map_or(Ok(compiled), Err)
}

/// Largest body that is copied.
const MOST_BODY_BYTES: usize = 256 * 1024;

#[cfg(test)]
mod tests;
