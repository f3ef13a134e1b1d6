//! A table written in code and one kept elsewhere, made one. Code wins: it lives in version control, and it keeps
//! working while a store is unreachable or filled with something broken.

use std::collections::BTreeSet;

use crate::config::{ConfigError, Document, Issues, defaults, document::TableCache, origin::Place};

/// How two tables become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MergeMode {
    /// A table in code replaces the remote one whole.
    #[default]
    Replace,
    /// The routes in code come first, then the remote ones whose id is not among theirs or that have none.
    ById,
}

/// The table that is to be served.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    /// The document. Where two were merged, each side's defaults are already folded into its own routes.
    pub document: Document,
    /// Why the remote table was dropped, to be reported: a broken one must not take the proxy down, and must not be
    /// dropped in silence.
    pub dropped: Option<ConfigError>,
}

/// No table can be served.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unresolved {
    /// The table in code is wrong, which is a mistake in the program.
    #[error("the route table in code is refused:\n{0}")]
    Code(ConfigError),
    /// There is none in code, and the remote one is wrong.
    #[error("the remote route table is refused, and there is none in code:\n{0}")]
    Remote(ConfigError),
    /// There is neither.
    #[error("there is no route table, neither in code nor elsewhere")]
    Absent,
}

/// Makes one table out of what was found on either side; `None` means that there is none. Both sides come checked: an
/// error of the code is an error, one of the remote side drops that side.
pub fn resolve_config(
    code: Option<Result<Document, ConfigError>>,
    remote: Option<Result<Document, ConfigError>>,
    mode: MergeMode,
) -> Result<Resolved, Unresolved> {
    let code = code.transpose().map_err(Unresolved::Code)?;
    let (remote, dropped) = match remote {
        Some(Ok(remote)) => (Some(remote), None),
        Some(Err(refused)) => (None, Some(refused)),
        None => (None, None),
    };
    let document = match (code, remote, mode) {
        (Some(code), Some(remote), MergeMode::ById) => by_id(code, remote),
        (Some(code), _, MergeMode::Replace) | (Some(code), None, MergeMode::ById) => code,
        (None, Some(remote), _) => remote,
        (None, None, _) => {
            return Err(dropped.map_or(Unresolved::Absent, Unresolved::Remote));
        }
    };
    Ok(Resolved { document, dropped })
}

fn by_id(mut code: Document, mut remote: Document) -> Document {
    let cache = epochs(code.cache.take(), remote.cache.take());
    fold_in_place(&mut code);
    fold_in_place(&mut remote);
    let ids: BTreeSet<String> = code
        .routes
        .iter()
        .filter_map(|route| route.id.clone())
        .collect();
    let mut routes = code.routes;
    routes.extend(
        remote
            .routes
            .into_iter()
            .filter(|route| route.id.as_ref().is_none_or(|id| !ids.contains(id))),
    );
    Document {
        schema: None,
        version: code.version.or(remote.version),
        // Changes in code are told by version control, changes of the remote table by this alone.
        meta: remote.meta,
        defaults: None,
        cache,
        routes,
    }
}

/// Folds a document's own defaults into its own routes. Its issues were told when the side was checked alone.
fn fold_in_place(document: &mut Document) {
    let Some(defaults) = document.defaults.take() else {
        return;
    };
    let mut told = Issues::default();
    for route in &mut document.routes {
        defaults::fold(&defaults, route, Place::Route(0), &mut told);
    }
}

/// Either side may leave all entries behind, so both epochs count.
fn epochs(code: Option<TableCache>, remote: Option<TableCache>) -> Option<TableCache> {
    let epoch = |cache: Option<TableCache>| cache.and_then(|TableCache { epoch }| epoch);
    match (epoch(code), epoch(remote)) {
        (None, None) => None,
        (Some(epoch), None) | (None, Some(epoch)) => Some(epoch),
        (Some(code), Some(remote)) => Some(format!("{code} {remote}")),
    }
    .map(|epoch| TableCache { epoch: Some(epoch) })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::config::{parse, parse_value};

    fn document(tree: Value) -> Document {
        parse_value(tree).unwrap().document
    }

    fn refused() -> ConfigError {
        parse("{}").unwrap_err()
    }

    #[track_caller]
    fn check(code: Value, remote: Value, mode: MergeMode, expected: &Value) {
        let resolved =
            resolve_config(Some(Ok(document(code))), Some(Ok(document(remote))), mode).unwrap();
        assert_eq!(serde_json::to_value(resolved.document).unwrap(), *expected);
        assert_eq!(resolved.dropped, None);
    }

    #[test]
    fn code_replaces_the_remote_table_whole() {
        let code = json!({ "routes": [{ "upstream": "code" }] });
        let remote = json!({ "defaults": { "retries": 1 }, "routes": [{ "upstream": "remote" }] });
        check(code.clone(), remote, MergeMode::Replace, &code);
    }

    #[test]
    fn routes_are_merged_by_id_and_code_comes_first() {
        check(
            json!({
                "cache": { "epoch": "1" },
                "meta": { "note": "code" },
                "defaults": { "retries": 1 },
                "routes": [{ "id": "a", "upstream": "code" }, { "upstream": "nameless" }],
            }),
            json!({
                "version": 1,
                "cache": { "epoch": "2" },
                "meta": { "note": "remote" },
                "defaults": { "timeoutMs": 5 },
                "routes": [
                    { "id": "a", "upstream": "remote" },
                    { "id": "b", "upstream": "remote" },
                    { "upstream": "remote", "timeoutMs": 6 },
                ],
            }),
            MergeMode::ById,
            &json!({
                "version": 1,
                "cache": { "epoch": "1 2" },
                "meta": { "note": "remote" },
                "routes": [
                    { "id": "a", "upstream": "code", "retries": 1 },
                    { "upstream": "nameless", "retries": 1 },
                    { "id": "b", "upstream": "remote", "timeoutMs": 5 },
                    { "upstream": "remote", "timeoutMs": 6 },
                ],
            }),
        );
    }

    #[test]
    fn one_side_alone_is_taken_as_it_is() {
        let only = || Some(Ok(document(json!({ "defaults": {}, "routes": [{}] }))));
        for mode in [MergeMode::Replace, MergeMode::ById] {
            for (code, remote) in [(only(), None), (None, only())] {
                let resolved = resolve_config(code, remote, mode).unwrap();
                assert!(resolved.document.defaults.is_some());
            }
        }
    }

    #[test]
    fn a_broken_remote_table_is_dropped_and_told() {
        let code = || Some(Ok(document(json!({ "routes": [{ "upstream": "code" }] }))));
        for mode in [MergeMode::Replace, MergeMode::ById] {
            let resolved = resolve_config(code(), Some(Err(refused())), mode).unwrap();
            assert_eq!(resolved.document.routes.len(), 1);
            assert_eq!(resolved.dropped, Some(refused()));
        }
    }

    #[test]
    fn without_a_usable_table_there_is_an_error() {
        let remote = || Some(Ok(document(json!({ "routes": [{}] }))));
        for (code, remote, expected) in [
            (Some(Err(refused())), remote(), Unresolved::Code(refused())),
            (None, Some(Err(refused())), Unresolved::Remote(refused())),
            (None, None, Unresolved::Absent),
        ] {
            let unresolved = resolve_config(code, remote, MergeMode::ById).unwrap_err();
            assert_eq!(unresolved, expected);
        }
    }
}
