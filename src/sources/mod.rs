//! Where a route table comes from, and how long one that was read is kept.

pub mod cached;
pub mod source;

pub use cached::ConfigCache;
pub use source::{Source, SourceError};
