//! The text of a table, from a file or standard input.

use std::{
    fs::File,
    io::{self, Read},
};

use jouska::config::caps::SIZE_LIMIT;

/// A table's text and what to call it.
#[derive(Debug)]
pub(crate) struct Input {
    /// As the person named it.
    pub(crate) name: String,
    /// Without a byte order mark.
    pub(crate) text: String,
}

/// Why there is no text.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unreadable {
    #[error("{name} cannot be read: {error}")]
    Io { name: String, error: io::Error },
    #[error("{0} is not text; expected a JSON file in UTF-8")]
    NotUtf8(String),
    #[error("{0} is in UTF-16; save it as UTF-8 (in most editors a choice under \"Save as\")")]
    Utf16(String),
}

impl Input {
    /// Reads a file, or standard input where it is called `-`.
    pub(crate) fn read(file: &str) -> Result<Self, Unreadable> {
        if file == "-" {
            return Self::from_reader("standard input", io::stdin().lock());
        }
        match File::open(file) {
            Ok(reader) => Self::from_reader(file, reader),
            Err(error) => Err(Unreadable::Io {
                name: file.to_owned(),
                error,
            }),
        }
    }

    fn from_reader(name: &str, reader: impl Read) -> Result<Self, Unreadable> {
        let name = name.to_owned();
        let mut bytes = Vec::new();
        // One byte more than is accepted is enough to be told that it is too much.
        let read = reader.take(SIZE_LIMIT as u64 + 1).read_to_end(&mut bytes);
        if let Err(error) = read {
            return Err(Unreadable::Io { name, error });
        }
        if bytes.len() > SIZE_LIMIT {
            // The cut may be inside a character.
            let text = String::from_utf8_lossy(&bytes).into_owned();
            return Ok(Self { name, text });
        }
        if matches!(bytes.as_slice(), [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
            return Err(Unreadable::Utf16(name));
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Self {
                text: text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned(),
                name,
            }),
            Err(_) => Err(Unreadable::NotUtf8(name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], expected: Result<&str, &str>) {
        let read = Input::from_reader("t.json", bytes);
        let text = read.map(|input| input.text).map_err(|why| why.to_string());
        assert_eq!(text.as_deref().map_err(String::as_str), expected);
    }

    #[test]
    fn text_is_read_without_its_mark() {
        check(b"{}", Ok("{}"));
        check(b"\xef\xbb\xbf{}", Ok("{}"));
        check(b"", Ok(""));
    }

    #[test]
    fn what_is_no_utf8_is_told_apart() {
        check(
            b"\xff\xfe{\0}\0",
            Err(
                "t.json is in UTF-16; save it as UTF-8 (in most editors a choice under \"Save as\")",
            ),
        );
        check(
            b"{\xfc}",
            Err("t.json is not text; expected a JSON file in UTF-8"),
        );
    }

    #[test]
    fn an_endless_file_is_read_only_as_far_as_it_matters() {
        let read = Input::from_reader("t.json", io::repeat(b' ')).unwrap();
        assert_eq!(read.text.len(), SIZE_LIMIT + 1);
    }
}
