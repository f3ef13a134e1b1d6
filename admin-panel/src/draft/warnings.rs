//! What works as written and may not be meant. It never keeps anything from being published.

use std::collections::BTreeMap;

use jouska::{
    config::Document,
    table::{self, advice},
};
use serde::Serialize;

use super::compile::by_route;

/// All that may not be meant.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Warnings {
    shadow_warnings: Vec<Shadow>,
    /// How many more pairs there are than are listed.
    #[serde(skip_serializing_if = "is_zero")]
    shadow_warnings_omitted: usize,
    mirror_warnings: Vec<Mirror>,
    cache_vary_warnings: Vec<CacheVary>,
    signed_link_cache_warnings: Vec<SignedLinkCache>,
    unknown_key_warnings: Vec<UnknownKey>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    no_effect_warnings: Vec<NoEffect>,
}

/// A route that one above it robs, with a request that proves it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Shadow {
    shadowed_id: String,
    by_id: String,
    method: String,
    probe: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    probe_headers: BTreeMap<String, String>,
    /// Whether routes above it take everything it would take.
    unreachable: bool,
}

/// A whole site whose own links lead visitors away.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Mirror {
    route_id: String,
    upstream: String,
}

/// Values of headers and cookies that tell stored answers apart.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct CacheVary {
    route_id: String,
    names: Vec<String>,
}

/// Stored answers that only the very same link finds.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct SignedLinkCache {
    route_id: String,
    param: String,
    expires_param: String,
}

/// A key without effect.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct UnknownKey {
    #[serde(skip_serializing_if = "Option::is_none")]
    route_id: Option<String>,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest: Option<String>,
}

/// A setting without effect.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct NoEffect {
    #[serde(skip_serializing_if = "Option::is_none")]
    route_id: Option<String>,
    path: String,
    message: String,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Pairs of routes that are listed: a table with more of them has one mistake many times.
const MOST_SHADOWS: usize = 1_000;

impl Warnings {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        let Self {
            shadow_warnings,
            shadow_warnings_omitted,
            mirror_warnings,
            cache_vary_warnings,
            signed_link_cache_warnings,
            unknown_key_warnings,
            no_effect_warnings,
        } = self;
        shadow_warnings.len()
            + shadow_warnings_omitted
            + mirror_warnings.len()
            + cache_vary_warnings.len()
            + signed_link_cache_warnings.len()
            + unknown_key_warnings.len()
            + no_effect_warnings.len()
    }

    /// Asks the library about the document that `compiled` was made of, whose routes have these ids.
    pub(super) fn of(document: &Document, compiled: &table::Compiled, ids: &[&str]) -> Self {
        let id = |index: usize| ids.get(index).map_or("", |id| id).to_owned();
        let shadows = advice::shadows(document, &compiled.table);
        let mut warnings = Self {
            shadow_warnings_omitted: shadows.len().saturating_sub(MOST_SHADOWS),
            shadow_warnings: shadows
                .into_iter()
                .take(MOST_SHADOWS)
                .map(|shadow| Shadow {
                    shadowed_id: id(shadow.later),
                    by_id: id(shadow.earlier),
                    method: shadow.witness.method,
                    probe: shadow.witness.url,
                    probe_headers: shadow
                        .witness
                        .headers
                        .into_iter()
                        .map(|header| (header.name, header.value))
                        .collect(),
                    unreachable: shadow.unreachable,
                })
                .collect(),
            mirror_warnings: Vec::new(),
            cache_vary_warnings: Vec::new(),
            signed_link_cache_warnings: Vec::new(),
            unknown_key_warnings: compiled
                .warnings
                .iter()
                .map(|warning| {
                    let (route_id, path) = by_route(&warning.path, ids);
                    UnknownKey {
                        route_id,
                        path,
                        nearest: warning.nearest.clone(),
                    }
                })
                .collect(),
            no_effect_warnings: advice::idle(document)
                .into_iter()
                // Two routes of a draft never have one id.
                .filter(|idle| matches!(idle.kind, advice::Kind::NoEffect))
                .map(|idle| {
                    let (route_id, path) = by_route(&idle.path, ids);
                    NoEffect {
                        route_id,
                        path,
                        message: idle.message,
                    }
                })
                .collect(),
        };
        for note in advice::notes(document) {
            let route_id = note.route.unwrap_or_default();
            match note.kind {
                advice::Kind::LinksNotRewritten { upstream } => {
                    warnings.mirror_warnings.push(Mirror { route_id, upstream });
                }
                advice::Kind::CacheVary { names } => {
                    warnings
                        .cache_vary_warnings
                        .push(CacheVary { route_id, names });
                }
                advice::Kind::SignedLinkCache {
                    param,
                    expires_param,
                } => warnings.signed_link_cache_warnings.push(SignedLinkCache {
                    route_id,
                    param,
                    expires_param,
                }),
                // These are told from where they are found.
                advice::Kind::UnknownKey { .. }
                | advice::Kind::Shadowed { .. }
                | advice::Kind::NoEffect
                | advice::Kind::SharedId { .. }
                | advice::Kind::Danger { .. } => {}
                _ => {}
            }
        }
        warnings
    }
}
