//! What is said about a value of the wrong shape: what was expected, what was found, and the way out, for people who
//! know no JSON.

use serde_json::Value;

use super::{Code, Issues, Path, Reported};

/// Reports that `value` is of another kind than expected.
pub(super) fn wrong_type(
    value: &Value,
    expected: Expected,
    at: &Path<'_>,
    issues: &mut Issues,
) -> Reported {
    let way_out = match (expected, value) {
        (Expected::WholeNumber, Value::Number(_)) => None,
        (Expected::WholeNumber | Expected::Number, Value::String(text))
            if text.parse::<f64>().is_ok() =>
        {
            Some("Write it without quotation marks".to_owned())
        }
        (Expected::Switch, Value::String(text)) if text == "true" || text == "false" => {
            Some("Write it without quotation marks".to_owned())
        }
        (Expected::Text, Value::Number(number)) => Some(format!("Write \"{number}\"")),
        (Expected::Text, Value::Bool(switch)) => Some(format!("Write \"{switch}\"")),
        (Expected::List, Value::String(text)) => Some(format!("Write [{}]", quote(text))),
        (Expected::List, Value::Number(_) | Value::Object(_)) => {
            Some("Put square brackets around it".to_owned())
        }
        _ => None,
    };
    mismatch(value, expected.words(), way_out, at, issues)
}

/// A kind of JSON value, for people who know no JSON.
#[derive(Clone, Copy)]
pub(super) enum Expected {
    Text,
    Switch,
    WholeNumber,
    Number,
    List,
    Object,
}

impl Expected {
    fn words(self) -> &'static str {
        match self {
            Self::Text => "a text in quotation marks",
            Self::Switch => "true or false",
            Self::WholeNumber => "a whole number",
            Self::Number => "a number",
            Self::List => "a list in square brackets",
            Self::Object => "an object in curly braces",
        }
    }
}

/// Reports that `value` is not what `expected` says.
pub(crate) fn mismatch(
    value: &Value,
    expected: &str,
    way_out: Option<String>,
    at: &Path<'_>,
    issues: &mut Issues,
) -> Reported {
    let way_out = match (way_out, value) {
        (Some(way_out), _) => format!(". {way_out}"),
        (None, Value::Null) if !at.is_root() => ". Delete the key to leave it unset".to_owned(),
        (None, _) => String::new(),
    };
    issues.report(
        at,
        Code::Type,
        format!("expected {expected}; found {}{way_out}", found(value)),
    )
}

/// A value as a sentence names it.
pub(super) fn found(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(switch) => switch.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) if text.is_empty() => "an empty text".to_owned(),
        Value::String(text) => format!("the text {}", quote(text)),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// A text in quotation marks, cut where it is long.
fn quote(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => format!("{:?}...", text.get(..end).unwrap_or_default()),
        None => format!("{text:?}"),
    }
}

/// `"a", "b" or "c"`.
pub(super) fn either(words: impl Iterator<Item = &'static str>) -> String {
    let mut words: Vec<String> = words.map(|word| format!("\"{word}\"")).collect();
    match (words.pop(), words.join(", ")) {
        (Some(last), rest) if rest.is_empty() => last,
        (Some(last), rest) => format!("{rest} or {last}"),
        (None, rest) => rest,
    }
}

/// Characters of a found text that a message repeats.
const MAX_QUOTED: usize = 60;
