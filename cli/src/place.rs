//! From a path such as `routes[0].requestHeaders.set.host` to a place in the text.

use std::ops::Range;

use crate::json::{Inside, Node, scan};

/// A document's text, and where its values stand.
#[derive(Debug)]
pub(crate) struct Places {
    root: Option<Node>,
}

/// What a path leads to. Where nothing stands at the path, because it is about something that is missing, it leads to
/// the innermost value around it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The key, where the value is a member of an object.
    pub(crate) key: Option<Range<usize>>,
    /// The value; of a list or an object the opening bracket.
    pub(crate) value: Range<usize>,
    /// Whether it is a list or an object.
    pub(crate) is_container: bool,
}

impl Places {
    /// Of a text, which may be broken.
    pub(crate) fn new(text: &str) -> Self {
        Self { root: scan(text) }
    }

    /// The place at a path; `None` for the document as a whole, and where the text is no JSON.
    pub(crate) fn find(&self, path: &str) -> Option<Place> {
        let root = self.root.as_ref().filter(|_| !path.is_empty())?;
        // The first segment has no dot before it; with one it is like all others.
        let rest = format!(".{path}");
        let Reached { key, node, .. } = descend(None, root, &rest);
        let is_container = !matches!(node.inside, Inside::Scalar);
        Some(Place {
            key,
            value: if is_container {
                node.span.start..node.span.start + 1
            } else {
                node.span.clone()
            },
            is_container,
        })
    }
}

/// The value a path leads to, or as far as it leads.
struct Reached<'n> {
    key: Option<Range<usize>>,
    node: &'n Node,
    /// Bytes of the path that lead no further.
    left: usize,
}

/// A key may contain dots and brackets, so that a path can be read in several ways: the way that leads furthest is
/// taken, and of a key that is written twice the last, which is the one that was read.
fn descend<'n>(key: Option<Range<usize>>, node: &'n Node, rest: &str) -> Reached<'n> {
    let here = Reached {
        key,
        node,
        left: rest.len(),
    };
    match &node.inside {
        Inside::Scalar => here,
        Inside::List(elements) => index(rest)
            .and_then(|(index, rest)| Some((elements.get(index)?, rest)))
            .map_or(here, |(element, rest)| descend(None, element, rest)),
        Inside::Object(members) => members
            .iter()
            .filter_map(|member| {
                let rest = rest.strip_prefix('.')?.strip_prefix(member.key.as_str())?;
                (rest.is_empty() || rest.starts_with(['.', '[']))
                    .then(|| descend(Some(member.key_span.clone()), &member.value, rest))
            })
            .fold(
                here,
                |best, other| {
                    if other.left <= best.left { other } else { best }
                },
            ),
    }
}

/// Takes `[3]` off a path.
fn index(rest: &str) -> Option<(usize, &str)> {
    let (number, rest) = rest.strip_prefix('[')?.split_once(']')?;
    Some((number.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{
        "defaults": { "a.b": 1, "a": { "b": 2 }, "": 3 },
        "routes": [ { "match": { "path": "/" } }, { "retries": 1, "retries": 2, "a.b": { "c": 4 }, "x[0]": 5 } ]
    }"#;

    #[track_caller]
    fn check(path: &str, expected: Option<(Option<&str>, &str)>) {
        let place = Places::new(TEXT).find(path);
        let found = place.map(|place| (place.key.map(|key| &TEXT[key]), &TEXT[place.value]));
        assert_eq!(found, expected, "{path}");
    }

    #[test]
    fn a_path_leads_to_a_key_and_its_value() {
        check("routes", Some((Some("\"routes\""), "[")));
        check("routes[0]", Some((None, "{")));
        check("routes[0].match.path", Some((Some("\"path\""), "\"/\"")));
    }

    #[test]
    fn of_a_key_written_twice_the_last_counts() {
        check("routes[1].retries", Some((Some("\"retries\""), "2")));
    }

    #[test]
    fn a_key_may_hold_what_separates_keys() {
        check("defaults.", Some((Some("\"\""), "3")));
        check("routes[1].a.b.c", Some((Some("\"c\""), "4")));
        check("routes[1].x[0]", Some((Some("\"x[0]\""), "5")));
        check("defaults.a.b", Some((Some("\"b\""), "2")));
    }

    #[test]
    fn what_is_missing_is_told_at_what_it_is_missing_from() {
        check("routes[0].upstream", Some((None, "{")));
        check("routes[0].match.host.x", Some((Some("\"match\""), "{")));
        check("routes[7]", Some((Some("\"routes\""), "[")));
        check("meta", Some((None, "{")));
    }

    #[test]
    fn the_document_as_a_whole_has_no_place() {
        check("", None);
        assert_eq!(Places::new("{").find("routes"), None);
    }
}
