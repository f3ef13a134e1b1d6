//! What a request's body says, read member by member.

use serde_json::{Map, Value};

use super::Refused;

/// The body as an object. One that is missing, no JSON or no object counts as an empty one, so that whoever looks for a
/// member in it says what is missing.
pub(crate) fn object(body: &[u8]) -> Map<String, Value> {
    match serde_json::from_slice(body) {
        Ok(Value::Object(members)) => members,
        Ok(_) | Err(_) => Map::new(),
    }
}

/// The members of a body.
#[derive(Debug, Clone, Default)]
pub(crate) struct Input(Map<String, Value>);

/// A member is missing or of another shape. The text says what was expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Invalid(pub(crate) String);

impl From<Invalid> for Refused {
    fn from(Invalid(detail): Invalid) -> Self {
        Self::invalid(detail)
    }
}

impl Input {
    pub(crate) const fn new(members: Map<String, Value>) -> Self {
        Self(members)
    }

    /// Whether there is no member that this knows nothing about.
    pub(crate) fn only(&self, names: &[&str]) -> Result<(), Invalid> {
        match self.0.keys().find(|name| !names.contains(&name.as_str())) {
            Some(unknown) => Err(Invalid(format!("\"{unknown}\" is not known here"))),
            None => Ok(()),
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// An object that has to be there.
    pub(crate) fn object(&mut self, name: &str) -> Result<Map<String, Value>, Invalid> {
        match self.0.remove(name) {
            Some(Value::Object(members)) => Ok(members),
            other => Err(expected(name, "an object", other.as_ref())),
        }
    }

    /// A switch, where there is one.
    pub(crate) fn switch(&self, name: &str) -> Result<Option<bool>, Invalid> {
        match self.0.get(name) {
            None => Ok(None),
            Some(Value::Bool(switch)) => Ok(Some(*switch)),
            other => Err(expected(name, "true or false", other)),
        }
    }

    /// A whole number of 0 or more, where there is one.
    pub(crate) fn whole(&self, name: &str) -> Result<Option<u64>, Invalid> {
        match self.0.get(name) {
            None => Ok(None),
            Some(given) => match whole(given) {
                Some(number) => Ok(Some(number)),
                None => Err(expected(name, "a whole number of 0 or more", Some(given))),
            },
        }
    }

    /// A text without the blanks around it, where there is one that is not blank.
    pub(crate) fn text(&self, name: &str, longest: usize) -> Result<Option<String>, Invalid> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => {
                let text = text.trim();
                let length = text.chars().count();
                if length > longest {
                    return Err(Invalid(format!(
                        "{name}: expected at most {longest} characters; found {length}"
                    )));
                }
                Ok((!text.is_empty()).then(|| text.to_owned()))
            }
            other => Err(expected(name, "a text", other)),
        }
    }

    /// The same, where it has to be there.
    pub(crate) fn required_text(&self, name: &str, longest: usize) -> Result<String, Invalid> {
        self.text(name, longest)?
            .ok_or_else(|| expected(name, "a text that is not blank", self.0.get(name)))
    }

    /// A list of texts that has to be there.
    pub(crate) fn texts(&self, name: &str) -> Result<Vec<String>, Invalid> {
        let texts = |list: &Vec<Value>| {
            list.iter()
                .map(|entry| entry.as_str().map(str::to_owned))
                .collect::<Option<Vec<String>>>()
        };
        self.0
            .get(name)
            .and_then(Value::as_array)
            .and_then(texts)
            .ok_or_else(|| expected(name, "a list of texts", self.0.get(name)))
    }
}

/// A whole number, however it is written: JSON has one kind of number, and 3.0 is 3.
pub(crate) fn whole(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        value
            .as_f64()
            .filter(|number| number.fract() == 0.0 && (0.0..=9e15).contains(number))
            .map(|number| number as u64)
    })
}

fn expected(name: &str, what: &str, found: Option<&Value>) -> Invalid {
    let found = match found {
        None => "nothing",
        Some(Value::Null) => "null",
        Some(Value::Bool(_)) => "true or false",
        Some(Value::Number(_)) => "a number",
        Some(Value::String(_)) => "a text",
        Some(Value::Array(_)) => "a list",
        Some(Value::Object(_)) => "an object",
    };
    Invalid(format!("{name}: expected {what}; found {found}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_body_that_is_no_object_is_an_empty_one() {
        for body in ["", "x", "[1]", "null", "\"a\"", "{\"a\":", "\u{feff}{}"] {
            assert_eq!(object(body.as_bytes()), Map::new(), "{body}");
        }
        assert_eq!(object(b" {\"a\":1} ").len(), 1);
        assert_eq!(object(&[0xff, b'{', b'}']), Map::new());
    }

    fn input(value: Value) -> Input {
        Input::new(value.as_object().unwrap().clone())
    }

    #[test]
    fn texts_are_trimmed_and_blank_ones_are_absent() {
        for (given, expected) in [
            (json!({}), Ok(None)),
            (json!({ "a": null }), Ok(None)),
            (json!({ "a": "  " }), Ok(None)),
            (json!({ "a": " xyz " }), Ok(Some("xyz"))),
            (json!({ "a": "éééé" }), Err(())),
            (json!({ "a": 1 }), Err(())),
        ] {
            let read = input(given.clone()).text("a", 3).map_err(|_| ());
            assert_eq!(
                read,
                expected.map(|text| text.map(str::to_owned)),
                "{given}"
            );
        }
        assert!(input(json!({ "a": " " })).required_text("a", 3).is_err());
    }

    #[test]
    fn whole_numbers_are_whole() {
        for (given, expected) in [
            (json!(3), Some(3)),
            (json!(3.0), Some(3)),
            (json!(3.5), None),
            (json!(-1), None),
            (json!("3"), None),
            (json!(1e300), None),
        ] {
            assert_eq!(whole(&given), expected, "{given}");
        }
    }
}
