//! Responses kept at the edge.
//!
//! What is kept is what the visitor gets, rewritten bytes included: a hit is served as it is, and a changed route asks
//! under another key. What may take part is decided in `policy`, under which key in `key`, for how long in
//! `freshness`; `entry` is what is written onto a stored copy, `lock` keeps a burst of misses from becoming a burst of
//! requests, and [`serve()`] is the flow.

mod entry;
mod freshness;
mod key;
mod lock;
mod policy;
mod serve;

pub use key::Variant;
pub use lock::Memory;
pub use policy::Policy;
pub use serve::{Asking, Failed, Filled, Served, Source, serve};
