//! What is said about a value of the wrong shape: what was expected, what was found, and the way out, for people who
//! know no JSON.

use super::{Code, Issues, Path, Reported, json::Json};

/// Reports that `value` is of another kind than expected.
pub(super) fn wrong_type(
    value: &Json<'_>,
    expected: Expected,
    at: &Path<'_>,
    issues: &mut Issues,
) -> Reported {
    let way_out = match (expected, value) {
        (Expected::WholeNumber, Json::Number(_)) => None,
        (Expected::WholeNumber | Expected::Number, Json::Text(text))
            if text.parse::<f64>().is_ok() =>
        {
            Some("Write it without quotation marks".to_owned())
        }
        (Expected::Switch, Json::Text("true" | "false")) => {
            Some("Write it without quotation marks".to_owned())
        }
        (Expected::Text, Json::Number(number)) => Some(format!("Write \"{number}\"")),
        (Expected::Text, Json::Bool(switch)) => Some(format!("Write \"{switch}\"")),
        (Expected::List, Json::Text(text)) => Some(format!("Write [{}]", quote(text))),
        (Expected::List, Json::Number(_) | Json::Object(_)) => {
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
    value: &Json<'_>,
    expected: &str,
    way_out: Option<String>,
    at: &Path<'_>,
    issues: &mut Issues,
) -> Reported {
    let way_out = match (way_out, value) {
        (Some(way_out), _) => format!(". {way_out}"),
        (None, Json::Null) if !at.is_root() => ". Delete the key to leave it unset".to_owned(),
        (None, _) => String::new(),
    };
    issues.report(
        at,
        Code::Type,
        format!("expected {expected}; found {}{way_out}", found(value)),
    )
}

/// A value as a sentence names it.
pub(super) fn found(value: &Json<'_>) -> String {
    match value {
        Json::Null => "null".to_owned(),
        Json::Bool(switch) => switch.to_string(),
        Json::Number(number) => format!("the number {number}"),
        Json::Text("") => "an empty text".to_owned(),
        Json::Text(text) => format!("the text {}", quote(text)),
        Json::List(_) => "a list".to_owned(),
        Json::Object(_) => "an object".to_owned(),
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
