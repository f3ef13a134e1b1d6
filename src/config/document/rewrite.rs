//! Rewriting of response bodies.

use serde::Serialize;

use crate::config::reader::{Block, Members};

/// Rewrites response bodies while they stream through. An empty block points the links of pages at the proxy.
/// Streams of events and lines are never rewritten.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct BodyRewrite {
    /// Whether links to the upstream are pointed at the proxy. Default: true.
    #[cfg_attr(feature = "schema", schemars(extend("default" = true)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rewrite_links: Option<bool>,
    /// Whether addresses in styles, refresh targets and embedded documents are rewritten too. Default: true.
    #[cfg_attr(feature = "schema", schemars(extend("default" = true)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rewrite_styles: Option<bool>,
    /// Types that are rewritten, by their beginning. At least one. Default: `text/html`.
    #[cfg_attr(feature = "schema", schemars(length(min = 1), extend("default" = ["text/html"])))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_types: Option<Vec<String>>,
    /// Texts to replace, in one pass: what was put in is not replaced again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replace: Option<Vec<Replace>>,
    /// Charset of bodies that declare none, or one that cannot be decoded, such as `gbk`.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback_charset: Option<String>,
    /// Markup to place in every page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inject: Option<Inject>,
}

impl Block for BodyRewrite {
    fn read(members: &mut Members<'_>) -> Self {
        Self {
            rewrite_links: members.take("rewriteLinks"),
            rewrite_styles: members.take("rewriteStyles"),
            content_types: members.take("contentTypes"),
            replace: members.take("replace"),
            fallback_charset: members.take("fallbackCharset"),
            inject: members.take("inject"),
        }
    }
}

/// A text to replace. Both fields are required.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("required" = ["from", "to"])))]
#[serde(rename_all = "camelCase")]
pub struct Replace {
    /// The text to find; at least one character. Letter case counts.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The text put in its place; may be empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

impl Block for Replace {
    fn read(members: &mut Members<'_>) -> Self {
        Self {
            from: members.take("from"),
            to: members.take("to"),
        }
    }
}

/// Markup to place in every page, exactly as written; at least one place, together at most 65,536 bytes. Whoever
/// can write here can run scripts in visitors' browsers.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Inject {
    /// Placed right after the opening tag of `head`.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head_start: Option<String>,
    /// Placed right before the closing tag of `head`.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head_end: Option<String>,
    /// Placed right after the opening tag of `body`.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_start: Option<String>,
    /// Placed right before the closing tag of `body`.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_end: Option<String>,
}

impl Block for Inject {
    fn read(members: &mut Members<'_>) -> Self {
        Self {
            head_start: members.take("headStart"),
            head_end: members.take("headEnd"),
            body_start: members.take("bodyStart"),
            body_end: members.take("bodyEnd"),
        }
    }
}
