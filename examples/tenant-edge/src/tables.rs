//! Both systems together: the host says which tenant, and the tenant's own route table says where its requests go.

use std::{cell::RefCell, collections::BTreeMap};

use jouska::{
    Handled, Router, Source, WorkersPlatform,
    matching::Subject,
    message::RequestHead,
    tenant::{self, Bindings, Domains, KeyValue, Lookup, TenantId},
};
use worker::{Context, Env, Response, Result, console_error};

thread_local! {
    // One router for each tenant this isolate has served lately: its table, and what it learned of the tenant's upstreams.
    static ROUTERS: RefCell<BTreeMap<TenantId, Router>> = RefCell::default();
}

/// Serves a request by the table under `routes:<tenant>` of the KV namespace `CONFIG`.
pub(crate) async fn serve<K: KeyValue + Clone + 'static, D: Domains>(
    bindings: &Bindings<'_, K, D>,
    head: &RequestHead,
    platform: &WorkersPlatform,
    env: &Env,
    context: &Context,
) -> Result<web_sys::Response> {
    let subject = Subject::new(head);
    if tenant::is_internal(&subject) {
        return nothing();
    }
    let tenant = match tenant::resolve(&subject, bindings, platform).await {
        Lookup::Tenant(tenant) => tenant,
        Lookup::Nobody(_) => return nothing(),
        Lookup::Failed(failure) => return unavailable(&failure.to_string()),
    };
    let request = Clone::clone(platform.request());
    match router(&tenant).handle(request, env, context).await {
        Ok(Handled::Answered(response)) => Ok(response),
        Ok(Handled::FellThrough(_)) => nothing(),
        Err(error) => unavailable(&error.to_string()),
    }
}

fn router(tenant: &TenantId) -> Router {
    ROUTERS.with_borrow_mut(|routers| {
        if routers.len() >= MOST_ROUTERS && !routers.contains_key(tenant) {
            routers.clear();
        }
        let made = || Router::from_source(Source::kv("CONFIG", format!("routes:{tenant}")));
        routers.entry(tenant.clone()).or_insert_with(made).clone()
    })
}

/// So many tables an isolate keeps; a table that is needed again is read again.
const MOST_ROUTERS: usize = 200;

fn nothing() -> Result<web_sys::Response> {
    Response::error("there is nothing at this address", 404).map(Into::into)
}

fn unavailable(why: &str) -> Result<web_sys::Response> {
    console_error!("{why}");
    Response::error("this shop cannot be reached just now", 503).map(Into::into)
}
