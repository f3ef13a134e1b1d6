//! Styles: `url()`, `src()`, the strings of `@import` and of `image-set()`. Comments, other strings and the names of
//! `@namespace` are not addresses and stay as they are (CSS Syntax 3, CSS Values 4).
//!
//! One scanner serves stylesheets, `<style>` and `style=""`; it needs no more of a stream than the address it is in.

use std::rc::Rc;

use super::{
    decoded::{Decoded, Notation},
    edit::{Edit, Scan},
    links::Mapping,
};

/// Finds the addresses in a style.
#[derive(Debug)]
pub(super) struct Styles {
    mapping: Rc<Mapping>,
    /// Whether `/path` leads to the upstream.
    rooted: bool,
    mode: Mode,
    rule: AtRule,
    /// How many parentheses are open since a function began whose strings are addresses.
    address_depth: usize,
    decoded: Decoded,
}

/// Where the first unsettled byte stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Between tokens.
    Plain,
    /// In a comment.
    Comment,
    /// In a string that needs no more attention, up to this quote.
    String(u8),
    /// In an unquoted address that needs no more attention.
    Address,
}

/// The at-rule whose prelude is being read, where it changes what a string or an address is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AtRule {
    Import,
    Namespace,
    Other,
}

/// What became of a token.
enum Step {
    /// It is settled up to here.
    To(usize),
    /// More of the text is needed, from here on.
    Wait(usize),
}

impl Styles {
    pub(super) fn new(mapping: Rc<Mapping>, rooted: bool) -> Self {
        Self {
            mapping,
            rooted,
            mode: Mode::Plain,
            rule: AtRule::Other,
            address_depth: 0,
            decoded: Decoded::default(),
        }
    }
}

impl Scan for Styles {
    fn scan(&mut self, text: &[u8], last: bool, edits: &mut Vec<Edit>) -> usize {
        let mut at = 0;
        while at < text.len() {
            let step = match self.mode {
                Mode::Plain => self.plain(text, at, last, edits),
                Mode::Comment => self.comment(text, at),
                Mode::String(quote) => self.string_rest(text, at, quote),
                Mode::Address => self.address_rest(text, at),
            };
            match step {
                Step::To(next) => at = next,
                Step::Wait(_) if last => return text.len(),
                Step::Wait(from) => return from,
            }
        }
        text.len()
    }
}

impl Styles {
    /// Goes on to the next token that matters, and over it.
    fn plain(&mut self, text: &[u8], from: usize, last: bool, edits: &mut Vec<Edit>) -> Step {
        let rest = text.get(from..).unwrap_or_default();
        let Some(skipped) = rest.iter().position(|byte| is_mark(*byte)) else {
            // A name at the end may be that of a function.
            let name = rest.iter().rev().take(LONGEST_NAME + 1);
            let name_len = name.take_while(|byte| is_name(**byte)).count();
            return Step::Wait(text.len() - name_len);
        };
        let at = from + skipped;
        let mark = text.get(at).copied().unwrap_or_default();
        match (mark, text.get(at + 1)) {
            (b'/' | b'\\', None) => Step::Wait(at),
            (b'/', Some(b'*')) => {
                self.mode = Mode::Comment;
                Step::To(at + 2)
            }
            (b'\\', _) => Step::To(at + 2),
            (b'"' | b'\'', _) => self.string(text, at, mark, last, edits),
            (b'(', _) => self.function(text, from, at, last, edits),
            (b')', _) => {
                self.address_depth = self.address_depth.saturating_sub(1);
                Step::To(at + 1)
            }
            (b'@', _) => self.at_rule(text, at, last),
            (b';' | b'{' | b'}', _) => {
                self.rule = AtRule::Other;
                Step::To(at + 1)
            }
            _ => Step::To(at + 1),
        }
    }

    fn at_rule(&mut self, text: &[u8], at: usize, last: bool) -> Step {
        let name_start = at + 1;
        let rest = text.get(name_start..).unwrap_or_default();
        let name_len = rest
            .iter()
            .take(LONGEST_NAME)
            .take_while(|byte| is_name(**byte))
            .count();
        if name_len == rest.len() && !last {
            return Step::Wait(at);
        }
        let name = rest.get(..name_len).unwrap_or_default();
        self.rule = if name.eq_ignore_ascii_case(b"import") {
            AtRule::Import
        } else if name.eq_ignore_ascii_case(b"namespace") {
            AtRule::Namespace
        } else {
            AtRule::Other
        };
        Step::To(name_start + name_len)
    }

    /// A parenthesis at `open`; the name before it says what is inside.
    fn function(
        &mut self,
        text: &[u8],
        from: usize,
        open: usize,
        last: bool,
        edits: &mut Vec<Edit>,
    ) -> Step {
        let before = text.get(from..open).unwrap_or_default();
        let name_len = before
            .iter()
            .rev()
            .take_while(|byte| is_name(**byte))
            .count();
        let name_start = open - name_len;
        let name = text.get(name_start..open).unwrap_or_default();
        let is = |known: &[u8]| name.eq_ignore_ascii_case(known);
        if is(b"url") {
            let inside = text.get(open + 1..).unwrap_or_default();
            let blanks = inside
                .iter()
                .take_while(|byte| byte.is_ascii_whitespace())
                .count();
            let start = open + 1 + blanks;
            match inside.get(blanks) {
                _ if blanks > LIMIT => Step::To(start),
                Some(b'"' | b'\'') => {
                    self.address_depth += 1;
                    Step::To(start)
                }
                Some(_) => self.address(text, name_start, start, last, edits),
                None => Step::Wait(name_start),
            }
        } else {
            let takes_addresses = is(b"image-set") || is(b"-webkit-image-set") || is(b"src");
            if takes_addresses || self.address_depth > 0 {
                self.address_depth += 1;
            }
            Step::To(open + 1)
        }
    }

    /// An unquoted address at `start`, in a function whose name starts at `name_start`.
    fn address(
        &mut self,
        text: &[u8],
        name_start: usize,
        start: usize,
        last: bool,
        edits: &mut Vec<Edit>,
    ) -> Step {
        let rest = text.get(start..).unwrap_or_default();
        let seen = rest.get(..LIMIT).unwrap_or(rest);
        let end = unescaped(seen, |byte| {
            matches!(byte, b')' | b'"' | b'\'' | b'(') || byte.is_ascii_whitespace()
        })
        .ok();
        if end.is_none() && rest.len() < LIMIT && !last {
            return Step::Wait(name_start);
        }
        let len = end.unwrap_or(seen.len());
        self.judge(text, start, start + len, edits);
        self.mode = Mode::Address;
        Step::To(start + len)
    }

    /// A string whose opening quote is at `open`.
    fn string(
        &mut self,
        text: &[u8],
        open: usize,
        quote: u8,
        last: bool,
        edits: &mut Vec<Edit>,
    ) -> Step {
        let start = open + 1;
        self.mode = Mode::String(quote);
        if self.address_depth == 0 && self.rule != AtRule::Import {
            return Step::To(start);
        }
        let rest = text.get(start..).unwrap_or_default();
        let seen = rest.get(..LIMIT).unwrap_or(rest);
        let end = unescaped(seen, |byte| byte == quote || byte == b'\n').ok();
        if end.is_none() && rest.len() < LIMIT && !last {
            self.mode = Mode::Plain;
            return Step::Wait(open);
        }
        let len = end.unwrap_or(seen.len());
        self.judge(text, start, start + len, edits);
        if self.rule == AtRule::Import {
            self.rule = AtRule::Other;
        }
        Step::To(start + len)
    }

    fn judge(&mut self, text: &[u8], start: usize, end: usize, edits: &mut Vec<Edit>) {
        let address = text.get(start..end).unwrap_or_default();
        if self.rule == AtRule::Namespace {
            return;
        }
        let first = edits.len();
        let escaped = memchr::memchr(ESCAPE, address).is_some();
        if escaped {
            self.decoded.decode(address, ESCAPE, escape);
            self.mapping
                .rewrite(self.decoded.text(), self.rooted, edits);
        } else {
            self.mapping.rewrite(address, self.rooted, edits);
        }
        for edit in edits.iter_mut().skip(first) {
            if escaped {
                self.decoded.place(edit);
            }
            edit.shift(start);
        }
    }

    fn comment(&mut self, text: &[u8], from: usize) -> Step {
        let rest = text.get(from..).unwrap_or_default();
        match memchr::memmem::find(rest, b"*/") {
            Some(at) => {
                self.mode = Mode::Plain;
                Step::To(from + at + 2)
            }
            None => Step::Wait(text.len() - usize::from(rest.last() == Some(&b'*'))),
        }
    }

    fn string_rest(&mut self, text: &[u8], from: usize, quote: u8) -> Step {
        self.rest(text, from, |byte| byte == quote || byte == b'\n')
    }

    fn address_rest(&mut self, text: &[u8], from: usize) -> Step {
        self.rest(text, from, |byte| byte == b')')
    }

    fn rest(&mut self, text: &[u8], from: usize, ends: impl Fn(u8) -> bool) -> Step {
        match unescaped(text.get(from..).unwrap_or_default(), ends) {
            Ok(at) => {
                self.mode = Mode::Plain;
                Step::To(from + at + 1)
            }
            Err(known) => Step::Wait(from + known),
        }
    }
}

/// Where the first byte is that `wanted` takes and no escape takes; or up to where there is surely none.
fn unescaped(text: &[u8], wanted: impl Fn(u8) -> bool) -> Result<usize, usize> {
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        if *byte == ESCAPE {
            let rest = text.get(at..).unwrap_or_default();
            match escape(rest) {
                Some((_, len)) if len < rest.len() => at += len,
                // The next byte may belong to it.
                _ => return Err(at),
            }
        } else if wanted(*byte) {
            return Ok(at);
        } else {
            at += 1;
        }
    }
    Err(at)
}

/// Reads the escape at the start of `text`: up to six hexadecimal digits and a blank, a line break that continues a
/// string, or any other character, which stands for itself.
fn escape(text: &[u8]) -> Option<Notation> {
    let body = text.strip_prefix(&[ESCAPE])?;
    let digits = body
        .iter()
        .take(6)
        .take_while(|byte| byte.is_ascii_hexdigit())
        .count();
    if digits > 0 {
        let code = body.iter().take(digits).fold(0, |code, digit| {
            code * 16 + char::from(*digit).to_digit(16).unwrap_or_default()
        });
        let blank = usize::from(body.get(digits).is_some_and(u8::is_ascii_whitespace));
        let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
        return Some((Some(character), 1 + digits + blank));
    }
    match body.first() {
        Some(b'\n') => Some((None, 2)),
        Some(byte) if byte.is_ascii() => Some((Some(char::from(*byte)), 2)),
        _ => Some((None, 1)),
    }
}

fn is_mark(byte: u8) -> bool {
    matches!(
        byte,
        b'/' | b'\\' | b'"' | b'\'' | b'(' | b')' | b'@' | b';' | b'{' | b'}'
    )
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') || !byte.is_ascii()
}

const ESCAPE: u8 = b'\\';

/// The longest name that matters, `-webkit-image-set`.
const LONGEST_NAME: usize = 17;

/// How much of an address is looked at. Scheme, host and base path stand at its front; what is longer is mostly the
/// data of a data URL, which need not be gathered to be passed on.
const LIMIT: usize = 4096;

#[cfg(test)]
mod tests;
