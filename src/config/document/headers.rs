//! Header rules.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::config::reader::{Block, Members};

/// Headers to write and headers to delete, in one direction. Values are literal.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct HeaderRules {
    /// Headers to write, name to value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<BTreeMap<String, String>>,
    /// Headers to delete, before any is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remove: Option<Vec<String>>,
}

impl Block for HeaderRules {
    fn read(members: &mut Members<'_>) -> Self {
        Self {
            set: members.take("set"),
            remove: members.take("remove"),
        }
    }
}
