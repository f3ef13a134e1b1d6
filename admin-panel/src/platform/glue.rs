//! The functions of `glue.js`. What can throw rejects a promise; nothing unwinds through the module.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(module = "/src/platform/glue.js")]
extern "C" {
    pub(super) fn batch(env: &JsValue, text: &str) -> js_sys::Promise;

    #[wasm_bindgen(js_name = readPublished)]
    pub(super) fn read_published(env: &JsValue) -> js_sys::Promise;

    #[wasm_bindgen(js_name = writePublished)]
    pub(super) fn write_published(env: &JsValue, text: &str) -> js_sys::Promise;

    #[wasm_bindgen(js_name = contextEmail)]
    pub(super) fn context_email(context: &JsValue) -> js_sys::Promise;

    #[wasm_bindgen(js_name = proxyStatus)]
    pub(super) fn proxy_status(env: &JsValue, path: &str, secret: &str) -> js_sys::Promise;

    #[wasm_bindgen(js_name = isBound)]
    pub(super) fn is_bound(env: &JsValue, name: &str) -> bool;
}
