//! The route document and everything that can be said about it before it is compiled.

pub mod bounds;
pub mod document;
pub mod header_rules;
pub mod issue;
pub mod path;
pub mod upstream;

pub use document::{CONFIG_VERSION, Document, RouteDocument};
pub use issue::{Code, Issue, Issues, Reported};
pub use path::Path;
