//! Heads as they cross: lines of text. The runtime reads and writes header bytes as UTF-8, so the text's bytes are the
//! header's bytes.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};

use crate::{
    headers::{Edit, HeaderEdits},
    message::{RequestHead, RequestUrl, ResponseHead},
};

/// Reads what `readRequest` wrote.
pub(super) fn request(text: &str) -> Option<RequestHead> {
    let mut lines = text.split('\n');
    let method = Method::from_bytes(lines.next()?.as_bytes()).ok()?;
    let url = RequestUrl::parse(lines.next()?).ok()?;
    let has_body = lines.next()? == "1";
    let headers = headers(lines);
    let empty = headers
        .get(http::header::CONTENT_LENGTH)
        .is_some_and(|length| length == "0");
    Some(RequestHead {
        method,
        url,
        has_body: has_body && !empty,
        headers,
    })
}

/// Reads what `readResponse` wrote; also says whether there is a body.
pub(super) fn response(text: &str) -> Option<(ResponseHead, bool)> {
    let mut lines = text.split('\n');
    let status = StatusCode::from_bytes(lines.next()?.as_bytes()).ok()?;
    let has_body = lines.next()? == "1";
    let headers = headers(lines);
    Some((ResponseHead { status, headers }, has_body))
}

fn headers<'a>(mut lines: impl Iterator<Item = &'a str>) -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(24);
    while let (Some(name), Some(value)) = (lines.next(), lines.next()) {
        // The runtime has parsed both; what `http` would still refuse cannot be matched or edited, and travels on
        // untouched because the message itself does.
        if let (Ok(name), Ok(value)) = (
            HeaderName::from_bytes(name.as_bytes()),
            HeaderValue::from_maybe_shared(Bytes::copy_from_slice(value.as_bytes())),
        ) {
            headers.append(name, value);
        }
    }
    headers
}

/// Writes edits the way `edit` reads them.
pub(super) fn edits(edits: &HeaderEdits) -> String {
    let mut text = String::new();
    let mut line = |sign: char, name: &HeaderName, value: Option<&HeaderValue>| {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push(sign);
        text.push_str(name.as_str());
        if let Some(value) = value {
            text.push('\n');
            text.push_str(&String::from_utf8_lossy(value.as_bytes()));
        }
    };
    for edit in edits.iter() {
        match edit {
            Edit::Remove(name) => line('-', name, None),
            Edit::Set(name, value) => line('=', name, Some(value)),
            Edit::Append(name, value) => line('+', name, Some(value)),
        }
    }
    text
}

/// Writes a whole header map as edits of an empty one.
pub(super) fn all(headers: &HeaderMap) -> String {
    let mut all = HeaderEdits::default();
    for (name, value) in headers {
        all.append(name.clone(), value.clone());
    }
    edits(&all)
}
