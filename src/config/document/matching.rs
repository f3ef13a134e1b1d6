//! What a request must be for a route to take it.

use serde::Serialize;

use crate::config::reader::{Block, Members};

/// What a request must be for a route to take it. Everything given has to hold; `host` or `path` is required.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Match {
    /// Host, without scheme and port; any letter case. `*.example.com` takes every host below `example.com`, and
    /// not `example.com` itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Beginning of the path, by whole segments: `/x` takes `/x` and `/x/y`, not `/xy`. `/x/` and `/x/*` mean the
    /// same as `/x`. Letter case counts. Percent-encoded and otherwise disguised spellings of the path are
    /// recognised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Methods the route takes, in any letter case; a request with another one goes on to the next route. At least
    /// one. Default: all.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub methods: Option<Vec<String>>,
    /// Conditions on request headers. At most 64.
    #[cfg_attr(feature = "schema", schemars(length(max = 64)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headers: Option<Vec<Condition>>,
    /// Conditions on query parameters. At most 64.
    #[cfg_attr(feature = "schema", schemars(length(max = 64)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<Vec<Condition>>,
    /// Conditions on cookies. At most 64.
    #[cfg_attr(feature = "schema", schemars(length(max = 64)))]
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

/// A condition: a name and exactly one of `equals`, `prefix` and `present`. Where a name occurs several times, a
/// header counts with all its values joined, a parameter or cookie with its first. Anybody can send such a value,
/// so a condition directs traffic and protects nothing.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("required" = ["name"])))]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// Name of the header, in any letter case, or of the query parameter or cookie, whose letter case counts.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Holds where the value is exactly this text, which may be empty. Letter case counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equals: Option<String>,
    /// Holds where the value starts with this text of at least one character. Letter case counts.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// `true` holds where the name is there, be it without a value; `false` holds where it is not.
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
