//! A Worker with routes of its own behind a route table: the one that docs/embedding.md shows.

use jouska::{Handled, Router, Source};
use worker::{Context, Env, Response, Result, console_error, console_log, event};

thread_local! {
    static ROUTER: Router = Router::from_source(Source::kv("CONFIG", "routes"))
        .on_reload_error(|error| console_error!("{error}"))
        .on_proxy(|event, _| {
            if let Ok(line) = serde_json::to_string(&event.facts) {
                console_log!("{line}");
            }
        });
}

#[event(fetch)]
async fn fetch(request: web_sys::Request, env: Env, context: Context) -> Result<web_sys::Response> {
    let router = ROUTER.with(Router::clone);
    match router.handle(request, &env, &context).await {
        Ok(Handled::Answered(response)) => Ok(response),
        Ok(Handled::FellThrough(request)) => own_routes(request.into(), env).await.map(Into::into),
        Err(_) => Response::error("no route table", 503).map(Into::into),
    }
}

async fn own_routes(request: worker::Request, env: Env) -> Result<Response> {
    worker::Router::new()
        .get("/health", |_, _| Response::ok("ok"))
        .run(request, env)
        .await
}
