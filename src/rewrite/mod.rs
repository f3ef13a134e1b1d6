//! A response on its way back to the visitor, who never leaves the proxy: redirects, cookies and links of the upstream
//! lead to the proxy, and where a route asks for it, texts are replaced and markup is put in.
//!
//! Nothing here touches a stream. [`apply`] says which headers change and what the body's bytes are turned into; the
//! platform does both.
//!
//! ```
//! use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
//! use jouska::{
//!     config::{Issues, Path, RouteDocument, document::BodyRewrite},
//!     message::{RequestHead, RequestUrl, ResponseHead},
//!     net::Upstream,
//!     rewrite::{Context, Policy, apply},
//! };
//!
//! let route = RouteDocument {
//!     body_rewrite: Some(BodyRewrite::default()),
//!     ..RouteDocument::default()
//! };
//! let policy = Policy::compile(&route, &Path::root(), &mut Issues::default()).unwrap();
//! let request = RequestHead {
//!     method: Method::GET,
//!     url: RequestUrl::parse("https://mirror.example/docs/start").unwrap(),
//!     headers: HeaderMap::new(),
//!     has_body: false,
//! };
//! let context = Context {
//!     request: &request,
//!     upstream: &Upstream::parse("origin.example").unwrap(),
//!     stripped_prefix: Some("/docs"),
//! };
//! let mut headers = HeaderMap::new();
//! headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html"));
//! let head = ResponseHead {
//!     status: StatusCode::OK,
//!     headers,
//! };
//!
//! let mut page = Vec::new();
//! let mut transform = apply(&policy, &context, &head, true).transform.unwrap();
//! transform.push(b"<a href='https://origin.example/team'>Who", &mut page);
//! transform.push(b" we are</a> <a href=\"/x?a&amp;b\">", &mut page);
//! transform.finish(&mut page);
//! assert_eq!(
//!     page,
//!     b"<a href='https://mirror.example/docs/team'>Who we are</a> <a href=\"/docs/x?a&amp;b\">"
//! );
//! ```

use std::{cell::LazyCell, rc::Rc, sync::Arc};

use http::{HeaderValue, header};

use crate::{
    body::{Pending, Transform, pending},
    headers::HeaderEdits,
    message::{RequestHead, ResponseHead},
    net::Upstream,
    outcome::{InjectReport, RewriteOutcome, SkipReason},
};

mod attributes;
mod charset;
mod css;
mod decoded;
mod edit;
mod entities;
mod headers;
mod html;
mod inject;
mod links;
mod plan;
mod policy;
mod refresh;
mod replace;
mod srcset;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod text;

pub use policy::Policy;

use charset::{Charset, Decode};
use css::Styles;
use edit::Splicer;
use html::Html;
use inject::Anchors;
use links::Mapping;
use plan::{Kind, Plan};
use policy::BodyPolicy;
use text::Texts;

/// Who asked whom for the response.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// What the visitor asked; scheme, host and port of the proxy are those it was asked under.
    pub request: &'a RequestHead,
    /// The upstream that answered.
    pub upstream: &'a Upstream,
    /// The prefix that was cut off the path, as the route writes it.
    pub stripped_prefix: Option<&'a str>,
}

/// How an upstream's response becomes the visitor's.
pub struct Delivered {
    /// Changes to the upstream's headers. The request's id and the cache's mark come behind them, and then
    /// [`Policy::operator_rules`].
    pub edits: HeaderEdits,
    /// What the body's bytes are turned into; `None` leaves them alone.
    pub transform: Option<Box<dyn Transform>>,
    /// Whether the body is rewritten.
    pub body_rewritten: bool,
    /// Why it is not.
    pub skipped: Option<SkipReason>,
    /// Whether `Location` differs from the upstream's.
    pub redirect_rewritten: bool,
    /// How far the rewriting of a document went; `None` for any other body.
    pub rewrite: Option<Pending<RewriteOutcome>>,
    /// Which anchors received their markup; `None` where none was to be placed.
    pub inject: Option<Pending<InjectReport>>,
}

/// Decides what becomes of a response. `has_body` is the runtime's view.
pub fn apply(
    policy: &Policy,
    context: &Context<'_>,
    head: &ResponseHead,
    has_body: bool,
) -> Delivered {
    // Most responses name the upstream nowhere.
    let mapping = LazyCell::new(|| Rc::new(context.mapping()));
    let mut edits = HeaderEdits::default();
    headers::drop_hop_by_hop(head, &mut edits);
    let redirect_rewritten =
        policy.rewrite_headers && headers::point_at_proxy(&head.headers, || &**mapping, &mut edits);
    let mut delivered = Delivered {
        edits,
        transform: None,
        body_rewritten: false,
        skipped: None,
        redirect_rewritten,
        rewrite: None,
        inject: None,
    };
    match (
        plan::plan(policy.body.as_ref(), head, has_body),
        &policy.body,
    ) {
        (Ok(plan), Some(body)) => {
            headers::drop_descriptions(&head.headers, &mut delivered.edits);
            if let Some(content_type) = content_type(&plan) {
                delivered.edits.set(header::CONTENT_TYPE, content_type);
            }
            delivered.transform = Some(transform(body, &plan, &mapping, &mut delivered));
            delivered.body_rewritten = true;
        }
        (Err(reason), _) => delivered.skipped = Some(reason),
        (Ok(_), None) => delivered.skipped = Some(SkipReason::NotConfigured),
    }
    delivered
}

impl Context<'_> {
    fn mapping(&self) -> Mapping {
        let url = &self.request.url;
        Mapping::new(
            self.upstream,
            url.scheme(),
            url.authority(),
            url.hostname(),
            self.stripped_prefix,
        )
    }
}

/// The type of a body that was turned into UTF-8.
fn content_type(plan: &Plan) -> Option<HeaderValue> {
    match plan.charset {
        Charset::Utf8 => None,
        Charset::Other(_) => {
            HeaderValue::try_from(format!("{}; charset=utf-8", plan.media_type)).ok()
        }
    }
}

/// Whether bodies in the charset that goes by this label can be read.
pub(crate) fn reads_charset(label: &str) -> bool {
    charset::known(label).is_some()
}

/// Puts together what a body goes through: into UTF-8, then links and markup, then literal replacements. What is known
/// only at its end is left in `delivered`.
fn transform(
    policy: &BodyPolicy,
    plan: &Plan,
    mapping: &Rc<Mapping>,
    delivered: &mut Delivered,
) -> Box<dyn Transform> {
    let links: Option<Box<dyn Transform>> = match plan.kind {
        Kind::Html if policy.links || policy.inject.is_some() => {
            let anchors = policy.inject.as_ref().map(|markup| {
                let (report, pending) = pending(markup.all_missed());
                delivered.inject = Some(pending);
                Anchors::new(Arc::clone(markup), report)
            });
            let rules = html::Rules {
                mapping: Rc::clone(mapping),
                links: policy.links,
                styles: policy.styles,
                transcoded: plan.charset != Charset::Utf8,
                rooted: true,
                depth: 0,
            };
            let (outcome, pending) = pending(RewriteOutcome::Unfinished);
            delivered.rewrite = Some(pending);
            Some(Box::new(Html::new(rules, anchors, Some(outcome))))
        }
        Kind::Css if policy.links => {
            let styles = Styles::new(Rc::clone(mapping), true);
            Some(Box::new(Splicer::new(styles)))
        }
        Kind::Text if policy.links => Some(Box::new(Splicer::new(Texts::new(Rc::clone(mapping))))),
        Kind::Html | Kind::Css | Kind::Text => None,
    };
    let replace = policy.replace.as_ref().map(|rules| {
        let replace = replace::Replace::new(Arc::clone(rules));
        Box::new(Splicer::new(replace)) as Box<dyn Transform>
    });
    let rewriter = match (links, replace) {
        (Some(first), Some(second)) => Box::new(Then::new(first, second)),
        (Some(only), None) | (None, Some(only)) => only,
        (None, None) => Box::new(Unchanged),
    };
    Box::new(Decode::new(plan.charset, rewriter))
}

/// One transform after another.
struct Then {
    first: Box<dyn Transform>,
    second: Box<dyn Transform>,
    between: Vec<u8>,
}

impl Then {
    fn new(first: Box<dyn Transform>, second: Box<dyn Transform>) -> Self {
        Self {
            first,
            second,
            between: Vec::new(),
        }
    }
}

impl Transform for Then {
    fn push(&mut self, chunk: &[u8], out: &mut Vec<u8>) {
        self.between.clear();
        self.first.push(chunk, &mut self.between);
        self.second.push(&self.between, out);
    }

    fn finish(mut self: Box<Self>, out: &mut Vec<u8>) {
        self.between.clear();
        self.first.finish(&mut self.between);
        self.second.push(&self.between, out);
        self.second.finish(out);
    }
}

/// A body that only changes its charset.
struct Unchanged;

impl Transform for Unchanged {
    fn push(&mut self, chunk: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(chunk);
    }

    fn finish(self: Box<Self>, _: &mut Vec<u8>) {}
}

impl std::fmt::Debug for Delivered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Delivered")
            .field("edits", &self.edits)
            .field("transform", &self.transform.is_some())
            .field("body_rewritten", &self.body_rewritten)
            .field("skipped", &self.skipped)
            .field("redirect_rewritten", &self.redirect_rewritten)
            .field("rewrite", &self.rewrite)
            .field("inject", &self.inject)
            .finish()
    }
}
