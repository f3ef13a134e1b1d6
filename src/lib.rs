//! A reverse proxy for Cloudflare Workers, driven by an ordered route table.
//!
//! An ordered table maps requests to upstreams; what comes back is rewritten so that the visitor never leaves the proxy:
//! redirects, cookies and links in pages point back at the proxy's own host. The table is data, JSON that can be edited
//! while the Worker runs, and every request it takes ends in one [`ProxyEvent`].
//!
//! In a Worker, [`Router`] is all one needs; `examples/reverse-proxy` is a whole one.
//!
//! # The core
//!
//! Everything is decided by a core that knows no platform, and that compiles and runs on any host
//! (`default-features = false`). Tools read, check and explain tables with it:
//!
//! ```
//! use http::{HeaderMap, Method};
//! use jouska::{
//!     matching::Subject,
//!     message::{RequestHead, RequestUrl},
//!     table,
//! };
//!
//! let compiled = table::compile_text(
//!     r#"{
//!         "routes": [
//!             { "id": "api", "match": { "path": "/api" }, "upstream": "api.example.net", "stripPrefix": true },
//!             { "id": "site", "match": { "host": "*.example.com" }, "upstream": "origin.example.net" }
//!         ]
//!     }"#,
//! )
//! .unwrap();
//!
//! let head = RequestHead {
//!     method: Method::GET,
//!     url: RequestUrl::parse("https://www.example.com/%61pi/items").unwrap(),
//!     headers: HeaderMap::new(),
//!     has_body: false,
//! };
//! let route = compiled.table.find(&Subject::new(&head)).unwrap();
//! assert_eq!(route.label(), "api", "every spelling of a path is taken by the route that guards it");
//!
//! let refused = table::compile_text(r#"{ "routes": [{ "match": { "path": "/" }, "upstream": "https://a.example" }] }"#);
//! assert_eq!(refused.unwrap_err().issues[0].path, "routes[0].upstream");
//! ```
//!
//! # Features
//!
//! | feature | default | what for |
//! | --- | --- | --- |
//! | `workers` | yes | the adapter over the `worker` crate |
//! | `tower` | no | the router as a `tower` layer, for axum applications |
//! | `schema` | no | JSON Schema and reference page of the route document |
//! | `test-util` | no | [`platform::fake`]: scripted upstreams and a clock that jumps |
#![cfg_attr(
    not(all(feature = "workers", feature = "test-util")),
    allow(
        rustdoc::broken_intra_doc_links,
        reason = "links lead to what a feature brings"
    )
)]

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
mod order;
pub mod outcome;
pub mod pipeline;
pub mod platform;
pub mod request_id;
pub mod rewrite;
pub mod sources;
pub mod table;
pub mod tenant;
pub mod time;

pub use config::ConfigError;
pub use event::ProxyEvent;
#[cfg(feature = "workers")]
pub use platform::workers::{Handled, ResponseCache, Router, Unread, WorkersPlatform, promise};
#[cfg(feature = "tower")]
pub use platform::workers::{Routed, RoutedError, RouterLayer};
pub use sources::{Source, TableError};
pub use table::RouteTable;
