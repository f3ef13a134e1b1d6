//! What is told of a request: one line for people, one point for machines. Neither holds a query, which carries tokens.

use http::{Method, StatusCode};
use serde::Serialize;

use super::{Bindings, TenantId};
use crate::{message::RequestHead, time::Timestamp};

/// The line of one request. These fields and no others, in this order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Access<'a> {
    /// Whose host it was; null where it is nobody's, or was never looked up.
    pub tenant: Option<&'a str>,
    /// The method.
    pub method: &'a str,
    /// The path as the visitor wrote it, without the query.
    pub path: &'a str,
    /// The status the visitor was given.
    pub status: u16,
    /// Whether a stored copy stood in for the origin.
    pub stale: bool,
    /// Whole milliseconds from the request to its answer.
    pub ms: u64,
}

/// The point of one request: method as blob; status, milliseconds and staleness (0 or 1) as doubles.
///
/// The path stays out: shops have any number of them, and each would become a dimension of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The one index: the tenant, [`NOBODY`] where there is none.
    pub index: String,
    /// Texts.
    pub blobs: [String; 1],
    /// Numbers.
    pub doubles: [f64; 3],
}

/// The index of requests that belong to no tenant.
pub const NOBODY: &str = "_none";

impl Point {
    /// The point that says what a line says.
    pub fn of(access: &Access<'_>) -> Self {
        Self {
            index: access.tenant.unwrap_or(NOBODY).to_owned(),
            blobs: [access.method.to_owned()],
            doubles: [
                f64::from(access.status),
                access.ms as f64,
                f64::from(u8::from(access.stale)),
            ],
        }
    }
}

/// How a request ended.
#[derive(Debug)]
pub(super) struct Ending<'a> {
    pub(super) tenant: Option<&'a TenantId>,
    pub(super) status: StatusCode,
    pub(super) stale: bool,
    pub(super) started: Timestamp,
    pub(super) ended: Timestamp,
}

/// Tells of a request, once.
pub(super) fn report<K, D>(bindings: &Bindings<'_, K, D>, head: &RequestHead, ending: &Ending<'_>) {
    let access = Access {
        tenant: ending.tenant.map(TenantId::as_str),
        method: method(&head.method),
        path: head.url.path(),
        status: ending.status.as_u16(),
        stale: ending.stale,
        ms: ending.ended.since(ending.started).as_millis() as u64,
    };
    // A text and numbers always are JSON.
    if let Ok(line) = serde_json::to_string(&access) {
        bindings.log.access(&line);
    }
    if let Some(dataset) = bindings.dataset {
        let _ = dataset.write(&Point::of(&access));
    }
}

/// A method may be any token of any length; a log has room for the ones there are.
fn method(method: &Method) -> &str {
    let text = method.as_str();
    text.get(..32).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_these_fields_in_this_order() {
        let access = Access {
            tenant: Some("t_x"),
            method: "GET",
            path: "/p",
            status: 200,
            stale: true,
            ms: 12,
        };
        assert_eq!(
            serde_json::to_string(&access).unwrap(),
            r#"{"tenant":"t_x","method":"GET","path":"/p","status":200,"stale":true,"ms":12}"#
        );
        let point = Point::of(&access);
        assert_eq!(
            (point.index.as_str(), point.blobs, point.doubles),
            ("t_x", ["GET".to_owned()], [200.0, 12.0, 1.0])
        );
    }

    #[test]
    fn nobodys_requests_have_an_index_too() {
        let access = Access {
            tenant: None,
            method: "GET",
            path: "/",
            status: 404,
            stale: false,
            ms: 0,
        };
        assert_eq!(Point::of(&access).index, "_none");
        assert!(
            serde_json::to_string(&access)
                .unwrap()
                .starts_with(r#"{"tenant":null,"#)
        );
    }
}
