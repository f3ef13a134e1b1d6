//! What lives in a Cloudflare account: the resources the two Workers share, and the steps that deploy them.
//!
//! `wrangler` does everything there. What it is asked, and what its answers mean, are plain functions with tables of tests; the steps
//! around them are tried with a stub in its place.

mod config;
mod database;
pub(crate) mod deploy;
mod github;
mod listing;
mod probe;
pub(crate) mod reset;
pub(crate) mod setup;
mod window;
mod wrangler;

/// The panel's database.
const DATABASE: &str = "jouska-admin";
/// The namespace that the panel writes and the proxy reads, by the name the panel binds it under.
const NAMESPACE: &str = "CONFIG_KV";
/// The panel's wrangler file, relative to the root.
const PANEL_FILE: &str = "admin-panel/wrangler.toml";
/// The proxy's wrangler file, relative to the root.
const PROXY_FILE: &str = "wrangler.toml";
