//! Bodies are the platform's: opaque streams. What the core has to say about one is said here: how long it may be
//! silent, what is to be made of its bytes, and who wants to know how it ended.

pub mod pending;
pub mod watch;

pub use pending::{Pending, Settle, pending};
pub use watch::StreamWatch;

/// Something that turns the bytes of a body into other bytes, a chunk at a time.
///
/// Where the chunks are cut must not change the result. A transform cannot fail: one that cannot go on passes the
/// rest through.
pub trait Transform {
    /// Takes the next chunk and appends what is ready to `out`, which may be nothing.
    fn push(&mut self, chunk: &[u8], out: &mut Vec<u8>);

    /// Says that no chunk follows; appends what was held back.
    fn finish(self: Box<Self>, out: &mut Vec<u8>);
}

/// What is to happen to a response's body on its way to the visitor.
pub struct Relay {
    /// Deadlines on the upstream's bytes, and who hears how it ended.
    pub watch: StreamWatch,
    /// What the bytes are turned into; `None` leaves them alone, so that a platform need not look at them.
    pub transform: Option<Box<dyn Transform>>,
    /// Whether a visitor who leaves ends it, at once and whatever the upstream is doing. What is stored too goes on.
    pub follow_visitor: bool,
}

impl std::fmt::Debug for Relay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Relay")
            .field("watch", &self.watch)
            .field("transform", &self.transform.is_some())
            .field("follow_visitor", &self.follow_visitor)
            .finish()
    }
}
