//! One origin for all tenants, told by a header whose pages are wanted.

use std::rc::Rc;

use jouska::{
    WorkersPlatform,
    message::RequestHead,
    tenant::{self, Bindings, Breaker, Domains, Edge, EdgeSecret, KeyValue, Origin, Pages},
};
use worker::{Context, Env, Result};

thread_local! {
    // What this isolate has learned of the origin.
    static BREAKER: Rc<Breaker> = Rc::default();
}

/// Serves a request from the origin at `ORIGIN_URL`, or from a stored copy.
pub(crate) async fn serve<K: KeyValue + Clone + 'static, D: Domains>(
    bindings: &Bindings<'_, K, D>,
    head: &RequestHead,
    platform: &WorkersPlatform,
    _env: &Env,
    _context: &Context,
) -> Result<web_sys::Response> {
    let edge = Edge {
        origin: Origin::parse(platform.variable("ORIGIN_URL").as_deref()),
        secret: EdgeSecret::resolve(
            platform.variable("EDGE_SECRET").as_deref(),
            platform.variable("RATIO_LOCAL").as_deref(),
        ),
        pages: Pages::default(),
    };
    let breaker = BREAKER.with(Rc::clone);
    Ok(tenant::handle(&edge, &breaker, bindings, head, platform).await)
}
