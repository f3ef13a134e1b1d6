//! Folds `defaults` into each route, and the `upstreamHeaders` alias away, so that the stages read one finished route.
//!
//! A route that states a field keeps its value; defaults fill gaps. A policy block is one statement and is taken whole,
//! since halves of two of them would make a policy nobody wrote. Header rules are bags of independent entries and fill
//! gaps entry by entry; removals are united, because a removal for the whole table is a control that must not be lost to
//! an edit which never mentions it.

mod headers;

use self::headers::{Direction, gather};
use super::{
    Code, Issues, Origin, Path, Reported, RouteDocument,
    document::{Defaults, Match},
    origin::Place,
};

/// Folds `defaults` into the route at `place`, and its `upstreamHeaders` into its `requestHeaders`. Says where the parts
/// of the route were written, for [`Issues::within`].
///
/// Reports a header that the alias and `requestHeaders.set` give different values: nothing says which should win.
pub fn fold(
    defaults: &Defaults,
    route: &mut RouteDocument,
    place: Place,
    issues: &mut Issues,
) -> Origin {
    let Defaults {
        scheme,
        strip_prefix,
        timeout_ms,
        total_timeout_ms,
        first_chunk_timeout_ms,
        stream_idle_timeout_ms,
        retries,
        retry_backoff_ms,
        rewrite_headers,
        manual_redirect,
        websocket,
        block_countries,
        allow_countries,
        upstream_headers,
        request_headers,
        response_headers,
        cache,
        body_rewrite,
        cors,
        request_policy,
        ip,
        referer,
        rate_limit,
        signed_link,
        access,
        forward_auth,
        request_id,
    } = defaults;
    let mut origin = Origin::new(place);
    let o = &mut origin;
    fill(&mut route.scheme, scheme, "scheme", o);
    fill(&mut route.strip_prefix, strip_prefix, "stripPrefix", o);
    fill(&mut route.timeout_ms, timeout_ms, "timeoutMs", o);
    fill(
        &mut route.total_timeout_ms,
        total_timeout_ms,
        "totalTimeoutMs",
        o,
    );
    fill(
        &mut route.first_chunk_timeout_ms,
        first_chunk_timeout_ms,
        "firstChunkTimeoutMs",
        o,
    );
    fill(
        &mut route.stream_idle_timeout_ms,
        stream_idle_timeout_ms,
        "streamIdleTimeoutMs",
        o,
    );
    fill(&mut route.retries, retries, "retries", o);
    fill(
        &mut route.retry_backoff_ms,
        retry_backoff_ms,
        "retryBackoffMs",
        o,
    );
    fill(
        &mut route.rewrite_headers,
        rewrite_headers,
        "rewriteHeaders",
        o,
    );
    fill(
        &mut route.manual_redirect,
        manual_redirect,
        "manualRedirect",
        o,
    );
    fill(&mut route.websocket, websocket, "websocket", o);
    fill(
        &mut route.block_countries,
        block_countries,
        "blockCountries",
        o,
    );
    fill(
        &mut route.allow_countries,
        allow_countries,
        "allowCountries",
        o,
    );
    fill(&mut route.cache, cache, "cache", o);
    fill(&mut route.body_rewrite, body_rewrite, "bodyRewrite", o);
    fill(&mut route.cors, cors, "cors", o);
    fill(
        &mut route.request_policy,
        request_policy,
        "requestPolicy",
        o,
    );
    fill(&mut route.ip, ip, "ip", o);
    fill(&mut route.referer, referer, "referer", o);
    fill(&mut route.rate_limit, rate_limit, "rateLimit", o);
    fill(&mut route.signed_link, signed_link, "signedLink", o);
    fill(&mut route.access, access, "access", o);
    fill(&mut route.forward_auth, forward_auth, "forwardAuth", o);
    fill(&mut route.request_id, request_id, "requestId", o);
    let alias = gather(
        route.upstream_headers.take(),
        upstream_headers.as_ref(),
        "upstreamHeaders",
    );
    let stated = route.request_headers.is_some() || alias.iter().any(|entry| !entry.inherited);
    if !stated && (request_headers.is_some() || !alias.is_empty()) {
        origin.inherit("requestHeaders");
    }
    if route.response_headers.is_none() && response_headers.is_some() {
        origin.inherit("responseHeaders");
    }
    route.request_headers = Direction {
        field: "requestHeaders",
        set: "requestHeaders.set",
        own: route.request_headers.take(),
        table: request_headers.as_ref(),
        alias,
    }
    .fold(place, &mut origin, issues);
    route.response_headers = Direction {
        field: "responseHeaders",
        set: "responseHeaders.set",
        own: route.response_headers.take(),
        table: response_headers.as_ref(),
        alias: Vec::new(),
    }
    .fold(place, &mut origin, issues);
    origin
}

/// The defaults as a route of their own, so that a mistake in them is found even where every route states its own
/// value. It stands at `defaults`, matches everything and has an upstream that cannot exist.
pub fn probe(defaults: &Defaults, issues: &mut Issues) -> (RouteDocument, Origin) {
    let mut anything = RouteDocument {
        r#match: Some(Match {
            path: Some("/".to_owned()),
            ..Match::default()
        }),
        upstream: Some("defaults.invalid".to_owned()),
        ..RouteDocument::default()
    };
    let origin = fold(defaults, &mut anything, Place::Defaults, issues);
    (anything, origin)
}

/// Refuses defaults whose copies in `routes` routes would not fit into memory.
pub fn weigh(defaults: &Defaults, routes: usize, issues: &mut Issues) -> Result<(), Reported> {
    let bytes = serde_json::to_string(defaults).map_or(usize::MAX, |text| text.len());
    if bytes.saturating_mul(routes) <= MAX_FOLDED {
        return Ok(());
    }
    Err(issues.report(
        &Path::root().key("defaults"),
        Code::TooLarge,
        format!("expected defaults that fit {routes} times into 8 MB, once for each route; found {bytes} bytes. Write the long parts into the routes that need them"),
    ))
}

fn fill<T: Clone>(
    own: &mut Option<T>,
    default: &Option<T>,
    field: &'static str,
    origin: &mut Origin,
) {
    if let (None, Some(default)) = (&own, default) {
        *own = Some(default.clone());
        origin.inherit(field);
    }
}

/// Most bytes that folding may write: every route gets a copy of what it inherits.
const MAX_FOLDED: usize = 8_000_000;

#[cfg(test)]
mod tests;
