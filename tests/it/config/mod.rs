//! The route document: what it may be, what is said about it where it is not, and what is written about it.

#[cfg(feature = "schema")]
mod generated;
