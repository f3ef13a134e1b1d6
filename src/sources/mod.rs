//! Where a route table comes from, and how long one that was read is kept.

pub mod cached;
pub mod load;
pub mod source;
pub mod status;

pub use cached::ConfigCache;
pub use load::{Loaded, TableError, TableSource};
pub use source::{Source, SourceError};
pub use status::Status;

#[cfg(feature = "workers")]
pub(crate) use load::{Code, json};
