//! Cloudflare's Cache API as a store of responses.

use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;

use super::{WorkersPlatform, glue, head};
use crate::{
    headers::HeaderEdits,
    platform::{Fetched, ResponseStore},
};

impl ResponseStore for WorkersPlatform {
    async fn lookup(&self, key: &str) -> Option<Fetched<Self::Response>> {
        let response: web_sys::Response = JsFuture::from(glue::cache_lookup(key))
            .await
            .ok()?
            .dyn_into()
            .ok()?;
        let (head, has_body) = head::response(&glue::read_response(&response))?;
        Some(Fetched {
            head,
            has_body,
            response,
        })
    }

    async fn store(&self, key: &str, response: Self::Response, edits: HeaderEdits) -> bool {
        JsFuture::from(glue::cache_store(key, &response, &head::edits(&edits)))
            .await
            .is_ok_and(|stored| stored.is_truthy())
    }
}
