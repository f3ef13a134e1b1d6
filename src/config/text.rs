//! From text to a JSON tree of bounded size: caps first, then syntax errors in words for people who know no JSON.
//!
//! A tree is only a few times as large as its text while its lists are long and flat, so depth, lengths and the number
//! of values are counted while it grows, not afterwards. `serde_json` itself recurses at most 128 levels deep.

use std::fmt;

use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::{Code, Issues, Path, Reported, syntax};

/// Bytes from which on a text is too large: 2 MB.
pub const SIZE_LIMIT: usize = 2_000_000;

/// Levels of lists and objects inside each other. The document itself needs seven.
pub const MAX_DEPTH: usize = 64;

/// Elements of one list and members of one object.
pub const MAX_LENGTH: usize = 10_000;

/// Values of the whole tree, whatever their size.
pub const MAX_VALUES: usize = 250_000;

/// Reads text. A byte order mark is skipped; a key that stands twice in one object is reported.
pub(super) fn read(text: &str, issues: &mut Issues) -> Result<Value, Reported> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.len() >= SIZE_LIMIT {
        return Err(too_large(&Path::root(), &Over::Size, issues));
    }
    let mut tally = Tally {
        values: 0,
        over: None,
        issues,
    };
    let mut json = serde_json::Deserializer::from_str(text);
    let tree = Tree {
        at: &Path::root(),
        depth: 0,
        tally: &mut tally,
    };
    let read = tree
        .deserialize(&mut json)
        .and_then(|tree| json.end().map(|()| tree));
    let over = tally.over;
    read.map_err(|error| {
        let place = syntax::place(text, &error);
        let position = syntax::position(text, place);
        match over {
            Some((over, path)) => {
                issues.report_position(path, position, Code::TooLarge, over.to_string())
            }
            None => {
                let message = syntax::explain(&error, text, place);
                issues.report_position(String::new(), position, Code::Syntax, message)
            }
        }
    })
}

/// Holds a tree that was not read from text to the same caps.
pub(super) fn measure(tree: &Value, issues: &mut Issues) -> Result<(), Reported> {
    let root = Path::root();
    let mut waiting = vec![(tree, 0)];
    let (mut values, mut bytes) = (0, 0);
    while let Some((value, depth)) = waiting.pop() {
        values += 1;
        let length = match value {
            Value::Array(elements) => {
                waiting.extend(elements.iter().map(|element| (element, depth + 1)));
                elements.len()
            }
            Value::Object(members) => {
                bytes += members.keys().map(String::len).sum::<usize>();
                waiting.extend(members.values().map(|member| (member, depth + 1)));
                members.len()
            }
            Value::String(text) => {
                bytes += text.len();
                continue;
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => continue,
        };
        let over = if depth >= MAX_DEPTH {
            Over::Depth
        } else if length > MAX_LENGTH {
            Over::Length
        } else if values + waiting.len() > MAX_VALUES {
            Over::Values
        } else {
            continue;
        };
        return Err(too_large(&root, &over, issues));
    }
    if bytes >= SIZE_LIMIT {
        return Err(too_large(&root, &Over::Size, issues));
    }
    Ok(())
}

fn too_large(at: &Path<'_>, over: &Over, issues: &mut Issues) -> Reported {
    issues.report(at, Code::TooLarge, over.to_string())
}

/// Which cap a document is over.
enum Over {
    Size,
    Depth,
    Length,
    Values,
}

impl fmt::Display for Over {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size => f.write_str(
                "expected a document of less than 2 MB; found a larger one. Divide the routes between several Workers, or shorten what is written into them",
            ),
            Self::Depth => write!(
                f,
                "expected lists and objects at most {MAX_DEPTH} levels deep inside each other; found more. A route table needs seven: look for brackets that are never closed"
            ),
            Self::Length => write!(
                f,
                "expected at most {MAX_LENGTH} entries in one list or object; found more. Divide them between several routes"
            ),
            Self::Values => write!(
                f,
                "expected at most {MAX_VALUES} values in one document; found more. Divide the routes between several Workers"
            ),
        }
    }
}

/// What is counted while a tree grows.
struct Tally<'a> {
    values: usize,
    over: Option<(Over, String)>,
    issues: &'a mut Issues,
}

/// Builds the value at one place of the tree.
struct Tree<'t, 'a> {
    at: &'t Path<'t>,
    depth: usize,
    tally: &'t mut Tally<'a>,
}

impl Tree<'_, '_> {
    /// Ends the reading. The error itself is of no interest, only its place in the text.
    fn stop<E: serde::de::Error>(&mut self, over: Over) -> E {
        let path = match over {
            Over::Length => self.at.to_string(),
            // These are the sum of many places, or a place nobody could name.
            Over::Size | Over::Depth | Over::Values => String::new(),
        };
        self.tally.over = Some((over, path));
        E::custom("over a cap")
    }

    fn descend<E: serde::de::Error>(&mut self) -> Result<usize, E> {
        if self.depth >= MAX_DEPTH {
            return Err(self.stop(Over::Depth));
        }
        Ok(self.depth + 1)
    }
}

impl<'de> DeserializeSeed<'de> for Tree<'_, '_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(mut self, json: D) -> Result<Value, D::Error> {
        self.tally.values += 1;
        if self.tally.values > MAX_VALUES {
            return Err(self.stop(Over::Values));
        }
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Tree<'_, '_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, switch: bool) -> Result<Value, E> {
        Ok(Value::Bool(switch))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::Number(number.into()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Number(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Number::from_f64(number).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<Value, A::Error> {
        let depth = self.descend()?;
        let mut elements = Vec::new();
        loop {
            let at = self.at.index(elements.len());
            let tree = Tree {
                at: &at,
                depth,
                tally: &mut *self.tally,
            };
            match list.next_element_seed(tree)? {
                Some(_) if elements.len() >= MAX_LENGTH => return Err(self.stop(Over::Length)),
                Some(element) => elements.push(element),
                None => return Ok(Value::Array(elements)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut object: A) -> Result<Value, A::Error> {
        let depth = self.descend()?;
        let mut members = Map::new();
        while let Some(key) = object.next_key::<String>()? {
            let at = self.at.key(&key);
            let value = object.next_value_seed(Tree {
                at: &at,
                depth,
                tally: &mut *self.tally,
            })?;
            if members.len() >= MAX_LENGTH {
                return Err(self.stop(Over::Length));
            }
            if members.contains_key(&key) {
                self.tally.issues.report(
                    &at,
                    Code::Duplicate,
                    format!("the key {key:?} stands here twice, and only one of the two can count; delete one"),
                );
            }
            members.insert(key, value);
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        let mut issues = Issues::default();
        assert!(read(text, &mut issues).is_err());
        let issues = issues.into_vec();
        assert_eq!(issues.len(), 1, "{issues:?}");
        issues[0].to_string()
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let message = refused(text);
        assert!(message.contains(expected), "{message}");
    }

    #[test]
    fn what_is_over_a_cap_is_refused_where_it_is() {
        check(&"[".repeat(10_000), "levels deep");
        check(&"{\"a\":".repeat(10_000), "levels deep");
        let long = format!("{{\"a\": [{}0]}}", "0,".repeat(MAX_LENGTH));
        check(
            &long,
            "a: line 1, column 20009: expected at most 10000 entries",
        );
        let many = format!(
            "[{}0]",
            "[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0],".repeat(9_999)
        );
        check(&many, "250000 values");
        check(&" ".repeat(SIZE_LIMIT), "less than 2 MB");
    }

    #[test]
    fn a_tree_from_elsewhere_is_held_to_the_same_caps() {
        let mut deep = Value::Null;
        for _ in 0..MAX_DEPTH + 1 {
            deep = Value::Array(vec![deep]);
        }
        let long = Value::Array(vec![Value::Null; MAX_LENGTH + 1]);
        let wide = Value::Array(vec![Value::Array(vec![Value::Null; 1_000]); 300]);
        let large = Value::String("x".repeat(SIZE_LIMIT));
        for (tree, expected) in [
            (deep, "levels deep"),
            (long, "entries"),
            (wide, "values"),
            (large, "less than 2 MB"),
        ] {
            let mut issues = Issues::default();
            assert!(measure(&tree, &mut issues).is_err(), "{expected}");
            assert!(issues.into_vec()[0].message.contains(expected));
        }
    }

    #[test]
    fn depth_is_counted_alike_in_text_and_in_trees() {
        for (depth, accepted) in [(MAX_DEPTH, true), (MAX_DEPTH + 1, false)] {
            let text = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
            let tree: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(read(&text, &mut Issues::default()).is_ok(), accepted);
            assert_eq!(measure(&tree, &mut Issues::default()).is_ok(), accepted);
        }
    }

    #[test]
    fn the_same_key_twice_is_reported_at_its_path() {
        let mut issues = Issues::default();
        let tree = read("\u{feff}{\"a\": [{\"b\": 1, \"b\": 2}]}", &mut issues);
        assert!(tree.is_ok());
        assert_eq!(issues.into_vec()[0].path, "a[0].b");
    }
}
