//! A text as its reader understands it, with the way back to the bytes it was written with.
//!
//! Attribute values carry character references and styles carry escapes. A URL is judged without them; what changes
//! is put into the text as it was written, so that everything else keeps its spelling.

use super::edit::Edit;

/// A decoded text. Reused from text to text, so that decoding allocates once a document.
#[derive(Debug, Default)]
pub(super) struct Decoded {
    text: Vec<u8>,
    /// Where each byte of `text` was written.
    places: Vec<usize>,
    written_len: usize,
}

/// What a notation at the start of a text stands for: a character, or nothing at all; and how long it is.
pub(super) type Notation = (Option<char>, usize);

impl Decoded {
    /// Decodes `written`, forgetting what was decoded before. `notation` reads what starts with `mark`.
    pub(super) fn decode(
        &mut self,
        written: &[u8],
        mark: u8,
        notation: impl Fn(&[u8]) -> Option<Notation>,
    ) {
        self.text.clear();
        self.places.clear();
        self.written_len = written.len();
        let mut at = 0;
        while let Some(rest) = written.get(at..).filter(|rest| !rest.is_empty()) {
            let plain = memchr::memchr(mark, rest).unwrap_or(rest.len());
            if let Some(plain) = rest.get(..plain).filter(|plain| !plain.is_empty()) {
                self.text.extend_from_slice(plain);
                self.places.extend(at..at + plain.len());
                at += plain.len();
                continue;
            }
            let (character, len) = notation(rest).unwrap_or((Some(char::from(mark)), 1));
            if let Some(character) = character {
                let mut buffer = [0; 4];
                let bytes = character.encode_utf8(&mut buffer).as_bytes();
                self.text.extend_from_slice(bytes);
                self.places.extend(bytes.iter().map(|_| at));
            }
            at += len.max(1);
        }
    }

    /// The decoded text.
    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Makes an edit of the decoded text one of the text as written.
    pub(super) fn place(&self, edit: &mut Edit) {
        let written = |at: usize| self.places.get(at).copied().unwrap_or(self.written_len);
        edit.range = written(edit.range.start)..written(edit.range.end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_finds_the_bytes_as_they_were_written() {
        let written = "a%/b%%c%";
        let mut decoded = Decoded::default();
        decoded.decode(written.as_bytes(), b'%', |text| match text {
            [b'%', b'/', ..] => Some((Some('/'), 2)),
            [b'%', b'%', ..] => Some((None, 2)),
            _ => None,
        });
        assert_eq!(decoded.text(), b"a/bc%");
        for (range, expected) in [
            (0..1, "a"),
            (1..2, "%/"),
            (2..3, "b%%"),
            (3..4, "c"),
            (4..5, "%"),
            (5..5, ""),
        ] {
            let mut edit = Edit {
                range,
                with: "".into(),
            };
            decoded.place(&mut edit);
            assert_eq!(&written[edit.range], expected);
        }
    }
}
