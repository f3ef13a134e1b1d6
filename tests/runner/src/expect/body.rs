//! The body of an answer, decoded first if it has a content coding.

use std::borrow::Cow;
use std::io::{self, Read as _};

use super::Difference;
use crate::case::Expect;
use crate::observed::{Answered, BodyEnd};

pub(super) fn differences(expect: &Expect, answered: &Answered, differences: &mut Vec<Difference>) {
    let asked = expect.body.is_some()
        || !expect.body_contains.is_empty()
        || !expect.body_lacks.is_empty()
        || expect.body_bytes.is_some()
        || expect.body_length.is_some();
    if !asked {
        return;
    }
    let body = match decoded(answered) {
        Ok(body) => body,
        Err(error) => {
            differences.push(Difference::new(
                "body",
                "bytes that follow its content-encoding",
                error,
            ));
            return;
        }
    };
    if let Some(text) = expect
        .body
        .as_deref()
        .filter(|text| text.as_bytes() != body.as_ref())
    {
        differences.push(Difference::new(
            "body",
            format_args!("{text:?}"),
            show(&body),
        ));
    }
    let lossy = String::from_utf8_lossy(&body);
    for text in expect
        .body_contains
        .iter()
        .filter(|text| !lossy.contains(text.as_str()))
    {
        differences.push(Difference::new(
            "body",
            format_args!("to contain {text:?}"),
            show(&body),
        ));
    }
    for text in expect
        .body_lacks
        .iter()
        .filter(|text| lossy.contains(text.as_str()))
    {
        differences.push(Difference::new(
            "body",
            format_args!("not to contain {text:?}"),
            show(&body),
        ));
    }
    if let Some(bytes) = expect
        .body_bytes
        .as_deref()
        .filter(|bytes| *bytes != body.as_ref())
    {
        differences.push(Difference::new(
            "body",
            show_bytes(bytes),
            show_bytes(&body),
        ));
    }
    if let Some(length) = expect.body_length.filter(|length| *length != body.len()) {
        differences.push(Difference::new(
            "length of the body",
            length,
            format_args!("{}: {}", body.len(), show(&body)),
        ));
    }
}

/// The body without its content codings, the last applied removed first.
///
/// A body that broke off cannot be decoded to its end; what was decoded until then stands for it.
fn decoded(answered: &Answered) -> io::Result<Cow<'_, [u8]>> {
    let mut body = Cow::Borrowed(answered.body.as_slice());
    if body.is_empty() {
        return Ok(body);
    }
    let codings = answered
        .headers
        .joined("content-encoding")
        .unwrap_or_default();
    let codings = String::from_utf8_lossy(&codings).to_ascii_lowercase();
    for coding in codings.split(',').map(str::trim).rev() {
        let mut plain = Vec::new();
        let outcome = match coding {
            "gzip" | "x-gzip" => {
                flate2::read::MultiGzDecoder::new(body.as_ref()).read_to_end(&mut plain)
            }
            // HTTP's deflate is the zlib format (RFC 9110, 8.4.1.2).
            "deflate" => flate2::read::ZlibDecoder::new(body.as_ref()).read_to_end(&mut plain),
            "br" => {
                brotli_decompressor::Decompressor::new(body.as_ref(), 4096).read_to_end(&mut plain)
            }
            _ => continue,
        };
        if answered.end == BodyEnd::Complete {
            outcome
                .map_err(|error| io::Error::new(error.kind(), format!("not {coding}: {error}")))?;
        }
        body = Cow::Owned(plain);
    }
    Ok(body)
}

/// Text as text, anything else as bytes, and neither at a length nobody reads.
pub fn show(body: &[u8]) -> String {
    match std::str::from_utf8(body) {
        Ok(text) if text.len() <= SHOWN => format!("{text:?}"),
        Ok(text) => {
            let start: String = text.chars().take(SHOWN).collect();
            format!("{start:?} and so on, {} bytes in all", text.len())
        }
        Err(_) => show_bytes(body),
    }
}

fn show_bytes(bytes: &[u8]) -> String {
    let shown = bytes
        .iter()
        .take(SHOWN / 4)
        .map(|byte| format!("{byte:02x}"))
        .collect::<Vec<_>>()
        .join(" ");
    format!(
        "{} bytes [{shown}{}]",
        bytes.len(),
        if bytes.len() > SHOWN / 4 { " ..." } else { "" }
    )
}

/// How much of a body a message shows, in bytes.
const SHOWN: usize = 2000;
