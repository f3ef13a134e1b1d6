//! An operator's header rules for one direction: delete, then write.

use http::{HeaderName, HeaderValue};

use super::HeaderEdits;

/// Compiled `requestHeaders` or `responseHeaders`.
///
/// A name stands on one side only, so the order cannot be observed today; "clear it, then write it" is the reading
/// that stays right should that ever change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rules {
    /// Names whose every value goes.
    pub remove: Vec<HeaderName>,
    /// Values that replace every other under their name.
    pub set: Vec<(HeaderName, HeaderValue)>,
}

impl Rules {
    /// Adds what the rules change.
    pub fn write(&self, edits: &mut HeaderEdits) {
        for name in &self.remove {
            edits.remove(name.clone());
        }
        for (name, value) in &self.set {
            edits.set(name.clone(), value.clone());
        }
    }
}
