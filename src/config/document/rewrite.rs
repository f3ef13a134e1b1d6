//! Rewriting of response bodies.

use serde::Serialize;

use crate::config::reader::{Block, Members};

/// Streaming rewriting of response bodies. An empty block switches the defaults on.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct BodyRewrite {
    /// Whether links to the upstream are pointed at the proxy. Default: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rewrite_links: Option<bool>,
    /// Whether styles, refresh targets and framed documents are rewritten too. Default: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rewrite_styles: Option<bool>,
    /// Types that are rewritten, as prefixes. Default: `text/html`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_types: Option<Vec<String>>,
    /// Literal replacements in one pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replace: Option<Vec<Replace>>,
    /// Charset for bodies that declare none, or one that cannot be decoded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback_charset: Option<String>,
    /// Markup placed at anchors of the document.
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

/// One literal replacement.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Replace {
    /// Text to find, at least one character.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Text put in its place; may be empty.
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

/// Markup placed verbatim at anchors of the document; together at most 64 KiB.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Inject {
    /// Just inside `<head>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head_start: Option<String>,
    /// Just before `</head>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head_end: Option<String>,
    /// Just inside `<body>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_start: Option<String>,
    /// Just before `</body>`.
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
