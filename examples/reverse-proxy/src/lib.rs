//! The reference Worker: a route table from KV or a variable, served by jouska.

use worker::{Context, Env, Response, Result, event};

#[event(fetch)]
async fn fetch(_request: worker::Request, _env: Env, _ctx: Context) -> Result<Response> {
    Response::error("not built yet", 501)
}
