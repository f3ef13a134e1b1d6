//! The Worker that the conformance cases run against: the table in `JOUSKA_CONFIG`, an event as one line of the log,
//! and a handler of its own for what no route takes. A request with `x-jouska-test: memory` is asked of the Worker
//! itself: how many bytes of WebAssembly memory its isolate holds. With `copy` the Worker takes a copy of the answer and
//! sums it up in a line of the log.

use jouska::{Handled, Router, Source, TableError};
use wasm_bindgen::prelude::*;
use worker::{Context, Env, Result};

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

/// The Worker's handler.
#[wasm_bindgen]
pub fn fetch(
    request: web_sys::Request,
    env: Env,
    context: worker::worker_sys::Context,
) -> js_sys::Promise {
    let router = ROUTER.with(Router::clone);
    jouska::promise(async move {
        answer(&router, request, &env, &Context::new(context))
            .await
            .map(Into::into)
            .map_err(|error| JsValue::from_str(&error.to_string()))
    })
}

async fn answer(
    router: &Router,
    request: web_sys::Request,
    env: &Env,
    context: &Context,
) -> Result<web_sys::Response> {
    if asks(&request, "memory") {
        return worker::Response::from_json(&serde_json::json!({ "bytes": memory_bytes() }))
            .map(Into::into);
    }
    let copies = asks(&request, "copy");
    match router.handle(request, env, context).await {
        Ok(Handled::Answered(response)) => {
            if copies {
                let copy = response.clone()?;
                context.wait_until(sum_up(copy));
            }
            Ok(response)
        }
        Ok(Handled::FellThrough(_)) => own("fell through", 404, "x-fell-through"),
        Err(TableError::Invalid(invalid)) => own(
            &serde_json::json!({ "error": "config_invalid", "issues": invalid.issues }).to_string(),
            500,
            "x-config-invalid",
        ),
        Err(error) => own(&error.to_string(), 500, "x-config-unavailable"),
    }
}

/// Prints the length and the checksum of a body.
async fn sum_up(copy: web_sys::Response) {
    let Ok(bytes) = worker::Response::from(copy).bytes().await else {
        worker::console_log!("JOUSKA_COPY broken");
        return;
    };
    let sum = bytes.iter().fold(0_u32, |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(u32::from(*byte))
    });
    worker::console_log!("JOUSKA_COPY {} {sum}", bytes.len());
}

fn own(body: &str, status: u16, mark: &str) -> Result<web_sys::Response> {
    let response = worker::Response::ok(body)?.with_status(status);
    response.headers().set(mark, "1")?;
    Ok(response.into())
}

/// Whether a request is for the Worker itself.
fn asks(request: &web_sys::Request, what: &str) -> bool {
    let asked = request.headers().get("x-jouska-test");
    asked.is_ok_and(|asked| asked.as_deref() == Some(what))
}

/// How large the module's memory is. It only ever grows, so what a leak takes stays visible.
fn memory_bytes() -> Option<u32> {
    let memory: js_sys::WebAssembly::Memory = wasm_bindgen::memory().dyn_into().ok()?;
    let buffer: js_sys::ArrayBuffer = memory.buffer().dyn_into().ok()?;
    Some(buffer.byte_length())
}
