//! Compiling `rewriteHeaders`, `responseHeaders` and `bodyRewrite`: everything that can be prepared before a response
//! is there.

use std::sync::Arc;

use super::{charset::Fallback, inject::Markup, plan::Kind, replace};
use crate::{
    config::{
        Code, Issues, Path, Reported, RouteDocument,
        document::{BodyRewrite, Inject, Replace},
        header_rules,
    },
    headers::{Rules, reserved},
    outcome::InjectAnchor,
};

/// Compiled `rewriteHeaders`, `responseHeaders` and `bodyRewrite`.
#[derive(Debug, PartialEq, Eq)]
pub struct Policy {
    pub(super) rewrite_headers: bool,
    response_rules: Rules,
    pub(super) body: Option<BodyPolicy>,
}

/// Compiled `bodyRewrite`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BodyPolicy {
    /// Whether links are rewritten.
    pub(super) links: bool,
    /// Whether styles, refreshes and framed documents are rewritten with them.
    pub(super) styles: bool,
    /// Types that are rewritten, by how they start, in lower case.
    pub(super) content_types: Vec<String>,
    /// Literal replacements.
    pub(super) replace: Option<Arc<replace::Rules>>,
    /// The charset of bodies that name none, or none that can be decoded.
    pub(super) fallback: Fallback,
    /// Markup for the document's anchors.
    pub(super) inject: Option<Arc<Markup>>,
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

    /// Whether the route rewrites bodies at all. What a cache serves was rewritten when it was stored, or never.
    pub fn rewrites_bodies(&self) -> bool {
        self.body.is_some()
    }

    /// `responseHeaders`, which are applied last of all.
    pub fn operator_rules(&self) -> &Rules {
        &self.response_rules
    }
}

impl BodyPolicy {
    /// Whether there is anything to be done to a body of this kind.
    pub(super) fn has_work_for(&self, kind: Kind) -> bool {
        self.links || self.replace.is_some() || (kind == Kind::Html && self.inject.is_some())
    }
}

/// Compiles `bodyRewrite`; `None` where nothing is to be rewritten.
pub(super) fn body_policy(
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
