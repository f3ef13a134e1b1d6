//! From a document to a table: every stage compiles its part of every route, and all issues are gathered.

use super::{RouteTable, conflicts, fingerprint, route::Route};
use crate::config::{
    self, ConfigError, Issues, Path, Reading, Reported, RouteDocument, Warning, defaults,
    document::Defaults, origin::Place,
};

/// A table, and what was written in its document without having an effect.
#[derive(Debug)]
pub struct Compiled {
    /// The table.
    pub table: RouteTable,
    /// Keys of the document that are not known.
    pub warnings: Vec<Warning>,
}

/// Compiles what could be read of a document, so that a person hears of wrong shapes and wrong meanings together.
///
/// ```
/// use jouska::{config, table};
///
/// let text = r#"{ "routes": [{ "match": { "path": "/" }, "upstream": "localhost", "retries": true }] }"#;
/// let refused = table::compile(config::read(text)).unwrap_err();
/// let paths: Vec<&str> = refused.issues.iter().map(|issue| issue.path.as_str()).collect();
/// assert_eq!(paths, ["routes[0].retries", "routes[0].upstream"]);
/// ```
///
/// # Errors
/// Everything that is wrong with the document.
pub fn compile(reading: Reading) -> Result<Compiled, ConfigError> {
    let Reading {
        mut document,
        warnings,
        mut issues,
    } = reading;
    let epoch = fingerprint::epoch(&document).map(str::to_owned);
    let defaults = document.defaults.unwrap_or_default();
    let routes = routes(
        &defaults,
        &mut document.routes,
        epoch.as_deref(),
        &mut issues,
    );
    match routes {
        Ok(routes) if issues.is_empty() => Ok(Compiled {
            table: RouteTable::new(routes, document.meta),
            warnings,
        }),
        _ => Err(ConfigError {
            issues: issues.into_vec(),
            warnings,
        }),
    }
}

/// Compiles a document's text.
///
/// # Errors
/// Everything that is wrong with it.
pub fn compile_text(text: &str) -> Result<Compiled, ConfigError> {
    compile(config::read(text))
}

fn routes(
    defaults: &Defaults,
    documents: &mut [RouteDocument],
    epoch: Option<&str>,
    issues: &mut Issues,
) -> Result<Vec<Route>, Reported> {
    let root = Path::root();
    defaults::weigh(defaults, documents.len(), issues)?;
    if *defaults != Defaults::default() {
        let (route, origin) = defaults::probe(defaults, issues);
        let at = root.key("defaults");
        // Only what it reports is of interest: the routes inherit documents, not policies.
        let _ = issues.within(origin, |issues| {
            Route::compile(&route, 0, None, &at, issues)
        });
    }
    let at = root.key("routes");
    let mut failed = None;
    let mut routes = Vec::with_capacity(documents.len());
    for (index, route) in documents.iter_mut().enumerate() {
        let at = at.index(index);
        let origin = defaults::fold(defaults, route, Place::Route(index), issues);
        conflicts::check(route, &origin, &at, issues);
        match issues.within(origin, |issues| {
            Route::compile(route, index, epoch, &at, issues)
        }) {
            Ok(route) => routes.push(route),
            Err(reported) => failed = Some(reported),
        }
    }
    failed.map_or(Ok(routes), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let paths: Vec<String> = match compile_text(text) {
            Ok(_) => Vec::new(),
            Err(refused) => refused.issues.into_iter().map(|issue| issue.path).collect(),
        };
        assert_eq!(paths, expected, "{text}");
    }

    #[test]
    fn a_mistake_in_defaults_is_told_there_and_once() {
        let routes = r#"[{ "match": { "path": "/a" }, "upstream": "a" }, { "match": { "path": "/b" }, "upstream": "b" }]"#;
        check(
            &format!(
                r#"{{ "defaults": {{ "upstreamHeaders": {{ "host": "x" }}, "timeoutMs": 0 }}, "routes": {routes} }}"#
            ),
            &["defaults.upstreamHeaders.host", "defaults.timeoutMs"],
        );
    }

    #[test]
    fn a_mistake_in_defaults_is_told_though_no_route_inherits_it() {
        check(
            r#"{ "defaults": { "timeoutMs": 0 }, "routes": [{ "match": { "path": "/" }, "upstream": "a", "timeoutMs": 5 }] }"#,
            &["defaults.timeoutMs"],
        );
    }
}
