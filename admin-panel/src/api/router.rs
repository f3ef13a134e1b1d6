//! Which handler answers which path, and what each of them demands of the caller.

use std::{future::Future, pin::Pin, rc::Rc};

use axum::{
    RequestExt, Router,
    body::Body,
    extract::{RawPathParams, Request},
    response::Response,
    routing::{delete, get, patch, post, put},
};
use http::Method;
use tower_service::Service;
use worker::send::{SendFuture, SendWrapper};

use super::{
    Call, audit, defaults, discard, domains, explain, live, meta, order, preview, publish,
    revisions, routes, tokens, transfer, users,
};
use crate::{
    exchange::{ErrorCode, Input, Outcome, Refused},
    identity::{Caller, Role},
    limits,
    visit::Visit,
};

/// The table of handlers, made once for an isolate.
#[derive(Clone, Debug)]
pub(crate) struct Api(Router);

/// A request that was let in, on its way to its handler. Axum asks for what can be sent between threads, of which an
/// isolate has one.
#[derive(Clone)]
struct Admitted(SendWrapper<(Rc<Visit>, Caller)>);

/// What a handler demands of the caller, and how much it reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Demand {
    /// Anybody who is signed in.
    SignedIn,
    /// An admin.
    Admin,
    /// An admin, with a body that may hold a whole document.
    AdminWithDocument,
}

/// All paths below `/api` that take a caller.
pub(crate) fn router() -> Api {
    use Demand::{Admin, AdminWithDocument, SignedIn};
    let router = Router::new()
        .route("/api/routes", get(on(SignedIn, routes::list)))
        .route(
            "/api/routes/{id}",
            put(on(Admin, routes::put)).delete(on(Admin, routes::delete)),
        )
        .route("/api/routes-order", put(on(Admin, order::put)))
        .route(
            "/api/defaults",
            get(on(SignedIn, defaults::get)).put(on(Admin, defaults::put)),
        )
        .route("/api/preview", get(on(SignedIn, preview::get)))
        .route("/api/publish", post(on(Admin, publish::post)))
        .route("/api/discard", post(on(Admin, discard::post)))
        .route("/api/revisions", get(on(SignedIn, revisions::list)))
        .route("/api/revisions/diff", get(on(SignedIn, revisions::compare)))
        .route("/api/revisions/rollback", post(on(Admin, revisions::back)))
        .route("/api/audit", get(on(SignedIn, audit::list)))
        .route("/api/domains", get(on(SignedIn, domains::get)))
        .route("/api/meta", get(on(SignedIn, meta::get)))
        .route("/api/schema", get(on(SignedIn, meta::schema_file)))
        .route("/api/explain", post(on(SignedIn, explain::post)))
        .route("/api/export", get(on(SignedIn, transfer::export)))
        .route("/api/import", post(on(AdminWithDocument, transfer::import)))
        .route("/api/live", get(on(SignedIn, live::get)))
        .route(
            "/api/users",
            get(on(Admin, users::list)).post(on(Admin, users::add)),
        )
        .route(
            "/api/users/{id}",
            patch(on(Admin, users::change)).delete(on(Admin, users::delete)),
        )
        .route(
            "/api/mcp-tokens",
            get(on(Admin, tokens::list)).post(on(Admin, tokens::create)),
        )
        .route("/api/mcp-tokens/{id}", delete(on(Admin, tokens::revoke)))
        .fallback(nothing)
        .method_not_allowed_fallback(nothing);
    Api(router)
}

impl Api {
    /// Has the request answered by its handler.
    pub(crate) async fn answer(&self, visit: Rc<Visit>, caller: Caller) -> Outcome {
        let mut request = http::Request::new(Body::empty());
        *request.method_mut() = visit.head.method.clone();
        // A path that is no URI is none of ours either.
        *request.uri_mut() = visit.head.url.path().parse().map_err(|_| nowhere())?;
        let admitted = Admitted(SendWrapper::new((visit, caller)));
        request.extensions_mut().insert(admitted);
        let mut router = self.0.clone();
        let response = match router.call(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        };
        response
            .into_parts()
            .0
            .extensions
            .remove::<Outcome>()
            .unwrap_or_else(|| Err(Refused::internal("a handler gave no answer")))
    }
}

/// A handler as axum takes it.
fn on<H, F>(demand: Demand, handler: H) -> impl Fn(Request) -> Answering + Clone + Send + Sync
where
    H: Fn(Call) -> F + Copy + Send + Sync + 'static,
    F: Future<Output = Outcome> + 'static,
{
    move |request| {
        SendFuture::new(Box::pin(async move {
            match call(demand, request).await {
                Ok(call) => handed_on(handler(call).await),
                Err(refused) => handed_on(Err(refused)),
            }
        }))
    }
}

type Answering = SendFuture<Pin<Box<dyn Future<Output = Response>>>>;

/// Looks at what the handler demands, then reads what was sent.
async fn call(demand: Demand, mut request: Request) -> Result<Call, Refused> {
    let id = match request.extract_parts::<RawPathParams>().await {
        Ok(named) => named.iter().next().map(|(_, name)| name.to_owned()),
        // It is no UTF-8, and whatever is looked up has another name.
        Err(_) => Some(char::REPLACEMENT_CHARACTER.to_string()),
    };
    let Some(Admitted(admitted)) = request.extensions_mut().remove() else {
        return Err(Refused::internal("a request came by without a caller"));
    };
    let (visit, caller) = admitted.0;
    if demand != Demand::SignedIn && caller.role != Role::Admin {
        return Err(Refused::because(
            ErrorCode::Forbidden,
            "this needs an admin",
        ));
    }
    let limit = match demand {
        Demand::SignedIn | Demand::Admin => limits::BODY,
        Demand::AdminWithDocument => limits::IMPORT,
    };
    let input = match visit.head.method {
        Method::GET | Method::HEAD => Input::default(),
        _ => visit.input(limit).await?,
    };
    Ok(Call {
        visit,
        caller,
        id: id.unwrap_or_default(),
        input,
    })
}

/// An answer on its way through axum, which has nothing to do with it.
fn handed_on(outcome: Outcome) -> Response {
    let mut response = Response::new(Body::empty());
    response.extensions_mut().insert(outcome);
    response
}

async fn nothing() -> Response {
    handed_on(Err(nowhere()))
}

fn nowhere() -> Refused {
    Refused::not_found("there is no such path, or not for this method")
}
