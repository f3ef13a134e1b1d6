//! Answers the proxy writes itself: edge answers, refusals, failures and the pages in their place.

use bytes::Bytes;
use http::{HeaderValue, Method};

use crate::{
    config::{Code, Issues, Path, Reported},
    message::Answer,
};

pub mod error_page;
mod failure;
mod respond;

pub use failure::{failed, refused};
pub use respond::{Policy, respond};

/// The answer as `method` may see it: HEAD gets the headers without the body (RFC 9110 section 9.3.2).
pub fn for_method(method: &Method, mut answer: Answer) -> Answer {
    if method == Method::HEAD {
        answer.body = Bytes::new();
    }
    answer
}

/// Compiles a content type, which must be there.
fn compile_content_type(
    text: Option<&str>,
    why: &str,
    at: &Path<'_>,
    issues: &mut Issues,
) -> Result<HeaderValue, Reported> {
    match text {
        None | Some("") => Err(issues.report(
            at,
            Code::Required,
            format!("expected a type such as \"text/html; charset=utf-8\": {why}"),
        )),
        Some(text) => HeaderValue::from_bytes(text.as_bytes()).map_err(|_| {
            issues.report(
                at,
                Code::Value,
                format!("expected a type such as \"text/html; charset=utf-8\", without line breaks; found {text:?}"),
            )
        }),
    }
}
