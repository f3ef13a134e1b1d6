//! From a document to a table: every stage compiles its part of every route, and all issues are gathered.

use super::{Forward, Route, RouteTable, route::Action};
use crate::{
    answer,
    config::{ConfigError, Document, Issues, Path, Reported, RouteDocument},
    forward, matching, request_id,
};

/// Compiles a document.
///
/// # Errors
/// Everything that is wrong with it.
pub fn compile(document: &Document) -> Result<RouteTable, ConfigError> {
    let mut issues = Issues::default();
    let root = Path::root();
    let routes_at = root.key("routes");
    let routes: Vec<_> = document
        .routes
        .iter()
        .enumerate()
        .map(|(index, route)| self::route(route, index, &routes_at.index(index), &mut issues))
        .collect();
    match routes.into_iter().collect::<Result<Vec<_>, Reported>>() {
        Ok(routes) if issues.is_empty() => Ok(RouteTable::new(routes, document.meta.clone())),
        _ => Err(ConfigError::new(issues)),
    }
}

/// Compiles one route. Every stage is asked, whatever the others found.
fn route(
    document: &RouteDocument,
    index: usize,
    at: &Path<'_>,
    issues: &mut Issues,
) -> Result<Route, Reported> {
    let matching = matching::Policy::compile(document, at, issues);
    let request_id = request_id::Policy::compile(document, at, issues);
    let respond = answer::Policy::compile(document, at, issues);
    let upstream = forward::Policy::compile(document, at, issues);
    let error_pages = answer::error_page::Policy::compile(document, at, issues);
    let action = match (respond?, upstream?) {
        (Some(respond), _) => Action::Respond(respond),
        (None, Some(upstream)) => Action::Forward(Box::new(Forward {
            upstream,
            error_pages: error_pages?,
        })),
        (None, None) => todo!(),
    };
    Ok(Route {
        label: matching::label(document, index),
        matching: matching?,
        request_id: request_id?,
        action,
    })
}
