//! From a document to a table: every stage compiles its part of every route, and all issues are gathered.

use std::rc::Rc;

use super::{RouteTable, conflicts, fingerprint, route::Route};
use crate::config::{
    self, ByRoute, ConfigError, Document, Issues, Path, Reading, Reported, RouteDocument, Routes,
    Warning, defaults, document::Defaults, origin::Place,
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
        document,
        warnings,
        mut issues,
    } = reading;
    let epoch = fingerprint::epoch(&document).map(str::to_owned);
    let defaults = document.defaults.unwrap_or_default();
    let routes = all(&defaults, document.routes, epoch.as_deref(), &mut issues);
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

/// Compiles a document's text. Like [`compile`] of what [`config::read`] makes of it, and holds no more than one route
/// as a document meanwhile.
///
/// # Errors
/// Everything that is wrong with it.
pub fn compile_text(text: &str) -> Result<Compiled, ConfigError> {
    let Some(read) = config::read_by_route(text, one_by_one) else {
        return compile(config::read(text));
    };
    let ByRoute {
        frame,
        made,
        warnings,
    } = read;
    Ok(Compiled {
        table: RouteTable::new(made, frame.meta),
        warnings,
    })
}

fn all(
    defaults: &Defaults,
    documents: Vec<RouteDocument>,
    epoch: Option<&str>,
    issues: &mut Issues,
) -> Result<Vec<Rc<Route>>, Reported> {
    check_defaults(defaults, documents.len(), issues)?;
    let mut failed = None;
    let mut routes = Vec::with_capacity(documents.len());
    for (index, document) in documents.into_iter().enumerate() {
        match one(defaults, document, index, epoch, issues) {
            Ok(route) => routes.push(route),
            Err(reported) => failed = Some(reported),
        }
    }
    failed.map_or(Ok(routes), Err)
}

fn one_by_one(frame: &Document, mut documents: Routes<'_>) -> Result<Vec<Rc<Route>>, Reported> {
    let none = Defaults::default();
    let defaults = frame.defaults.as_ref().unwrap_or(&none);
    let epoch = fingerprint::epoch(frame);
    check_defaults(defaults, documents.len(), documents.issues())?;
    let mut routes = Vec::with_capacity(documents.len());
    while let Some((index, document)) = documents.next() {
        routes.push(one(defaults, document, index, epoch, documents.issues())?);
    }
    Ok(routes)
}

/// Whether `defaults` fit into so many routes, and mean something by themselves.
fn check_defaults(defaults: &Defaults, routes: usize, issues: &mut Issues) -> Result<(), Reported> {
    defaults::weigh(defaults, routes, issues)?;
    if *defaults != Defaults::default() {
        let (route, origin) = defaults::probe(defaults, issues);
        let at = Path::root();
        // Only what it reports is of interest: the routes inherit documents, not policies.
        let _ = issues.within(origin, |issues| {
            Route::compile(&route, 0, None, &at.key("defaults"), issues)
        });
    }
    Ok(())
}

/// Compiles one route; its document is dropped at once, and the next one can have the memory.
fn one(
    defaults: &Defaults,
    mut document: RouteDocument,
    index: usize,
    epoch: Option<&str>,
    issues: &mut Issues,
) -> Result<Rc<Route>, Reported> {
    let root = Path::root();
    let routes = root.key("routes");
    let at = routes.index(index);
    let origin = defaults::fold(defaults, &mut document, Place::Route(index), issues);
    conflicts::check(&document, &origin, &at, issues);
    issues
        .within(origin, |issues| {
            Route::compile(&document, index, epoch, &at, issues)
        })
        .map(Rc::new)
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
