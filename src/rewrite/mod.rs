//! A response on its way back to the visitor, who never leaves the proxy: redirects, cookies and links of the upstream
//! lead to the proxy, and where a route asks for it, texts are replaced and markup is put in.
//!
//! Nothing here touches a stream. [`apply`] says which headers change and what the body's bytes are turned into; the
//! platform does both.

use std::{cell::LazyCell, rc::Rc, sync::Arc};

use http::{HeaderValue, header};

use crate::{
    body::{Pending, Transform, pending},
    config::{
        Code, Issues, Path, Reported, RouteDocument,
        document::{BodyRewrite, Inject, Replace},
        header_rules,
    },
    headers::{HeaderEdits, Rules, reserved},
    message::{RequestHead, ResponseHead},
    net::Upstream,
    outcome::{InjectAnchor, InjectReport, SkipReason},
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
mod refresh;
mod replace;
mod srcset;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod text;

use charset::{Charset, Decode, Fallback};
use css::Styles;
use edit::Splicer;
use html::Html;
use inject::{Anchors, Markup};
use links::Mapping;
use plan::{Kind, Plan};
use text::Texts;

/// Compiled `rewriteHeaders`, `responseHeaders` and `bodyRewrite`.
#[derive(Debug, PartialEq, Eq)]
pub struct Policy {
    rewrite_headers: bool,
    response_rules: Rules,
    body: Option<BodyPolicy>,
}

/// Compiled `bodyRewrite`.
#[derive(Debug, PartialEq, Eq)]
struct BodyPolicy {
    links: bool,
    styles: bool,
    /// Types that are rewritten, by how they start, in lower case.
    content_types: Vec<String>,
    replace: Option<Arc<replace::Rules>>,
    fallback: Fallback,
    inject: Option<Arc<Markup>>,
}

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
    /// Which anchors received their markup; `None` where none was to be placed.
    pub inject: Option<Pending<InjectReport>>,
}

impl Policy {
    /// Compiles the blocks of a route.
    pub fn compile(
        route: &RouteDocument,
        at: &Path<'_>,
        issues: &mut Issues,
    ) -> Result<Self, Reported> {
        let response_rules = header_rules::compile(
            route.response_headers.as_ref(),
            reserved::response,
            reserved::response_removal,
            &at.key("responseHeaders"),
            issues,
        );
        let body = body_policy(route.body_rewrite.as_ref(), &at.key("bodyRewrite"), issues);
        Ok(Self {
            rewrite_headers: route.rewrite_headers.unwrap_or(true),
            response_rules: response_rules?,
            body: body?,
        })
    }

    /// Whether the route asks for bodies to be rewritten.
    pub fn rewrites_bodies(&self) -> bool {
        self.body.is_some()
    }

    /// `responseHeaders`, which are applied last of all.
    pub fn operator_rules(&self) -> &Rules {
        &self.response_rules
    }
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
            let (transform, inject) = transform(body, &plan, &mapping);
            delivered.transform = Some(transform);
            delivered.body_rewritten = true;
            delivered.inject = inject;
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

impl BodyPolicy {
    /// Whether there is anything to be done to a body of this kind.
    fn has_work_for(&self, kind: Kind) -> bool {
        self.links || self.replace.is_some() || (kind == Kind::Html && self.inject.is_some())
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

/// Puts together what a body goes through: into UTF-8, then links and markup, then literal replacements.
fn transform(
    policy: &BodyPolicy,
    plan: &Plan,
    mapping: &Rc<Mapping>,
) -> (Box<dyn Transform>, Option<Pending<InjectReport>>) {
    let mut inject = None;
    let links: Option<Box<dyn Transform>> = match plan.kind {
        Kind::Html if policy.links || policy.inject.is_some() => {
            let anchors = policy.inject.as_ref().map(|markup| {
                let (report, pending) = pending(markup.all_missed());
                inject = Some(pending);
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
            Some(Box::new(Html::new(rules, anchors)))
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
    (Box::new(Decode::new(plan.charset, rewriter)), inject)
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

/// Compiles `bodyRewrite`; `None` where nothing is to be rewritten.
fn body_policy(
    document: Option<&BodyRewrite>,
    at: &Path<'_>,
    issues: &mut Issues,
) -> Result<Option<BodyPolicy>, Reported> {
    let Some(document) = document else {
        return Ok(None);
    };
    let BodyRewrite {
        rewrite_links,
        rewrite_styles,
        content_types,
        replace,
        fallback_charset,
        inject,
    } = document;
    let content_types = compile_types(content_types.as_deref(), &at.key("contentTypes"), issues);
    let replace = compile_replace(replace.as_deref(), &at.key("replace"), issues);
    let fallback = match fallback_charset.as_deref() {
        Some("") => Err(issues.report(
            &at.key("fallbackCharset"),
            Code::Required,
            "expected the name of a charset, such as \"windows-1252\"; leave the field out where there is none",
        )),
        label => Ok(Fallback::new(label)),
    };
    let inject = compile_inject(inject.as_ref(), &at.key("inject"), issues);
    let policy = BodyPolicy {
        links: rewrite_links.unwrap_or(true),
        styles: rewrite_styles.unwrap_or(true),
        content_types: content_types?,
        replace: replace?,
        fallback: fallback?,
        inject: inject?,
    };
    Ok(policy.has_work_for(Kind::Html).then_some(policy))
}

fn compile_types(
    types: Option<&[String]>,
    at: &Path<'_>,
    issues: &mut Issues,
) -> Result<Vec<String>, Reported> {
    let Some(types) = types else {
        return Ok(vec!["text/html".to_owned()]);
    };
    let expected =
        "expected at least one type, or the beginning of one, such as \"text/html\" or \"text/\"";
    let mut failed = None;
    if types.is_empty() {
        failed = Some(issues.report(at, Code::Required, expected));
    }
    for (index, prefix) in types.iter().enumerate() {
        if prefix.is_empty() {
            failed = Some(issues.report(&at.index(index), Code::Required, expected));
        }
    }
    match failed {
        Some(reported) => Err(reported),
        None => Ok(types
            .iter()
            .map(|prefix| prefix.to_ascii_lowercase())
            .collect()),
    }
}

fn compile_replace(
    rules: Option<&[Replace]>,
    at: &Path<'_>,
    issues: &mut Issues,
) -> Result<Option<Arc<replace::Rules>>, Reported> {
    let mut failed = None;
    let mut pairs = Vec::new();
    for (index, Replace { from, to }) in rules.into_iter().flatten().enumerate() {
        let at = at.index(index);
        let from = from.as_deref().unwrap_or_default();
        if from.is_empty() {
            failed = Some(issues.report(
                &at.key("from"),
                Code::Required,
                "expected the text to look for, at least one character",
            ));
        }
        match to {
            Some(to) => pairs.push((from, to.as_str())),
            None => {
                failed = Some(issues.report(
                    &at.key("to"),
                    Code::Required,
                    "expected the text to put in its place; write \"\" to delete what is found",
                ));
            }
        }
    }
    match failed {
        Some(reported) => Err(reported),
        None if pairs.is_empty() => Ok(None),
        None => Ok(Some(Arc::new(replace::Rules::new(pairs)))),
    }
}

fn compile_inject(
    document: Option<&Inject>,
    at: &Path<'_>,
    issues: &mut Issues,
) -> Result<Option<Arc<Markup>>, Reported> {
    let Some(document) = document else {
        return Ok(None);
    };
    let Inject {
        head_start,
        head_end,
        body_start,
        body_end,
    } = document;
    let anchors = [
        ("headStart", InjectAnchor::HeadStart, head_start),
        ("headEnd", InjectAnchor::HeadEnd, head_end),
        ("bodyStart", InjectAnchor::BodyStart, body_start),
        ("bodyEnd", InjectAnchor::BodyEnd, body_end),
    ];
    let mut failed = None;
    let mut markup = Vec::new();
    for (key, anchor, text) in anchors {
        match text.as_deref() {
            None => {}
            Some("") => {
                failed = Some(issues.report(
                    &at.key(key),
                    Code::Required,
                    "expected markup, at least one character; leave the anchor out where nothing is to be placed",
                ));
            }
            Some(text) => markup.push((anchor, Arc::from(text))),
        }
    }
    let total: usize = markup
        .iter()
        .map(|(_, text): &(_, Arc<str>)| text.len())
        .sum();
    if markup.is_empty() && failed.is_none() {
        failed = Some(issues.report(
            at,
            Code::Required,
            "expected markup for at least one of \"headStart\", \"headEnd\", \"bodyStart\" and \"bodyEnd\"",
        ));
    }
    if total > MARKUP_BUDGET {
        failed = Some(issues.report(
            at,
            Code::TooLarge,
            format!("expected at most {MARKUP_BUDGET} bytes of markup in all four anchors together; found {total}. Serve what is larger as a script or a style of its own"),
        ));
    }
    match failed {
        Some(reported) => Err(reported),
        None => Ok(Some(Arc::new(Markup::new(markup)))),
    }
}

/// Bytes that the markup of all anchors may have together.
const MARKUP_BUDGET: usize = 64 << 10;

impl std::fmt::Debug for Delivered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Delivered")
            .field("edits", &self.edits)
            .field("transform", &self.transform.is_some())
            .field("body_rewritten", &self.body_rewritten)
            .field("skipped", &self.skipped)
            .field("redirect_rewritten", &self.redirect_rewritten)
            .field("inject", &self.inject)
            .finish()
    }
}
