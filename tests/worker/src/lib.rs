//! The Worker that the conformance cases run against: the table in `JOUSKA_CONFIG`, an event as one line of the log,
//! and a handler of its own for what no route takes.

use jouska::{Handled, Router, Source, TableError};
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
