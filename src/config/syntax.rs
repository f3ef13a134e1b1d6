//! Syntax errors, with their place and in words for people who know no JSON.

use super::issue::Position;

/// The byte a syntax error points at.
pub(super) fn place(text: &str, error: &serde_json::Error) -> usize {
    let start: usize = text
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1))
        .map(str::len)
        .sum();
    let place = if error.is_eof() {
        text.len()
    } else {
        (start + error.column()).saturating_sub(1).min(text.len())
    };
    // An error inside a character is one of the whole character.
    (0..=place)
        .rev()
        .find(|place| text.is_char_boundary(*place))
        .unwrap_or_default()
}

/// The line and column of a byte.
pub(super) fn position(text: &str, place: usize) -> Position {
    let before = text.get(..place).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    Position {
        line: before.matches('\n').count() + 1,
        column: line.chars().count() + 1,
    }
}

/// A syntax error in words, from what stands at the place as much as from what the parser says.
pub(super) fn explain(error: &serde_json::Error, text: &str, place: usize) -> String {
    let here = text.get(place..).unwrap_or_default();
    let first = here.chars().next().unwrap_or_default();
    if text.trim().is_empty() {
        return "expected a JSON document such as {\"routes\": [...]}; found an empty text"
            .to_owned();
    }
    if error.is_eof() {
        return "the text ends too early: a closing bracket, brace or quotation mark is missing"
            .to_owned();
    }
    if here.starts_with("//") || here.starts_with("/*") || first == '#' {
        return "JSON has no comments; delete this one".to_owned();
    }
    if matches!(first, '\'' | '`' | '“' | '”' | '„' | '‘' | '’' | '«' | '»') {
        return format!("expected a straight double quotation mark (\"); found {first}");
    }
    let said = error.to_string();
    let said = said.split(" at line ").next().unwrap_or_default();
    match said {
        "trailing comma" => "there is a comma before this closing bracket; delete the comma".to_owned(),
        "expected `,` or `]`" if first == '}' => {
            "expected a square bracket ] that closes the list; found }".to_owned()
        }
        "expected `,` or `}`" if first == ']' => {
            "expected a curly brace } that closes the object; found ]".to_owned()
        }
        "expected `,` or `]`" | "expected `,` or `}`" if first.is_alphanumeric() => {
            "expected a comma before this, or double quotation marks around a text".to_owned()
        }
        "expected `,` or `]`" | "expected `,` or `}`" => {
            "expected a comma before this; or a quotation mark or bracket earlier in this line is one too many"
                .to_owned()
        }
        "expected `:`" => "expected a colon between the key and its value".to_owned(),
        "key must be a string" if first == ',' => "there is one comma too many; delete it".to_owned(),
        "key must be a string" => {
            "expected a key in double quotation marks, such as \"upstream\"".to_owned()
        }
        "expected value" if first == ',' => {
            "there is one comma too many, or a value is missing before it".to_owned()
        }
        "expected value" | "expected ident" => {
            "expected a value: a text in double quotation marks, a number, true, false, null, a list in [ ] or an object in { }"
                .to_owned()
        }
        "invalid number" => {
            "expected a number such as 5, -1 or 0.5, without a plus sign or leading zeros".to_owned()
        }
        "number out of range" => "this number is too large to be read".to_owned(),
        "trailing characters" => "the document has ended before this; delete what follows".to_owned(),
        "invalid escape" | "unexpected end of hex escape" | "lone leading surrogate in hex escape" => {
            "there is an incomplete escape in this text; a backslash itself is written \\\\".to_owned()
        }
        _ if said.starts_with("control character") => {
            "a text may not run over the end of a line or contain a tab; close it with a quotation mark, or write \\n or \\t"
                .to_owned()
        }
        _ => format!("this is not JSON: {said}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let error = serde_json::from_str::<serde_json::Value>(text).unwrap_err();
        let place = place(text, &error);
        let Position { line, column } = position(text, place);
        let said = format!("{line}:{column} {}", explain(&error, text, place));
        assert!(said.starts_with(expected), "{text}\n{said}");
    }

    #[test]
    fn a_syntax_error_is_told_with_its_place() {
        check("", "1:1 expected a JSON document");
        check(r#"{"routes": ["#, "1:13 the text ends too early");
        check("{\"a\": 1,\n}", "2:1 there is a comma before");
        check("{\"é\": x}", "1:7 expected a value");
        check("{\"a\": \"x\ny\"}", "1:9 a text may not run over");
        check("{\n \"a\": 1 // b\n}", "2:9 JSON has no comments");
        check("{\"a\": “x”}", "1:7 expected a straight double");
        check("{'a': 1}", "1:2 expected a straight double");
        check("{a: 1}", "1:2 expected a key in double quotation marks");
        check("{\"a\": 1 \"b\": 2}", "1:9 expected a comma");
        check("{\"a\" 1}", "1:6 expected a colon");
        check("[1,,2]", "1:4 there is one comma too many");
        check("{,}", "1:2 there is one comma too many");
        check("[1}", "1:3 expected a square bracket");
        check("{\"a\":1]", "1:7 expected a curly brace");
        check("{\"a\":5s}", "1:7 expected a comma before this, or double");
        check("{\"a\":01}", "1:7 expected a number such as");
        check("{\"a\":1e999}", "1:10 this number is too large");
        check("{\"a\":\"\\d\"}", "1:8 there is an incomplete escape");
        check("{\"a\":\"\\ud800\"}", "1:13 there is an incomplete escape");
        check("{} {}", "1:4 the document has ended");
        check("{\"a\": True}", "1:7 expected a value");
        check("<html>", "1:1 expected a value");
    }
}
