//! Answers the proxy gives by itself.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::config::reader::{Block, Members};

/// An answer given at the edge: exactly one of `redirect` and `status` is required. Guards still apply.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Respond {
    /// Sends the visitor to another address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect: Option<RespondRedirect>,
    /// Answers with this status; 200 to 599.
    #[cfg_attr(feature = "schema", schemars(range(min = 200, max = 599)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u64>,
    /// Type of `body`, such as `text/html; charset=utf-8`. Required beside one.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// The body. Not beside `redirect`, nor with 204, 205 and 304, which carry none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Further headers of the answer, name to value.
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

/// Where an edge answer sends the visitor.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("required" = ["to"])))]
#[serde(rename_all = "camelCase")]
pub struct RespondRedirect {
    /// A path on the same host, such as `/new`; with `allowExternal` any `http` or `https` URL. It is sent as
    /// written. Required.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// One of 301, 302, 303, 307 and 308. Default: 301.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = [301, 302, 303, 307, 308], "default" = 301)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u64>,
    /// `true` permits an address on another host. Only `true` may be written.
    #[cfg_attr(feature = "schema", schemars(extend("const" = true)))]
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

/// A page shown instead of one of the proxy's own error messages.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("required" = ["body", "contentType"])))]
#[serde(rename_all = "camelCase")]
pub struct ErrorPage {
    /// The page. Required.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Its type, such as `text/html; charset=utf-8`. Required.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// Further headers of the answer, name to value.
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
