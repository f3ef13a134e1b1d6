//! From a draft to a document, and everything that can be said about it before it is published.

mod compile;
mod dangers;
mod diff;
mod snapshot;
mod warnings;

pub(crate) use compile::{Issue, Part, Refusal};
pub(crate) use dangers::Dangers;
pub(crate) use diff::diff;
pub(crate) use snapshot::{Broken, Routes, Snapshot, rows};

use serde_json::{Value, json};

use crate::exchange::Body;
use warnings::Warnings;

/// A draft that compiles.
#[derive(Debug)]
pub(crate) struct Compiled {
    /// The document, without `meta`.
    pub(crate) document: Value,
    /// The same as text.
    pub(crate) text: String,
    pub(crate) digest: String,
    pub(crate) route_count: usize,
    pub(crate) dangers: Dangers,
    pub(crate) warnings: Warnings,
}

impl Compiled {
    /// What a person should know before it is published.
    pub(crate) fn advice(&self) -> Body {
        self.dangers.told().with_all(self.warnings())
    }

    /// The warnings alone, as the audit log keeps them.
    pub(crate) fn warnings(&self) -> Value {
        json!(self.warnings)
    }
}
