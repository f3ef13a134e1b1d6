//! Who is let through, decided guard by guard, cheapest first.
//!
//! What a request costs is bounded by the guard that refuses it: a flood of strangers from a blocked country is compared
//! with a list and never hashed, signed for or asked about. The order is [`admit`]'s body, read from top to bottom.

pub mod access;
mod cors;
mod fields;
mod forward_auth;
mod geo;
mod ip;
mod rate_limit;
mod referer;
mod request_policy;
mod signed_link;

#[cfg(test)]
mod fake;
#[cfg(test)]
mod tests;

use std::time::Duration;

use http::StatusCode;

use self::{access::jwks, forward_auth::Verdict};
use crate::{
    config::{Issues, Path, Reported, RouteDocument},
    headers::HeaderEdits,
    message::{Answer, RequestHead},
    outcome::Refusal,
    platform::{Clock, Delivery, Fetch, RateLimit, ReadBody, Secrets, SignatureCheck, Visitor},
};

/// The guards of one route, compiled. A guard that the route does not name is not there and costs a pointer: most routes
/// name none, and a table has thousands of routes.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    request: Option<Box<request_policy::Policy>>,
    geo: Option<Box<geo::Policy>>,
    ip: Option<Box<ip::Policy>>,
    referer: Option<Box<referer::Policy>>,
    rate_limit: Option<Box<rate_limit::Policy>>,
    signed_link: Option<Box<signed_link::Policy>>,
    access: Option<Box<access::Policy>>,
    forward_auth: Option<Box<forward_auth::Policy>>,
    cors: Option<Box<cors::Policy>>,
}

/// What guards remember between requests, for as long as the isolate lives.
#[derive(Debug, Default)]
pub struct Memory {
    /// The keys that Access tokens are verified with.
    pub jwks: jwks::Memory,
}

/// A request as the guards see it.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The head, as received.
    pub head: &'a RequestHead,
    /// The plainest spelling of the path (decoded, resolved, without parameters and repeated separators), so that
    /// `/login`, `//login` and `/%6cogin` spend one budget where a rate limit is kept by path.
    pub path: &'a str,
    /// The route's label: its id, or what it matches.
    pub label: &'a str,
    /// The request's id.
    pub request_id: &'a str,
}

/// A request that every guard let through.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Admitted {
    /// Changes to the request towards the upstream: what a delegated verdict says of the visitor, and the removal of
    /// what the visitor says under the same names. They take effect after the route's own header rules.
    pub edits: HeaderEdits,
    /// The id of the access key that was presented, for the event.
    pub key_id: Option<String>,
    /// How long delegated auth took, where it was asked.
    pub auth_duration: Option<Duration>,
}

/// Why a request goes no further.
#[derive(Debug)]
pub enum Stop<R> {
    /// A guard refused it.
    Refused(Refusal),
    /// The authentication service answers in the proxy's place.
    Relayed(Box<Relayed<R>>),
    /// It was a CORS preflight, and this is the answer.
    Preflight(Box<Answer>),
    /// The visitor hung up while the authentication service was asked.
    VisitorLeft,
}

/// A delegated verdict that is not "yes". It goes to the visitor as it was written.
#[derive(Debug)]
pub struct Relayed<R> {
    /// The service's response.
    pub delivery: Delivery<R>,
    /// Its status.
    pub status: StatusCode,
    /// How long it took.
    pub auth_duration: Duration,
}

/// Lets a request pass every guard of its route, or says why not.
///
/// A preflight that the route answers itself is exempt from what a browser cannot satisfy with it: it carries another
/// method than the request it announces, no referer worth a rule, no signature, no credentials.
pub async fn admit<P>(
    policy: &Policy,
    request: &Request<'_>,
    memory: &Memory,
    platform: &P,
) -> Result<Admitted, Stop<P::Response>>
where
    P: Clock + Fetch + RateLimit + ReadBody + Secrets + SignatureCheck + Visitor,
{
    let head = request.head;
    let preflight = cors::is_preflight(head);
    let answering = policy.cors.as_ref().filter(|_| preflight);
    let mut admitted = Admitted::default();

    // Text against text.
    if let (Some(guard), None) = (&policy.request, answering) {
        guard.admit(head)?;
    }
    if let Some(guard) = &policy.geo {
        guard.admit(platform.country().as_deref())?;
    }
    if let Some(guard) = &policy.ip {
        guard.admit(head.address())?;
    }
    if let (Some(guard), None) = (&policy.referer, answering) {
        guard.admit(&head.headers)?;
    }
    // One call to a binding, from here on bounding how often the rest is paid for.
    if let Some(guard) = &policy.rate_limit
        && (!preflight || guard.count_preflight)
    {
        guard.admit(request, platform).await?;
    }
    if let Some(cors) = answering {
        return Err(Stop::Preflight(Box::new(cors.preflight(head))));
    }
    // One HMAC.
    if let Some(guard) = &policy.signed_link {
        guard.admit(&head.url, platform).await?;
    }
    // One digest, one RSA signature, and now and then a fetch of keys.
    if let Some(guard) = &policy.access {
        admitted.key_id = guard.admit(&head.headers, &memory.jwks, platform).await?;
    }
    // One fetch each time.
    if let Some(guard) = &policy.forward_auth {
        let asked = platform.now();
        let verdict = guard.ask(request, platform).await;
        let auth_duration = platform.now().since(asked);
        admitted.auth_duration = Some(auth_duration);
        admitted.edits = match verdict {
            Verdict::Admitted(edits) => edits,
            Verdict::Unavailable => return Err(Refusal::ForwardAuthUnavailable.into()),
            Verdict::VisitorLeft => return Err(Stop::VisitorLeft),
            Verdict::Relayed(status, delivery) => {
                return Err(Stop::Relayed(Box::new(Relayed {
                    delivery,
                    status,
                    auth_duration,
                })));
            }
        };
    }
    Ok(admitted)
}

impl Policy {
    /// Compiles the guards of a route; `at` is the route.
    pub fn compile(
        route: &RouteDocument,
        at: &Path<'_>,
        issues: &mut Issues,
    ) -> Result<Self, Reported> {
        let private_allowed = route.allow_private_upstream == Some(true);
        let request = block(&route.request_policy, |document| {
            request_policy::Policy::compile(document, &at.key("requestPolicy"), issues)
        });
        let geo = geo::Policy::compile(
            route.block_countries.as_ref(),
            route.allow_countries.as_ref(),
            at,
            issues,
        );
        let ip = block(&route.ip, |document| {
            ip::Policy::compile(document, &at.key("ip"), issues)
        });
        let referer = block(&route.referer, |document| {
            referer::Policy::compile(document, &at.key("referer"), issues)
        });
        let rate_limit = block(&route.rate_limit, |document| {
            rate_limit::Policy::compile(document, &at.key("rateLimit"), issues)
        });
        let signed_link = block(&route.signed_link, |document| {
            signed_link::Policy::compile(document, &at.key("signedLink"), issues)
        });
        let access = block(&route.access, |document| {
            access::Policy::compile(document, &at.key("access"), issues)
        });
        let forward_auth = block(&route.forward_auth, |document| {
            forward_auth::Policy::compile(document, private_allowed, &at.key("forwardAuth"), issues)
        });
        let cors = block(&route.cors, |document| {
            cors::Policy::compile(document, &at.key("cors"), issues)
        });
        Ok(Self {
            request: request?,
            geo: geo?.map(Box::new),
            ip: ip?,
            referer: referer?,
            rate_limit: rate_limit?,
            signed_link: signed_link?,
            access: access?,
            forward_auth: forward_auth?,
            cors: cors?,
        })
    }

    /// The cap on a request's body in bytes, which the platform counts against while the body streams.
    pub fn max_body_bytes(&self) -> Option<u64> {
        self.request
            .as_ref()
            .and_then(|policy| policy.max_body_bytes)
    }

    /// Host and port of the authentication service, where there is one: events of its verdicts name it.
    pub fn auth_authority(&self) -> Option<&str> {
        self.forward_auth
            .as_ref()
            .map(|policy| policy.authority.as_str())
    }

    /// What CORS changes in the answer to a request that no guard stopped, whoever made the answer.
    pub fn answer_edits(&self, head: &RequestHead) -> HeaderEdits {
        self.cors
            .as_ref()
            .map(|policy| policy.answer_edits(head))
            .unwrap_or_default()
    }
}

impl<R> From<Refusal> for Stop<R> {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// A block that may be absent.
fn block<D, C>(
    document: &Option<D>,
    compile: impl FnOnce(&D) -> Result<C, Reported>,
) -> Result<Option<Box<C>>, Reported> {
    let Some(document) = document else {
        return Ok(None);
    };
    compile(document).map(|policy| Some(Box::new(policy)))
}
