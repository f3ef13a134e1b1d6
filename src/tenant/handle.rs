//! One request from beginning to end. Each step's place has a reason, which stands beside it.

use super::{
    Bindings, Breaker, Domains, EdgeSecret, KeyValue, Lookup, LookupFailure, NoOrigin, NoSecret,
    Nobody, NotServed, Origin, Pages, Served, TenantId,
    event::{self, Ending},
    host::{host, store_override},
    lookup::lookup,
    serve::{Errand, serve},
};
use crate::{
    answer,
    matching::Subject,
    message::{Answer, RequestHead},
    outcome::Failure,
    platform::{Background, Clock, Deliver, Random, ResponseStore},
    request_id::{self, RequestId},
};

/// What a deployment has set.
#[derive(Debug, Clone)]
pub struct Edge {
    /// Where pages come from.
    pub origin: Result<Origin, NoOrigin>,
    /// By what the origin knows the edge.
    pub secret: Result<EdgeSecret, NoSecret>,
    /// The edge's own pages.
    pub pages: Pages,
}

/// Why a visitor got the page that says so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    /// It is not known whose host it is.
    #[error(transparent)]
    Lookup(#[from] LookupFailure),
    /// There is no origin to ask.
    #[error(transparent)]
    Origin(#[from] NoOrigin),
    /// There is no secret to ask it with.
    #[error(transparent)]
    Secret(#[from] NoSecret),
    /// It was asked in vain, or not at all, and there is no copy.
    #[error(transparent)]
    NotServed(#[from] NotServed),
}

/// Answers a request, whatever happens, and tells of it once.
pub async fn handle<P, K, D>(
    edge: &Edge,
    breaker: &Breaker,
    bindings: &Bindings<'_, K, D>,
    head: &RequestHead,
    platform: &P,
) -> P::Response
where
    P: Clock + Random + Deliver + ResponseStore + Background + Clone + 'static,
    K: KeyValue + Clone + 'static,
    D: Domains,
{
    let started = platform.now();
    // First of all, because every answer carries it.
    let id = request_id::inbound_or_random(head, || platform.random());
    let subject = Subject::new(head);
    let (tenant, found) = find(edge, breaker, bindings, &subject, &id, platform).await;
    let (response, status, stale) = match found {
        Ok(Found::Page(served)) => (
            platform.deliver(served.delivery).await,
            served.status,
            served.stale,
        ),
        Ok(Found::Nothing) => own(edge.pages.unknown(&head.method, &id), platform),
        Err(Unavailable::NotServed(NotServed::VisitorLeft)) => {
            let failure = Failure::ClientClosed;
            let pages = answer::error_page::Policy::default();
            own(answer::failed(&failure, &pages, &head.method), platform)
        }
        Err(reason) => {
            bindings.log.trouble(&reason.to_string());
            own(edge.pages.unavailable(&head.method, &id), platform)
        }
    };
    let ending = Ending {
        tenant: tenant.as_ref(),
        status,
        stale,
        started,
        ended: platform.now(),
    };
    event::report(bindings, head, &ending);
    response
}

/// What there is for a request.
enum Found<R> {
    Page(Served<R>),
    Nothing,
}

/// Finds what there is, and whose host it is, which is known whatever comes of the rest.
async fn find<P, K, D>(
    edge: &Edge,
    breaker: &Breaker,
    bindings: &Bindings<'_, K, D>,
    subject: &Subject<'_>,
    id: &RequestId,
    platform: &P,
) -> (Option<TenantId>, Result<Found<P::Response>, Unavailable>)
where
    P: Clock + Deliver + ResponseStore + Background + Clone + 'static,
    K: KeyValue + Clone + 'static,
    D: Domains,
{
    // Before anything is looked up: the inside's own paths are nobody's, whoever asks.
    if is_internal(subject) {
        return (None, Ok(Found::Nothing));
    }
    // Before the settings are looked at: a host that is nobody's is a 404 on a broken edge too.
    match resolve(subject, bindings, platform).await {
        Lookup::Tenant(tenant) => {
            let page = page(edge, breaker, subject, &tenant, id, platform).await;
            (Some(tenant), page.map(Found::Page))
        }
        Lookup::Nobody(_) => (None, Ok(Found::Nothing)),
        Lookup::Failed(failure) => (None, Err(failure.into())),
    }
}

async fn page<P>(
    edge: &Edge,
    breaker: &Breaker,
    subject: &Subject<'_>,
    tenant: &TenantId,
    id: &RequestId,
    platform: &P,
) -> Result<Served<P::Response>, Unavailable>
where
    P: Clock + Deliver + ResponseStore + Background + Clone + 'static,
{
    // Before copies are looked for: an edge that cannot prove itself to an origin is set up wrong, and copies would hide
    // that until they are gone.
    let origin = edge.origin.as_ref().map_err(Clone::clone)?;
    let secret = edge.secret.as_ref().map_err(Clone::clone)?;
    let errand = Errand {
        subject,
        tenant,
        origin,
        secret,
        id,
    };
    Ok(serve(&errand, breaker, platform).await?)
}

/// Whose a request is: the tenant it names, where it may, else whoever has the host.
///
/// This is the half of the edge that a route table per tenant needs.
pub async fn resolve<P, K, D>(
    subject: &Subject<'_>,
    bindings: &Bindings<'_, K, D>,
    platform: &P,
) -> Lookup
where
    P: Clock + Background,
    K: KeyValue + Clone + 'static,
    D: Domains,
{
    if let Some(tenant) = store_override(subject) {
        return Lookup::Tenant(tenant);
    }
    match host(subject.head()) {
        Some(host) => lookup(&host, bindings.store, bindings.domains, platform).await,
        None => Lookup::Nobody(Nobody::NoHost),
    }
}

/// Whether some server along the way may take a path for one of the inside's own, which begin with `/__`.
pub fn is_internal(subject: &Subject<'_>) -> bool {
    subject.spellings().any(|path| path.starts_with(b"/__"))
}

fn own<P: Deliver>(answer: Answer, platform: &P) -> (P::Response, http::StatusCode, bool) {
    let status = answer.status;
    (platform.make(answer), status, false)
}

#[cfg(test)]
#[cfg(feature = "test-util")]
mod tests;
