//! A reverse proxy for Cloudflare Workers, driven by an ordered route table.

pub mod body;
pub mod config;
pub mod event;
pub mod hash;
pub mod headers;
pub mod message;
pub mod net;
pub mod outcome;
pub mod platform;
pub mod rewrite;
pub mod sources;
pub mod time;
