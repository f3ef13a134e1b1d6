//! What a route takes, what it forwards, and that the index agrees with asking every route.

use http::{HeaderMap, HeaderValue};
use proptest::prelude::*;

use super::*;
use crate::{
    config::document::Condition as Written,
    message::{RequestHead, RequestUrl},
};

#[test]
fn a_route_takes_what_is_on_its_host_and_below_its_path() {
    let takes = |spelling| Verdict::Takes { spelling };
    for (host, path, url, expected) in [
        (None, Some("/shop"), "https://a.b/shop/1?x", takes(0)),
        (
            None,
            Some("/shop"),
            "https://a.b/shopping",
            Verdict::OtherPath,
        ),
        (
            None,
            Some("/shop"),
            "https://a.b/old/shop",
            Verdict::OtherPath,
        ),
        (None, Some("/"), "https://a.b", takes(0)),
        (None, Some("/"), r"https://a.b\x", takes(0)),
        (Some("A.b"), None, "https://a.b:8443/x", takes(0)),
        (Some("a.b"), None, "https://c.a.b/x", Verdict::OtherHost),
        (Some("*.b"), None, "https://x.a.b/x", takes(0)),
        (Some("*.a.b"), None, "https://a.b/x", Verdict::OtherHost),
        (Some("a.b"), Some("/x"), "https://a.b/x", takes(0)),
        (Some("a.b"), Some("/x"), "https://a.b/y", Verdict::OtherPath),
        (Some("a.b"), Some("/x"), "https://b.b/x", Verdict::OtherHost),
        (None, Some("/admin"), "https://a.b/%61dmin", takes(1)),
        (None, Some("/admin"), "https://a.b//admin/x", takes(1)),
        (None, Some("/admin"), "https://a.b/open/../admin", takes(0)),
        (
            None,
            Some("/open"),
            "https://a.b/open/../admin",
            Verdict::OtherPath,
        ),
    ] {
        let policy = compiled(Match {
            host: host.map(str::to_owned),
            path: path.map(str::to_owned),
            ..Default::default()
        });
        check(&policy, &get(url, &[]), expected);
    }
}

#[test]
fn listed_methods_are_taken_in_any_notation_and_no_others() {
    let policy = compiled(Match {
        methods: Some(vec!["post".to_owned(), "Get".to_owned()]),
        ..below("/")
    });
    for (method, expected) in [
        ("GET", Verdict::Takes { spelling: 0 }),
        ("POST", Verdict::Takes { spelling: 0 }),
        ("HEAD", Verdict::OtherMethod),
        ("DELETE", Verdict::OtherMethod),
        ("PURGE", Verdict::OtherMethod),
    ] {
        let mut head = get("https://a.b/", &[]);
        head.method = Method::from_bytes(method.as_bytes()).unwrap();
        check(&policy, &head, expected);
    }
}

#[test]
fn the_first_condition_that_fails_is_named() {
    let policy = compiled(Match {
        headers: Some(vec![equals("X-Env", "a, b"), equals("x-flag", "")]),
        query: Some(vec![equals("mode", "pro plus")]),
        cookies: Some(vec![equals("g", "1")]),
        ..below("/")
    });
    let env = [("x-env", "a"), ("x-env", "b")];
    let with = |more: &[(&'static str, &'static str)]| [&env[..], more].concat();
    let fails = |family, index| Verdict::ConditionFails { family, index };
    let flag = ("x-flag", "");
    for (url, headers, expected) in [
        (
            "https://a.b/",
            vec![("x-env", "a")],
            fails(Family::Headers, 0),
        ),
        ("https://a.b/", env.to_vec(), fails(Family::Headers, 1)),
        ("https://a.b/", with(&[flag]), fails(Family::Query, 0)),
        (
            "https://a.b/?mode=x&mode=pro+plus",
            with(&[flag]),
            fails(Family::Query, 0),
        ),
        (
            "https://a.b/?mode=pro%2520plus",
            with(&[flag]),
            fails(Family::Query, 0),
        ),
        (
            "https://a.b/?Mode=pro+plus",
            with(&[flag]),
            fails(Family::Query, 0),
        ),
        (
            "https://a.b/?mode=%70ro+plus",
            with(&[flag]),
            fails(Family::Cookies, 0),
        ),
        (
            "https://a.b/?mode=pro+plus",
            with(&[flag, ("cookie", "g=2; g=1")]),
            fails(Family::Cookies, 0),
        ),
        (
            "https://a.b/?mode=pro%20plus&mode=x",
            with(&[flag, ("cookie", "x; g = 1 ; g=2")]),
            Verdict::Takes { spelling: 0 },
        ),
    ] {
        check(&policy, &get(url, &headers), expected);
    }
}

#[test]
fn a_stripped_prefix_leaves_the_tail_as_it_was_sent() {
    for (prefix, path, expected) in [
        ("/api", "/api/a%20b%2Fc;v=2//d", "/a%20b%2Fc;v=2//d"),
        ("/api", "/api", "/"),
        ("/api", "/api/", "/"),
        ("/api/*", "/api/x", "/x"),
        ("/api", "/api//x", "//x"),
        // Another spelling of the prefix: the tail is that spelling's.
        ("/api", "//api/x", "/x"),
        ("/api", "/%61pi/a%20b%2525", "/a%20b%2525"),
        ("/api", "/%61pi/%ff", "/%FF"),
        ("/api", "/api;v=1", "/"),
        // What would leave a base path on the way out is resolved before it is cut.
        ("/api", "/api/../api/x", "/x"),
        ("/api", "/%61pi%2f..%2fx", "/x"),
        ("/", "/x", "/x"),
        ("/b%C3%BCcher", "/bücher/x", "/x"),
    ] {
        let policy = stripping(prefix, true);
        let head = get(&format!("https://a.b{path}"), &[]);
        assert_eq!(
            policy.forward_path(&Subject::new(&head)),
            expected,
            "{path}"
        );
    }
}

#[test]
fn without_strip_prefix_the_path_is_forwarded_as_it_was_sent() {
    for (path, expected) in [
        ("/shop//cart;v=2", "/shop//cart;v=2"),
        ("/shop/a%20b%2Fc", "/shop/a%20b%2Fc"),
        ("//shop/x", "//shop/x"),
        ("/shop/../x", "/x"),
    ] {
        let policy = stripping("/", false);
        let head = get(&format!("https://a.b{path}"), &[]);
        assert_eq!(
            policy.forward_path(&Subject::new(&head)),
            expected,
            "{path}"
        );
    }
}

#[test]
fn the_stripped_prefix_is_known_for_the_way_back() {
    for (prefix, strip, expected) in [
        ("/docs/*", true, Some("/docs")),
        ("/docs", false, None),
        ("/", true, None),
        ("/bücher", true, Some("/b%C3%BCcher")),
    ] {
        assert_eq!(
            stripping(prefix, strip).stripped_prefix(),
            expected,
            "{prefix}"
        );
    }
}

#[test]
fn everything_wrong_with_a_match_is_reported_at_its_place() {
    let condition = |name: &str| Written {
        present: Some(true),
        name: Some(name.to_owned()),
        ..Default::default()
    };
    for (written, expected) in [
        (None, "routes[0].match"),
        (Some(Match::default()), "routes[0].match"),
        (
            Some(Match {
                methods: Some(vec!["GET".to_owned()]),
                ..Default::default()
            }),
            "routes[0].match",
        ),
        (
            Some(Match {
                host: Some("https://a.b".to_owned()),
                path: Some("api".to_owned()),
                methods: Some(Vec::new()),
                headers: Some(vec![condition("x"), condition("x y")]),
                query: Some(vec![condition("a=b")]),
                cookies: Some(vec![condition("c"); 65]),
            }),
            "routes[0].match.host routes[0].match.path routes[0].match.methods routes[0].match.headers[1].name \
             routes[0].match.query[0].name routes[0].match.cookies",
        ),
        (
            Some(Match {
                methods: Some(vec!["GET".to_owned(), "M-SEARCH".to_owned()]),
                ..below("/")
            }),
            "routes[0].match.methods[1]",
        ),
    ] {
        let mut issues = Issues::default();
        let result = compile(written.clone(), false, &mut issues);
        let places: Vec<String> = issues
            .into_vec()
            .into_iter()
            .map(|issue| issue.path)
            .collect();
        assert_eq!(places.join(" "), expected, "{written:?}");
        assert!(result.is_err(), "{written:?}");
    }
}

proptest! {
    #[test]
    fn the_index_finds_what_asking_every_route_finds(
        table in prop::collection::vec(any_match(), 0..12),
        urls in prop::collection::vec(any_url(), 1..12),
    ) {
        let policies: Vec<Policy> = table.into_iter().map(compiled).collect();
        let index = Index::new(&policies);
        for url in urls {
            let head = get(&url, &[]);
            let subject = Subject::new(&head);
            let scanned = policies.iter().enumerate().find_map(|(position, policy)| {
                match policy.verdict(&subject) {
                    Verdict::Takes { spelling } => Some(Taken { position, spelling }),
                    _ => None,
                }
            });
            prop_assert_eq!(index.find(&policies, |policy| policy, &subject), scanned, "{}", url);
        }
    }

    #[test]
    fn what_is_forwarded_is_a_path_that_no_parser_changes(
        written in any_match(),
        url in any_url(),
    ) {
        let policy = compile(Some(written), true, &mut Issues::default()).unwrap();
        let head = get(&url, &[]);
        let subject = Subject::new(&head);
        if let Verdict::Takes { .. } = policy.verdict(&subject) {
            let path = policy.forward_path(&subject);
            prop_assert!(path.starts_with('/'), "{}", path);
            prop_assert_eq!(on_the_wire(&path), path.as_ref());
        }
    }
}

fn any_match() -> impl Strategy<Value = Match> {
    let host = prop::option::of(prop::sample::select(vec![
        "a.b", "x.a.b", "*.b", "*.a.b", "c",
    ]));
    let path = prop::option::of("(/(a|b|%61|\u{fc}|%2f|;|%3f)?){1,4}(/\\*)?");
    let method = prop::option::of(prop::sample::select(vec!["GET", "POST"]));
    (host, path, method).prop_map(|(host, path, method)| Match {
        path: path.or_else(|| host.is_none().then(|| "/".to_owned())),
        host: host.map(str::to_owned),
        methods: method.map(|method| vec![method.to_owned()]),
        ..Default::default()
    })
}

fn any_url() -> impl Strategy<Value = String> {
    let host = prop::sample::select(vec!["a.b", "x.a.b", "y.x.a.b", "b", "c", ".b", "a..b"]);
    let path =
        "((/|\\\\|%2f|%5C)(a|b|%61|\u{fc}|%2e|\\.|;x|%3f|%25%32f|%23|\\.\\.|a%2f..%2fb)?){0,5}";
    (host, path).prop_map(|(host, path)| format!("https://{host}/{path}"))
}

#[track_caller]
fn check(policy: &Policy, head: &RequestHead, expected: Verdict) {
    let verdict = policy.verdict(&Subject::new(head));
    assert_eq!(
        verdict,
        expected,
        "{} {:?}",
        head.url.as_str(),
        head.headers
    );
}

fn compiled(written: Match) -> Policy {
    compile(Some(written), false, &mut Issues::default()).unwrap()
}

fn stripping(path: &str, strip: bool) -> Policy {
    compile(Some(below(path)), strip, &mut Issues::default()).unwrap()
}

fn compile(written: Option<Match>, strip: bool, issues: &mut Issues) -> Result<Policy, Reported> {
    let route = RouteDocument {
        r#match: written,
        strip_prefix: Some(strip),
        ..Default::default()
    };
    let root = Path::root();
    let routes = root.key("routes");
    Policy::compile(&route, &routes.index(0), issues)
}

fn below(path: &str) -> Match {
    Match {
        path: Some(path.to_owned()),
        ..Default::default()
    }
}

fn equals(name: &str, value: &str) -> Written {
    Written {
        name: Some(name.to_owned()),
        equals: Some(value.to_owned()),
        ..Default::default()
    }
}

fn get(url: &str, headers: &[(&'static str, &'static str)]) -> RequestHead {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.append(*name, HeaderValue::from_static(value));
    }
    RequestHead {
        method: Method::GET,
        url: RequestUrl::parse(url).unwrap(),
        headers: map,
        has_body: false,
    }
}
