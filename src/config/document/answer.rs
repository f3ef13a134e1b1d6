//! Answers the proxy gives by itself.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::config::reader::{Block, Members};

/// An edge answer instead of an upstream: exactly one of `redirect` and `status`.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Respond {
    /// Redirects the visitor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect: Option<RespondRedirect>,
    /// Answers with this status: 200 to 599.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u64>,
    /// Type of the body; required beside one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// The body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Further headers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headers: Option<BTreeMap<String, String>>,
}

impl Block for Respond {
    fn read(members: &mut Members<'_>) -> Self {
        Self {
            redirect: members.take("redirect"),
            status: members.take("status"),
            content_type: members.take("contentType"),
            body: members.take("body"),
            headers: members.take("headers"),
        }
    }
}

/// Where an edge answer redirects to.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RespondRedirect {
    /// A path on this host, or with `allowExternal` an http(s) URL. Written to the visitor as it stands here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// 301, 302, 303, 307 or 308. Default: 301.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u64>,
    /// Only `true`: permits another host as the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_external: Option<bool>,
}

impl Block for RespondRedirect {
    fn read(members: &mut Members<'_>) -> Self {
        Self {
            to: members.take("to"),
            status: members.take("status"),
            allow_external: members.take("allowExternal"),
        }
    }
}

/// Replaces the payload of a failure; the status stays.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ErrorPage {
    /// The page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Its type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// Further headers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headers: Option<BTreeMap<String, String>>,
}

impl Block for ErrorPage {
    fn read(members: &mut Members<'_>) -> Self {
        Self {
            body: members.take("body"),
            content_type: members.take("contentType"),
            headers: members.take("headers"),
        }
    }
}
