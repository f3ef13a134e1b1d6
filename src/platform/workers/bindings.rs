//! What a deployment binds into the Worker, and what the edge knows about a visitor.

use std::time::Duration;

use wasm_bindgen::JsCast;

use super::{WorkersPlatform, glue, task::Waiting};
use crate::platform::{
    Documents, MissingBinding, RateLimit, RsaKey, Secrets, SignatureCheck, Visitor,
};

impl Visitor for WorkersPlatform {
    fn country(&self) -> Option<String> {
        glue::country(&self.inner.request)
    }
}

impl RateLimit for WorkersPlatform {
    async fn within_limit(&self, binding: &str, key: &str) -> Result<bool, MissingBinding> {
        Waiting::promise(glue::within_limit(&self.inner.env, binding, key))
            .await
            .ok()
            .and_then(|within| within.as_bool())
            .ok_or(MissingBinding)
    }
}

impl Secrets for WorkersPlatform {
    async fn secret(&self, binding: &str) -> Option<String> {
        Waiting::promise(glue::secret(&self.inner.env, binding))
            .await
            .ok()?
            .as_string()
    }
}

impl SignatureCheck for WorkersPlatform {
    async fn rs256(&self, key: &RsaKey, message: &[u8], signature: &[u8]) -> bool {
        Waiting::promise(glue::rs256(&key.n, &key.e, message, signature))
            .await
            .is_ok_and(|holds| holds.is_truthy())
    }
}

impl Documents for WorkersPlatform {
    async fn read_key(
        &self,
        binding: &str,
        key: &str,
        cache_ttl: Option<Duration>,
    ) -> Result<Option<String>, String> {
        let ttl = cache_ttl.map_or(-1.0, |ttl| ttl.as_secs_f64());
        Waiting::promise(glue::read_key(&self.inner.env, binding, key, ttl))
            .await
            .map(|text| text.as_string())
            .map_err(|error| {
                error.dyn_into::<js_sys::Error>().map_or_else(
                    |other| format!("{other:?}"),
                    |error| String::from(error.message()),
                )
            })
    }

    fn variable(&self, name: &str) -> Option<String> {
        glue::variable(&self.inner.env, name).ok().flatten()
    }
}
