//! From text to a JSON tree of bounded size.
//!
//! A tree is only a few times as large as its text while its lists are long and flat, so depth, lengths and the number
//! of values are counted while it grows, not afterwards. `serde_json` itself recurses at most 128 levels deep.

use std::{borrow::Cow, collections::BTreeSet, fmt};

use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

use super::{
    Code, Issues, Path, Reported,
    caps::{MAX_DEPTH, MAX_LENGTH, MAX_VALUES, Over, SIZE_LIMIT, too_large},
    json::Json,
    syntax,
};
use crate::order;

/// Reads text. A byte order mark is skipped; a key that stands twice in one object is reported.
pub(super) fn read<'t>(text: &'t str, issues: &mut Issues) -> Result<Json<'t>, Reported> {
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
    type Value = Json<'de>;

    fn deserialize<D: serde::Deserializer<'de>>(mut self, json: D) -> Result<Json<'de>, D::Error> {
        self.tally.values += 1;
        if self.tally.values > MAX_VALUES {
            return Err(self.stop(Over::Values));
        }
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Tree<'_, '_> {
    type Value = Json<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json<'de>, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, switch: bool) -> Result<Json<'de>, E> {
        Ok(Json::Bool(switch))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json<'de>, E> {
        Ok(Json::Number(number.into()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Json<'de>, E> {
        Ok(Json::Number(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Json<'de>, E> {
        Ok(Number::from_f64(number).map_or(Json::Null, Json::Number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<Json<'de>, A::Error> {
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
                None => return Ok(Json::List(elements)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut object: A) -> Result<Json<'de>, A::Error> {
        let depth = self.descend()?;
        let mut members: Vec<(Cow<'de, str>, Json<'de>)> = Vec::new();
        while let Some(key) = object.next_key_seed(Key)? {
            let value = object.next_value_seed(Tree {
                at: &self.at.key(&key),
                depth,
                tally: &mut *self.tally,
            })?;
            if members.len() >= MAX_LENGTH {
                return Err(self.stop(Over::Length));
            }
            members.push((key, value));
        }
        self.unite(&mut members);
        Ok(Json::Object(members))
    }
}

impl Tree<'_, '_> {
    /// Reports keys that stand twice, and keeps the first of each.
    fn unite(&mut self, members: &mut Vec<(Cow<'_, str>, Json<'_>)>) {
        if members.len() <= FEW && !repeats(members) {
            return;
        }
        let mut names: Vec<&str> = members.iter().map(|(name, _)| name.as_ref()).collect();
        order::sort(&mut names);
        let mut twice: BTreeSet<String> = BTreeSet::new();
        for (one, next) in names.iter().zip(names.iter().skip(1)) {
            if one == next && twice.insert((*one).to_owned()) {
                self.tally.issues.report(
                    &self.at.key(one),
                    Code::Duplicate,
                    format!("the key {one:?} stands here twice, and only one of the two can count; delete one"),
                );
            }
        }
        if !twice.is_empty() {
            let mut seen = BTreeSet::new();
            members.retain(|(name, _)| !twice.contains(name.as_ref()) || seen.insert(name.clone()));
        }
    }
}

/// Whether a name stands twice among a few.
fn repeats(members: &[(Cow<'_, str>, Json<'_>)]) -> bool {
    members
        .iter()
        .enumerate()
        .any(|(place, (name, _))| members.iter().take(place).any(|(before, _)| before == name))
}

/// Members up to which each is compared with each; more are sorted.
const FEW: usize = 16;

/// Reads a key, which borrows from the text where it has no escapes.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Cow<'de, str>;

    fn deserialize<D: serde::Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(key))
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(key.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::config::caps::measure;

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
