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

use super::fields;
use crate::{
    config::{Code, Issues, Path, Reported, document::Cors},
    headers::{HeaderEdits, combined},
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
mod tests;
