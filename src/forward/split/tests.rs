//! Assignments, bit for bit as they were recorded, and what they have to have in common.

use http::{HeaderMap, Method};
use proptest::prelude::*;

use super::*;
use crate::message::RequestUrl;

/// A route's split: its id, the weights of one, two and three, what is hashed and how.
#[derive(Clone)]
struct Case {
    id: &'static str,
    weights: &'static [u64],
    hash_by: HashBy,
    hash_type: HashType,
    sticky: bool,
}

const SHOP: Case = Case {
    id: "shop",
    weights: &[1, 1],
    hash_by: HashBy::Ip,
    hash_type: HashType::Modulo,
    sticky: false,
};

fn document(case: &Case) -> RouteDocument {
    let authorities = ["one.example.net", "two.example.org", "three.example.com"];
    let entries = authorities.iter().zip(case.weights);
    RouteDocument {
        id: Some(case.id.to_owned()).filter(|id| !id.is_empty()),
        traffic_split: Some(
            entries
                .map(|(authority, weight)| entry(authority, *weight))
                .collect(),
        ),
        hash_by: Some(case.hash_by.clone()),
        hash_type: Some(case.hash_type),
        sticky_by: case.sticky.then_some(StickyBy::Cookie),
        ..RouteDocument::default()
    }
}

fn entry(authority: &str, weight: u64) -> SplitEntry {
    SplitEntry {
        upstream: Some(authority.to_owned()),
        weight: Some(weight),
    }
}

fn compile(route: &RouteDocument) -> (Vec<Upstream>, Split) {
    let mut issues = Issues::default();
    let entries = route.traffic_split.as_deref().unwrap();
    Split::compile(route, entries, &Path::root(), &mut issues)
        .unwrap_or_else(|_| panic!("{issues:?}"))
}

fn head(target: &str, headers: &[(&'static str, &str)]) -> RequestHead {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.append(*name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
    }
    RequestHead {
        method: Method::GET,
        url: RequestUrl::parse(&format!("https://proxy.example.com{target}")).unwrap(),
        headers: map,
        has_body: false,
    }
}

#[track_caller]
fn check(
    case: &Case,
    target: &str,
    headers: &[(&'static str, &str)],
    expected: (usize, SelectionScope),
) {
    let (participants, split) = compile(&document(case));
    let selection = split.select(&participants, &head(target, headers));
    assert_eq!(
        (selection.index, selection.scope),
        expected,
        "{target} {headers:?}"
    );
}

#[track_caller]
fn check_addresses(case: &Case, expected: &[(&str, usize)]) {
    for (address, index) in expected {
        let headers = [("cf-connecting-ip", *address)];
        check(case, "/a", &headers, (*index, SelectionScope::Ip));
    }
}

#[test]
fn an_address_falls_into_the_weights_in_declared_order() {
    check_addresses(
        &SHOP,
        &[
            ("203.0.113.1", 0),
            ("203.0.113.2", 1),
            ("198.51.100.10", 1),
            ("198.51.100.77", 0),
            ("2001:db8::7", 1),
        ],
    );
    check_addresses(
        &Case {
            id: "trio",
            weights: &[5, 3, 2],
            ..SHOP
        },
        &[
            ("203.0.113.3", 0),
            ("203.0.113.4", 1),
            ("198.51.100.10", 2),
            ("192.0.2.200", 0),
        ],
    );
    let nameless = Case {
        id: "",
        weights: &[1, 1, 1],
        ..SHOP
    };
    check_addresses(
        &nameless,
        &[
            ("198.51.100.4", 0),
            ("198.51.100.1", 0),
            ("198.51.100.7", 1),
        ],
    );
}

#[test]
fn a_ring_is_made_for_its_first_caller_and_not_while_compiling() {
    let case = Case {
        weights: &[1_000_000, 1_000_000],
        hash_type: HashType::Consistent,
        ..SHOP
    };
    let (participants, split) = compile(&document(&case));
    let is_made = |split: &Split| match &split.spread {
        Spread::Consistent { ring, .. } => ring.get().is_some(),
        Spread::Modulo(_) => panic!("a ring was asked for"),
    };
    assert!(!is_made(&split));
    split.select(&participants, &head("/", &[]));
    assert!(is_made(&split));
}

#[test]
fn an_address_falls_onto_the_ring() {
    let addresses = [
        "203.0.113.1",
        "203.0.113.2",
        "203.0.113.3",
        "203.0.113.4",
        "198.51.100.10",
        "198.51.100.77",
        "192.0.2.200",
        "2001:db8::7",
    ];
    for (weights, owners) in [
        (&[1, 1][..], [1, 1, 1, 1, 1, 0, 0, 1]),
        (&[1, 1, 1], [1, 1, 2, 1, 2, 0, 0, 1]),
        (&[3, 1], [0, 0, 1, 1, 1, 0, 0, 1]),
    ] {
        let case = Case {
            weights,
            hash_type: HashType::Consistent,
            ..SHOP
        };
        let expected: Vec<_> = addresses.into_iter().zip(owners).collect();
        check_addresses(&case, &expected);
    }
}

#[test]
fn without_an_address_there_is_nothing_to_hash() {
    for headers in [&[][..], &[("cf-connecting-ip", "")]] {
        check(&SHOP, "/other", headers, (1, SelectionScope::None));
    }
}

const IP1: (&str, &str) = ("cf-connecting-ip", "203.0.113.1");
const IP2: (&str, &str) = ("cf-connecting-ip", "203.0.113.2");

fn by(hash_by: HashBy) -> Case {
    Case {
        weights: &[3, 2],
        hash_by,
        ..SHOP
    }
}

#[test]
fn a_header_is_hashed_whoever_sends_it_and_the_address_where_it_is_missing() {
    let case = by(HashBy::Header {
        header: "X-Tenant".to_owned(),
    });
    check(
        &case,
        "/a",
        &[("x-tenant", "lumen"), IP1],
        (0, SelectionScope::Header),
    );
    check(
        &case,
        "/a",
        &[("x-tenant", "quarry"), IP2],
        (1, SelectionScope::Header),
    );
    check(
        &case,
        "/a",
        &[("x-tenant", "tundra")],
        (0, SelectionScope::Header),
    );
    check(&case, "/a", &[IP2], (1, SelectionScope::Ip));
    check(&case, "/a", &[], (0, SelectionScope::None));
    let joined = |headers: &[(&'static str, &str)]| {
        let (participants, split) = compile(&document(&case));
        split.select(&participants, &head("/", headers))
    };
    for value in ["a, b", "a, c", "a, d"] {
        let (first, second) = value.split_once(", ").unwrap();
        assert_eq!(
            joined(&[("x-tenant", first), ("x-tenant", second)]),
            joined(&[("x-tenant", value)]),
            "repeated lines are one value"
        );
    }
}

#[test]
fn a_path_is_hashed_without_the_query_and_a_url_with_it() {
    let assets = Case {
        id: "assets",
        ..by(HashBy::Path)
    };
    for (name, index) in [("a", 1), ("b", 0), ("c", 1), ("e", 1)] {
        let target = format!("/img/{name}.png?v=1");
        check(&assets, &target, &[IP1], (index, SelectionScope::Path));
    }
    for (tenant, index) in [("lumen", 1), ("tundra", 0), ("cobalt", 1), ("marsh", 0)] {
        let target = format!("/x?tenant={tenant}");
        check(
            &by(HashBy::Url),
            &target,
            &[IP1],
            (index, SelectionScope::Url),
        );
    }
}

#[test]
fn a_cookie_is_hashed_by_its_exact_name_and_first_value() {
    let case = by(HashBy::Cookie {
        cookie: "uid".to_owned(),
    });
    for (line, expected) in [
        ("uid=u-41; theme=dark", (1, SelectionScope::Cookie)),
        ("theme=dark; uid=u-43", (0, SelectionScope::Cookie)),
        ("uid=a=vb", (1, SelectionScope::Cookie)),
        ("uid=u-44; uid=u-46", (1, SelectionScope::Cookie)),
        ("UID=u-41; xuid=u-42", (1, SelectionScope::Ip)),
    ] {
        check(&case, "/a", &[("cookie", line), IP2], expected);
    }
    check(
        &case,
        "/a",
        &[("cookie", "UID=u-41"), IP1],
        (0, SelectionScope::Ip),
    );
}

#[test]
fn a_parameter_is_hashed_decoded_and_an_empty_one_is_a_value() {
    let case = by(HashBy::Query {
        query: "shop".to_owned(),
    });
    for (query, expected) in [
        ("shop=north&z=1", (1, SelectionScope::Query)),
        ("z=1&shop=north", (1, SelectionScope::Query)),
        ("shop=south", (0, SelectionScope::Query)),
        ("shop=", (0, SelectionScope::Query)),
        ("Shop=north", (0, SelectionScope::Ip)),
    ] {
        check(&case, &format!("/x?{query}"), &[IP1], expected);
    }
    let case = by(HashBy::Query {
        query: "q".to_owned(),
    });
    for (query, index) in [("q=%E6%97%A5%E6%9C%AC", 0), ("q=%E6%BC%81%E5%B8%AB", 1)] {
        check(
            &case,
            &format!("/x?{query}"),
            &[],
            (index, SelectionScope::Query),
        );
    }
}

#[track_caller]
fn check_sticky(sticky: bool, cookies: &str, expected: (usize, SelectionReason, Option<&str>)) {
    let (participants, split) = compile(&document(&Case { sticky, ..SHOP }));
    let selection = split.select(&participants, &head("/a", &[IP1, ("cookie", cookies)]));
    let given = split.cookie(selection, participants[selection.index].authority());
    let given = given.map(|edit| match edit {
        Edit::Append(name, value) if name == header::SET_COOKIE => value,
        other => panic!("{other:?}"),
    });
    let given = given.as_ref().map(|value| value.to_str().unwrap());
    assert_eq!((selection.index, selection.reason, given), expected);
}

#[test]
fn a_cookie_keeps_a_caller_where_it_was_assigned() {
    let fresh = "__jouska_upstream=one.example.net; Path=/; HttpOnly; SameSite=Lax";
    let weighted = SelectionReason::Weighted;
    check_sticky(true, "a=1", (0, weighted, Some(fresh)));
    check_sticky(
        true,
        "a=1; __jouska_upstream=two.example.org; b=2",
        (1, SelectionReason::Sticky, None),
    );
    check_sticky(
        true,
        "__jouska_upstream=retired.example.net",
        (0, weighted, Some(fresh)),
    );
    check_sticky(
        false,
        "__jouska_upstream=two.example.org",
        (0, weighted, None),
    );
}

/// What is wrong with a split, by path.
#[track_caller]
fn check_issues(route: &RouteDocument, expected: &[(&str, Code)]) {
    let mut issues = Issues::default();
    let entries = route.traffic_split.as_deref().unwrap();
    let compiled = Split::compile(route, entries, &Path::root(), &mut issues);
    assert!(compiled.is_err());
    let found = issues.into_vec();
    let found: Vec<_> = found
        .iter()
        .map(|issue| (issue.path.as_str(), issue.code))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn every_fault_of_a_split_is_found() {
    let route = |entries: Vec<SplitEntry>| RouteDocument {
        traffic_split: Some(entries),
        ..RouteDocument::default()
    };
    check_issues(&route(Vec::new()), &[("trafficSplit", Code::Required)]);
    let crowd = (0..65).map(|index| entry(&format!("u{index}.test"), 1));
    check_issues(&route(crowd.collect()), &[("trafficSplit", Code::TooLarge)]);
    check_issues(
        &RouteDocument {
            hash_by: Some(HashBy::Cookie {
                cookie: "a b".to_owned(),
            }),
            ..route(vec![
                entry("a.test", 0),
                entry("https://b.test", 1_000_001),
                entry("10.0.0.1", 1),
                SplitEntry::default(),
                entry("c.test/v1", 1),
                entry("C.test/v2", 1),
            ])
        },
        &[
            ("trafficSplit[0].weight", Code::Range),
            ("trafficSplit[1].upstream", Code::Value),
            ("trafficSplit[1].weight", Code::Range),
            ("trafficSplit[2].upstream", Code::PrivateUpstream),
            ("trafficSplit[3].upstream", Code::Required),
            ("trafficSplit[3].weight", Code::Required),
            ("trafficSplit[5].upstream", Code::Duplicate),
            ("hashBy.cookie", Code::Value),
        ],
    );
    for (hash_by, path) in [
        (
            HashBy::Header {
                header: "x y".to_owned(),
            },
            "hashBy.header",
        ),
        (
            HashBy::Header {
                header: String::new(),
            },
            "hashBy.header",
        ),
        (
            HashBy::Cookie {
                cookie: "a=b".to_owned(),
            },
            "hashBy.cookie",
        ),
        (
            HashBy::Query {
                query: "a&b".to_owned(),
            },
            "hashBy.query",
        ),
        (
            HashBy::Query {
                query: String::new(),
            },
            "hashBy.query",
        ),
    ] {
        let route = RouteDocument {
            hash_by: Some(hash_by),
            ..route(vec![entry("a.test", 1)])
        };
        check_issues(&route, &[(path, Code::Value)]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_a_caller_sends_falls_to_a_participant(
        address in "\\PC{0,20}",
        weights in proptest::collection::vec(1_u64..=1_000_000, 1..64),
    ) {
        let entries = weights.iter().enumerate();
        let route = RouteDocument {
            traffic_split: Some(
                entries
                    .map(|(index, weight)| entry(&format!("u{index}.test"), *weight))
                    .collect(),
            ),
            hash_by: Some(HashBy::Header { header: "x-key".to_owned() }),
            ..RouteDocument::default()
        };
        let (participants, split) = compile(&route);
        let selection = split.select(&participants, &head("/", &[("x-key", &address)]));
        prop_assert!(selection.index < participants.len());
    }
}
