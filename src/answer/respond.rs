//! `respond`: a route that answers at the edge instead of asking an upstream.

use bytes::Bytes;
use http::{
    HeaderMap, HeaderValue, Method, StatusCode,
    header::{CONTENT_TYPE, LOCATION},
};
use url::Url;

use super::{compile_content_type, for_method};
use crate::{
    config::{
        Code, Issues, Path, Reported, RouteDocument,
        document::{Respond, RespondRedirect},
        header_rules,
    },
    headers::reserved,
    message::Answer,
};

/// A route's compiled `respond`: the answer itself.
#[derive(Debug, Clone)]
pub struct Policy {
    answer: Answer,
}

/// The edge answer for a request made with `method`.
pub fn respond(policy: &Policy, method: &Method) -> Answer {
    for_method(method, policy.answer.clone())
}

impl Policy {
    /// Compiles `respond`; `None` on routes that forward.
    pub fn compile(
        route: &RouteDocument,
        at: &Path<'_>,
        issues: &mut Issues,
    ) -> Result<Option<Self>, Reported> {
        let Some(document) = &route.respond else {
            return Ok(None);
        };
        let at = at.key("respond");
        let Respond {
            redirect,
            status,
            content_type,
            body,
            headers,
        } = document;
        let answers = match (redirect, status) {
            (Some(redirect), None) => {
                compile_redirect(redirect, &at.key("redirect"), issues).map(Instruction::Redirect)
            }
            (None, Some(status)) => {
                compile_status(*status, &at.key("status"), issues).map(Instruction::Status)
            }
            (None, None) => Err(issues.report(
                &at,
                Code::Required,
                "expected a \"redirect\" or a \"status\" to answer with; found neither",
            )),
            (Some(_), Some(_)) => Err(issues.report(
                &at,
                Code::Conflict,
                "expected either a \"redirect\" or a \"status\"; found both. A redirect's own status is \"redirect.status\"",
            )),
        };
        let reserved = match redirect {
            Some(_) => reserved_beside_redirect,
            None => reserved::response,
        };
        let headers = headers
            .as_ref()
            .map(|headers| header_rules::values(headers, reserved, &at.key("headers"), issues))
            .transpose();
        let content_type = match (content_type, body) {
            (None, None) => Ok(None),
            (content_type, _) => compile_content_type(
                content_type.as_deref(),
                "a body without one would be guessed at",
                &at.key("contentType"),
                issues,
            )
            .map(Some),
        };
        let instruction = answers?;
        let (status, location) = match instruction {
            Instruction::Redirect((status, location)) => (status, Some(location)),
            Instruction::Status(status) => (status, None),
        };
        let body = match body {
            Some(_) if location.is_some() => Err(issues.report(
                &at.key("body"),
                Code::Misplaced,
                "a redirect carries no body; remove \"body\", or answer with a \"status\" instead",
            )),
            Some(_) if BODYLESS.contains(&status) => Err(issues.report(
                &at.key("body"),
                Code::Misplaced,
                format!(
                    "status {} cannot carry a body; remove \"body\" or choose another status",
                    status.as_u16()
                ),
            )),
            Some(body) => Ok(Bytes::copy_from_slice(body.as_bytes())),
            None => Ok(Bytes::new()),
        };
        let (headers, content_type, body) = (headers?, content_type?, body?);
        let mut map: HeaderMap = headers.into_iter().flatten().collect();
        // These are said by settings of their own, which win over a header of the same name.
        for (name, value) in [(CONTENT_TYPE, content_type), (LOCATION, location)] {
            if let Some(value) = value {
                map.insert(name, value);
            }
        }
        Ok(Some(Self {
            answer: Answer {
                status,
                headers: map,
                body,
            },
        }))
    }
}

enum Instruction {
    Redirect((StatusCode, HeaderValue)),
    Status(StatusCode),
}

fn compile_redirect(
    redirect: &RespondRedirect,
    at: &Path<'_>,
    issues: &mut Issues,
) -> Result<(StatusCode, HeaderValue), Reported> {
    let RespondRedirect {
        to,
        status,
        allow_external,
    } = redirect;
    let external = match allow_external {
        None => Ok(false),
        Some(true) => Ok(true),
        Some(false) => Err(issues.report(
            &at.key("allowExternal"),
            Code::Value,
            "expected true; to allow no other host leave \"allowExternal\" out",
        )),
    };
    let to = compile_target(
        to.as_deref().unwrap_or_default(),
        // With a switch that is refused already, the target is judged as if it had been set.
        external.unwrap_or(true),
        &at.key("to"),
        issues,
    );
    let status = match status {
        None => Ok(StatusCode::MOVED_PERMANENTLY),
        Some(number) => REDIRECTS
            .into_iter()
            .find(|status| u64::from(status.as_u16()) == *number)
            .ok_or_else(|| {
                issues.report(
                    &at.key("status"),
                    Code::Value,
                    format!("expected a status that redirects: 301, 302, 303, 307 or 308; found {number}"),
                )
            }),
    };
    external?;
    Ok((status?, to?))
}

/// A target is a path on the same host, or with the switch an http(s) URL.
///
/// Browsers take `//host`, `/\host` and either of them with a tab or line break inside for another host.
fn compile_target(
    to: &str,
    external: bool,
    at: &Path<'_>,
    issues: &mut Issues,
) -> Result<HeaderValue, Reported> {
    if to.is_empty() {
        return Err(issues.report(
            at,
            Code::Required,
            "a redirect needs a target, such as \"/handbook\"",
        ));
    }
    let plain = !to.contains(|c: char| c.is_whitespace() || c.is_control());
    let local = plain && to.starts_with('/') && !to.starts_with("//") && !to.starts_with("/\\");
    let scheme = to.split_once("://").map(|(scheme, _)| scheme);
    let elsewhere = plain
        && scheme.is_some_and(|scheme| {
            scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
        })
        && Url::parse(to).is_ok();
    match HeaderValue::from_bytes(to.as_bytes()) {
        Ok(value) if local || (elsewhere && external) => Ok(value),
        Ok(_) if elsewhere => Err(issues.report(
            at,
            Code::Value,
            format!("expected a path on this host, such as \"/handbook\"; found {to:?}. To send visitors to another host write \"allowExternal\": true beside it"),
        )),
        _ => Err(issues.report(
            at,
            Code::Value,
            format!("expected a path that starts with a single slash, such as \"/handbook\", or with \"allowExternal\": true an http or https URL; found {to:?}"),
        )),
    }
}

fn compile_status(number: u64, at: &Path<'_>, issues: &mut Issues) -> Result<StatusCode, Reported> {
    u16::try_from(number)
        .ok()
        .filter(|number| (200..=599).contains(number))
        .and_then(|number| StatusCode::from_u16(number).ok())
        .ok_or_else(|| {
            issues.report(
                at,
                Code::Range,
                format!("expected a status from 200 to 599, which is what can be answered; found {number}"),
            )
        })
}

fn reserved_beside_redirect(name: &str) -> Option<&'static str> {
    match name {
        "location" => Some("\"redirect.to\" says where the visitor is sent"),
        _ => reserved::response(name),
    }
}

const REDIRECTS: [StatusCode; 5] = [
    StatusCode::MOVED_PERMANENTLY,
    StatusCode::FOUND,
    StatusCode::SEE_OTHER,
    StatusCode::TEMPORARY_REDIRECT,
    StatusCode::PERMANENT_REDIRECT,
];

/// Statuses the runtime refuses to give a body (Fetch standard, "null body status").
const BODYLESS: [StatusCode; 3] = [
    StatusCode::NO_CONTENT,
    StatusCode::RESET_CONTENT,
    StatusCode::NOT_MODIFIED,
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn compile(document: Respond) -> Result<Policy, String> {
        let route = RouteDocument {
            respond: Some(document),
            ..Default::default()
        };
        let mut issues = Issues::default();
        match Policy::compile(&route, &Path::root(), &mut issues) {
            Ok(policy) => Ok(policy.unwrap()),
            Err(_) => Err(issues
                .into_vec()
                .into_iter()
                .map(|issue| issue.path)
                .collect::<Vec<_>>()
                .join(" ")),
        }
    }

    fn redirect(to: &str) -> RespondRedirect {
        RespondRedirect {
            to: Some(to.to_owned()),
            ..Default::default()
        }
    }

    fn redirecting(redirect: RespondRedirect) -> Respond {
        Respond {
            redirect: Some(redirect),
            ..Default::default()
        }
    }

    fn fixed(status: u64) -> Respond {
        Respond {
            status: Some(status),
            ..Default::default()
        }
    }

    fn headers(name: &str) -> Option<BTreeMap<String, String>> {
        Some(BTreeMap::from([(name.to_owned(), "5".to_owned())]))
    }

    #[test]
    fn an_answer_is_what_the_route_says() {
        let policy = compile(Respond {
            content_type: Some("text/html".to_owned()),
            body: Some("<h1>Zurück um 9</h1>".to_owned()),
            headers: Some(BTreeMap::from([
                ("retry-after".to_owned(), "1800".to_owned()),
                ("content-type".to_owned(), "text/plain".to_owned()),
            ])),
            ..fixed(503)
        })
        .unwrap();
        let answer = respond(&policy, &Method::POST);
        assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(answer.headers["retry-after"], "1800");
        assert_eq!(answer.headers["content-type"], "text/html");
        assert_eq!(answer.headers.get_all("content-type").iter().count(), 1);
        assert_eq!(answer.body, "<h1>Zurück um 9</h1>");
        let head = respond(&policy, &Method::HEAD);
        assert_eq!(head.headers, answer.headers);
        assert!(head.body.is_empty());
    }

    #[test]
    fn a_redirect_carries_its_target_as_written() {
        for (status, expected) in [(None, 301), (Some(302), 302), (Some(308), 308)] {
            let policy = compile(redirecting(RespondRedirect {
                status,
                ..redirect("/new?x=1#y")
            }));
            let answer = respond(&policy.unwrap(), &Method::GET);
            assert_eq!(answer.status.as_u16(), expected);
            assert_eq!(answer.headers["location"], "/new?x=1#y");
            assert!(answer.body.is_empty());
        }
        let answer = respond(&compile(fixed(204)).unwrap(), &Method::GET);
        assert!(answer.headers.is_empty());
    }

    #[test]
    fn a_target_leads_elsewhere_only_by_the_switch() {
        for (to, without, with) in [
            ("/x", true, true),
            ("/", true, true),
            ("https://a.b/x", false, true),
            ("HTTP://a.b", false, true),
            ("//a.b/x", false, false),
            (r"/\a.b", false, false),
            ("/\t/a.b", false, false),
            ("x", false, false),
            ("javascript:alert(1)", false, false),
            ("javascript://a.b/%0aalert(1)", false, false),
            ("ftp://a.b", false, false),
            ("https://", false, false),
            ("https://a b/", false, false),
        ] {
            let target = |allow_external| {
                compile(redirecting(RespondRedirect {
                    allow_external,
                    ..redirect(to)
                }))
                .is_ok()
            };
            assert_eq!(target(None), without, "{to:?}");
            assert_eq!(target(Some(true)), with, "{to:?} with the switch");
        }
    }

    #[test]
    fn what_cannot_be_answered_is_refused_at_its_place() {
        let body = Some("x".to_owned());
        let html = Some("text/html".to_owned());
        for (document, place) in [
            (Respond::default(), "respond"),
            (
                Respond {
                    status: Some(200),
                    ..redirecting(redirect("/x"))
                },
                "respond",
            ),
            (
                redirecting(RespondRedirect::default()),
                "respond.redirect.to",
            ),
            (
                redirecting(RespondRedirect {
                    status: Some(304),
                    allow_external: Some(false),
                    ..redirect("//x")
                }),
                "respond.redirect.allowExternal respond.redirect.to respond.redirect.status",
            ),
            (fixed(600), "respond.status"),
            (fixed(101), "respond.status"),
            (fixed(70_000), "respond.status"),
            (
                Respond {
                    body: body.clone(),
                    ..fixed(503)
                },
                "respond.contentType",
            ),
            (
                Respond {
                    content_type: Some("a\nb".to_owned()),
                    ..fixed(200)
                },
                "respond.contentType",
            ),
            (
                Respond {
                    body: body.clone(),
                    content_type: html.clone(),
                    ..fixed(204)
                },
                "respond.body",
            ),
            (
                Respond {
                    body,
                    content_type: html,
                    ..redirecting(redirect("/x"))
                },
                "respond.body",
            ),
            (
                Respond {
                    headers: headers("Content-Length"),
                    ..fixed(503)
                },
                "respond.headers.Content-Length",
            ),
            (
                Respond {
                    headers: headers("location"),
                    ..redirecting(redirect("/x"))
                },
                "respond.headers.location",
            ),
        ] {
            assert_eq!(
                compile(document.clone()).err().as_deref(),
                Some(place),
                "{document:?}"
            );
        }
        let located = Respond {
            headers: headers("location"),
            ..fixed(201)
        };
        assert!(
            compile(located).is_ok(),
            "a created resource has an address"
        );
    }
}
