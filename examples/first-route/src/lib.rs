//! The Worker of the README, compiled so that it stays true.

use jouska::{Handled, Router, Source};
use worker::{Context, Env, Response, Result, console_error, event};

thread_local! {
    static ROUTER: Router = Router::from_source(Source::kv("CONFIG", "routes"))
        .on_reload_error(|error| console_error!("{error}"));
}

#[event(fetch)]
async fn fetch(request: web_sys::Request, env: Env, context: Context) -> Result<web_sys::Response> {
    let router = ROUTER.with(Router::clone);
    match router.handle(request, &env, &context).await {
        Ok(Handled::Answered(response)) => Ok(response),
        // No route took it: the request comes back as it was, for routes of your own.
        Ok(Handled::FellThrough(_)) => Response::error("not found", 404).map(Into::into),
        Err(_) => Response::error("no route table", 503).map(Into::into),
    }
}
