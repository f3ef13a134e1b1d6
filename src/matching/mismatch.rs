//! A verdict in the words of the document: where a route asks for something, what it asks for, and what the request
//! has instead.

use std::fmt;

use http::HeaderName;
use serde::Serialize;

use super::{Family, Policy, Subject, Verdict};

/// The first thing a route asks for that a request does not have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mismatch {
    /// Where the route asks for it, seen from the route: `match.headers[1]`.
    pub at: String,
    /// What it asks for: `the header "x-canary" equals "on"`.
    pub expected: String,
    /// What the request has: `the header "x-canary" is "off"`.
    pub found: String,
}

impl Policy {
    /// The route's [verdict](Policy::verdict) on a request, with its reason in words: the index of the
    /// [spelling](Subject::spellings) that is below the route's path, or what the request does not have.
    pub fn explain(&self, subject: &Subject<'_>) -> Result<usize, Mismatch> {
        let head = subject.head();
        Err(match self.verdict(subject) {
            Verdict::Takes { spelling } => return Ok(spelling),
            Verdict::OtherHost => Mismatch {
                at: "match.host".to_owned(),
                expected: format!("the host is {}", or_any(self.host.as_ref())),
                found: format!("the host is {}", head.url.hostname()),
            },
            Verdict::OtherMethod => Mismatch {
                at: "match.methods".to_owned(),
                expected: format!("the method is {}", either(&self.methods)),
                found: format!("the method is {}", head.method),
            },
            Verdict::OtherPath => Mismatch {
                at: "match.path".to_owned(),
                expected: format!("the path is {} or below it", or_any(self.prefix.as_ref())),
                found: format!("the path is {}", subject.path()),
            },
            Verdict::ConditionFails { family, index } => {
                self.failed_condition(family, index, subject)
            }
        })
    }

    fn failed_condition(&self, family: Family, index: usize, subject: &Subject<'_>) -> Mismatch {
        let (list, noun) = match family {
            Family::Headers => ("headers", "header"),
            Family::Query => ("query", "query parameter"),
            Family::Cookies => ("cookies", "cookie"),
        };
        let (name, asked, value) = match family {
            Family::Headers => of(&self.headers, index, |name: &HeaderName| {
                subject.header(name).map(|value| value.into_owned())
            }),
            Family::Query => of(&self.query, index, |name| {
                subject
                    .parameter(name)
                    .map(|value| value.as_bytes().to_vec())
            }),
            Family::Cookies => of(&self.cookies, index, |name| {
                subject.cookie(name).map(|value| value.as_bytes().to_vec())
            }),
        };
        let found = match value {
            Some(value) => format!("is {}", quoted(&value)),
            None => "is absent".to_owned(),
        };
        Mismatch {
            at: format!("match.{list}[{index}]"),
            expected: format!("the {noun} \"{name}\" {asked}"),
            found: format!("the {noun} \"{name}\" {found}"),
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it asks that {}; {}", self.expected, self.found)
    }
}

/// The name of a condition, what it asks for and what stands under its name.
fn of<Name: AsRef<str>>(
    conditions: &[super::Condition<Name>],
    index: usize,
    value: impl Fn(&Name) -> Option<Vec<u8>>,
) -> (String, String, Option<Vec<u8>>) {
    match conditions.get(index) {
        Some(condition) => (
            condition.name.as_ref().to_owned(),
            condition.asked(),
            value(&condition.name),
        ),
        None => (String::new(), String::new(), None),
    }
}

fn or_any(stated: Option<&impl fmt::Display>) -> String {
    stated.map_or_else(|| "any".to_owned(), ToString::to_string)
}

fn either(methods: &[http::Method]) -> String {
    let names: Vec<&str> = methods.iter().map(http::Method::as_str).collect();
    match names.as_slice() {
        [] => "any".to_owned(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// A value in quotation marks, cut where it is long.
fn quoted(value: &[u8]) -> String {
    let text = String::from_utf8_lossy(value);
    match text.char_indices().nth(MOST_QUOTED) {
        Some((end, _)) => format!("{:?}...", text.get(..end).unwrap_or_default()),
        None => format!("{text:?}"),
    }
}

/// Characters of a request's value that are repeated.
const MOST_QUOTED: usize = 100;

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue, Method};

    use super::*;
    use crate::{
        config::{
            Issues, Path, RouteDocument,
            document::{Condition, Match},
        },
        message::{RequestHead, RequestUrl},
    };

    fn condition(name: &str) -> Condition {
        Condition {
            name: Some(name.to_owned()),
            ..Condition::default()
        }
    }

    #[track_caller]
    fn check(asked: Match, url: &str, expected: Result<usize, (&str, &str)>) {
        let route = RouteDocument {
            r#match: Some(Match {
                path: asked.path.or_else(|| Some("/".to_owned())),
                ..asked
            }),
            ..RouteDocument::default()
        };
        let policy = Policy::compile(&route, &Path::root(), &mut Issues::default()).unwrap();
        let mut headers = HeaderMap::new();
        headers.insert("x-canary", HeaderValue::from_static("off"));
        headers.insert("cookie", HeaderValue::from_static("beta=2"));
        let head = RequestHead {
            method: Method::DELETE,
            url: RequestUrl::parse(url).unwrap(),
            headers,
            has_body: false,
        };
        let explained = policy.explain(&Subject::new(&head));
        let said = explained
            .as_ref()
            .map_err(|mismatch| (mismatch.at.as_str(), mismatch.to_string()));
        assert_eq!(
            said,
            expected
                .as_ref()
                .map_err(|(at, message)| (*at, (*message).to_owned()))
        );
    }

    #[test]
    fn a_request_that_is_taken_has_the_spelling_that_was() {
        check(Match::default(), "https://a.b/", Ok(0));
        let shop = Match {
            path: Some("/shop".to_owned()),
            ..Match::default()
        };
        check(shop, "https://a.b//shop/x", Ok(1));
    }

    #[test]
    fn host_method_and_path_are_told_as_they_are_compared() {
        let host = Match {
            host: Some("*.Example.com".to_owned()),
            ..Match::default()
        };
        check(
            host,
            "https://example.com:8443/x",
            Err((
                "match.host",
                "it asks that the host is *.example.com; the host is example.com",
            )),
        );
        let methods = Match {
            methods: Some(["get", "head", "post"].map(str::to_owned).to_vec()),
            ..Match::default()
        };
        check(
            methods,
            "https://a.b/",
            Err((
                "match.methods",
                "it asks that the method is GET, HEAD or POST; the method is DELETE",
            )),
        );
        let path = Match {
            path: Some("/shop/*".to_owned()),
            ..Match::default()
        };
        check(
            path,
            "https://a.b/shopping?x",
            Err((
                "match.path",
                "it asks that the path is /shop or below it; the path is /shopping",
            )),
        );
    }

    #[test]
    fn a_condition_is_told_with_its_list_its_place_and_what_stands_there() {
        let headers = Match {
            headers: Some(vec![
                Condition {
                    present: Some(true),
                    ..condition("x-canary")
                },
                Condition {
                    equals: Some("on".to_owned()),
                    ..condition("X-Canary")
                },
            ]),
            ..Match::default()
        };
        check(
            headers,
            "https://a.b/",
            Err((
                "match.headers[1]",
                "it asks that the header \"x-canary\" equals \"on\"; the header \"x-canary\" is \"off\"",
            )),
        );
        let query = Match {
            query: Some(vec![Condition {
                prefix: Some("pro".to_owned()),
                ..condition("plan")
            }]),
            ..Match::default()
        };
        check(
            query,
            "https://a.b/?Plan=pro",
            Err((
                "match.query[0]",
                "it asks that the query parameter \"plan\" starts with \"pro\"; the query parameter \"plan\" is absent",
            )),
        );
        let cookies = Match {
            cookies: Some(vec![Condition {
                present: Some(false),
                ..condition("beta")
            }]),
            ..Match::default()
        };
        check(
            cookies,
            "https://a.b/",
            Err((
                "match.cookies[0]",
                "it asks that the cookie \"beta\" is absent; the cookie \"beta\" is \"2\"",
            )),
        );
    }

    #[test]
    fn a_long_value_is_cut() {
        assert_eq!(quoted(b"a\xff\n"), "\"a\u{fffd}\\n\"");
        assert!(quoted(&[b'x'; 101]).ends_with("x\"..."));
    }
}
