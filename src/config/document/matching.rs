//! What a request must be for a route to take it.

use serde::Serialize;

use crate::config::reader::{Block, Members};

/// What a request must be. At least `host` or `path` is required.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Match {
    /// Host to match, without scheme and port. `*.example.com` takes subdomains, never the apex.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Path prefix on segment boundaries. `/x`, `/x/` and `/x/*` are one prefix and take `/x` itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Methods the route takes; every other falls through. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub methods: Option<Vec<String>>,
    /// Conditions on request headers; all must hold. At most 64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headers: Option<Vec<Condition>>,
    /// Conditions on query parameters; all must hold. At most 64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<Vec<Condition>>,
    /// Conditions on cookies; all must hold. At most 64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cookies: Option<Vec<Condition>>,
}

impl Block for Match {
    fn read(members: &mut Members<'_>) -> Self {
        Self {
            host: members.take("host"),
            path: members.take("path"),
            methods: members.take("methods"),
            headers: members.take("headers"),
            query: members.take("query"),
            cookies: members.take("cookies"),
        }
    }
}

/// One condition: a name and exactly one of the three operators. Values are case-sensitive.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// Name of the header (any case), query parameter or cookie.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Holds when the value is exactly this text, which may be empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equals: Option<String>,
    /// Holds when the value starts with this text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// `true` holds when the name is there at all, `false` when it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub present: Option<bool>,
}

impl Block for Condition {
    fn read(members: &mut Members<'_>) -> Self {
        Self {
            name: members.take("name"),
            equals: members.take("equals"),
            prefix: members.take("prefix"),
            present: members.take("present"),
        }
    }
}
