//! The route document: what it may be, what is said about it where it is not, and what is written about it.

mod arbitrary;
#[cfg(feature = "schema")]
mod bounds;
mod cases;
#[cfg(feature = "schema")]
mod generated;
mod messages;

use serde_json::Value;

/// A document that states every field there is.
fn everything() -> Value {
    serde_json::from_str(include_str!("../../../src/config/document/everything.json")).unwrap()
}
