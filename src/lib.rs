//! A reverse proxy for Cloudflare Workers, driven by an ordered route table.
