//! Under which address a response is stored: what shares an address shares a response.

use http::{HeaderName, Method};
use percent_encoding::percent_decode;
use url::form_urlencoded::byte_serialize;

use crate::{
    config::{
        Issues, Path, Reported, RouteDocument,
        document::{CacheKey, KeyQuery},
        header_rules,
    },
    headers::combined,
    message::RequestHead,
    order,
};

/// What tells a route's entries apart beside the URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Policy {
    query: Query,
    /// `cache.key.headers`.
    pub(super) headers: Vec<HeaderName>,
    /// Headers the route was matched on, so that two branches of one address never share an entry. Cookies it was
    /// matched on need no place: a request with cookies takes no part.
    conditions: Vec<HeaderName>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Query {
    All,
    None,
    Ignore(Vec<String>),
    Include(Vec<String>),
}

/// What tells the entries of routes, versions of routes and shares of a split apart.
#[derive(Debug, Clone, Copy)]
pub struct Variant<'a> {
    /// A fingerprint of the whole route and of everything that is folded into all keys.
    pub fingerprint: &'a str,
    /// Which participant of a split the caller is assigned to.
    pub bucket: Option<usize>,
}

/// The query parameter keys are made with. An address that has it already is never stored, or two different requests
/// could share an entry.
pub(super) const KEY_PARAMETER: &str = "__jouska_ck";

impl Policy {
    pub(super) fn compile(
        key: Option<&CacheKey>,
        route: &RouteDocument,
        at: &Path<'_>,
        issues: &mut Issues,
    ) -> Result<Self, Reported> {
        let CacheKey { query, headers } = key.cloned().unwrap_or_default();
        let headers_at = at.key("headers");
        let mut folded: Vec<HeaderName> = Vec::new();
        let mut failed = None;
        for (index, text) in headers.iter().flatten().enumerate() {
            match header_rules::name(text, personal, &headers_at.index(index), issues) {
                Ok(name) if folded.contains(&name) => {}
                Ok(name) => folded.push(name),
                Err(reported) => failed = Some(reported),
            }
        }
        // A name that is none was reported where the route's conditions are compiled.
        let conditions = route
            .r#match
            .iter()
            .flat_map(|matched| matched.headers.iter().flatten())
            .filter_map(|condition| condition.name.as_deref()?.parse().ok())
            .collect();
        let policy = Self {
            query: match query.unwrap_or_default() {
                KeyQuery::All => Query::All,
                KeyQuery::None => Query::None,
                KeyQuery::Ignore { ignore } => Query::Ignore(ignore),
                KeyQuery::Include { include } => Query::Include(include),
            },
            headers: folded,
            conditions,
        };
        failed.map_or(Ok(policy), Err)
    }
}

/// The address a request's response is stored under: its own, with its query put in order, and one more parameter.
pub(super) fn address(policy: &Policy, head: &RequestHead, variant: Variant<'_>) -> String {
    let url = &head.url;
    let mut address = format!("{}://{}{}?", url.scheme(), url.authority(), url.path());
    for (name, value) in ordered(&policy.query, url.query().unwrap_or_default()) {
        address.extend(byte_serialize(&name));
        address.push('=');
        address.extend(byte_serialize(&value));
        address.push('&');
    }
    address.push_str(KEY_PARAMETER);
    address.push('=');
    address.extend(byte_serialize(variant.fingerprint.as_bytes()));
    address.push(SEPARATOR);
    if let Some(bucket) = variant.bucket {
        address.push_str(&bucket.to_string());
    }
    address.push(SEPARATOR);
    // An answer to HEAD has no body, and must not be found by a GET.
    address.push_str(if head.method == Method::HEAD {
        "HEAD"
    } else {
        "GET"
    });
    for name in policy.conditions.iter().chain(&policy.headers) {
        address.push(SEPARATOR);
        // An absent header and an empty one are two questions to an upstream.
        if let Some(value) = combined(&head.headers, name) {
            address.push(PRESENT);
            address.extend(byte_serialize(&value));
        }
    }
    address
}

/// Whether a query has the parameter that keys are made with, in any spelling.
pub(super) fn has_key_parameter(query: &str) -> bool {
    query.contains(['_', '%']) && pairs(query).any(|(name, _)| name == KEY_PARAMETER.as_bytes())
}

/// The parameters that count, decoded, in order and each pair once.
fn ordered(policy: &Query, query: &str) -> Vec<(Vec<u8>, Vec<u8>)> {
    let listed =
        |names: &[String], name: &[u8]| names.iter().any(|listed| listed.as_bytes() == name);
    let mut pairs: Vec<_> = match policy {
        Query::None => Vec::new(),
        Query::All => pairs(query).collect(),
        Query::Ignore(names) => pairs(query)
            .filter(|(name, _)| !listed(names, name))
            .collect(),
        Query::Include(names) => pairs(query)
            .filter(|(name, _)| listed(names, name))
            .collect(),
    };
    order::sort(&mut pairs);
    pairs.dedup();
    pairs
}

/// The pairs of a query as forms are decoded, but to bytes: two octets that are no UTF-8 are two values.
fn pairs(query: &str) -> impl Iterator<Item = (Vec<u8>, Vec<u8>)> {
    let decoded = |text: &str| {
        let spaced: Vec<u8> = text
            .bytes()
            .map(|byte| if byte == b'+' { b' ' } else { byte })
            .collect();
        percent_decode(&spaced).collect()
    };
    query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(move |pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decoded(name), decoded(value))
        })
}

/// Why a header may not be folded into keys; `None` where it may.
fn personal(name: &str) -> Option<&'static str> {
    match name {
        "authorization" | "cookie" => Some(
            "a request that carries it takes no part in caching, because its answer is about its sender",
        ),
        _ => None,
    }
}

/// Stands between the parts of the parameter's value. Form encoding escapes both, so no value can contain them.
const SEPARATOR: char = '~';
const PRESENT: char = '!';

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue};
    use proptest::prelude::*;

    use super::*;
    use crate::{
        config::document::{Condition, Match},
        message::RequestUrl,
    };

    fn policy(query: Query, headers: &[&'static str]) -> Policy {
        Policy {
            query,
            headers: headers
                .iter()
                .copied()
                .map(HeaderName::from_static)
                .collect(),
            conditions: Vec::new(),
        }
    }

    fn head(method: Method, url: &str, headers: &[(&'static str, &'static str)]) -> RequestHead {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_static(value));
        }
        RequestHead {
            method,
            url: RequestUrl::parse(url).unwrap(),
            headers: map,
            has_body: false,
        }
    }

    const VARIANT: Variant<'_> = Variant {
        fingerprint: "f-1",
        bucket: None,
    };

    fn get(policy: &Policy, url: &str) -> String {
        address(policy, &head(Method::GET, url, &[]), VARIANT)
    }

    #[track_caller]
    fn check(query: Query, one: &str, other: &str, same: bool) {
        let policy = policy(query, &[]);
        let [one, other] = [one, other].map(|query| get(&policy, &format!("https://a.b/p{query}")));
        assert_eq!(one == other, same, "{one} {other}");
    }

    #[test]
    fn an_address_is_the_requests_own_with_one_parameter_more() {
        let all = policy(Query::All, &[]);
        for (url, expected) in [
            (
                "https://a.b:8443/x/../%2F",
                "https://a.b:8443/x/../%2F?__jouska_ck=f-1~~GET",
            ),
            (
                "http://a.b/?b=2&a=1+%41",
                "http://a.b/?a=1+A&b=2&__jouska_ck=f-1~~GET",
            ),
        ] {
            assert_eq!(get(&all, url), expected);
        }
        let split = Variant {
            bucket: Some(1),
            ..VARIANT
        };
        let asked = head(Method::HEAD, "https://a.b/", &[]);
        assert_eq!(
            address(&all, &asked, split),
            "https://a.b/?__jouska_ck=f-1~1~HEAD"
        );
    }

    #[test]
    fn a_query_counts_by_its_pairs_and_not_by_its_spelling() {
        let all = || Query::All;
        check(all(), "?a=1&b=2", "?b=2&a=1", true);
        check(all(), "?a=1&a=1", "?a=1", true);
        check(all(), "?a=1&a=2", "?a=1", false);
        check(all(), "?a=2&a=1", "?a=1&a=2", true);
        check(all(), "?%61=1", "?a=1", true);
        check(all(), "?a", "?a=", true);
        check(all(), "?a=x+y", "?a=x%20y", true);
        check(all(), "?a=%2b", "?a=%2B", true);
        check(all(), "?", "", true);
        check(all(), "?&&a=1", "?a=1", true);
        check(all(), "?a=1", "?a=2", false);
        check(all(), "?A=1", "?a=1", false);
        check(all(), "?a=%ff", "?a=%fe", false);
        check(all(), "?a=1%26b=2", "?a=1&b=2", false);
    }

    #[test]
    fn parameters_count_as_the_route_says() {
        let utm = || vec!["utm".to_owned()];
        check(Query::None, "?a=1", "?b=2", true);
        check(Query::Ignore(utm()), "?a=1&utm=x", "?utm=y&a=1", true);
        check(Query::Ignore(utm()), "?a=1&Utm=x", "?a=1", false);
        check(Query::Include(utm()), "?a=1&utm=x", "?a=2&utm=x", true);
        check(Query::Include(utm()), "?utm=x", "?utm=y", false);
    }

    #[test]
    fn folded_headers_count_by_value_and_by_being_there() {
        let policy = policy(Query::All, &["x-a", "x-b"]);
        let of = |headers: &[(&'static str, &'static str)]| {
            address(
                &policy,
                &head(Method::GET, "https://a.b/", headers),
                VARIANT,
            )
        };
        let addresses = [
            of(&[]),
            of(&[("x-a", "")]),
            of(&[("x-b", "")]),
            of(&[("x-a", "1")]),
            of(&[("x-a", "1~!2")]),
            of(&[("x-a", "1"), ("x-b", "2")]),
            of(&[("x-a", "1"), ("x-a", "2")]),
        ];
        for (index, one) in addresses.iter().enumerate() {
            for other in &addresses[index + 1..] {
                assert_ne!(one, other);
            }
        }
        assert_eq!(of(&[("x-c", "1")]), of(&[]));
    }

    #[test]
    fn headers_a_route_is_matched_on_are_folded_too() {
        let route = RouteDocument {
            r#match: Some(Match {
                headers: Some(vec![Condition {
                    name: Some("X-Edition".to_owned()),
                    ..Default::default()
                }]),
                ..Default::default()
            }),
            ..Default::default()
        };
        let policy = Policy::compile(None, &route, &Path::root(), &mut Issues::default()).unwrap();
        let asked = head(Method::GET, "https://a.b/", &[("x-edition", "v1")]);
        assert!(address(&policy, &asked, VARIANT).ends_with("GET~!v1"));
    }

    #[test]
    fn the_keys_own_parameter_is_seen_in_every_spelling() {
        for (query, expected) in [
            ("", false),
            ("a=__jouska_ck", false),
            ("__jouska_ck", true),
            ("a=1&__jouska_ck=x", true),
            ("%5F_jouska%5fck=x", true),
            ("__jouska_ck2=x", false),
            ("__JOUSKA_CK=x", false),
        ] {
            assert_eq!(has_key_parameter(query), expected, "{query}");
        }
    }

    proptest! {
        #[test]
        fn the_order_of_parameters_never_matters(
            mut pairs in prop::collection::vec("[ab%+=]{0,6}", 0..6),
            seed in any::<usize>(),
        ) {
            let all = policy(Query::All, &[]);
            let one = get(&all, &format!("https://a.b/?{}", pairs.join("&")));
            if !pairs.is_empty() {
                let middle = seed % pairs.len();
                pairs.rotate_left(middle);
            }
            pairs.reverse();
            prop_assert_eq!(one, get(&all, &format!("https://a.b/?{}", pairs.join("&"))));
        }
    }
}
