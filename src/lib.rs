//! A reverse proxy for Cloudflare Workers, driven by an ordered route table.

pub mod answer;
pub mod body;
pub mod cache;
pub mod config;
pub mod crypto;
pub mod event;
pub mod forward;
pub mod guards;
pub mod hash;
pub mod headers;
pub mod isolate;
pub mod matching;
pub mod message;
pub mod mirror;
pub mod net;
pub mod outcome;
pub mod pipeline;
pub mod platform;
pub mod request_id;
pub mod rewrite;
pub mod sources;
pub mod table;
pub mod time;

pub use config::ConfigError;
pub use event::ProxyEvent;
#[cfg(feature = "workers")]
pub use platform::workers::{Handled, Router, TableError, WorkersPlatform};
pub use sources::Source;
pub use table::RouteTable;
