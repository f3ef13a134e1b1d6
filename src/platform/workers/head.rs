//! Heads as they cross: lines of text. The runtime reads and writes header bytes as UTF-8, so the text's bytes are the
//! header's bytes.

use std::ops::Range;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};

use crate::{
    headers::{Edit, HeaderEdits},
    message::{RequestHead, RequestUrl, ResponseHead},
};

/// Reads what `readRequest` wrote.
pub(super) fn request(text: String) -> Option<RequestHead> {
    let mut lines = Lines::new(text);
    let method = Method::from_bytes(&lines.line()?).ok()?;
    let url = RequestUrl::parse(lines.line_text()?).ok()?;
    let has_body = lines.line()? == "1";
    let headers = lines.headers();
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
pub(super) fn response(text: String) -> Option<(ResponseHead, bool)> {
    let mut lines = Lines::new(text);
    let status = StatusCode::from_bytes(&lines.line()?).ok()?;
    let has_body = lines.line()? == "1";
    let headers = lines.headers();
    Some((ResponseHead { status, headers }, has_body))
}

/// The lines of a head. They are parts of the one text that crossed, and so are the values of its headers.
struct Lines {
    text: Bytes,
    at: usize,
}

impl Lines {
    fn new(text: String) -> Self {
        Self {
            text: Bytes::from(text),
            at: 0,
        }
    }

    fn bounds(&mut self) -> Option<Range<usize>> {
        let rest = self.text.get(self.at..)?;
        let start = self.at;
        let end = memchr::memchr(b'\n', rest).map_or(self.text.len(), |length| start + length);
        self.at = end + 1;
        Some(start..end)
    }

    fn line(&mut self) -> Option<Bytes> {
        let bounds = self.bounds()?;
        Some(self.text.slice(bounds))
    }

    fn line_text(&mut self) -> Option<&str> {
        let bounds = self.bounds()?;
        std::str::from_utf8(self.text.get(bounds)?).ok()
    }

    fn headers(mut self) -> HeaderMap {
        let mut headers = HeaderMap::with_capacity(24);
        while let (Some(name), Some(value)) = (self.bounds(), self.line()) {
            // The runtime has parsed both; what `http` would still refuse cannot be matched or edited, and travels on
            // untouched because the message itself does.
            if let (Some(Ok(name)), Ok(value)) = (
                self.text.get(name).map(HeaderName::from_bytes),
                HeaderValue::from_maybe_shared(value),
            ) {
                headers.append(name, value);
            }
        }
        headers
    }
}

/// Writes what `call` reads: method, URL and edits.
pub(super) fn call(method: &Method, url: &str, edits: &HeaderEdits) -> String {
    let mut text = String::with_capacity(512);
    for line in [method.as_str(), url] {
        text.push_str(line);
        text.push('\n');
    }
    write(edits, &mut text);
    text
}

/// Writes edits the way `edit` reads them.
pub(super) fn edits(edits: &HeaderEdits) -> String {
    let mut text = String::with_capacity(256);
    write(edits, &mut text);
    text
}

fn write(edits: &HeaderEdits, text: &mut String) {
    let mut line = |sign: char, name: &HeaderName, value: Option<&HeaderValue>| {
        text.push(sign);
        text.push_str(name.as_str());
        text.push('\n');
        if let Some(value) = value {
            text.push_str(&String::from_utf8_lossy(value.as_bytes()));
            text.push('\n');
        }
    };
    for edit in edits.iter() {
        match edit {
            Edit::Remove(name) => line('-', name, None),
            Edit::Set(name, value) => line('=', name, Some(value)),
            Edit::Append(name, value) => line('+', name, Some(value)),
        }
    }
}

/// Writes a whole header map as edits of an empty one.
pub(super) fn all(headers: &HeaderMap) -> String {
    let mut all = HeaderEdits::default();
    for (name, value) in headers {
        all.append(name.clone(), value.clone());
    }
    edits(&all)
}
