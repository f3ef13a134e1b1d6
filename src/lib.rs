//! A reverse proxy for Cloudflare Workers, driven by an ordered route table.

pub mod body;
pub mod config;
pub mod crypto;
pub mod guards;
pub mod hash;
pub mod headers;
pub mod message;
pub mod net;
pub mod outcome;
pub mod platform;
pub mod time;
