//! The reference Worker: a route table from KV or a variable, served by jouska.
//!
//! The table is read from the key `routes` of the KV namespace bound as `CONFIG`, or else from the variable
//! `JOUSKA_CONFIG`, and kept for a minute in each isolate.

mod observability;

use jouska::{Handled, Router, Source};
use wasm_bindgen::prelude::*;
use worker::{Context, Env, Response, Result, console_error};

thread_local! {
    // One router per isolate: the table it read and what it learned about upstreams live as long as the isolate does.
    static ROUTER: Router = Router::from_source(Source::first_available([
        Source::kv("CONFIG", "routes"),
        Source::variable("JOUSKA_CONFIG"),
    ]))
    .on_reload_error(|error| console_error!("{error}"))
    .on_proxy(observability::report)
    // The admin panel asks what is served here, where both know the secret.
    .status_secret("STATUS_SECRET");
}

/// The Worker's handler. It is exported without a macro around it, which saves the runtime some work for each request;
/// `#[event(fetch)]` does as well.
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
    match router.handle(request, env, context).await {
        Ok(Handled::Answered(response)) => Ok(response),
        // Routes of your own go here.
        Ok(Handled::FellThrough(_)) => refused("no route takes this request", 404, env),
        // The reason is in the log; a visitor has no use for it.
        Err(_) => refused("the route table is not available", 503, env),
    }
}

/// An answer of this Worker's own. It names the build, where the deployment gave it a name in `BUILD_ID`.
fn refused(text: &str, status: u16, env: &Env) -> Result<web_sys::Response> {
    let response = Response::error(text, status)?;
    if let Ok(build) = env.var("BUILD_ID") {
        // A name that no header can hold is none; the answer matters more.
        let _ = response.headers().set("x-jouska-build", &build.to_string());
    }
    Ok(response.into())
}
