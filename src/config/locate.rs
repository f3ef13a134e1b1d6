//! Where in a text the value of a path stands, for tools that show the place.
//!
//! The text is walked again, along the one path that is asked for: keeping the place of every value while reading would
//! make every document pay for the few that are shown to somebody.

use std::{borrow::Cow, ops::Range};

use super::{issue::Position, syntax};

/// A place in a text, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// The key, with its quotation marks, where the value is a member of an object.
    pub key: Option<Range<usize>>,
    /// The value.
    pub value: Range<usize>,
}

/// Finds what stands at `path`, in the spelling of an issue's: `routes[0].match.host`.
///
/// Where nothing stands there, it is what comes nearest: the object or list in which it is missing. `None` where the
/// text is no JSON up to that place.
///
/// ```
/// use jouska::config::locate;
///
/// let text = r#"{ "routes": [{ "id": "a" }, { "id": "b" }] }"#;
/// let place = locate::locate(text, "routes[1].id").unwrap();
/// assert_eq!(&text[place.key.unwrap()], "\"id\"");
/// assert_eq!(&text[place.value], "\"b\"");
/// let nearest = locate::locate(text, "routes[0].match").unwrap();
/// assert_eq!(&text[nearest.value], "{ \"id\": \"a\" }");
/// ```
pub fn locate(text: &str, path: &str) -> Option<Located> {
    let start = text
        .strip_prefix('\u{feff}')
        .map_or(0, |_| '\u{feff}'.len_utf8());
    let mut cursor = Cursor { text, at: start };
    let mut key = None;
    let mut rest = path;
    loop {
        cursor.skip_space();
        let value = Located {
            key: key.clone(),
            value: cursor.at..cursor.end_of_value()?,
        };
        let inner = match cursor.peek() {
            _ if rest.is_empty() => None,
            Some(b'{') => member(cursor, rest),
            Some(b'[') => element(cursor, rest),
            _ => None,
        };
        let Some(Step {
            key: inner,
            value: next,
            rest: after,
        }) = inner
        else {
            return Some(value);
        };
        key = inner;
        cursor.at = next;
        rest = after;
    }
}

/// The line and column of a byte of a text.
pub fn position(text: &str, place: usize) -> Position {
    syntax::position(text, place)
}

/// One step down a path.
struct Step<'p> {
    key: Option<Range<usize>>,
    /// Where the value begins.
    value: usize,
    /// What is left of the path.
    rest: &'p str,
}

/// The member of an object that `path` begins with. A key may hold dots and brackets itself, so the longest fits best.
fn member<'p>(mut cursor: Cursor<'_>, path: &'p str) -> Option<Step<'p>> {
    let path = path.strip_prefix('.').unwrap_or(path);
    let mut best: Option<(usize, Step<'p>)> = None;
    cursor.at += 1;
    loop {
        cursor.skip_space();
        if cursor.peek()? == b'}' {
            break;
        }
        let key = cursor.at..cursor.end_of_value()?;
        let name = cursor.string(&key)?;
        cursor.at = key.end;
        cursor.skip_past(b':')?;
        let value = cursor.at;
        let rest = path
            .strip_prefix(name.as_ref())
            .filter(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
        if let Some(rest) = rest
            && best.as_ref().is_none_or(|(length, _)| *length < name.len())
        {
            let step = Step {
                key: Some(key),
                value,
                rest,
            };
            best = Some((name.len(), step));
        }
        if !cursor.skip_element()? {
            break;
        }
    }
    best.map(|(_, step)| step)
}

/// The element of a list that `path` begins with.
fn element<'p>(mut cursor: Cursor<'_>, path: &'p str) -> Option<Step<'p>> {
    let (index, rest) = path.strip_prefix('[')?.split_once(']')?;
    let index: usize = index.parse().ok()?;
    cursor.at += 1;
    for _ in 0..index {
        cursor.skip_space();
        if cursor.peek()? == b']' || !cursor.skip_element()? {
            return None;
        }
    }
    cursor.skip_space();
    (cursor.peek()? != b']').then_some(Step {
        key: None,
        value: cursor.at,
        rest,
    })
}

/// A walk over a text that has been read as JSON before, or will be refused anyway.
#[derive(Clone, Copy)]
struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn skip_past(&mut self, byte: u8) -> Option<()> {
        self.skip_space();
        (self.peek()? == byte).then(|| self.at += 1)?;
        self.skip_space();
        Some(())
    }

    /// Steps over a value and the comma behind it; `false` where the list or object ends instead.
    fn skip_element(&mut self) -> Option<bool> {
        self.skip_space();
        self.at = self.end_of_value()?;
        self.skip_space();
        match self.peek()? {
            b',' => {
                self.at += 1;
                Some(true)
            }
            _ => Some(false),
        }
    }

    /// Where the value that begins here ends. Brackets are counted and not matched: the text was read before.
    fn end_of_value(&self) -> Option<usize> {
        let mut cursor = *self;
        let mut depth = 0_usize;
        loop {
            match cursor.peek()? {
                b'"' => cursor.at = cursor.end_of_string()?,
                b'{' | b'[' => {
                    depth += 1;
                    cursor.at += 1;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    cursor.at += 1;
                }
                _ if depth > 0 => cursor.at += 1,
                _ => return cursor.end_of_word(),
            }
            if depth == 0 {
                return Some(cursor.at);
            }
        }
    }

    fn end_of_string(&self) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut at = self.at + 1;
        loop {
            match bytes.get(at)? {
                b'"' => return Some(at + 1),
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
    }

    /// A number, or true, false or null.
    fn end_of_word(&self) -> Option<usize> {
        let rest = self.text.get(self.at..)?;
        let length = rest
            .find(|c: char| !matches!(c, '+' | '-' | '.') && !c.is_ascii_alphanumeric())
            .unwrap_or(rest.len());
        (length > 0).then_some(self.at + length)
    }

    /// The text that a string literal stands for.
    fn string(&self, literal: &Range<usize>) -> Option<Cow<'t, str>> {
        let inside = self
            .text
            .get(literal.start + 1..literal.end.checked_sub(1)?)?;
        if inside.contains('\\') {
            let text = self.text.get(literal.clone())?;
            return serde_json::from_str(text).ok().map(Cow::Owned);
        }
        Some(Cow::Borrowed(inside))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::config::{Path, document::samples};

    #[track_caller]
    fn check(text: &str, path: &str, expected: &str) {
        let found = locate(text, path).map(|place| &text[place.value]);
        assert_eq!(found, Some(expected), "{path} in {text}");
    }

    #[test]
    fn a_path_leads_to_its_value() {
        let text =
            r#" { "a" : [ 1 , { "b.c" : "x]}" , "b" : { "c" : -1.5e3 } } ] , "d\u0065" : null } "#;
        check(text, "", text.trim());
        check(text, "a[0]", "1");
        check(text, "a[1].b.c", r#""x]}""#);
        check(text, "a[1].b", r#"{ "c" : -1.5e3 }"#);
        check(text, "de", "null");
    }

    #[test]
    fn where_nothing_stands_the_nearest_is_shown() {
        let text = r#"{ "a": [1, { "b": 2 }], "c": {} }"#;
        check(text, "x", text);
        check(text, "a[2]", r#"[1, { "b": 2 }]"#);
        check(text, "a[1].x.y", r#"{ "b": 2 }"#);
        check(text, "a[1].b.y", "2");
        check(text, "c.x", "{}");
        check(text, "a.b", r#"[1, { "b": 2 }]"#);
        check(text, "a[x]", r#"[1, { "b": 2 }]"#);
    }

    #[test]
    fn what_is_no_json_has_no_places() {
        for text in ["", "{", "[1", r#"{"a"#, r#"{"a":"#, "]", ",", "\"\\"] {
            assert_eq!(locate(text, "a[0]"), None, "{text}");
        }
    }

    #[test]
    fn every_value_of_a_document_is_found() {
        fn walk(tree: &Value, at: &Path<'_>, checked: &mut usize) {
            let found = locate(samples::EVERYTHING, &at.to_string()).unwrap();
            let found: Value = serde_json::from_str(&samples::EVERYTHING[found.value]).unwrap();
            assert_eq!(found, *tree, "{at}");
            *checked += 1;
            match tree {
                Value::Object(members) => {
                    members
                        .iter()
                        .for_each(|(name, member)| walk(member, &at.key(name), checked));
                }
                Value::Array(elements) => {
                    for (index, element) in elements.iter().enumerate() {
                        walk(element, &at.index(index), checked);
                    }
                }
                _ => {}
            }
        }
        let tree = serde_json::from_str(samples::EVERYTHING).unwrap();
        let mut checked = 0;
        walk(&tree, &Path::root(), &mut checked);
        assert!(checked > 250, "{checked}");
    }
}
