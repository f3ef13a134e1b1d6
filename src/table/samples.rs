//! Random tables and requests over so few words that routes meet.

use http::{HeaderMap, HeaderName, HeaderValue, Method};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Compiled, compile};
use crate::{
    config::{self, Document},
    message::{RequestHead, RequestUrl},
};

/// A table of up to six routes.
pub(crate) fn any_table() -> impl Strategy<Value = Value> {
    let paths = vec!["/", "/a", "/a/b", "/a/*", "/%61", "/b", "/a%2fb"];
    prop::collection::vec(any_route(paths, 2), 1..6).prop_map(|routes| json!({ "routes": routes }))
}

/// A table whose routes look at host, path, method and two headers, each in one spelling: small enough to ask about
/// every request there is.
pub(crate) fn any_plain_table() -> impl Strategy<Value = Value> {
    let paths = vec!["/", "/a", "/a/b", "/b"];
    prop::collection::vec(any_route(paths, 0), 1..6).prop_map(|routes| json!({ "routes": routes }))
}

/// Every request that routes of [`any_plain_table`] could tell apart.
pub(crate) fn every_plain_head() -> Vec<RequestHead> {
    let values = [None, Some(""), Some("1"), Some("12"), Some("1z"), Some("z")];
    let mut heads = Vec::new();
    for host in ["z", "a.b", "x.a.b", "z.a.b", "z.b"] {
        for path in ["/", "/z", "/a", "/a/z", "/a/b", "/a/b/z", "/b", "/b/z"] {
            for method in ["GET", "POST", "Z"] {
                for x in values {
                    for y in values {
                        let pairs = [("x", x), ("y", y)];
                        heads.push(head(method, &format!("https://{host}{path}"), &pairs));
                    }
                }
            }
        }
    }
    heads
}

/// A request.
pub(crate) fn any_head() -> impl Strategy<Value = RequestHead> {
    let value = || {
        prop::option::of(prop::sample::select(vec![
            "",
            "1",
            "12",
            "2",
            "shadow-probe",
        ]))
    };
    (
        prop::sample::select(vec!["GET", "POST", "PUT"]),
        prop::sample::select(vec!["a.b", "x.a.b", "y.x.a.b", "c", "b"]),
        prop::sample::select(vec![
            "/", "/a", "/a/b", "/a/b/c", "/%61", "//a", "/b;x", "/c", "/a%2fb", "/%2561/b",
        ]),
        [value(), value(), value(), value()],
    )
        .prop_map(|(method, host, path, [x, y, parameter, cookie])| {
            let query = parameter.map_or_else(String::new, |value| format!("?x={value}"));
            let cookie = cookie.map(|value| format!("x={value}"));
            let pairs = [("x", x), ("y", y), ("cookie", cookie.as_deref())];
            head(method, &format!("https://{host}{path}{query}"), &pairs)
        })
}

/// The document and its table.
pub(crate) fn read(table: &Value) -> (Document, Compiled) {
    let reading = config::read_value(table.clone());
    let document = reading.document.clone();
    match compile(reading) {
        Ok(compiled) => (document, compiled),
        Err(refused) => panic!("{refused}\n{table}"),
    }
}

/// The table of a document.
pub(crate) fn compiled(table: &Value) -> Compiled {
    read(table).1
}

fn head(method: &str, url: &str, pairs: &[(&'static str, Option<&str>)]) -> RequestHead {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        if let Some(value) = value {
            headers.append(
                HeaderName::from_static(name),
                HeaderValue::from_str(value).unwrap(),
            );
        }
    }
    RequestHead {
        method: Method::from_bytes(method.as_bytes()).unwrap(),
        url: RequestUrl::parse(url).unwrap(),
        headers,
        has_body: false,
    }
}

/// A route with `others` conditions at most on query and cookies each.
fn any_route(paths: Vec<&'static str>, others: usize) -> impl Strategy<Value = Value> {
    let host = prop::option::of(prop::sample::select(vec!["a.b", "x.a.b", "*.b", "*.a.b"]));
    let path = prop::option::of(prop::sample::select(paths));
    let methods = prop::option::of(prop::sample::subsequence(vec!["GET", "post"], 1..=2));
    let list = |most: usize| prop::collection::vec(any_condition(), 0..=most);
    (host, path, methods, list(2), list(others), list(others)).prop_map(
        |(host, path, methods, headers, query, cookies)| {
            let mut asked = json!({ "headers": headers, "query": query, "cookies": cookies });
            let path = path.or_else(|| host.is_none().then_some("/"));
            for (key, value) in [
                ("host", json!(host)),
                ("path", json!(path)),
                ("methods", json!(methods)),
            ] {
                if !value.is_null() {
                    asked[key] = value;
                }
            }
            json!({ "match": asked, "upstream": "up.example.com" })
        },
    )
}

fn any_condition() -> impl Strategy<Value = Value> {
    let name = prop::sample::select(vec!["x", "y"]);
    let test = prop::sample::select(vec![
        ("equals", json!("")),
        ("equals", json!("1")),
        ("equals", json!("12")),
        ("prefix", json!("1")),
        ("present", json!(true)),
        ("present", json!(false)),
    ]);
    (name, test).prop_map(|(name, (operator, value))| json!({ "name": name, operator: value }))
}
