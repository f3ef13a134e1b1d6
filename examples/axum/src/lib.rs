//! An axum application behind a route table: what no route takes is the application's.

use axum::routing::get;
use jouska::{Router, Source};
use tower_layer::Layer;
use tower_service::Service;
use worker::{Context, Env, Response, Result, console_error, event};

thread_local! {
    static ROUTER: Router = Router::from_source(Source::variable("JOUSKA_CONFIG"))
        .on_reload_error(|error| console_error!("{error}"));
}

#[event(fetch)]
async fn fetch(request: web_sys::Request, env: Env, context: Context) -> Result<web_sys::Response> {
    let application = axum::Router::new()
        .route("/health", get(|| async { "ok" }))
        .route(
            "/greet/{name}",
            get(greet).post(|body: String| async { body }),
        );
    let mut service = ROUTER
        .with(|router| router.layer(env, context))
        .layer(application);
    match service.call(request).await {
        Ok(response) => Ok(response),
        // The reason is in the log; a visitor has no use for it.
        Err(_) => Response::error("no route table", 503).map(Into::into),
    }
}

async fn greet(axum::extract::Path(name): axum::extract::Path<String>) -> String {
    format!("Hello, {name}.")
}
