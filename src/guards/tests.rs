//! All guards together: their order, what a preflight is spared, what is reported of a route.

mod independence;

use http::{HeaderName, HeaderValue};

use super::{
    access::test_key,
    fake::{Answer as Reply, Body, Fake, block_on, complaints, head},
    *,
};
use crate::{
    config::document::{
        Access, AccessKey, AmbiguousPath, CloudflareAccess, Cors, DescribedKey, ForwardAuth, Ip,
        RateLimit, RateLimitBy, Referer, RequestPolicy, SignedLink,
    },
    crypto,
    headers::Edit,
    outcome::GuardReason,
};

const NOW: u64 = 1_800_000_000;
const AUTH: &str = "https://sso.test/check";
const KEYS: &str = "https://acme.cloudflareaccess.com/cdn-cgi/access/certs";

fn some(list: &[&str]) -> Option<Vec<String>> {
    Some(list.iter().map(ToString::to_string).collect())
}

fn request_policy() -> RequestPolicy {
    RequestPolicy {
        allowed_methods: some(&["GET", "PUT"]),
        max_body_bytes: Some(10),
        ambiguous_path: Some(AmbiguousPath::Refuse),
    }
}

fn access() -> Access {
    Access {
        keys: Some(vec![AccessKey::Described(DescribedKey {
            id: Some("job".into()),
            sha256: Some(crypto::hex(&crypto::sha256(b"k-one"))),
            ..DescribedKey::default()
        })]),
        ..Access::default()
    }
}

/// A route with every guard but CORS.
fn guarded() -> RouteDocument {
    RouteDocument {
        request_policy: Some(request_policy()),
        block_countries: some(&["AQ"]),
        ip: Some(Ip {
            deny: some(&["198.51.100.0/24"]),
            ..Ip::default()
        }),
        referer: Some(Referer {
            allow: some(&["example.com"]),
            ..Referer::default()
        }),
        rate_limit: Some(RateLimit {
            binding: Some("RL".into()),
            ..RateLimit::default()
        }),
        signed_link: Some(SignedLink {
            secret_binding: Some("LINK_SECRET".into()),
            ..SignedLink::default()
        }),
        access: Some(access()),
        forward_auth: Some(ForwardAuth {
            url: Some(AUTH.into()),
            copy_response_headers: some(&["x-user-id"]),
            ..ForwardAuth::default()
        }),
        ..RouteDocument::default()
    }
}

/// A platform on which every guard of [`guarded`] can pass.
fn platform() -> Fake {
    let mut platform = Fake::default()
        .at(NOW)
        .with_limit("RL", 100)
        .with_secret("LINK_SECRET", "secret")
        .answering(AUTH, vec![Reply::new(200, &[("x-user-id", "u-17")], "")])
        .answering(
            KEYS,
            vec![Reply::new(200, &[], &test_key::key_set(test_key::KEY_ID))],
        );
    platform.country = Some("PT".into());
    platform
}

fn link(path: &str) -> String {
    let message = format!("{path}\n4102444800");
    let signature = crypto::hmac_sha256(b"secret", message.as_bytes());
    format!(
        "{path}?exp=4102444800&sig={}",
        crypto::base64url_encode(&signature)
    )
}

fn admit_head(
    route: &RouteDocument,
    head: &RequestHead,
    platform: &Fake,
) -> Result<Admitted, Stop<Body>> {
    let policy = Policy::compile(route, &Path::root(), &mut Issues::default()).expect("compiles");
    let request = Request {
        head,
        path: "/a",
        label: "main",
        request_id: "id-1",
    };
    block_on(admit(&policy, &request, &Memory::default(), platform))
}

fn refused_by(result: Result<Admitted, Stop<Body>>) -> Option<GuardReason> {
    match result {
        Ok(_) => None,
        Err(Stop::Refused(refusal)) => Some(refusal.reason()),
        Err(Stop::Relayed(_)) => Some(GuardReason::ForwardAuth),
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn guards_refuse_in_the_order_of_their_cost() {
    let good = [
        ("cf-connecting-ip", "203.0.113.9"),
        ("referer", "https://example.com/"),
        ("authorization", "Bearer k-one"),
    ];
    let bad = [
        ("content-length", "11"),
        ("cf-connecting-ip", "198.51.100.7"),
        ("referer", "https://evil.test/"),
        ("authorization", "Bearer k-two"),
    ];
    let path = "/a/%2e%2e/b";
    // Each step mends what the step before was refused for; the rest stays as bad as it can be.
    let steps = [
        ("POST", bad.to_vec(), path, "AQ", 0, GuardReason::Method),
        ("PUT", bad.to_vec(), path, "AQ", 0, GuardReason::BodySize),
        (
            "PUT",
            bad[1..].to_vec(),
            path,
            "AQ",
            0,
            GuardReason::AmbiguousPath,
        ),
        ("PUT", bad[1..].to_vec(), "/a", "AQ", 0, GuardReason::Geo),
        ("PUT", bad[1..].to_vec(), "/a", "PT", 0, GuardReason::Ip),
        (
            "PUT",
            [&good[..1], &bad[2..]].concat(),
            "/a",
            "PT",
            0,
            GuardReason::Referer,
        ),
        (
            "PUT",
            [&good[..2], &bad[3..]].concat(),
            "/a",
            "PT",
            0,
            GuardReason::RateLimit,
        ),
        (
            "PUT",
            [&good[..2], &bad[3..]].concat(),
            "/a",
            "PT",
            1,
            GuardReason::SignedLink,
        ),
    ];
    for (method, lines, path, country, limit, expected) in steps {
        let mut platform = platform().with_limit("RL", limit);
        platform.country = Some(country.into());
        let result = admit_head(&guarded(), &head(method, path, &lines), &platform);
        assert_eq!(refused_by(result), Some(expected));
        assert!(platform.calls().is_empty(), "{expected:?} cost a fetch");
        let counted = matches!(expected, GuardReason::RateLimit | GuardReason::SignedLink);
        assert_eq!(
            platform.buckets().len(),
            usize::from(counted),
            "{expected:?}"
        );
    }

    let signed = link("/a");
    let lines = [&good[..2], &bad[3..]].concat();
    let shut = platform();
    let result = admit_head(&guarded(), &head("GET", &signed, &lines), &shut);
    assert_eq!(refused_by(result), Some(GuardReason::Access));
    assert!(shut.calls().is_empty());

    let denying = platform().answering(AUTH, vec![Reply::new(403, &[], "no")]);
    let result = admit_head(&guarded(), &head("GET", &signed, &good), &denying);
    assert_eq!(refused_by(result), Some(GuardReason::ForwardAuth));

    let open = platform();
    let admitted = admit_head(&guarded(), &head("GET", &signed, &good), &open).expect("admitted");
    assert_eq!(admitted.key_id.as_deref(), Some("job"));
    assert_eq!(admitted.auth_duration, Some(Duration::ZERO));
    let name = HeaderName::from_static("x-user-id");
    let expected = [
        Edit::Remove(name.clone()),
        Edit::Append(name, HeaderValue::from_static("u-17")),
    ];
    assert!(admitted.edits.iter().eq(&expected));
}

#[test]
fn a_route_without_guards_lets_everything_through_and_asks_nothing() {
    let platform = Fake::default();
    let head = head("BREW", "/a/../%2fb", &[("content-length", "99999999")]);
    let admitted = admit_head(&RouteDocument::default(), &head, &platform).expect("admitted");
    assert_eq!(admitted, Admitted::default());
    assert!(platform.calls().is_empty() && platform.buckets().is_empty());
}

#[test]
fn the_time_delegated_auth_takes_is_told() {
    let route = RouteDocument {
        forward_auth: guarded().forward_auth,
        ..RouteDocument::default()
    };
    let slow = Duration::from_millis(250);
    for status in [204, 401] {
        let reply = Reply::new(status, &[], "").after(slow);
        let platform = platform().answering(AUTH, vec![reply]);
        let took = match admit_head(&route, &head("GET", "/", &[]), &platform) {
            Ok(admitted) => admitted.auth_duration,
            Err(Stop::Relayed(relayed)) => {
                assert_eq!(relayed.status.as_u16(), status);
                Some(relayed.auth_duration)
            }
            Err(other) => panic!("{other:?}"),
        };
        assert_eq!(took, Some(slow));
    }
    let failing = platform().answering(AUTH, vec![Reply::Hangs]);
    let result = admit_head(&route, &head("GET", "/", &[]), &failing);
    assert_eq!(refused_by(result), Some(GuardReason::ForwardAuth));
}

/// A preflight that fails every guard.
const PREFLIGHT: [(&str, &str); 5] = [
    ("origin", "https://app.test"),
    ("access-control-request-method", "PUT"),
    ("cf-connecting-ip", "198.51.100.7"),
    ("referer", "https://evil.test/"),
    ("content-length", "11"),
];

#[test]
fn a_preflight_the_route_answers_is_asked_for_country_and_address_alone() {
    let cors = Some(Cors::default());
    let count = Some(RateLimit {
        count_preflight: Some(true),
        ..guarded().rate_limit.unwrap()
    });
    let whole = RouteDocument { cors, ..guarded() };
    let without_country = RouteDocument {
        block_countries: None,
        ..whole.clone()
    };
    let without_address = RouteDocument {
        ip: None,
        ..without_country.clone()
    };
    let counted = RouteDocument {
        rate_limit: count,
        ..without_address.clone()
    };
    for (route, expected) in [
        (whole, Some(GuardReason::Geo)),
        (without_country, Some(GuardReason::Ip)),
        (without_address, None),
        (counted, Some(GuardReason::RateLimit)),
    ] {
        let mut platform = platform().with_limit("RL", 0);
        platform.country = Some("AQ".into());
        let head = head("OPTIONS", "/a/..", &PREFLIGHT);
        match admit_head(&route, &head, &platform) {
            Err(Stop::Preflight(answer)) if expected.is_none() => {
                assert_eq!(answer.status, StatusCode::NO_CONTENT);
                assert!(platform.buckets().is_empty());
            }
            result => assert_eq!(refused_by(result), expected),
        }
        assert!(platform.calls().is_empty());
    }
}

#[test]
fn a_preflight_the_upstream_answers_is_spared_the_rate_limit_alone() {
    let alone = |change: fn(&mut RouteDocument, RouteDocument)| {
        let mut route = RouteDocument::default();
        change(&mut route, guarded());
        route
    };
    for (route, expected) in [
        (
            alone(|route, all| route.request_policy = all.request_policy),
            Some(GuardReason::Method),
        ),
        (
            alone(|route, all| route.block_countries = all.block_countries),
            Some(GuardReason::Geo),
        ),
        (alone(|route, all| route.ip = all.ip), Some(GuardReason::Ip)),
        (
            alone(|route, all| route.referer = all.referer),
            Some(GuardReason::Referer),
        ),
        (alone(|route, all| route.rate_limit = all.rate_limit), None),
        (
            alone(|route, all| route.signed_link = all.signed_link),
            Some(GuardReason::SignedLink),
        ),
        (
            alone(|route, all| route.access = all.access),
            Some(GuardReason::Access),
        ),
        (
            alone(|route, all| route.forward_auth = all.forward_auth),
            Some(GuardReason::ForwardAuth),
        ),
    ] {
        let mut platform = platform()
            .with_limit("RL", 0)
            .answering(AUTH, vec![Reply::new(401, &[], "no")]);
        platform.country = Some("AQ".into());
        let result = admit_head(&route, &head("OPTIONS", "/a", &PREFLIGHT), &platform);
        assert_eq!(refused_by(result), expected, "{route:?}");
    }
}

#[test]
fn an_options_that_is_no_preflight_is_a_request_like_any_other() {
    let route = RouteDocument {
        cors: Some(Cors::default()),
        rate_limit: guarded().rate_limit,
        ..RouteDocument::default()
    };
    let head = head(
        "OPTIONS",
        "/a",
        &[
            ("origin", "https://app.test"),
            ("cf-connecting-ip", "203.0.113.9"),
        ],
    );
    let platform = platform();
    assert!(admit_head(&route, &head, &platform).is_ok());
    assert_eq!(platform.buckets().len(), 1);
}

#[test]
fn everything_wrong_with_a_route_is_reported_at_once() {
    let route = RouteDocument {
        request_policy: Some(RequestPolicy {
            max_body_bytes: Some(0),
            ..RequestPolicy::default()
        }),
        allow_countries: some(&["PRT"]),
        ip: Some(Ip::default()),
        referer: Some(Referer::default()),
        rate_limit: Some(RateLimit::default()),
        signed_link: Some(SignedLink::default()),
        access: Some(Access::default()),
        forward_auth: Some(ForwardAuth::default()),
        cors: Some(Cors {
            origins: some(&["*"]),
            ..Cors::default()
        }),
        ..RouteDocument::default()
    };
    let found = complaints("route", |at, issues| Policy::compile(&route, at, issues));
    assert_eq!(
        found,
        [
            "route.requestPolicy.maxBodyBytes",
            "route.allowCountries[0]",
            "route.ip",
            "route.referer.allow",
            "route.rateLimit.binding",
            "route.signedLink.secretBinding",
            "route.access",
            "route.forwardAuth.url",
            "route.cors.origins[0]",
        ]
    );
}

#[test]
fn a_private_service_needs_the_routes_permission() {
    let mut route = RouteDocument {
        forward_auth: Some(ForwardAuth {
            url: Some("http://10.0.0.1/auth".into()),
            ..ForwardAuth::default()
        }),
        ..RouteDocument::default()
    };
    let found = complaints("route", |at, issues| Policy::compile(&route, at, issues));
    assert_eq!(found, ["route.forwardAuth.url"]);
    route.allow_private_upstream = Some(true);
    let policy = Policy::compile(&route, &Path::root(), &mut Issues::default()).expect("compiles");
    assert_eq!(policy.auth_authority(), Some("10.0.0.1"));
}
