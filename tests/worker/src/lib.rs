//! The Worker that the conformance cases run against: the table in `JOUSKA_CONFIG`, an event as one line of the log,
//! and a handler of its own for what no route takes. A request with `x-jouska-test: memory` is asked of the Worker
//! itself: how many bytes of WebAssembly memory its isolate holds.

use jouska::{Handled, Router, Source, TableError};
use wasm_bindgen::JsCast;
use worker::{Context, Env, Result, event};

thread_local! {
    static ROUTER: Router = Router::from_source(Source::variable("JOUSKA_CONFIG"))
        .on_proxy(|event, request| {
            request.run_behind(async move {
                if let Ok(line) = serde_json::to_string(&event.settled().await) {
                    worker::console_log!("JOUSKA_EVENT {line}");
                }
            });
        });
}

#[event(fetch)]
async fn fetch(request: web_sys::Request, env: Env, context: Context) -> Result<web_sys::Response> {
    if is_about_memory(&request) {
        return worker::Response::from_json(&serde_json::json!({ "bytes": memory_bytes() }))
            .map(Into::into);
    }
    let router = ROUTER.with(Router::clone);
    match router.handle(request, &env, &context).await {
        Ok(Handled::Answered(response)) => Ok(response),
        Ok(Handled::FellThrough(_)) => own("fell through", 404, "x-fell-through"),
        Err(TableError::Invalid(invalid)) => own(
            &serde_json::json!({ "error": "config_invalid", "issues": invalid.issues }).to_string(),
            500,
            "x-config-invalid",
        ),
        Err(error) => own(&error.to_string(), 500, "x-config-unavailable"),
    }
}

fn own(body: &str, status: u16, mark: &str) -> Result<web_sys::Response> {
    let response = worker::Response::ok(body)?.with_status(status);
    response.headers().set(mark, "1")?;
    Ok(response.into())
}

fn is_about_memory(request: &web_sys::Request) -> bool {
    let asked = request.headers().get("x-jouska-test");
    asked.is_ok_and(|asked| asked.as_deref() == Some("memory"))
}

/// How large the module's memory is. It only ever grows, so what a leak takes stays visible.
fn memory_bytes() -> Option<u32> {
    let memory: js_sys::WebAssembly::Memory = wasm_bindgen::memory().dyn_into().ok()?;
    let buffer: js_sys::ArrayBuffer = memory.buffer().dyn_into().ok()?;
    Some(buffer.byte_length())
}
