//! Cross-origin sharing: what browsers are told about which pages may read a route's answers (the Fetch standard,
//! "CORS protocol").
//!
//! A route with this block answers for itself: what an upstream says about sharing is replaced, or removed where the
//! origin is not allowed.

use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, StatusCode,
    header::{
        ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS,
        ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS,
        ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, ACCESS_CONTROL_REQUEST_METHOD,
        ORIGIN, VARY,
    },
};

use super::{fields, lines::combined};
use crate::{
    config::{Code, Issues, Path, Reported, document::Cors},
    headers::HeaderEdits,
    message::{Answer, RequestHead},
};

/// Compiled `cors`.
#[derive(Debug, Clone)]
pub(super) struct Policy {
    /// Origins that are allowed; `None` allows each.
    origins: Option<Vec<String>>,
    allow_methods: Option<HeaderValue>,
    /// `None` allows what a preflight asks for.
    allow_headers: Option<HeaderValue>,
    expose_headers: Option<HeaderValue>,
    credentials: bool,
    max_age: Option<HeaderValue>,
}

/// Whether a browser asks in advance if it may send a request from another origin.
pub(super) fn is_preflight(head: &RequestHead) -> bool {
    head.method == Method::OPTIONS
        && head.headers.contains_key(ORIGIN)
        && head.headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

impl Policy {
    pub(super) fn compile(
        document: &Cors,
        at: &Path<'_>,
        issues: &mut Issues,
    ) -> Result<Self, Reported> {
        let Cors {
            origins,
            allow_methods,
            allow_headers,
            expose_headers,
            credentials,
            max_age,
        } = document;
        let origins = origins
            .as_ref()
            .map(|list| fields::each(list, &at.key("origins"), issues, origin))
            .transpose();
        let allow_methods = match allow_methods.as_deref() {
            None => Ok(Some(HeaderValue::from_static(USUAL_METHODS))),
            Some(list) => joined(list, &at.key("allowMethods"), issues, |text, at, issues| {
                fields::method(text, at, issues).map(|method| method.to_string())
            }),
        };
        let mut names = |key, list: &Option<Vec<String>>| {
            let list = list.as_deref().unwrap_or_default();
            joined(list, &at.key(key), issues, header_name)
        };
        let allow_headers = names("allowHeaders", allow_headers);
        let expose_headers = names("exposeHeaders", expose_headers);
        Ok(Self {
            origins: origins?,
            allow_methods: allow_methods?,
            allow_headers: allow_headers?,
            expose_headers: expose_headers?,
            credentials: credentials.unwrap_or(false),
            max_age: max_age.map(HeaderValue::from),
        })
    }

    /// The answer to a preflight. An origin that is not allowed gets one too, without any permission.
    pub(super) fn preflight(&self, head: &RequestHead) -> Answer {
        let mut headers = HeaderMap::new();
        headers.append(VARY, BY_ORIGIN);
        if self.allow_headers.is_none() {
            headers.append(VARY, BY_REQUEST_HEADERS);
        }
        if let Some(origin) = self.allowed(head) {
            let asked_for = || requested_headers(head);
            let permissions = [
                (ACCESS_CONTROL_ALLOW_ORIGIN, Some(origin.clone())),
                (ACCESS_CONTROL_ALLOW_CREDENTIALS, self.credentials()),
                (ACCESS_CONTROL_ALLOW_METHODS, self.allow_methods.clone()),
                (
                    ACCESS_CONTROL_ALLOW_HEADERS,
                    self.allow_headers.clone().or_else(asked_for),
                ),
                (ACCESS_CONTROL_MAX_AGE, self.max_age.clone()),
            ];
            headers.extend(
                permissions
                    .into_iter()
                    .filter_map(|(name, value)| Some((name, value?))),
            );
        }
        Answer {
            status: StatusCode::NO_CONTENT,
            headers,
            body: Bytes::new(),
        }
    }

    /// What changes in every other answer to a request, whoever made it.
    pub(super) fn answer_edits(&self, head: &RequestHead) -> HeaderEdits {
        let mut edits = HeaderEdits::default();
        // Answers differ by origin, also the one that grants nothing.
        edits.append(VARY, BY_ORIGIN);
        let Some(origin) = self.allowed(head) else {
            for name in PERMISSIONS {
                edits.remove(name);
            }
            return edits;
        };
        edits.set(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        match self.credentials() {
            Some(yes) => edits.set(ACCESS_CONTROL_ALLOW_CREDENTIALS, yes),
            // An upstream's own would open the route to every origin's scripts with the visitor's cookies.
            None => edits.remove(ACCESS_CONTROL_ALLOW_CREDENTIALS),
        }
        if let Some(names) = &self.expose_headers {
            edits.set(ACCESS_CONTROL_EXPOSE_HEADERS, names.clone());
        }
        edits
    }

    /// The request's origin, where it is allowed.
    fn allowed<'h>(&self, head: &'h RequestHead) -> Option<&'h HeaderValue> {
        let mut lines = head.headers.get_all(ORIGIN).iter();
        let origin = lines.next().filter(|origin| !origin.is_empty())?;
        let is_listed = match &self.origins {
            None => true,
            Some(list) => list.iter().any(|allowed| origin == allowed),
        };
        (is_listed && lines.next().is_none()).then_some(origin)
    }

    fn credentials(&self) -> Option<HeaderValue> {
        self.credentials.then(|| HeaderValue::from_static("true"))
    }
}

/// The headers a preflight asks for, as a list to be granted.
fn requested_headers(head: &RequestHead) -> Option<HeaderValue> {
    let asked = combined(&head.headers, &ACCESS_CONTROL_REQUEST_HEADERS)?;
    let names: Vec<&[u8]> = asked
        .split(|byte| *byte == b',')
        .map(<[u8]>::trim_ascii)
        .filter(|name| HeaderName::from_bytes(name).is_ok())
        .collect();
    HeaderValue::from_bytes(&names.join(&b","[..]))
        .ok()
        .filter(|value| !value.is_empty())
}

/// The entries of a list as one value; `None` where there is none.
fn joined(
    list: &[String],
    at: &Path<'_>,
    issues: &mut Issues,
    compile: impl FnMut(&str, &Path<'_>, &mut Issues) -> Result<String, Reported>,
) -> Result<Option<HeaderValue>, Reported> {
    if list.is_empty() {
        return Ok(None);
    }
    let entries = fields::each(list, at, issues, compile)?.join(",");
    HeaderValue::try_from(entries).map(Some).map_err(|_| {
        issues.report(
            at,
            Code::Value,
            "expected entries without control characters",
        )
    })
}

/// A header's name, in the letter case it was written in, or `*`.
fn header_name(text: &str, at: &Path<'_>, issues: &mut Issues) -> Result<String, Reported> {
    match HeaderName::from_bytes(text.as_bytes()) {
        Ok(_) => Ok(text.to_owned()),
        Err(_) => Err(issues.report(
            at,
            Code::Value,
            format!("expected a header name such as \"x-total\"; found {text:?}"),
        )),
    }
}

/// An origin as browsers write it: scheme and host in lower case, the scheme's own port left out, nothing behind it.
/// An entry they can never send would look like a permission and grant nothing.
fn origin(text: &str, at: &Path<'_>, issues: &mut Issues) -> Result<String, Reported> {
    let folded = text.to_ascii_lowercase();
    let is_origin = folded.split_once("://").is_some_and(|(scheme, host)| {
        scheme.starts_with(|c: char| c.is_ascii_lowercase())
            && scheme
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
            && (!host.is_empty() || scheme == "file")
            && host
                .bytes()
                .all(|byte| byte.is_ascii_graphic() && !b"/\\?#@*,".contains(&byte))
    });
    if is_origin || folded == "null" {
        let port = if folded.starts_with("https://") {
            ":443"
        } else {
            ":80"
        };
        let bare = folded
            .strip_suffix(port)
            .filter(|_| folded.starts_with("http"));
        return Ok(bare.unwrap_or(&folded).to_owned());
    }
    Err(issues.report(
        at,
        Code::Value,
        format!("expected an origin such as \"https://app.example.com\", without path and slash at its end; found {text:?}. Leave \"origins\" out to allow every origin"),
    ))
}

const BY_ORIGIN: HeaderValue = HeaderValue::from_static("Origin");
const BY_REQUEST_HEADERS: HeaderValue = HeaderValue::from_static("Access-Control-Request-Headers");
const USUAL_METHODS: &str = "GET,HEAD,PUT,POST,DELETE,PATCH";

/// The response headers of the protocol.
const PERMISSIONS: [HeaderName; 7] = [
    ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_ALLOW_CREDENTIALS,
    ACCESS_CONTROL_ALLOW_METHODS,
    ACCESS_CONTROL_ALLOW_HEADERS,
    ACCESS_CONTROL_EXPOSE_HEADERS,
    ACCESS_CONTROL_MAX_AGE,
    HeaderName::from_static("access-control-allow-private-network"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guards::fake::{complaints, head, headers};

    fn list(entries: &[&str]) -> Option<Vec<String>> {
        Some(entries.iter().map(ToString::to_string).collect())
    }

    fn policy(document: &Cors) -> Policy {
        Policy::compile(document, &Path::root(), &mut Issues::default()).expect("compiles")
    }

    fn pairs(headers: &HeaderMap) -> Vec<(&str, &str)> {
        let pairs = headers.iter();
        pairs
            .map(|(name, value)| (name.as_str(), value.to_str().expect("text")))
            .collect()
    }

    #[track_caller]
    fn check_preflight(document: &Cors, lines: &[(&str, &str)], expected: &[(&str, &str)]) {
        let head = head("OPTIONS", "/", lines);
        let answer = policy(document).preflight(&head);
        assert_eq!(answer.status, StatusCode::NO_CONTENT);
        assert!(answer.body.is_empty());
        assert_eq!(pairs(&answer.headers), expected, "{document:?} {lines:?}");
    }

    const APP: (&str, &str) = ("origin", "https://app.test");
    const EVIL: (&str, &str) = ("origin", "https://evil.test");
    const PUT: (&str, &str) = ("access-control-request-method", "PUT");

    #[test]
    fn a_preflight_is_told_what_the_route_says() {
        let document = Cors {
            origins: list(&["https://APP.test", "https://b.test"]),
            allow_methods: list(&["put", "PATCH"]),
            allow_headers: list(&["X-Token", "content-type"]),
            expose_headers: list(&["x-total"]),
            credentials: Some(true),
            max_age: Some(600),
        };
        let expected = [
            ("vary", "Origin"),
            ("access-control-allow-origin", "https://app.test"),
            ("access-control-allow-credentials", "true"),
            ("access-control-allow-methods", "PUT,PATCH"),
            ("access-control-allow-headers", "X-Token,content-type"),
            ("access-control-max-age", "600"),
        ];
        check_preflight(&document, &[APP, PUT], &expected);
        check_preflight(&document, &[EVIL, PUT], &[("vary", "Origin")]);
    }

    #[test]
    fn a_preflight_is_told_the_usual_where_the_route_says_nothing() {
        let asked = (
            "access-control-request-headers",
            "x-one, content-type,,b\u{e9}d",
        );
        let expected = [
            ("vary", "Origin"),
            ("vary", "Access-Control-Request-Headers"),
            ("access-control-allow-origin", "https://evil.test"),
            (
                "access-control-allow-methods",
                "GET,HEAD,PUT,POST,DELETE,PATCH",
            ),
            ("access-control-allow-headers", "x-one,content-type"),
        ];
        check_preflight(&Cors::default(), &[EVIL, PUT, asked], &expected);
        let without_headers = [&expected[..4], &[]].concat();
        check_preflight(&Cors::default(), &[EVIL, PUT], &without_headers);
    }

    #[track_caller]
    fn check_answer(
        document: &Cors,
        visitor: &[(&str, &str)],
        upstream: &[(&str, &str)],
        expected: &[(&str, &str)],
    ) {
        let mut headers = headers(upstream);
        policy(document)
            .answer_edits(&head("GET", "/", visitor))
            .apply(&mut headers);
        let (mut seen, mut expected) = (pairs(&headers), expected.to_vec());
        seen.sort_unstable();
        expected.sort_unstable();
        assert_eq!(seen, expected, "{document:?} {visitor:?}");
    }

    #[test]
    fn an_allowed_origin_is_named_whatever_the_upstream_says() {
        let upstream = [
            ("access-control-allow-origin", "*"),
            ("access-control-allow-credentials", "true"),
            ("vary", "accept-encoding"),
        ];
        let listed = Cors {
            origins: list(&["https://app.test"]),
            ..Cors::default()
        };
        for document in [Cors::default(), listed] {
            let expected = [
                ("access-control-allow-origin", "https://app.test"),
                ("vary", "accept-encoding"),
                ("vary", "Origin"),
            ];
            check_answer(&document, &[APP], &upstream, &expected);
        }
        let document = Cors {
            credentials: Some(true),
            expose_headers: list(&["x-total", "x-page"]),
            ..Cors::default()
        };
        let expected = [
            ("access-control-allow-origin", "https://app.test"),
            ("access-control-allow-credentials", "true"),
            ("access-control-expose-headers", "x-total,x-page"),
            ("vary", "Origin"),
        ];
        check_answer(&document, &[APP], &[], &expected);
    }

    #[test]
    fn who_is_not_allowed_gets_no_permission_of_anybody() {
        let upstream = [
            ("access-control-allow-origin", "*"),
            ("access-control-allow-credentials", "true"),
            ("access-control-expose-headers", "*"),
            ("access-control-allow-methods", "*"),
            ("access-control-allow-headers", "*"),
            ("access-control-max-age", "1"),
            ("access-control-allow-private-network", "true"),
            ("x-other", "stays"),
        ];
        let document = Cors {
            origins: list(&["https://app.test"]),
            credentials: Some(true),
            ..Cors::default()
        };
        for visitor in [
            &[][..],
            &[EVIL],
            &[("origin", "")],
            &[("origin", "null")],
            &[("origin", "https://app.test.evil.test")],
            &[("origin", "https://app.test:8443")],
            &[("origin", "http://app.test")],
            &[("origin", "HTTPS://app.test")],
            &[APP, EVIL],
            &[APP, APP],
        ] {
            let expected = [("vary", "Origin"), ("x-other", "stays")];
            check_answer(&document, visitor, &upstream, &expected);
        }
        check_answer(
            &Cors::default(),
            &[],
            &upstream,
            &[("vary", "Origin"), ("x-other", "stays")],
        );
    }

    #[test]
    fn a_preflight_is_an_options_with_both_headers() {
        for (method, lines, expected) in [
            ("OPTIONS", &[APP, PUT][..], true),
            ("OPTIONS", &[APP], false),
            ("OPTIONS", &[PUT], false),
            ("GET", &[APP, PUT], false),
        ] {
            assert_eq!(
                is_preflight(&head(method, "/", lines)),
                expected,
                "{method} {lines:?}"
            );
        }
    }

    #[test]
    fn origins_are_compiled_to_what_browsers_send() {
        for (text, expected) in [
            ("https://App.Example.com", Some("https://app.example.com")),
            ("https://a.test:443", Some("https://a.test")),
            ("http://a.test:80", Some("http://a.test")),
            ("http://a.test:443", Some("http://a.test:443")),
            ("https://a.test:8443", Some("https://a.test:8443")),
            ("http://[::1]:3000", Some("http://[::1]:3000")),
            ("capacitor://localhost", Some("capacitor://localhost")),
            ("chrome-extension://abc", Some("chrome-extension://abc")),
            ("ionic://localhost:80", Some("ionic://localhost:80")),
            ("file://", Some("file://")),
            ("null", Some("null")),
            ("*", None),
            ("https://*.example.com", None),
            ("https://a.test/", None),
            ("https://a.test/x", None),
            ("https://u@a.test", None),
            ("https://", None),
            ("a.test", None),
            ("", None),
            ("https://a.test, https://b.test", None),
            ("https://a.test\r\nx: y", None),
        ] {
            let compiled = origin(text, &Path::root(), &mut Issues::default());
            assert_eq!(compiled.ok().as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_reported_where_it_stands() {
        let document = Cors {
            origins: list(&[]),
            allow_methods: list(&["GET", "*"]),
            allow_headers: list(&["*", "x y"]),
            expose_headers: list(&["a,b"]),
            ..Cors::default()
        };
        let found = complaints("cors", |at, issues| Policy::compile(&document, at, issues));
        assert_eq!(
            found,
            [
                "cors.origins",
                "cors.allowMethods[1]",
                "cors.allowHeaders[1]",
                "cors.exposeHeaders[0]"
            ]
        );
    }

    #[test]
    fn empty_lists_grant_nothing_of_their_own() {
        let document = Cors {
            allow_methods: list(&[]),
            allow_headers: list(&[]),
            expose_headers: list(&[]),
            ..Cors::default()
        };
        let expected = [
            ("vary", "Origin"),
            ("vary", "Access-Control-Request-Headers"),
            ("access-control-allow-origin", "https://app.test"),
        ];
        check_preflight(&document, &[APP, PUT], &expected);
    }
}
