//! Why a request goes where it goes: which route takes it, and what each route above that one asks for in vain.
//!
//! ```
//! use http::{HeaderMap, Method};
//! use jouska::{
//!     matching::Subject,
//!     message::{RequestHead, RequestUrl},
//!     table::{compile_text, explain},
//! };
//!
//! let table = compile_text(
//!     r#"{ "routes": [
//!         { "id": "shop", "match": { "path": "/shop" }, "upstream": "shop.example.net" },
//!         { "id": "rest", "match": { "path": "/" }, "upstream": "www.example.net" }
//!     ] }"#,
//! )
//! .unwrap()
//! .table;
//! let head = RequestHead {
//!     method: Method::GET,
//!     url: RequestUrl::parse("https://example.com/about").unwrap(),
//!     headers: HeaderMap::new(),
//!     has_body: false,
//! };
//!
//! let explanation = explain(&table, &Subject::new(&head));
//! assert_eq!(explanation.taken.unwrap().route, "rest");
//! assert_eq!(
//!     explanation.passed[0].mismatch.to_string(),
//!     "it asks that the path is /shop or below it; the path is /about"
//! );
//! ```

use http::header::LOCATION;
use serde::Serialize;

use super::{Action, Route, RouteTable};
use crate::{
    answer, forward,
    matching::{Mismatch, Subject},
};

/// Which route takes a request, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// The route that takes it; absent where none does, and the request falls through.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken: Option<Taken>,
    /// The routes that were asked before, in order: all routes above the one that takes it.
    pub passed: Vec<Passed>,
}

/// A route that takes a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Taken {
    /// Its place in the table, from 0.
    pub index: usize,
    /// Its id, or its label where it has none.
    pub route: String,
    /// The path it was matched by.
    pub spelling: Spelling,
    /// Where the request goes.
    pub destination: Destination,
}

/// One way of spelling a request's path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Spelling {
    /// Which of [`Subject::spellings`]; 0 is the path as it was sent.
    pub index: usize,
    /// The path in that spelling; what is no UTF-8 in it is replaced.
    pub path: String,
}

/// Where a request goes that was taken, if all guards let it through.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Destination {
    /// To an upstream.
    Upstream {
        /// Host and, where one is written, port: the first that is asked. With a split it is the one that this very
        /// request, with its own headers and no visitor's address, is assigned to.
        authority: String,
        /// What is left of the path: as it was sent, or without the prefix where the route strips it.
        tail: String,
        /// Path and query the upstream is asked for: its base path, the tail, the query as it was sent.
        path: String,
    },
    /// The route answers by itself.
    Edge {
        /// With this status.
        status: u16,
        /// And, for a redirect, to there.
        #[serde(skip_serializing_if = "Option::is_none")]
        location: Option<String>,
    },
}

/// A route that does not take a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Passed {
    /// Its place in the table, from 0.
    pub index: usize,
    /// Its id, or its label where it has none.
    pub route: String,
    /// Where in the document the condition stands that does not hold: `routes[0].match.headers[1]`.
    pub path: String,
    /// The first of its conditions that does not hold.
    #[serde(flatten)]
    pub mismatch: Mismatch,
}

/// Says which route takes a request and why each route above it does not.
///
/// Every route is asked in turn, without the index that [`RouteTable::find`] looks up; both give the same answer.
pub fn explain(table: &RouteTable, subject: &Subject<'_>) -> Explanation {
    let mut passed = Vec::new();
    for (index, route) in table.routes().iter().enumerate() {
        match route.matching.explain(subject) {
            Ok(spelling) => {
                let taken = Some(taken(index, route, spelling, subject));
                return Explanation { taken, passed };
            }
            Err(mismatch) => passed.push(Passed {
                index,
                route: route.label.clone(),
                path: format!("routes[{index}].{}", mismatch.at),
                mismatch,
            }),
        }
    }
    Explanation {
        taken: None,
        passed,
    }
}

fn taken(index: usize, route: &Route, spelling: usize, subject: &Subject<'_>) -> Taken {
    let path = subject.spellings().nth(spelling).unwrap_or_default();
    Taken {
        index,
        route: route.label.clone(),
        spelling: Spelling {
            index: spelling,
            path: String::from_utf8_lossy(path).into_owned(),
        },
        destination: destination(route, subject),
    }
}

fn destination(route: &Route, subject: &Subject<'_>) -> Destination {
    let head = subject.head();
    match &route.action {
        Action::Respond(policy) => {
            let answer = answer::respond(policy, &head.method);
            let location = answer.headers.get(LOCATION);
            Destination::Edge {
                status: answer.status.as_u16(),
                location: location
                    .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()),
            }
        }
        Action::Forward(forward) => {
            let policy = &forward.upstream;
            let authority = forward::plan(policy, head).authority(policy);
            let base = policy
                .candidates()
                .iter()
                .find(|candidate| candidate.authority() == authority)
                .map_or("", |candidate| candidate.base());
            let tail = route.matching.forward_path(subject);
            let (mark, query) = head.url.query().map_or(("", ""), |query| ("?", query));
            Destination::Upstream {
                authority: authority.to_owned(),
                path: format!("{base}{tail}{mark}{query}"),
                tail: tail.into_owned(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, Method};
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::{
        message::{RequestHead, RequestUrl},
        table::{compile_text, samples},
    };

    fn get(url: &str) -> RequestHead {
        RequestHead {
            method: Method::GET,
            url: RequestUrl::parse(url).unwrap(),
            headers: HeaderMap::new(),
            has_body: false,
        }
    }

    const TABLE: &str = r#"{ "routes": [
        { "id": "canary", "match": { "path": "/", "headers": [{ "name": "x-canary", "equals": "on" }] }, "upstream": "canary.example.net" },
        { "match": { "host": "old.example.com" }, "respond": { "redirect": { "to": "/moved", "status": 308 } } },
        { "id": "api", "match": { "path": "/api" }, "upstream": "api.example.net:8443/v1", "stripPrefix": true }
    ] }"#;

    #[track_caller]
    fn check(url: &str, expected: &serde_json::Value) {
        let table = compile_text(TABLE).unwrap().table;
        let head = get(url);
        let explanation = explain(&table, &Subject::new(&head));
        assert_eq!(&serde_json::to_value(explanation).unwrap(), expected);
    }

    #[test]
    fn a_forwarded_request_is_told_with_its_spelling_and_what_the_upstream_is_asked_for() {
        let canary = json!({
            "index": 0,
            "route": "canary",
            "path": "routes[0].match.headers[0]",
            "at": "match.headers[0]",
            "expected": "the header \"x-canary\" equals \"on\"",
            "found": "the header \"x-canary\" is absent",
        });
        let old = json!({
            "index": 1,
            "route": "old.example.com/*#1",
            "path": "routes[1].match.host",
            "at": "match.host",
            "expected": "the host is old.example.com",
            "found": "the host is a.b",
        });
        check(
            "https://a.b/%61pi/x%2Fy?q=1",
            &json!({
                "taken": {
                    "index": 2,
                    "route": "api",
                    "spelling": { "index": 1, "path": "/api/x/y" },
                    "destination": {
                        "kind": "upstream",
                        "authority": "api.example.net:8443",
                        "tail": "/x/y",
                        "path": "/v1/x/y?q=1",
                    },
                },
                "passed": [canary, old],
            }),
        );
        check(
            "https://a.b/about",
            &json!({
                "passed": [canary, old, {
                    "index": 2,
                    "route": "api",
                    "path": "routes[2].match.path",
                    "at": "match.path",
                    "expected": "the path is /api or below it",
                    "found": "the path is /about",
                }],
            }),
        );
    }

    #[test]
    fn a_route_that_answers_by_itself_is_told_with_its_answer() {
        let table = compile_text(TABLE).unwrap().table;
        let head = get("https://old.example.com/");
        let taken = explain(&table, &Subject::new(&head)).taken.unwrap();
        assert_eq!(
            taken.destination,
            Destination::Edge {
                status: 308,
                location: Some("/moved".to_owned())
            }
        );
    }

    proptest! {
        #[test]
        fn what_is_explained_is_what_is_found(
            table in samples::any_table(),
            heads in prop::collection::vec(samples::any_head(), 1..12),
        ) {
            let table = samples::compiled(&table).table;
            for head in heads {
                let subject = Subject::new(&head);
                let Explanation { taken, passed } = explain(&table, &subject);
                let found = table.find(&subject).map(|route| route.label.clone());
                prop_assert_eq!(taken.as_ref().map(|taken| taken.route.clone()), found);
                let above = taken.as_ref().map_or(table.routes().len(), |taken| taken.index);
                for (index, route) in table.routes().iter().enumerate() {
                    let is_passed = passed.iter().any(|passed| passed.index == index);
                    prop_assert!(!(is_passed && route.takes(&subject)), "{} {}", index, route.label());
                }
                if let Some(taken) = &taken {
                    prop_assert!(table.routes()[taken.index].takes(&subject));
                }
                let asked: Vec<usize> = passed.iter().map(|passed| passed.index).collect();
                prop_assert_eq!(asked, (0..above).collect::<Vec<_>>());
            }
        }
    }
}
