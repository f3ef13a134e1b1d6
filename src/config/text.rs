//! From text to a JSON tree of bounded size.
//!
//! A tree is only a few times as large as its text while its lists are long and flat, so depth, lengths and the number
//! of values are counted while it grows, not afterwards. `serde_json` itself recurses at most 128 levels deep.

use std::fmt;

use bumpalo::Bump;
use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

use super::{
    Code, Issues, Path, Reported,
    caps::{MAX_DEPTH, MAX_LENGTH, MAX_VALUES, Over, SIZE_LIMIT, too_large},
    json::{Json, Member},
    syntax,
};
use crate::order;

/// Room for the tree of a text, so that most trees are in one piece.
pub(super) fn arena(text: &str) -> Bump {
    Bump::with_capacity(text.len().min(SIZE_LIMIT) * TREE_TO_TEXT)
}

/// Bytes of the tree of an ordinary table for each of its text.
const TREE_TO_TEXT: usize = 2;

/// Reads text. A byte order mark is skipped; a key that stands twice in one object is reported.
pub(super) fn read<'t>(
    text: &'t str,
    arena: &'t Bump,
    issues: &mut Issues,
) -> Result<Json<'t>, Reported> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.len() >= SIZE_LIMIT {
        return Err(too_large(&Path::root(), &Over::Size, issues));
    }
    let mut tally = Tally {
        arena,
        elements: Vec::new(),
        members: Vec::new(),
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

/// What has grown of a tree, and what is counted meanwhile.
struct Tally<'a, 't> {
    arena: &'t Bump,
    /// Elements of the lists that are not closed yet, the innermost last.
    elements: Vec<Json<'t>>,
    /// Members of the objects that are not closed yet, the innermost last.
    members: Vec<Member<'t>>,
    values: usize,
    over: Option<(Over, String)>,
    issues: &'a mut Issues,
}

/// Builds the value at one place of the tree.
struct Tree<'p, 'a, 't> {
    at: &'p Path<'p>,
    depth: usize,
    tally: &'p mut Tally<'a, 't>,
}

impl Tree<'_, '_, '_> {
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

impl<'t> DeserializeSeed<'t> for Tree<'_, '_, 't> {
    type Value = Json<'t>;

    fn deserialize<D: serde::Deserializer<'t>>(mut self, json: D) -> Result<Json<'t>, D::Error> {
        self.tally.values += 1;
        if self.tally.values > MAX_VALUES {
            return Err(self.stop(Over::Values));
        }
        json.deserialize_any(self)
    }
}

impl<'t> Visitor<'t> for Tree<'_, '_, 't> {
    type Value = Json<'t>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json<'t>, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, switch: bool) -> Result<Json<'t>, E> {
        Ok(Json::Bool(switch))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json<'t>, E> {
        Ok(Json::Number(self.tally.arena.alloc(number.into())))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Json<'t>, E> {
        Ok(Json::Number(self.tally.arena.alloc(number.into())))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Json<'t>, E> {
        Ok(match Number::from_f64(number) {
            Some(number) => Json::Number(self.tally.arena.alloc(number)),
            None => Json::Null,
        })
    }

    fn visit_borrowed_str<E>(self, text: &'t str) -> Result<Json<'t>, E> {
        Ok(Json::Text(text))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json<'t>, E> {
        Ok(Json::Text(self.tally.arena.alloc_str(text)))
    }

    fn visit_seq<A: SeqAccess<'t>>(mut self, mut list: A) -> Result<Json<'t>, A::Error> {
        let depth = self.descend()?;
        let start = self.tally.elements.len();
        let mut length = 0;
        while let Some(element) = list.next_element_seed(Tree {
            at: &self.at.index(length),
            depth,
            tally: &mut *self.tally,
        })? {
            if length >= MAX_LENGTH {
                return Err(self.stop(Over::Length));
            }
            self.tally.elements.push(element);
            length += 1;
        }
        let Tally {
            arena, elements, ..
        } = self.tally;
        Ok(Json::List(
            arena.alloc_slice_fill_iter(elements.drain(start..)),
        ))
    }

    fn visit_map<A: MapAccess<'t>>(mut self, mut object: A) -> Result<Json<'t>, A::Error> {
        let depth = self.descend()?;
        let start = self.tally.members.len();
        while let Some(name) = object.next_key_seed(Key(self.tally.arena))? {
            let value = object.next_value_seed(Tree {
                at: &self.at.key(name),
                depth,
                tally: &mut *self.tally,
            })?;
            if self.tally.members.len() - start >= MAX_LENGTH {
                return Err(self.stop(Over::Length));
            }
            self.tally.members.push(Member::new(name, value));
        }
        self.unite(start);
        let Tally { arena, members, .. } = self.tally;
        Ok(Json::Object(
            arena.alloc_slice_fill_iter(members.drain(start..)),
        ))
    }
}

impl Tree<'_, '_, '_> {
    /// Reports keys that stand twice among the members from `start` on, and keeps the first of each.
    fn unite(&mut self, start: usize) {
        let Tally {
            members, issues, ..
        } = &mut *self.tally;
        let own = members.get(start..).unwrap_or_default();
        if own.len() <= FEW && !repeats(own) {
            return;
        }
        let mut names: Vec<&str> = own.iter().map(|member| member.name).collect();
        order::sort(&mut names);
        // In order, each with whether its first member has been passed.
        let mut twice: Vec<(&str, bool)> = Vec::new();
        for (one, next) in names.iter().zip(names.iter().skip(1)) {
            if one == next && twice.last().is_none_or(|(last, _)| last != one) {
                twice.push((*one, false));
                issues.report(
                    &self.at.key(one),
                    Code::Duplicate,
                    format!("the key {one:?} stands here twice, and only one of the two can count; delete one"),
                );
            }
        }
        if twice.is_empty() {
            return;
        }
        let mut own = members.split_off(start);
        own.retain(|member| {
            let found = twice.binary_search_by(|(name, _)| (*name).cmp(member.name));
            match found.ok().and_then(|place| twice.get_mut(place)) {
                Some((_, passed)) => !std::mem::replace(passed, true),
                None => true,
            }
        });
        members.append(&mut own);
    }
}

/// Whether a name stands twice among a few.
fn repeats(members: &[Member<'_>]) -> bool {
    members.iter().enumerate().any(|(place, member)| {
        let mut before = members.iter().take(place);
        before.any(|before| before.name == member.name)
    })
}

/// Members up to which each is compared with each; more are sorted.
const FEW: usize = 16;

/// Reads a key, which borrows from the text where it has no escapes.
struct Key<'t>(&'t Bump);

impl<'t> DeserializeSeed<'t> for Key<'t> {
    type Value = &'t str;

    fn deserialize<D: serde::Deserializer<'t>>(self, json: D) -> Result<&'t str, D::Error> {
        json.deserialize_str(self)
    }
}

impl<'t> Visitor<'t> for Key<'t> {
    type Value = &'t str;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, key: &'t str) -> Result<&'t str, E> {
        Ok(key)
    }

    fn visit_str<E>(self, key: &str) -> Result<&'t str, E> {
        Ok(self.0.alloc_str(key))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::config::caps::measure;

    fn refused(text: &str) -> String {
        let mut issues = Issues::default();
        assert!(read(text, &arena(text), &mut issues).is_err());
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
            let read = read(&text, &arena(&text), &mut Issues::default()).is_ok();
            assert_eq!(read, accepted);
            assert_eq!(measure(&tree, &mut Issues::default()).is_ok(), accepted);
        }
    }

    #[test]
    fn the_same_key_twice_is_reported_at_its_path() {
        let mut issues = Issues::default();
        let text = "\u{feff}{\"a\": [{\"b\": 1, \"b\": 2}]}";
        assert!(read(text, &arena(text), &mut issues).is_ok());
        assert_eq!(issues.into_vec()[0].path, "a[0].b");
    }

    #[test]
    fn of_members_with_one_name_the_first_is_kept_whatever_their_number() {
        for filling in [0, FEW] {
            let filling: String = (0..filling).map(|key| format!("\"k{key}\":0,")).collect();
            let text = format!(r#"{{"b":1,{filling}"c":2,"b":3,"a":4,"c":5,"b":6}}"#);
            let arena = arena(&text);
            let mut issues = Issues::default();
            let Ok(Json::Object(members)) = read(&text, &arena, &mut issues) else {
                panic!("an object");
            };
            let kept: String = members
                .iter()
                .filter(|member| !member.name.starts_with('k'))
                .map(|member| format!("{}={:?} ", member.name, member.value))
                .collect();
            assert_eq!(
                kept,
                "b=Number(Number(1)) c=Number(Number(2)) a=Number(Number(4)) "
            );
            let told: Vec<String> = issues
                .into_vec()
                .into_iter()
                .map(|issue| issue.path)
                .collect();
            assert_eq!(told, ["b", "c"]);
        }
    }
}
