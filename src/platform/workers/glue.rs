//! The functions of `glue.js`. What can throw is caught there or here; nothing unwinds through the module.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(module = "/src/platform/workers/glue.js")]
extern "C" {
    #[wasm_bindgen(js_name = readRequest)]
    pub(super) fn read_request(request: &web_sys::Request) -> String;

    #[wasm_bindgen(js_name = readResponse)]
    pub(super) fn read_response(response: &web_sys::Response) -> String;

    pub(super) fn install(
        settle: &Closure<dyn Fn(u32, bool, JsValue, Option<String>)>,
        forget: &Closure<dyn Fn(u32)>,
    );

    pub(super) fn settle(promise: &js_sys::Promise, id: u32);

    pub(super) fn sleep(id: u32, millis: f64) -> JsValue;

    #[wasm_bindgen(js_name = forgetTimer)]
    pub(super) fn forget_timer(timer: &JsValue);

    pub(super) fn call(
        id: u32,
        visitor: &web_sys::Request,
        head: &str,
        body: &JsValue,
        limit: f64,
        manual: bool,
        budget: f64,
        follow: bool,
        inherit: bool,
    );

    #[wasm_bindgen(catch)]
    pub(super) fn made(
        status: u16,
        edits: &str,
        body: &JsValue,
    ) -> Result<web_sys::Response, JsValue>;

    #[wasm_bindgen(catch)]
    pub(super) fn deliver(
        response: &web_sys::Response,
        edits: &str,
        status: u16,
        keep_body: bool,
    ) -> Result<web_sys::Response, JsValue>;

    #[wasm_bindgen(catch)]
    pub(super) fn edited(
        response: &web_sys::Response,
        edits: &str,
    ) -> Result<web_sys::Response, JsValue>;

    #[wasm_bindgen(js_name = atHand)]
    pub(super) fn at_hand(id: u32, response: &web_sys::Response, edits: &str, status: u16);

    #[wasm_bindgen(catch)]
    pub(super) fn relay(
        response: &web_sys::Response,
        edits: &str,
        status: u16,
        opened: &JsValue,
        visitor: &web_sys::Request,
        follow: bool,
        first_chunk: f64,
        idle: f64,
        transform: &JsValue,
        done: &JsValue,
        context: &JsValue,
    ) -> Result<web_sys::Response, JsValue>;

    pub(super) fn answer(resolve: &js_sys::Function, response: &JsValue);

    pub(super) fn discard(response: &web_sys::Response);

    #[wasm_bindgen(catch)]
    pub(super) fn tee(response: &web_sys::Response) -> Result<web_sys::Response, JsValue>;

    #[wasm_bindgen(catch, js_name = copyBody)]
    pub(super) fn copy_body(
        body: &web_sys::ReadableStream,
        limit: f64,
    ) -> Result<js_sys::Array, JsValue>;

    #[wasm_bindgen(js_name = readBody)]
    pub(super) fn read_body(request: &web_sys::Request, limit: f64) -> js_sys::Promise;

    #[wasm_bindgen(js_name = readText)]
    pub(super) fn read_text(
        response: &web_sys::Response,
        limit: f64,
        budget: f64,
    ) -> js_sys::Promise;

    #[wasm_bindgen(js_name = cacheLookup)]
    pub(super) fn cache_lookup(id: u32, key: &str);

    #[wasm_bindgen(js_name = cacheStore)]
    pub(super) fn cache_store(
        key: &str,
        response: &web_sys::Response,
        edits: &str,
    ) -> js_sys::Promise;

    pub(super) fn keep(response: &web_sys::Response) -> js_sys::Promise;

    #[wasm_bindgen(catch)]
    pub(super) fn remake(kept: &JsValue) -> Result<web_sys::Response, JsValue>;

    #[wasm_bindgen(js_name = withinLimit)]
    pub(super) fn within_limit(env: &JsValue, binding: &str, key: &str) -> js_sys::Promise;

    pub(super) fn secret(env: &JsValue, binding: &str) -> js_sys::Promise;

    #[wasm_bindgen(catch)]
    pub(super) fn variable(env: &JsValue, name: &str) -> Result<Option<String>, JsValue>;

    #[wasm_bindgen(js_name = readKey)]
    pub(super) fn read_key(
        env: &JsValue,
        binding: &str,
        key: &str,
        cache_ttl: f64,
    ) -> js_sys::Promise;

    pub(super) fn country(request: &web_sys::Request) -> Option<String>;

    pub(super) fn random(length: usize) -> js_sys::Uint8Array;

    pub(super) fn rs256(n: &str, e: &str, message: &[u8], signature: &[u8]) -> js_sys::Promise;
}
