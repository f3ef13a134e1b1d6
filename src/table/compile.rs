//! From a document to a table: every stage compiles its part of every route, and all issues are gathered.

use super::{RouteTable, conflicts, fingerprint, route::Route};
use crate::config::{
    self, ConfigError, Document, Issues, Path, Reading, Reported, Warning,
    defaults::{self, FoldedRoute},
    document::Defaults,
};

/// A table, and what was written in its document without having an effect.
#[derive(Debug, Clone)]
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
        document,
        warnings,
        mut issues,
    } = reading;
    let routes = routes(&document, &mut issues);
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

fn routes(document: &Document, issues: &mut Issues) -> Result<Vec<Route>, Reported> {
    let root = Path::root();
    let at = root.key("routes");
    let none = Defaults::default();
    let defaults = document.defaults.as_ref().unwrap_or(&none);
    defaults::weigh(defaults, document.routes.len(), issues)?;
    let epoch = fingerprint::epoch(document);
    let mut failed = None;
    let mut routes = Vec::with_capacity(document.routes.len());
    for (index, stated) in document.routes.iter().enumerate() {
        let at = at.index(index);
        let folded = defaults::fold(defaults, stated.clone(), &at, issues);
        conflicts::check(&folded, &at, issues);
        let FoldedRoute { route, origin } = folded;
        let compiled = issues.within(origin, |issues| {
            Route::compile(&route, index, epoch, &at, issues)
        });
        match compiled {
            Ok(route) => routes.push(route),
            Err(reported) => failed = Some(reported),
        }
    }
    // Defaults that every route overrides are never compiled above, and wrong all the same.
    if document.defaults.is_some() {
        probe(defaults, issues);
    }
    failed.map_or(Ok(routes), Err)
}

fn probe(defaults: &Defaults, issues: &mut Issues) {
    let FoldedRoute { route, origin } = defaults::probe(defaults, issues);
    let at = Path::root();
    let at = at.key("defaults");
    let _ = issues.within(origin, |issues| {
        Route::compile(&route, 0, None, &at, issues)
    });
}
