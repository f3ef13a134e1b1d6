//! What an isolate remembers between requests: one plain value, owned by the entry.

use crate::domains::Seen;

/// What an isolate remembers.
#[derive(Debug, Default)]
pub(crate) struct Isolate {
    /// Host names that were found lately.
    pub(crate) domains: Seen,
}
