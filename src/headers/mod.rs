//! Headers: what never travels, what may not be touched, and how changes to a message are written down.

pub mod alias;
pub mod cache_control;
pub mod combined;
pub mod cookie;
pub mod edits;
pub mod hop_by_hop;
pub mod media_type;
pub mod names;
pub mod outgoing;
pub mod reserved;
pub mod rules;
pub mod words;

pub use combined::combined;
pub use edits::{Edit, HeaderEdits};
pub use rules::Rules;
pub use words::words;
