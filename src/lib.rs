//! A reverse proxy for Cloudflare Workers, driven by an ordered route table.

pub mod answer;
pub mod body;
pub mod cache;
pub mod config;
pub mod event;
pub mod forward;
pub mod hash;
pub mod headers;
pub mod matching;
pub mod message;
pub mod net;
pub mod outcome;
pub mod platform;
pub mod request_id;
pub mod sources;
pub mod time;
