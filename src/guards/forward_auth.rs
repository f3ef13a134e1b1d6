//! Asks another service about each request, as nginx's `auth_request` does: 2xx admits, everything else is the
//! service's own verdict and reaches the visitor as it was written, a login page's redirect included.
//!
//! The service is asked directly and never through the route table, so that its address may be one that a route takes.

use std::{borrow::Cow, time::Duration};

use http::{
    HeaderMap, HeaderName, HeaderValue, StatusCode,
    header::{AUTHORIZATION, COOKIE, InvalidHeaderValue},
};
use url::Url;

use super::{Request, fields};
use crate::{
    config::{Code, Issues, Path, Reported, document::ForwardAuth, header_rules},
    headers::{
        HeaderEdits,
        alias::is_alias,
        combined,
        hop_by_hop::{HOP_BY_HOP, connection_named},
        reserved,
    },
    message::{RequestHead, ResponseHead},
    net::upstream::is_private_host,
    platform::{
        BodyPlan, Call, CallBody, Clock, Delivery, Fetch, FetchError, Fetched, HeaderBase, Redirect,
    },
};

/// Compiled `forwardAuth`.
#[derive(Debug, Clone)]
pub(super) struct Policy {
    url: String,
    /// Host and port of the service; events of its verdicts name it.
    pub(super) authority: String,
    /// Names of the visitor's headers that the service is shown.
    shown: Vec<HeaderName>,
    /// Names of the verdict's headers that the upstream is shown.
    copied: Vec<HeaderName>,
    timeout: Duration,
    fail_open: bool,
}

/// What came of asking.
#[derive(Debug)]
pub(super) enum Verdict<R> {
    /// The visitor may pass, with these changes to the request.
    Admitted(HeaderEdits),
    /// The service answers in the proxy's place.
    Relayed(StatusCode, Delivery<R>),
    /// The service cannot be asked.
    Unavailable,
    /// The visitor has hung up.
    VisitorLeft,
}

impl Policy {
    pub(super) fn compile(
        document: &ForwardAuth,
        private_allowed: bool,
        at: &Path<'_>,
        issues: &mut Issues,
    ) -> Result<Self, Reported> {
        let ForwardAuth {
            url,
            copy_request_headers,
            copy_response_headers,
            timeout_ms,
            fail_open,
        } = document;
        let url = service(url.as_deref(), private_allowed, &at.key("url"), issues);
        let mut names = |key, list: &Option<Vec<String>>| {
            list.as_ref()
                .map(|list| fields::each(list, &at.key(key), issues, name))
                .transpose()
        };
        let shown = names("copyRequestHeaders", copy_request_headers);
        let copied = match copy_response_headers {
            Some(list) if list.is_empty() => Ok(None),
            list => names("copyResponseHeaders", list),
        };
        let timeout = fields::within(
            timeout_ms.unwrap_or(2000),
            1..=5000,
            &at.key("timeoutMs"),
            issues,
        );
        let fail_open = fields::only_true(*fail_open, &at.key("failOpen"), issues);
        let (url, authority) = url?;
        Ok(Self {
            url,
            authority,
            shown: shown?.unwrap_or_else(|| vec![AUTHORIZATION, COOKIE]),
            copied: copied?.unwrap_or_default(),
            timeout: Duration::from_millis(timeout?),
            fail_open: fail_open?,
        })
    }

    pub(super) async fn ask<P>(&self, request: &Request<'_>, platform: &P) -> Verdict<P::Response>
    where
        P: Clock + Fetch,
    {
        let Ok(edits) = self.question(request) else {
            // A service that is told half of the story might admit the other half.
            return Verdict::Unavailable;
        };
        let call = Call {
            url: self.url.clone(),
            method: request.head.method.clone(),
            base: HeaderBase::Empty,
            edits,
            // The body can be sent once, and that is to the upstream.
            body: CallBody::None,
            redirect: Redirect::Manual,
            budget: self.timeout,
            follow_visitor: true,
        };
        match platform.fetch(call).await {
            Ok(fetched) if fetched.head.status.is_success() => {
                platform.discard(fetched.response);
                Verdict::Admitted(self.admitting(request.head, Some(&fetched.head.headers)))
            }
            // A switch of protocols is nothing that can be relayed to a visitor who has not asked for one.
            Ok(fetched) if fetched.head.status.is_informational() => {
                platform.discard(fetched.response);
                Verdict::Unavailable
            }
            Ok(fetched) => relayed(fetched),
            Err(FetchError::VisitorLeft) => Verdict::VisitorLeft,
            Err(_) if self.fail_open => Verdict::Admitted(self.admitting(request.head, None)),
            Err(_) => Verdict::Unavailable,
        }
    }

    /// What the service is told. The proxy's own account comes last, and the visitor's copies of these names are never
    /// among those shown: they are reserved.
    fn question(&self, request: &Request<'_>) -> Result<HeaderEdits, InvalidHeaderValue> {
        let Request {
            head, request_id, ..
        } = request;
        let mut edits = HeaderEdits::default();
        let shown = self
            .shown
            .iter()
            .filter_map(|name| Some((name.clone(), combined(&head.headers, name)?)));
        let told = [
            ("x-forwarded-host", Some(head.url.authority())),
            ("x-forwarded-proto", Some(head.url.scheme())),
            ("x-forwarded-for", head.address()),
            ("x-forwarded-method", Some(head.method.as_str())),
            ("x-forwarded-uri", Some(head.url.path_and_query())),
            ("x-request-id", Some(*request_id)),
        ];
        let told = told.into_iter().filter_map(|(name, value)| {
            let value = Cow::Borrowed(value?.as_bytes());
            Some((HeaderName::from_static(name), value))
        });
        for (name, value) in shown.chain(told) {
            edits.set(name, HeaderValue::from_bytes(&value)?);
        }
        Ok(edits)
    }

    /// What changes for the upstream, which believes the names that a verdict may set: they are the verdict's alone.
    /// What it does not set goes, and so does what the visitor wrote under a name that a server takes for one of them.
    fn admitting(&self, head: &RequestHead, verdict: Option<&HeaderMap>) -> HeaderEdits {
        let mut edits = HeaderEdits::default();
        for name in head.headers.keys() {
            if self.copied.iter().any(|copied| is_alias(copied, name)) {
                edits.remove(name.clone());
            }
        }
        for name in &self.copied {
            edits.remove(name.clone());
            for value in verdict
                .into_iter()
                .flat_map(|headers| headers.get_all(name))
            {
                edits.append(name.clone(), value.clone());
            }
        }
        edits
    }
}

/// Status, headers and body as the service wrote them; only what describes its connection to the proxy stays behind.
fn relayed<R>(fetched: Fetched<R>) -> Verdict<R> {
    let Fetched {
        head: ResponseHead { status, headers },
        has_body: _,
        response,
    } = fetched;
    let mut edits = HeaderEdits::default();
    for name in connection_named(&headers).chain(HOP_BY_HOP) {
        if headers.contains_key(&name) {
            edits.remove(name);
        }
    }
    let delivery = Delivery {
        response,
        status: None,
        edits,
        body: BodyPlan::Untouched,
    };
    Verdict::Relayed(status, delivery)
}

/// The URL as it is asked for, and its host and port.
fn service(
    text: Option<&str>,
    private_allowed: bool,
    at: &Path<'_>,
    issues: &mut Issues,
) -> Result<(String, String), Reported> {
    let Some(text) = text else {
        return Err(issues.report(
            at,
            Code::Required,
            "expected the URL of the service that is asked, such as \"https://sso.example.com/check\"; found none",
        ));
    };
    let parsed = Url::parse(text).ok().filter(|url| {
        matches!(url.scheme(), "http" | "https")
            // The platform refuses to fetch a URL with credentials.
            && url.username().is_empty()
            && url.password().is_none()
    });
    let Some((mut url, host)) = parsed
        .as_ref()
        .and_then(|url| Some((url.clone(), url.host()?)))
    else {
        return Err(issues.report(
            at,
            Code::Value,
            format!("expected an absolute http or https URL without user name and password, such as \"https://sso.example.com/check\"; found {text:?}"),
        ));
    };
    if !private_allowed && is_private_host(&host) {
        return Err(issues.report(
            at,
            Code::PrivateUpstream,
            format!("expected a public host; found {text:?}, a loopback, private or metadata address or a name for one. \"allowPrivateUpstream\": true permits it"),
        ));
    }
    url.set_fragment(None);
    let authority = match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_string(),
    };
    Ok((url.into(), authority))
}

fn name(text: &str, at: &Path<'_>, issues: &mut Issues) -> Result<HeaderName, Reported> {
    header_rules::name(text, reserved::request, at, issues)
}

#[cfg(test)]
mod tests;
