//! Whether a body is rewritten, and how; or why it is not.

use http::{HeaderMap, HeaderName, StatusCode, header};

use super::{
    charset::{self, Charset},
    policy::BodyPolicy,
};
use crate::{headers::media_type, message::ResponseHead, outcome::SkipReason};

/// How a body is rewritten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) kind: Kind,
    pub(super) charset: Charset,
    /// The type without parameters, in lower case.
    pub(super) media_type: String,
}

/// What a body is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Html,
    Css,
    Text,
}

/// Decides. The first reason that applies is the one that is reported.
pub(super) fn plan(
    policy: Option<&BodyPolicy>,
    head: &ResponseHead,
    has_body: bool,
) -> Result<Plan, SkipReason> {
    let policy = policy.ok_or(SkipReason::NotConfigured)?;
    if BODYLESS.contains(&head.status) {
        return Err(SkipReason::BodylessStatus);
    }
    if !has_body {
        return Err(SkipReason::NoBody);
    }
    let content_type = text(&head.headers, &header::CONTENT_TYPE);
    if media_type::is_stream(&content_type) {
        return Err(SkipReason::StreamingMedia);
    }
    let media_type = media_type::essence(&content_type);
    let kind = match media_type.as_str() {
        "text/html" => Kind::Html,
        "text/css" => Kind::Css,
        _ => Kind::Text,
    };
    let listed = policy
        .content_types
        .iter()
        .any(|prefix| media_type.starts_with(prefix.as_str()));
    if !listed || !policy.has_work_for(kind) {
        return Err(SkipReason::ContentType);
    }
    let charset = charset::charset(&content_type, policy.fallback)
        .filter(|_| is_readable(&head.headers))
        .ok_or(SkipReason::CharsetUndecodable)?;
    Ok(Plan {
        kind,
        charset,
        media_type,
    })
}

/// Whether the platform hands over the body's own bytes: it undoes the codings below and no others, so under any
/// other there is nothing here that could read them.
fn is_readable(headers: &HeaderMap) -> bool {
    let codings = headers.get_all(header::CONTENT_ENCODING);
    let mut codings = codings.iter().map(|coding| coding.as_bytes().trim_ascii());
    let first = codings.next().unwrap_or_default();
    codings.next().is_none()
        && READABLE
            .iter()
            .any(|known| first.eq_ignore_ascii_case(known.as_bytes()))
}

fn text(headers: &HeaderMap, name: &HeaderName) -> String {
    headers.get(name).map_or_else(String::new, |value| {
        String::from_utf8_lossy(value.as_bytes()).into_owned()
    })
}

/// A range of bytes is of no use once their number has changed; the others may have no body.
const BODYLESS: [StatusCode; 3] = [
    StatusCode::NO_CONTENT,
    StatusCode::PARTIAL_CONTENT,
    StatusCode::NOT_MODIFIED,
];

const READABLE: [&str; 4] = ["", "identity", "gzip", "br"];

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;
    use crate::{
        config::document::{BodyRewrite, Inject},
        rewrite::testing::body_policy,
    };

    #[track_caller]
    fn check(
        policy: Option<&BodyRewrite>,
        status: u16,
        headers: &[(&'static str, &'static str)],
        has_body: bool,
        expected: Result<Kind, SkipReason>,
    ) {
        let policy = policy.map(|policy| body_policy(policy).unwrap());
        let head = ResponseHead {
            status: StatusCode::from_u16(status).unwrap(),
            headers: headers
                .iter()
                .map(|(name, value)| {
                    let name = HeaderName::from_static(name);
                    (name, HeaderValue::from_static(value))
                })
                .collect(),
        };
        let seen = plan(policy.as_ref(), &head, has_body).map(|plan| plan.kind);
        assert_eq!(seen, expected, "{status} {headers:?}");
    }

    #[test]
    fn the_first_reason_is_reported() {
        use SkipReason::*;
        let html = [("content-type", "text/html")];
        let events = [("content-type", "text/event-stream")];
        let unknown = [("content-type", "text/html; charset=x-made-up")];
        let defaults = BodyRewrite::default();
        let defaults = Some(&defaults);
        check(None, 204, &html, false, Err(NotConfigured));
        for status in [204, 206, 304] {
            check(defaults, status, &events, false, Err(BodylessStatus));
        }
        check(defaults, 200, &events, false, Err(NoBody));
        check(defaults, 205, &html, false, Err(NoBody));
        check(defaults, 200, &events, true, Err(StreamingMedia));
        check(
            defaults,
            200,
            &[("content-type", "text/css")],
            true,
            Err(ContentType),
        );
        check(defaults, 200, &[], true, Err(ContentType));
        check(defaults, 200, &unknown, true, Err(CharsetUndecodable));
        for status in [200, 301, 404, 500] {
            check(defaults, status, &html, true, Ok(Kind::Html));
        }
    }

    #[test]
    fn types_are_listed_by_their_beginning() {
        let policy = BodyRewrite {
            content_types: Some(vec!["TEXT/".into(), "application/json".into()]),
            ..BodyRewrite::default()
        };
        for (content_type, expected) in [
            ("text/html; charset=utf-8", Ok(Kind::Html)),
            ("Text/HTML", Ok(Kind::Html)),
            ("text/css", Ok(Kind::Css)),
            ("text/markdown", Ok(Kind::Text)),
            ("application/json", Ok(Kind::Text)),
            ("application/xhtml+xml", Err(SkipReason::ContentType)),
            ("application/x-ndjson", Err(SkipReason::StreamingMedia)),
        ] {
            check(
                Some(&policy),
                200,
                &[("content-type", content_type)],
                true,
                expected,
            );
        }
    }

    #[test]
    fn a_body_nobody_can_read_is_not_rewritten() {
        for (coding, expected) in [
            ("gzip", Ok(Kind::Html)),
            ("BR", Ok(Kind::Html)),
            ("identity", Ok(Kind::Html)),
            ("zstd", Err(SkipReason::CharsetUndecodable)),
            ("gzip, br", Err(SkipReason::CharsetUndecodable)),
        ] {
            let headers = [("content-type", "text/html"), ("content-encoding", coding)];
            check(Some(&BodyRewrite::default()), 200, &headers, true, expected);
        }
    }

    #[test]
    fn a_route_with_nothing_to_do_for_a_type_leaves_it_alone() {
        let policy = BodyRewrite {
            content_types: Some(vec!["text/".into()]),
            rewrite_links: Some(false),
            inject: Some(Inject {
                head_end: Some("x".into()),
                ..Inject::default()
            }),
            ..BodyRewrite::default()
        };
        let inject = Some(&policy);
        check(
            inject,
            200,
            &[("content-type", "text/html")],
            true,
            Ok(Kind::Html),
        );
        check(
            inject,
            200,
            &[("content-type", "text/css")],
            true,
            Err(SkipReason::ContentType),
        );
    }
}
