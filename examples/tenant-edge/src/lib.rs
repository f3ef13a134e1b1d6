//! The tenant edge on Cloudflare: one Worker in front of many shops, which goes on showing their pages while their origin
//! is gone. What it decides is [`jouska::tenant`]'s; here it is given a store, a database, a log and a dataset.

mod bindings;
mod domains;
#[cfg(not(feature = "tables"))]
mod one_origin;
#[cfg(feature = "tables")]
mod tables;

use jouska::{
    WorkersPlatform,
    tenant::{Bindings, Dataset},
};
use worker::{Context, Env, Response, Result, event};

use bindings::{Analytics, Console, Tenants};
use domains::Database;
#[cfg(not(feature = "tables"))]
use one_origin::serve;
#[cfg(feature = "tables")]
use tables::serve;

#[event(fetch)]
async fn fetch(request: web_sys::Request, env: Env, context: Context) -> Result<web_sys::Response> {
    let platform = WorkersPlatform::new(request, &env, &context);
    let Some(head) = platform.head() else {
        return Response::error("the request has no http or https URL", 400).map(Into::into);
    };
    let (store, database, dataset) = (Tenants::of(&env), Database::of(&env), Analytics::of(&env));
    let bindings = Bindings {
        store: store.as_ref(),
        domains: &database,
        log: &Console,
        dataset: dataset.as_ref().map(|dataset| dataset as &dyn Dataset),
    };
    serve(&bindings, &head, &platform, &env, &context).await
}
