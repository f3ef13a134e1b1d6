//! What every request passes, in order.

use std::rc::Rc;

use http::Method;

use crate::{
    api::{self, Api},
    exchange::{ErrorCode, Outcome, Refused, Reply, same_origin, secured},
    identity::admit,
    mcp,
    visit::Visit,
};

/// Answers a request: this is the one place that answers leave by.
pub(crate) async fn answer(visit: Rc<Visit>, api: &Api) -> Reply {
    let outside = Rc::clone(&visit.outside);
    let is_head = visit.head.method == Method::HEAD;
    let reply = match route(visit, api).await {
        Ok(reply) => reply,
        Err(refused) => {
            if let Some(line) = &refused.logged {
                outside.complain(line);
            }
            refused.reply()
        }
    };
    let mut reply = secured(reply);
    if is_head {
        reply.body.clear();
    }
    reply
}

async fn route(visit: Rc<Visit>, api: &Api) -> Outcome {
    let method = visit.head.method.clone();
    let reads = matches!(method, Method::GET | Method::HEAD);
    let path = visit.head.url.path().to_owned();
    if reads && path == "/api/health" {
        return Ok(api::health(&visit));
    }
    if path == "/mcp" {
        return mcp::endpoint(&visit).await;
    }
    if !is_api(&path) {
        // The user interface's own files are served without this Worker.
        return Err(nowhere());
    }
    if !reads {
        // Before anybody is asked who they are: a page elsewhere must not learn even that.
        let own = visit.head.url.as_str();
        same_origin(&visit.head.headers, own, visit.config.panel_url.as_ref())?;
    }
    match (path.as_str(), &method) {
        ("/api/auth/me", _) if reads => return api::me(&visit).await,
        ("/api/auth/logout", &Method::POST) => return Ok(api::logout(&visit)),
        _ => {}
    }
    let caller = admit(&visit).await?.or_refuse()?;
    api.answer(visit, caller).await
}

fn is_api(path: &str) -> bool {
    path == "/api" || path.starts_with("/api/")
}

fn nowhere() -> Refused {
    Refused::because(ErrorCode::NotFound, "there is nothing here")
}
