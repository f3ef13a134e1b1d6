//! What an isolate remembers between requests, as one plain value. An empty one is always right: it only knows less.

use crate::{cache, forward, guards};

/// Each stage's memory. Owned by whoever owns the isolate; nothing in the core is static.
#[derive(Debug, Default)]
pub struct Isolate {
    /// Failed candidates, retries made, requests waiting for headers.
    pub forward: forward::Memory,
    /// Who fetches for whom.
    pub cache: cache::Memory,
    /// Keys that tokens are verified with.
    pub guards: guards::Memory,
}
