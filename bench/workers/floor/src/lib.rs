//! What a Rust Worker costs before it does anything: one call into JavaScript, which does all the work, and one await.

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::JsFuture;
use worker::{Context, Env, Error, Result, event};

#[wasm_bindgen]
extern "C" {
    /// The work, a global function that the module around this one defines.
    fn work(
        request: &web_sys::Request,
        env: &wasm_bindgen::JsValue,
        context: &wasm_bindgen::JsValue,
    ) -> js_sys::Promise;
}

#[event(fetch)]
async fn fetch(request: web_sys::Request, env: Env, context: Context) -> Result<web_sys::Response> {
    JsFuture::from(work(&request, env.as_ref(), context.as_ref()))
        .await?
        .dyn_into()
        .map_err(|_| Error::RustError("the work gave no response".to_owned()))
}
