//! What is said about documents that are refused, as snapshots: they are prose for people who are no programmers, and
//! have to be read by one when they change.

use std::fmt::Write as _;

use jouska::{config, table};

fn check(name: &str, said: &str) {
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, said);
    });
}

/// What is said about each of these texts, behind the text.
fn said(texts: &[&str]) -> String {
    let mut page = String::new();
    for text in texts {
        let said = match table::compile(config::read(text)) {
            Ok(_) => "accepted".to_owned(),
            Err(refused) => refused.to_string(),
        };
        writeln!(page, "{text}\n{}\n", indented(&said)).unwrap();
    }
    page
}

fn indented(said: &str) -> String {
    let lines: Vec<String> = said.lines().map(|line| format!("    {line}")).collect();
    lines.join("\n")
}

/// A document with one route of these members, beside the least a route needs.
fn route(members: &str) -> String {
    format!(r#"{{"routes": [{{"match": {{"path": "/"}}, {members}}}]}}"#)
}

fn said_of_routes(members: &[&str]) -> String {
    let texts: Vec<String> = members.iter().map(|members| route(members)).collect();
    said(&texts.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn typical_mistakes() {
    let text = include_str!("mistakes.json");
    let refused = table::compile(config::read(text)).unwrap_err();
    check("typical_mistakes", &refused.to_string());
}

#[test]
fn texts_that_are_no_json() {
    check(
        "texts_that_are_no_json",
        &said(&[
            "",
            "routes:\n  - upstream: a.example.com",
            "<!DOCTYPE html>",
            r#"{"routes": ["#,
            r#"{"routes": [{"upstream": "a.example.com}]}"#,
            r#"{"routes": [{"upstream": "a.example.com",}]}"#,
            r#"{"routes": [{"upstream": "a.example.com"}],}"#,
            r#"{"routes": [{"upstream" "a.example.com"}]}"#,
            r#"{"routes": [{"id": "a" "upstream": "a.example.com"}]}"#,
            r#"{"routes": [{"id": "a", , "upstream": "a.example.com"}]}"#,
            r#"{routes: []}"#,
            r#"{'routes': []}"#,
            "{“routes”: []}",
            "{\"routes\": [\n  // the shop\n  {}\n]}",
            "{\"routes\": [],\n # old\n}",
            r#"{"routes": [{"upstream": "a.example.com"}}"#,
            r#"{"routes": [] ]"#,
            r#"{"routes": [{"stripPrefix": True}]}"#,
            r#"{"routes": [{"timeoutMs": 5s}]}"#,
            r#"{"routes": [{"timeoutMs": 05}]}"#,
            r#"{"routes": [{"timeoutMs": +5}]}"#,
            r#"{"routes": [{"retryRatio": .5}]}"#,
            r#"{"routes": [{"timeoutMs": 1e400}]}"#,
            "{\"routes\": [{\"id\": \"a\nb\"}]}",
            r#"{"routes": [{"id": "C:\dir"}]}"#,
            r#"{"routes": [{"id": "\ud83d"}]}"#,
            r#"{"routes": []} {"routes": []}"#,
        ]),
    );
}

#[test]
fn documents_of_the_wrong_shape() {
    check(
        "documents_of_the_wrong_shape",
        &said(&[
            "[]",
            "null",
            r#""routes""#,
            "{}",
            r#"{"routes": []}"#,
            r#"{"routes": null}"#,
            r#"{"routes": {"shop": {}}}"#,
            r#"{"routes": ["a.example.com"]}"#,
            r#"{"version": 2, "routes": [], "further": true}"#,
            r#"{"version": "1", "routes": []}"#,
            r#"{"meta": "me", "routes": []}"#,
            r#"{"meta": {"updatedAt": 5, "updatedBy": "", "revision": 1.5, "note": null}, "routes": []}"#,
            r#"{"routes": [], "routes": []}"#,
            r#"{"defaults": {"failover": {}, "timeoutMs": "5"}, "routes": [{"match": {"path": "/"}, "upstream": "a.example.com"}]}"#,
        ]),
    );
}

#[test]
fn values_of_the_wrong_type() {
    check(
        "values_of_the_wrong_type",
        &said_of_routes(&[
            r#""upstream": 5"#,
            r#""upstream": ["a.example.com"]"#,
            r#""upstream": null"#,
            r#""upstreams": "a.example.com""#,
            r#""upstream": "a.example.com", "retries": "2""#,
            r#""upstream": "a.example.com", "retries": "two""#,
            r#""upstream": "a.example.com", "retries": 1.5"#,
            r#""upstream": "a.example.com", "retries": -1"#,
            r#""upstream": "a.example.com", "retries": 1e300"#,
            r#""upstream": "a.example.com", "stripPrefix": "yes""#,
            r#""upstream": "a.example.com", "stripPrefix": "true""#,
            r#""upstream": "a.example.com", "stripPrefix": 1"#,
            r#""upstream": "a.example.com", "limits": {"retryRatio": "0.2"}"#,
            r#""upstream": "a.example.com", "cache": true"#,
            r#""upstream": "a.example.com", "blockCountries": "CU""#,
            r#""upstream": "a.example.com", "scheme": "htps""#,
            r#""upstream": "a.example.com", "scheme": "ftp""#,
            r#""upstream": "a.example.com", "errorPages": {"502": "down"}"#,
            r#""upstream": "a.example.com", "errorPages": [502]"#,
            r#""upstream": "a.example.com", "requestHeaders": {"set": {"x-version": 2}}"#,
            r#""upstream": "a.example.com", "access": {"keys": [5]}"#,
            r#""trafficSplit": {"a.example.com": 1}"#,
            r#""trafficSplit": [{"upstream": "a.example.com", "weight": 1}], "hashBy": "ip""#,
            r#""trafficSplit": [{"upstream": "a.example.com", "weight": 1}], "hashBy": {}"#,
            r#""trafficSplit": [{"upstream": "a.example.com", "weight": 1}], "hashBy": {"source": "header"}"#,
        ]),
    );
}

#[test]
fn values_of_the_wrong_meaning() {
    check(
        "values_of_the_wrong_meaning",
        &said_of_routes(&[
            r#""upstream": "https://a.example.com""#,
            r#""upstream": "a.example.com:99999""#,
            r#""upstream": "a.example.com/x?y""#,
            r#""upstream": "127.1""#,
            r#""upstream": """#,
            r#""upstreams": []"#,
            r#""upstreams": ["a.example.com", "169.254.169.254"]"#,
            r#""trafficSplit": [{"upstream": "a.example.com"}, {"weight": 1}, {"upstream": "a.example.com", "weight": 0}]"#,
            r#""upstream": "a.example.com", "allowPrivateUpstream": false"#,
            r#""upstream": "a.example.com", "timeoutMs": 0"#,
            r#""upstream": "a.example.com", "retries": 101"#,
            r#""upstreams": ["a.example.com", "b.example.com"], "failover": {"on": [], "maxAttempts": 65}, "outlier": {"ejectSeconds": 301}"#,
            r#""upstream": "a.example.com", "limits": {"retryRatio": 1.5, "maxInFlight": 0}"#,
            r#""trafficSplit": [{"upstream": "a.example.com", "weight": 1}], "hashBy": {"source": "header", "header": "no good"}"#,
            r#""trafficSplit": [{"upstream": "a.example.com", "weight": 1}], "hashBy": {"source": "query", "query": "a=b"}"#,
            r#""respond": {}"#,
            r#""respond": {"status": 600}"#,
            r#""respond": {"status": 204, "body": "x", "contentType": "text/plain"}"#,
            r#""respond": {"status": 503, "body": "x"}"#,
            r#""respond": {"redirect": {"to": "//elsewhere.example"}}"#,
            r#""respond": {"redirect": {"to": "javascript:alert(1)", "allowExternal": true}}"#,
            r#""respond": {"redirect": {"to": "/new", "status": 304}, "headers": {"location": "/x"}}"#,
            r#""upstream": "a.example.com", "errorPages": {"404": {"body": "x", "contentType": "text/html"}, "502": {}}"#,
            r#""upstream": "a.example.com", "mirror": {}"#,
            r#""upstream": "a.example.com", "mirror": {"upstream": "10.0.0.1", "percent": 0, "methods": [], "timeoutMs": 6000}"#,
            r#""upstream": "a.example.com", "blockCountries": ["USA", "U1"], "allowCountries": []"#,
            r#""upstream": "a.example.com", "requestHeaders": {"set": {"transfer-encoding": "x", "no good": "x", "x-a": "1\r\nx-b: 2"}, "remove": ["x-request-id"]}"#,
            r#""upstream": "a.example.com", "responseHeaders": {"set": {"set-cookie": "x"}, "remove": ["location"]}"#,
            r#""upstream": "a.example.com", "responseHeaders": {"set": {"X-Foo": "1", "x-foo": "2"}}"#,
            r#""upstream": "a.example.com", "responseHeaders": {"set": {"x-a": "1"}, "remove": ["X-A"]}"#,
            r#""upstream": "a.example.com", "cache": {"methods": ["POST"], "ttlSeconds": 0, "contentTypes": [], "statusTtlSeconds": {"206": 1, "abc": 1}}"#,
            r#""upstream": "a.example.com", "cache": {"key": {"query": {"ignore": []}, "headers": ["cookie"]}}"#,
            r#""upstream": "a.example.com", "bodyRewrite": {"contentTypes": [], "replace": [{"from": "", "to": "x"}, {"from": "a"}], "fallbackCharset": "no-such", "inject": {}}"#,
            r#""upstream": "a.example.com", "cors": {"origins": ["https://a.example.com/"], "allowMethods": ["G T"], "allowHeaders": ["no good"]}"#,
            r#""upstream": "a.example.com", "requestPolicy": {"allowedMethods": [], "maxBodyBytes": 0}"#,
            r#""upstream": "a.example.com", "ip": {}"#,
            r#""upstream": "a.example.com", "ip": {"deny": ["10.0.0.0/33", "x"]}"#,
            r#""upstream": "a.example.com", "referer": {"allow": ["*example.com"], "onRefuse": 401}"#,
            r#""upstream": "a.example.com", "referer": {}"#,
            r#""upstream": "a.example.com", "rateLimit": {}"#,
            r#""upstream": "a.example.com", "signedLink": {"param": "a b"}"#,
            r#""upstream": "a.example.com", "access": {}"#,
            r#""upstream": "a.example.com", "access": {"keys": ["plain-text-key", {"id": "", "expiresAt": "tomorrow"}], "header": "no good"}"#,
            r#""upstream": "a.example.com", "access": {"cloudflare": {"team": "../x", "emails": ["nobody"]}}"#,
            r#""upstream": "a.example.com", "forwardAuth": {}"#,
            r#""upstream": "a.example.com", "forwardAuth": {"url": "http://[::1]/check", "copyRequestHeaders": [], "copyResponseHeaders": ["host"], "timeoutMs": 0, "failOpen": false}"#,
            r#""upstream": "a.example.com", "forwardAuth": {"url": "sso.example.com"}"#,
        ]),
    );
}

#[test]
fn matches_of_the_wrong_meaning() {
    let texts: Vec<String> = [
        r"{}",
        r#"{"methods": ["GET"]}"#,
        r#"{"path": "api"}"#,
        r#"{"path": "/a*b"}"#,
        r#"{"host": "https://a.example.com"}"#,
        r#"{"host": "*example.com"}"#,
        r#"{"path": "/", "methods": []}"#,
        r#"{"path": "/", "methods": ["GET", "G-T"]}"#,
        r#"{"path": "/", "headers": [{}]}"#,
        r#"{"path": "/", "headers": [{"name": "x env", "equals": "1"}, {"name": "x-env"}]}"#,
        r#"{"path": "/", "query": [{"name": "a=b", "equals": "1", "prefix": "", "present": true}]}"#,
        r#"{"path": "/", "cookies": [{"name": "a;b", "prefix": ""}]}"#,
    ]
    .iter()
    .map(|members| format!(r#"{{"routes": [{{"match": {members}, "upstream": "a.example.com"}}]}}"#))
    .collect();
    check(
        "matches_of_the_wrong_meaning",
        &said(&texts.iter().map(String::as_str).collect::<Vec<_>>()),
    );
}

#[test]
fn settings_that_may_not_meet() {
    check(
        "settings_that_may_not_meet",
        &said_of_routes(&[
            r#""id": "nowhere""#,
            r#""upstream": "a.example.com", "upstreams": ["b.example.com"]"#,
            r#""upstream": "a.example.com", "respond": {"status": 204}"#,
            r#""respond": {"status": 204}, "errorPages": {}, "mirror": {"upstream": "b.example.com"}"#,
            r#""upstream": "a.example.com", "failover": {}, "outlier": {}"#,
            r#""upstream": "a.example.com", "stickyBy": "cookie", "hashBy": {"source": "path"}, "hashType": "modulo""#,
            r#""trafficSplit": [{"upstream": "a.example.com", "weight": 1}], "stickyBy": "cookie", "hashBy": {"source": "path"}"#,
            r#""upstream": "a.example.com", "timeoutMs": 40000"#,
            r#""upstream": "a.example.com", "totalTimeoutMs": 5000"#,
            r#""upstream": "a.example.com", "cache": {}, "forwardAuth": {"url": "https://sso.example.com/"}"#,
            r#""upstream": "a.example.com", "upstreamHeaders": {"x-a": "1"}, "requestHeaders": {"set": {"X-A": "2"}}"#,
        ]),
    );
}

#[test]
fn settings_in_defaults() {
    check(
        "settings_in_defaults",
        &said(&[
            r#"{"defaults": {"timeoutMs": 500000}, "routes": [{"match": {"path": "/a"}, "upstream": "a.example.com"}, {"match": {"path": "/b"}, "upstream": "b.example.com"}]}"#,
            r#"{"defaults": {"totalTimeoutMs": 5000}, "routes": [{"match": {"path": "/a"}, "upstream": "a.example.com"}, {"match": {"path": "/b"}, "upstream": "b.example.com", "timeoutMs": 6000}]}"#,
            r#"{"defaults": {"upstreamHeaders": {"host": "x"}}, "routes": [{"match": {"path": "/a"}, "upstream": "a.example.com"}]}"#,
            r#"{"defaults": {"cache": {}}, "routes": [{"match": {"path": "/a", "methods": ["POST"]}, "upstream": "a.example.com"}]}"#,
            r#"{"defaults": {"id": "a", "match": {}, "upstream": "a.example.com", "mirror": {}}, "routes": [{"match": {"path": "/a"}, "upstream": "a.example.com"}]}"#,
        ]),
    );
}

#[test]
fn documents_over_a_cap() {
    let routes = vec!["{}"; 10_000].join(",");
    let entries = vec!["\"198.51.100.7\""; 10_001].join(",");
    let texts = [
        " ".repeat(2_000_000),
        "[".repeat(10_000),
        format!("{{\"routes\": [{routes}]}}"),
        format!("{{\"routes\": [{{\"ip\": {{\"deny\": [{entries}]}}}}]}}"),
        format!("[{}0]", format!("[{}0],", "0,".repeat(30)).repeat(9_000)),
    ];
    let said: Vec<String> = texts
        .iter()
        .map(|text| config::parse(text).unwrap_err().to_string())
        .collect();
    check("documents_over_a_cap", &said.join("\n"));
}
