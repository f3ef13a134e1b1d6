//! The route table as a whole: what the blocks of a route may not say together, what identifies a route's stored
//! responses, and how two tables become one.

pub mod conflicts;
pub mod fingerprint;
pub mod merge;

pub use fingerprint::Fingerprint;
pub use merge::{MergeMode, Resolved, Unresolved, resolve_config};
