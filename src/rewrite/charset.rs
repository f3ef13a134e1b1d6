//! Charsets: which one a body is read in, and turning it into UTF-8 on the way to the rewriters.
//!
//! UTF-8 is never decoded: the rewriters work on bytes, so what is not UTF-8 after all still arrives as it was sent.

use encoding_rs::{CoderResult, Decoder, Encoding, UTF_8, UTF_16BE, UTF_16LE};

use crate::body::Transform;

/// How a body is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Charset {
    /// As it is.
    Utf8,
    /// Through a decoder.
    Other(&'static Encoding),
}

/// Compiled `bodyRewrite.fallbackCharset`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fallback {
    /// The route names none.
    None,
    /// A charset that can be decoded.
    Usable(Charset),
    /// One that cannot, so that what needs it is passed through.
    Undecodable,
}

impl Fallback {
    pub(super) fn new(label: Option<&str>) -> Self {
        match label {
            None => Self::None,
            Some(label) => known(label).map_or(Self::Undecodable, Self::Usable),
        }
    }
}

/// The charset of a body with this `Content-Type`; `None` where nobody here can decode it.
pub(super) fn charset(content_type: &str, fallback: Fallback) -> Option<Charset> {
    match (declared(content_type).map(known), fallback) {
        (Some(Some(charset)), _) | (_, Fallback::Usable(charset)) => Some(charset),
        (None, Fallback::None) => Some(Charset::Utf8),
        (Some(None) | None, _) => None,
    }
}

/// The `charset` parameter as it is written, without its quotes.
fn declared(content_type: &str) -> Option<&str> {
    content_type
        .split(';')
        .skip(1)
        .filter_map(|parameter| parameter.split_once('='))
        .find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))
        .map(|(_, value)| value.trim().trim_matches(['"', '\'']).trim())
        .filter(|value| !value.is_empty())
}

/// The charset browsers know under `label` (WHATWG Encoding).
pub(super) fn known(label: &str) -> Option<Charset> {
    let encoding = Encoding::for_label_no_replacement(label.as_bytes())?;
    Some(if encoding == UTF_8 {
        Charset::Utf8
    } else {
        Charset::Other(encoding)
    })
}

/// Turns a body into UTF-8 and hands it on.
///
/// A byte order mark outweighs every label, as it does in browsers. Where it says UTF-16 although the label said
/// UTF-8 or nothing, the body starts with UTF-8's own mark afterwards, so that browsers are not left to the label.
pub(super) struct Decode {
    reading: Reading,
    next: Box<dyn Transform>,
    text: String,
}

enum Reading {
    /// As UTF-8, unless the first two bytes say otherwise; the first is kept when it may be half of a mark.
    Opening(Option<u8>),
    Plain,
    Decoding(Decoder),
}

impl Decode {
    pub(super) fn new(charset: Charset, next: Box<dyn Transform>) -> Self {
        Self {
            reading: match charset {
                Charset::Utf8 => Reading::Opening(None),
                Charset::Other(encoding) => Reading::Decoding(encoding.new_decoder()),
            },
            next,
            text: String::new(),
        }
    }

    fn open(&mut self, kept: Option<u8>, chunk: &[u8], out: &mut Vec<u8>) {
        let mut start = kept.into_iter().chain(chunk.iter().copied());
        let encoding = match (start.next(), start.next()) {
            (Some(0xFE), Some(0xFF)) => UTF_16BE,
            (Some(0xFF), Some(0xFE)) => UTF_16LE,
            (first @ (None | Some(0xFE | 0xFF)), None) => {
                self.reading = Reading::Opening(first);
                return;
            }
            _ => {
                self.reading = Reading::Plain;
                if let Some(kept) = kept {
                    self.next.push(&[kept], out);
                }
                self.next.push(chunk, out);
                return;
            }
        };
        self.next.push("\u{feff}".as_bytes(), out);
        let mut decoder = encoding.new_decoder();
        if let Some(kept) = kept {
            decode(
                &mut decoder,
                &[kept],
                false,
                &mut self.text,
                &mut *self.next,
                out,
            );
        }
        decode(
            &mut decoder,
            chunk,
            false,
            &mut self.text,
            &mut *self.next,
            out,
        );
        self.reading = Reading::Decoding(decoder);
    }
}

impl Transform for Decode {
    fn push(&mut self, chunk: &[u8], out: &mut Vec<u8>) {
        match &mut self.reading {
            Reading::Plain => self.next.push(chunk, out),
            Reading::Decoding(decoder) => {
                decode(decoder, chunk, false, &mut self.text, &mut *self.next, out);
            }
            Reading::Opening(kept) => {
                let kept = *kept;
                self.open(kept, chunk, out);
            }
        }
    }

    fn finish(mut self: Box<Self>, out: &mut Vec<u8>) {
        match &mut self.reading {
            Reading::Plain | Reading::Opening(None) => {}
            Reading::Opening(Some(kept)) => self.next.push(&[*kept], out),
            Reading::Decoding(decoder) => {
                decode(decoder, &[], true, &mut self.text, &mut *self.next, out);
            }
        }
        self.next.finish(out);
    }
}

/// Decodes `bytes` and hands the text on. What is malformed becomes U+FFFD, as it would in a browser.
fn decode(
    decoder: &mut Decoder,
    mut bytes: &[u8],
    last: bool,
    text: &mut String,
    next: &mut dyn Transform,
    out: &mut Vec<u8>,
) {
    loop {
        text.clear();
        text.reserve(
            decoder
                .max_utf8_buffer_length(bytes.len())
                .unwrap_or(bytes.len()),
        );
        let (result, read, _) = decoder.decode_to_string(bytes, text, last);
        if !text.is_empty() {
            next.push(text.as_bytes(), out);
        }
        bytes = bytes.get(read..).unwrap_or_default();
        match result {
            CoderResult::InputEmpty => return,
            CoderResult::OutputFull if text.is_empty() => return,
            CoderResult::OutputFull => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use encoding_rs::{EUC_JP, GB18030, GBK, ISO_2022_JP, SHIFT_JIS, WINDOWS_1251, WINDOWS_1252};
    use proptest::prelude::*;

    use super::*;
    use crate::rewrite::testing::{bytes, chunked};

    /// Passes everything on.
    struct Same;

    impl Transform for Same {
        fn push(&mut self, chunk: &[u8], out: &mut Vec<u8>) {
            out.extend_from_slice(chunk);
        }

        fn finish(self: Box<Self>, _: &mut Vec<u8>) {}
    }

    fn decode(charset: Charset) -> Box<dyn Transform> {
        Box::new(Decode::new(charset, Box::new(Same)))
    }

    #[test]
    fn labels_are_those_browsers_know() {
        let none = Fallback::None;
        for (content_type, fallback, expected) in [
            ("text/html", none, Some(Charset::Utf8)),
            ("text/html; charset=UTF-8", none, Some(Charset::Utf8)),
            ("text/html;charset=utf8", none, Some(Charset::Utf8)),
            ("text/html; charset=", none, Some(Charset::Utf8)),
            (
                "text/html; x=y; Charset=\"GBK\"",
                none,
                Some(Charset::Other(GBK)),
            ),
            (
                "text/html; charset='gb2312'",
                none,
                Some(Charset::Other(GBK)),
            ),
            (
                "text/html; charset=us-ascii",
                none,
                Some(Charset::Other(WINDOWS_1252)),
            ),
            (
                "text/html; charset=iso-8859-1",
                none,
                Some(Charset::Other(WINDOWS_1252)),
            ),
            (
                "text/html; charset=utf-16",
                none,
                Some(Charset::Other(UTF_16LE)),
            ),
            ("text/html; charset=x-made-up", none, None),
            ("text/html; charset=iso-2022-kr", none, None),
            ("text/html; charset=hz-gb-2312", none, None),
            (
                "text/html",
                Fallback::new(Some("gbk")),
                Some(Charset::Other(GBK)),
            ),
            (
                "text/html",
                Fallback::new(Some("utf-8")),
                Some(Charset::Utf8),
            ),
            ("text/html", Fallback::new(Some("x-made-up")), None),
            (
                "text/html; charset=x",
                Fallback::new(Some("gbk")),
                Some(Charset::Other(GBK)),
            ),
            ("text/html; charset=x", Fallback::new(Some("y")), None),
            (
                "text/html; charset=utf-8",
                Fallback::new(Some("gbk")),
                Some(Charset::Utf8),
            ),
        ] {
            assert_eq!(
                charset(content_type, fallback),
                expected,
                "{content_type} {fallback:?}"
            );
        }
    }

    #[test]
    fn a_mark_at_the_front_outweighs_the_label() {
        for (label, body, expected) in [
            (Charset::Utf8, &b"\xFF\xFEa\0\xE9\0"[..], "\u{feff}aé"),
            (Charset::Utf8, b"\xFE\xFF\0a\0\xE9", "\u{feff}aé"),
            (Charset::Utf8, b"\xEF\xBB\xBFa", "\u{feff}a"),
            (Charset::Utf8, b"", ""),
            (Charset::Other(GBK), b"\xEF\xBB\xBFa\xC3\xA9", "aé"),
            (Charset::Other(UTF_16LE), b"\xFE\xFF\0a", "a"),
            (Charset::Other(UTF_16LE), b"a\0\xE9\0", "aé"),
        ] {
            for size in 1..4 {
                assert_eq!(chunked(decode(label), body, size), expected, "{body:?}");
            }
        }
    }

    #[test]
    fn bytes_that_are_no_utf8_are_not_touched() {
        for body in [
            &b"\xFF"[..],
            b"\xFE",
            b"\xFFa",
            b"a\xFF\xFE",
            b"\xC3",
            b"\x80\xA0",
        ] {
            for size in 1..4 {
                assert_eq!(bytes(decode(Charset::Utf8), body.chunks(size)), body);
            }
        }
    }

    proptest! {
        #[test]
        fn chunks_may_cut_characters(text in "[a-z<\"àéя中文日本テスト]{0,40}", size in 1..5_usize) {
            for encoding in [GBK, GB18030, SHIFT_JIS, EUC_JP, ISO_2022_JP, WINDOWS_1251, UTF_16LE, UTF_16BE] {
                let encoded: Vec<u8> = if encoding == UTF_16LE {
                    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
                } else if encoding == UTF_16BE {
                    text.encode_utf16().flat_map(u16::to_be_bytes).collect()
                } else {
                    encoding.encode(&text).0.into_owned()
                };
                let expected = encoding.decode(&encoded).0.into_owned();
                prop_assert_eq!(chunked(decode(Charset::Other(encoding)), &encoded, size), expected);
            }
        }
    }
}
