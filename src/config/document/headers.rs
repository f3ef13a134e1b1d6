//! Header rules.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::config::reader::{Block, Members};

/// Headers to delete and to write, in this order, for one direction. Names that the proxy itself is responsible for
/// are refused, each with the reason; so is a name on both lists.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct HeaderRules {
    /// Headers to write, name to value; they replace what is there. Values are sent as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<BTreeMap<String, String>>,
    /// Names of headers to delete.
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
