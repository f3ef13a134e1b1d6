//! The tenant edge: a front for many shops with hosts of their own and one origin, which goes on showing their pages
//! while that origin is gone.
//!
//! It is a second system beside the route table, and the two do not know each other. Everything here is portable: a
//! platform hands in its store, its database, its cache, its fetch and its clock as traits, and [`handle()`] is all it
//! calls. `examples/tenant-edge` does so on Cloudflare.
//!
//! ```
//! use std::time::Duration;
//! use jouska::tenant::{self, KeyValue, Lookup};
//! # #[cfg(feature = "test-util")]
//! # {
//! use jouska::{platform::fake::{Script, Visit, World}, time::Timestamp};
//! # use jouska::message::{RequestHead, RequestUrl};
//!
//! /// A store that knows one host.
//! #[derive(Clone)]
//! struct Store;
//!
//! impl KeyValue for Store {
//!     async fn read(&self, key: &str) -> Result<Option<String>, String> {
//!         Ok((key == "host:shop.example.com").then(|| r#"{"t":"t_shop"}"#.to_owned()))
//!     }
//!     async fn write(&self, _: &str, _: &str, _: Duration) -> Result<(), String> {
//!         Ok(())
//!     }
//! }
//!
//! /// A database that knows none.
//! struct Nobody;
//!
//! impl tenant::Domains for Nobody {
//!     async fn verified_tenant(&self, _: &str) -> Result<Option<String>, String> {
//!         Ok(None)
//!     }
//! }
//!
//! let world = World::new(Timestamp::from_millis(0), Box::new(|_| Script::Refuse));
//! # let head = RequestHead { method: http::Method::GET, url: RequestUrl::parse("https://shop.example.com/").unwrap(), headers: http::HeaderMap::new(), has_body: false };
//! let platform = world.visit(Visit { head, body: Vec::new(), country: None, leaves_at: None });
//! let found = world.run(Duration::from_secs(1), async move {
//!     tenant::lookup("shop.example.com", Some(&Store), &Nobody, &platform).await
//! });
//! assert!(matches!(found, Some(Lookup::Tenant(tenant)) if tenant.as_str() == "t_shop"));
//! # }
//! ```
#![allow(
    async_fn_in_trait,
    reason = "an isolate is one thread, so callers never need these futures to be Send"
)]

mod allowlist;
mod breaker;
mod copy;
mod event;
mod failure_page;
mod handle;
mod host;
mod lookup;
mod origin;
mod outside;
mod secret;
mod serve;
#[cfg(test)]
mod testing;
mod trusted;

pub use allowlist::PUBLIC;
pub use breaker::{Admission, Attempt, Breaker, FAILURES, OPEN_FOR};
pub use copy::{Freshness, NotStored, judge, storable};
pub use event::{Access, NOBODY, Point};
pub use failure_page::{POLICY, Pages};
pub use handle::{Edge, Unavailable, handle, is_internal, resolve};
pub use host::{host, store_override};
pub use lookup::{
    KNOWN_FOR, LOOKUP_BUDGET, Lookup, LookupFailure, NOBODYS_FOR, Nobody, TenantId, key, lookup,
};
pub use origin::{NoOrigin, Origin};
pub use outside::{Bindings, Dataset, Domains, KeyValue, Log};
pub use secret::{EdgeSecret, LOCAL_SECRET, NoSecret};
pub use serve::{NotServed, Served};
pub use trusted::{Kind, READ_BUDGET, WRITE_BUDGET, X_EDGE_AUTH, X_RATIO_TENANT};
