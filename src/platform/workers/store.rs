//! Cloudflare's Cache API as a store of responses.

use futures_util::future::LocalBoxFuture;
use wasm_bindgen::{JsCast, JsValue};

use super::{
    WorkersPlatform, glue, head,
    task::{Settled, Waiting},
};
use crate::{
    headers::HeaderEdits,
    platform::{Fetched, ResponseStore, Shelf},
};

/// Something else than `caches.default` to store responses in; see [`Router::cache_impl`](super::Router::cache_impl).
///
/// Keys are absolute URLs. A store that fails is an empty one: it answers `None` or `false`.
pub trait ResponseCache {
    /// What is stored under `key`.
    fn lookup<'a>(&'a self, key: &'a str) -> LocalBoxFuture<'a, Option<web_sys::Response>>;

    /// Stores a response for as long as its `Cache-Control` says; resolves when its body has been read to the end.
    fn store<'a>(&'a self, key: &'a str, response: web_sys::Response) -> LocalBoxFuture<'a, bool>;
}

impl ResponseStore for WorkersPlatform {
    type Kept = JsValue;

    fn shelf(&self) -> Option<&Shelf<JsValue>> {
        self.inner.shelf.as_deref()
    }

    async fn keep(&self, response: Self::Response) -> Option<JsValue> {
        Waiting::promise(glue::keep(&response)).await.ok()
    }

    fn remake(&self, kept: &JsValue) -> Self::Response {
        glue::remake(kept).unwrap_or_else(|error| {
            worker::console_error!("a stored response could not be made: {error:?}");
            web_sys::Response::error()
        })
    }

    async fn lookup(&self, key: &str) -> Option<Fetched<Self::Response>> {
        let (response, head) = match &self.inner.store {
            Some(store) => {
                let response = store.lookup(key).await?;
                let head = glue::read_response(&response);
                (response, head)
            }
            None => {
                let waiting = Waiting::new();
                glue::cache_lookup(waiting.id(), key);
                let Settled { value, text } = waiting.await.ok()?;
                (value.unchecked_into(), text?)
            }
        };
        let (head, has_body) = head::response(head)?;
        Some(Fetched {
            head,
            has_body,
            response,
        })
    }

    async fn store(&self, key: &str, response: Self::Response, edits: HeaderEdits) -> bool {
        if let Some(store) = &self.inner.store {
            return match glue::deliver(&response, &head::edits(&edits), 0, true) {
                Ok(stamped) => store.store(key, stamped).await,
                Err(_) => false,
            };
        }
        Waiting::promise(glue::cache_store(key, &response, &head::edits(&edits)))
            .await
            .is_ok_and(|stored| stored.is_truthy())
    }
}
