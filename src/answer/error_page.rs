//! `errorPages`: an operator's page in place of a failure's payload. The status stays, because it is the only part of
//! the exchange that is true.

use std::collections::BTreeMap;

use bytes::Bytes;
use http::{HeaderMap, StatusCode, header::CONTENT_TYPE};

use super::compile_content_type;
use crate::{
    config::{Code, Issues, Path, Reported, RouteDocument, document::ErrorPage, header_rules},
    headers::reserved,
    message::Answer,
};

/// A route's compiled `errorPages`.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    pages: BTreeMap<u16, Page>,
}

#[derive(Debug, Clone)]
struct Page {
    headers: HeaderMap,
    body: Bytes,
}

impl Policy {
    /// Compiles `errorPages`.
    pub fn compile(
        route: &RouteDocument,
        at: &Path<'_>,
        issues: &mut Issues,
    ) -> Result<Self, Reported> {
        let at = at.key("errorPages");
        let mut pages = BTreeMap::new();
        let mut failed = None;
        for (status, page) in route.error_pages.iter().flatten() {
            let at = at.key(status);
            let number = compile_status(status, &at, issues);
            match (number, Page::compile(page, &at, issues)) {
                (Ok(status), Ok(page)) => {
                    pages.insert(status, page);
                }
                (Err(reported), _) | (_, Err(reported)) => failed = Some(reported),
            }
        }
        failed.map_or(Ok(Self { pages }), Err)
    }

    /// The page for `status` as an answer, where there is one.
    pub(super) fn answer(&self, status: StatusCode) -> Option<Answer> {
        let Page { headers, body } = self.pages.get(&status.as_u16())?;
        Some(Answer {
            status,
            headers: headers.clone(),
            body: body.clone(),
        })
    }
}

impl Page {
    fn compile(page: &ErrorPage, at: &Path<'_>, issues: &mut Issues) -> Result<Self, Reported> {
        let ErrorPage {
            body,
            content_type,
            headers,
        } = page;
        let body = match body.as_deref() {
            None | Some("") => Err(issues.report(
                &at.key("body"),
                Code::Required,
                "a page needs a \"body\" of at least one character",
            )),
            Some(body) => Ok(Bytes::copy_from_slice(body.as_bytes())),
        };
        let content_type = compile_content_type(
            content_type.as_deref(),
            "a page without one would be guessed at",
            &at.key("contentType"),
            issues,
        );
        let headers = headers
            .as_ref()
            .map(|headers| {
                header_rules::values(headers, reserved::response, &at.key("headers"), issues)
            })
            .transpose();
        let (body, content_type) = (body?, content_type?);
        let mut map: HeaderMap = headers?.into_iter().flatten().collect();
        map.insert(CONTENT_TYPE, content_type);
        Ok(Self { headers: map, body })
    }
}

fn compile_status(text: &str, at: &Path<'_>, issues: &mut Issues) -> Result<u16, Reported> {
    text.parse()
        .ok()
        .filter(|status| (500..=599).contains(status) && text.len() == 3)
        .ok_or_else(|| {
            issues.report(
                at,
                Code::Range,
                format!("expected a status from 500 to 599: pages stand for the proxy's own failures, and an upstream's answers are passed on; found {text:?}"),
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(body: &str, content_type: &str, header: &str) -> ErrorPage {
        ErrorPage {
            body: Some(body.to_owned()),
            content_type: Some(content_type.to_owned()),
            headers: Some(BTreeMap::from([(header.to_owned(), "300".to_owned())])),
        }
    }

    #[track_caller]
    fn check(pages: &[(&str, ErrorPage)], expected: &str) {
        let route = RouteDocument {
            error_pages: Some(
                pages
                    .iter()
                    .map(|(status, page)| ((*status).to_owned(), page.clone()))
                    .collect(),
            ),
            ..Default::default()
        };
        let mut issues = Issues::default();
        let compiled = Policy::compile(&route, &Path::root(), &mut issues);
        let places: Vec<String> = issues
            .into_vec()
            .into_iter()
            .map(|issue| issue.path)
            .collect();
        assert_eq!(places.join(" "), expected);
        assert_eq!(compiled.is_ok(), places.is_empty());
    }

    #[test]
    fn a_page_stands_for_a_status_from_500_to_599() {
        let down = || page("down", "text/plain", "retry-after");
        check(&[("500", down()), ("599", down())], "");
        check(&[("404", down())], "errorPages.404");
        check(
            &[("+502", down()), ("5xx", down())],
            "errorPages.+502 errorPages.5xx",
        );
    }

    #[test]
    fn a_page_has_a_body_a_type_and_headers_of_its_own() {
        check(
            &[
                ("502", page("", "", "retry-after")),
                ("504", page("x", "text/plain", "set-cookie")),
            ],
            "errorPages.502.body errorPages.502.contentType errorPages.504.headers.set-cookie",
        );
        check(
            &[("502", ErrorPage::default())],
            "errorPages.502.body errorPages.502.contentType",
        );
    }
}
