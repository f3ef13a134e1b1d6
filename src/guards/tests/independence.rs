//! No guard listens to what is another's: nothing else that a visitor can write changes what one decides.

use proptest::{prelude::*, test_runner::TestRunner};

use super::*;

/// One guard alone, a request it admits and one it refuses, and what it may listen to.
struct Lone {
    route: RouteDocument,
    admitted: RequestHead,
    refused: RequestHead,
    /// Headers it reads.
    headers: Vec<&'static str>,
    /// Parameters it reads.
    parameters: &'static [&'static str],
    /// Whether it reads the path.
    path: bool,
}

impl Lone {
    /// One header decides, between these two values.
    fn by_header(route: RouteDocument, name: &'static str, good: &str, bad: &str) -> Self {
        Self {
            route,
            admitted: head("GET", "/a", &[(name, good)]),
            refused: head("GET", "/a", &[(name, bad)]),
            headers: vec![name],
            parameters: &[],
            path: false,
        }
    }

    fn all() -> Vec<Self> {
        let route = RouteDocument::default;
        let token = |expiry: u64| {
            test_key::sign(
                &serde_json::json!({ "alg": "RS256", "kid": test_key::KEY_ID }),
                &serde_json::json!({ "aud": "aud-7", "exp": expiry }),
            )
        };
        let size = RequestPolicy {
            max_body_bytes: Some(10),
            ..RequestPolicy::default()
        };
        let methods = RequestPolicy {
            allowed_methods: some(&["GET"]),
            ..RequestPolicy::default()
        };
        let path = RequestPolicy {
            ambiguous_path: Some(AmbiguousPath::Refuse),
            ..RequestPolicy::default()
        };
        let cloudflare = Access {
            cloudflare: Some(CloudflareAccess {
                team: Some("acme".into()),
                audience: Some("aud-7".into()),
                emails: None,
            }),
            ..Access::default()
        };
        let by_route = RateLimit {
            by: Some(RateLimitBy::Route),
            ..guarded().rate_limit.unwrap()
        };
        vec![
            Self::by_header(
                RouteDocument {
                    request_policy: Some(size),
                    ..route()
                },
                "content-length",
                "10",
                "11",
            ),
            Self::by_header(
                RouteDocument {
                    ip: guarded().ip,
                    ..route()
                },
                "cf-connecting-ip",
                "203.0.113.9",
                "198.51.100.7",
            ),
            Self::by_header(
                RouteDocument {
                    referer: guarded().referer,
                    ..route()
                },
                "referer",
                "https://example.com/",
                "https://evil.test/",
            ),
            Self::by_header(
                RouteDocument {
                    access: Some(access()),
                    ..route()
                },
                "authorization",
                "Bearer k-one",
                "Bearer k-two",
            ),
            Self::by_header(
                RouteDocument {
                    access: Some(cloudflare),
                    ..route()
                },
                "cf-access-jwt-assertion",
                &token(NOW + 60),
                &token(NOW - 60),
            ),
            Self {
                route: RouteDocument {
                    request_policy: Some(methods),
                    ..route()
                },
                admitted: head("GET", "/a", &[]),
                refused: head("POST", "/a", &[]),
                headers: Vec::new(),
                parameters: &[],
                path: false,
            },
            Self {
                route: RouteDocument {
                    request_policy: Some(path),
                    ..route()
                },
                admitted: head("GET", "/a", &[]),
                refused: head("GET", "/a/%2e%2e/b", &[]),
                headers: Vec::new(),
                parameters: &[],
                path: true,
            },
            Self {
                route: RouteDocument {
                    signed_link: guarded().signed_link,
                    ..route()
                },
                admitted: head("GET", &link("/a"), &[]),
                refused: head("GET", &link("/a").replace("/a?", "/b?"), &[]),
                headers: Vec::new(),
                parameters: &["exp", "sig"],
                path: true,
            },
            // What decides here no visitor writes: where the edge located them, and a budget that all share.
            Self {
                route: RouteDocument {
                    block_countries: some(&["PT"]),
                    ..route()
                },
                admitted: head("GET", "/a", &[]),
                refused: head("GET", "/a", &[]),
                headers: Vec::new(),
                parameters: &[],
                path: false,
            },
            Self {
                route: RouteDocument {
                    rate_limit: Some(by_route),
                    ..route()
                },
                admitted: head("GET", "/a", &[]),
                refused: head("GET", "/a", &[]),
                headers: Vec::new(),
                parameters: &[],
                path: false,
            },
        ]
    }

    /// The request with everything else a visitor can write changed.
    fn with_noise(&self, request: &RequestHead, noise: &Noise) -> RequestHead {
        let path = match self.path {
            true => request.url.path(),
            false => noise.path.as_str(),
        };
        let query = request.url.query().unwrap_or_default();
        let pairs = noise
            .query
            .iter()
            .filter(|(name, _)| !self.parameters.contains(&name.as_str()))
            .map(|(name, value)| format!("&{name}={value}"));
        let mut lines: Vec<(&str, &str)> = noise
            .headers
            .iter()
            .filter(|(name, _)| !self.headers.contains(&name.as_str()))
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        let own = request.headers.iter();
        lines.extend(own.map(|(name, value)| (name.as_str(), value.to_str().expect("text"))));
        head(
            request.method.as_str(),
            &format!("{path}?{query}{}", pairs.collect::<String>()),
            &lines,
        )
    }
}

/// What a visitor may write beside what counts.
#[derive(Debug, Clone)]
struct Noise {
    headers: Vec<(String, String)>,
    query: Vec<(String, String)>,
    path: String,
}

fn noise() -> impl Strategy<Value = Noise> {
    let name = prop_oneof![
        3 => prop::sample::select(&[
            "accept", "access-control-request-headers", "access-control-request-method", "authorization",
            "cf-access-jwt-assertion", "cf-connecting-ip", "cf-connecting-ipv6", "cf-ipcountry", "cf-ray",
            "cf_connecting_ip", "client-ip", "connection", "content-length", "content-type", "cookie", "expect",
            "forwarded", "host", "origin", "proxy-authorization", "range", "referer", "referrer", "te",
            "transfer-encoding", "true-client-ip", "upgrade", "via", "x-api-key", "x-client-ip",
            "x-forwarded-for", "x-forwarded-host", "x-forwarded-method", "x-forwarded-proto", "x-http-method",
            "x-http-method-override", "x-jouska-cache", "x-jouska-mirror", "x-original-method", "x-original-url",
            "x-real-ip", "x-request-id", "x-rewrite-url", "x-user-id", "x_forwarded_for",
        ][..]).prop_map(str::to_owned),
        1 => "[a-z_.-]{1,12}",
    ];
    let value = prop_oneof![
        2 => prop::sample::select(&[
            "", "0", "11", "99999999", "GET", "POST", "127.0.0.1", "203.0.113.9", "198.51.100.7", "::1", "PT", "AQ",
            "https://example.com/", "https://evil.test/", "Bearer k-one", "Bearer k-two", "CF_Authorization=a.b.c",
            "__jouska_upstream=evil.test", "/admin", "chunked", "websocket", "keep-alive, authorization",
        ][..]).prop_map(str::to_owned),
        1 => "[ -~]{0,24}",
    ];
    let parameter = prop_oneof![
        prop::sample::select(
            &[
                "exp",
                "sig",
                "_method",
                "__jouska_ck",
                "token",
                "access_token"
            ][..]
        )
        .prop_map(str::to_owned),
        "[a-z]{1,6}",
    ];
    let path = prop_oneof![
        prop::sample::select(
            &[
                "/",
                "//",
                "/a/../b",
                "/%2e%2e/a",
                "/a;x=1",
                "/a%2fb",
                r"/\a",
                "/%00",
                "/%ff",
                "/%252e",
                "/A",
            ][..]
        )
        .prop_map(str::to_owned),
        "/[a-z0-9/._;%-]{0,24}",
    ];
    (
        prop::collection::vec((name, value), 0..12),
        prop::collection::vec((parameter, "[a-zA-Z0-9%+._-]{0,12}"), 0..6),
        path,
    )
        .prop_map(|(headers, query, path)| Noise {
            headers,
            query,
            path,
        })
}

#[test]
fn no_guard_listens_to_what_is_anothers() {
    let guards = Lone::all();
    let mut runner = TestRunner::new(ProptestConfig::with_cases(64));
    let verdicts = runner.run(&noise(), |noise| {
        for guard in &guards {
            for (request, admits) in [(&guard.admitted, true), (&guard.refused, false)] {
                let mut platform = platform().with_limit("RL", usize::from(admits));
                platform.country = Some(if admits { "FR" } else { "PT" }.into());
                let disguised = guard.with_noise(request, &noise);
                let refused = refused_by(admit_head(&guard.route, &disguised, &platform));
                prop_assert_eq!(
                    refused.is_none(),
                    admits,
                    "{:?} {:?}",
                    guard.route,
                    disguised
                );
            }
        }
        Ok(())
    });
    verdicts.unwrap_or_else(|failure| panic!("{failure}\n{runner}"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn nothing_a_visitor_writes_names_them_to_the_upstream(noise in noise()) {
        let route = RouteDocument { forward_auth: guarded().forward_auth, ..RouteDocument::default() };
        let lines: Vec<_> = noise.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let forged = [("x-user-id", "forged"), ("X_User_Id", "forged"), ("x-user_id", "forged")];
        let head = head("GET", &noise.path, &[&lines[..], &forged].concat());
        let admitted = admit_head(&route, &head, &platform()).expect("admitted");
        let mut headers = head.headers.clone();
        admitted.edits.apply(&mut headers);
        let names = headers.iter().filter(|(name, _)| name.as_str().replace(['_', '.'], "-") == "x-user-id");
        let values: Vec<_> = names.map(|(_, value)| value.as_bytes()).collect();
        prop_assert_eq!(values, [b"u-17"]);
    }

    #[test]
    fn no_request_makes_a_guard_panic(
        noise in noise(),
        method in prop::sample::select(&["GET", "HEAD", "OPTIONS", "POST", "BREW"][..]),
    ) {
        let route = RouteDocument { cors: Some(Cors::default()), ..guarded() };
        let query: Vec<_> = noise.query.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let lines: Vec<_> = noise.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let head = head(method, &format!("{}?{}", noise.path, query.join("&")), &lines);
        let platform = platform();
        let stopped = admit_head(&route, &head, &platform);
        prop_assert!(stopped.is_err(), "nobody guesses a signature: {:?}", head);
        prop_assert!(platform.calls().is_empty());
    }
}
