//! The route document and everything that can be said about it before it is compiled.

pub mod bounds;
mod by_route;
pub mod caps;
pub mod defaults;
mod digest;
pub mod document;
pub mod header_rules;
pub mod issue;
mod json;
mod nearest;
pub mod origin;
pub mod parse;
pub mod path;
pub mod presets;
mod reader;
#[cfg(feature = "schema")]
pub mod reference;
#[cfg(feature = "schema")]
pub mod schema;
mod syntax;
mod text;
pub mod upstream;
mod wording;

pub(crate) use by_route::{ByRoute, Routes, read_by_route};
pub use digest::digest;
pub use document::{CONFIG_VERSION, Document, MAX_ROUTES, RouteDocument};
pub use issue::{Code, Issue, Issues, Position, Reported};
pub use origin::Origin;
pub use parse::{ConfigError, Parsed, Reading, Warning, parse, parse_value, read, read_value};
pub use path::Path;
