//! Literal replacements in one pass: the match that starts first is taken, an earlier rule wins a tie, and what was
//! put in is never looked at again.
//!
//! The search looks at the last two bytes of a window as long as the shortest needle and skips as far as they allow
//! (Wu and Manber), so that long needles are found faster than bytes can be read one by one. A table of a few
//! kilobytes replaces an automaton, which would weigh more in the module than everything else here.

use std::sync::Arc;

use super::edit::{Edit, Scan};
use crate::order;

/// Compiled `bodyRewrite.replace`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rules {
    rules: Vec<Rule>,
    /// Length of the shortest needle, and of the window; at most [`LONGEST_WINDOW`].
    window: usize,
    /// Length of the longest needle.
    longest: usize,
    /// By the block that ends a window: how far the window may move on. Zero where a needle may stand in it.
    shifts: Vec<u8>,
    /// The block that ends the window of each rule, and the rule; sorted.
    blocks: Vec<(usize, usize)>,
}

#[derive(Debug, PartialEq, Eq)]
struct Rule {
    from: Vec<u8>,
    to: Arc<str>,
}

struct Match {
    start: usize,
    rule: usize,
}

impl Rules {
    /// Compiles pairs of a needle, which is not empty, and what stands in its place.
    pub(super) fn new<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let rules: Vec<Rule> = pairs
            .into_iter()
            .filter(|(from, _)| !from.is_empty())
            .map(|(from, to)| Rule {
                from: from.as_bytes().to_vec(),
                to: to.into(),
            })
            .collect();
        let lengths = || rules.iter().map(|rule| rule.from.len());
        let window = lengths().min().unwrap_or(1).min(LONGEST_WINDOW);
        let longest = lengths().max().unwrap_or(1);
        // A block of two bytes moves the window past itself less one byte, a block of one byte past itself.
        let farthest = if window == 1 { 1 } else { window - 1 };
        let mut shifts = vec![farthest as u8; BLOCKS];
        let mut blocks = Vec::with_capacity(rules.len());
        for (index, rule) in rules.iter().enumerate() {
            for end in 1..=window {
                let starts_inside = window > 1 && end == 1;
                let block = block(rule.from.get(..end).unwrap_or_default(), window);
                if let Some(shift) = shifts.get_mut(block).filter(|_| !starts_inside) {
                    *shift = (*shift).min((window - end) as u8);
                }
                if end == window {
                    blocks.push((block, index));
                }
            }
        }
        order::sort(&mut blocks);
        Self {
            rules,
            window,
            longest,
            shifts,
            blocks,
        }
    }

    /// The first match at or after `from`.
    fn find(&self, text: &[u8], from: usize) -> Option<Match> {
        let mut end = from + self.window;
        while let Some(seen) = text.get(..end) {
            let block = block(seen, self.window);
            let shift = self.shifts.get(block).copied().unwrap_or(1);
            if shift == 0 {
                let start = end - self.window;
                let rest = text.get(start..).unwrap_or_default();
                if let Some(rule) = self.at(rest, block) {
                    return Some(Match { start, rule });
                }
                end += 1;
            } else {
                end += usize::from(shift);
            }
        }
        None
    }

    /// The first rule whose needle starts `text`, whose window ends in `block`.
    fn at(&self, text: &[u8], block: usize) -> Option<usize> {
        let first = self.blocks.partition_point(|(other, _)| *other < block);
        self.blocks
            .iter()
            .skip(first)
            .take_while(|(other, _)| *other == block)
            .map(|(_, rule)| *rule)
            .find(|rule| {
                let rule = self.rules.get(*rule);
                rule.is_some_and(|rule| text.starts_with(&rule.from))
            })
    }

    /// Where, at or after `from`, a needle starts of which `text` holds only the front; and the first rule it may be.
    fn partial(&self, text: &[u8], from: usize) -> Option<Match> {
        let first = text.len().saturating_sub(self.longest - 1).max(from);
        (first..text.len()).find_map(|start| {
            let rest = text.get(start..).unwrap_or_default();
            let rule = self
                .rules
                .iter()
                .position(|rule| rule.from.len() > rest.len() && rule.from.starts_with(rest))?;
            Some(Match { start, rule })
        })
    }
}

/// The number of the block that ends `seen`: its last two bytes folded, or its last where windows are one byte.
fn block(seen: &[u8], window: usize) -> usize {
    match *seen {
        [.., _, last] | [last] if window == 1 => usize::from(last),
        [.., before, last] => (usize::from(before) << 5 ^ usize::from(last)) & (BLOCKS - 1),
        [last] => usize::from(last),
        [] => 0,
    }
}

/// Finds the needles in a text.
#[derive(Debug)]
pub(super) struct Replace {
    rules: Arc<Rules>,
}

impl Replace {
    pub(super) fn new(rules: Arc<Rules>) -> Self {
        Self { rules }
    }
}

impl Scan for Replace {
    fn scan(&mut self, text: &[u8], last: bool, edits: &mut Vec<Edit>) -> usize {
        let rules = &*self.rules;
        let mut from = 0;
        let mut partial = rules.partial(text, from).filter(|_| !last);
        while let Some(found) = rules.find(text, from) {
            let Some(rule) = rules.rules.get(found.rule) else {
                break;
            };
            // What may yet turn out to be a needle that starts earlier, or of an earlier rule, goes first.
            let waits = partial
                .as_ref()
                .is_some_and(|partial| (partial.start, partial.rule) < (found.start, found.rule));
            if waits {
                break;
            }
            from = found.start + rule.from.len();
            edits.push(Edit {
                range: found.start..from,
                with: rule.to.clone(),
            });
            if partial.as_ref().is_some_and(|partial| partial.start < from) {
                partial = rules.partial(text, from);
            }
        }
        partial.map_or(text.len(), |partial| partial.start)
    }
}

/// Numbers of blocks.
const BLOCKS: usize = 1 << 12;

const LONGEST_WINDOW: usize = 255;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        body::Transform,
        rewrite::{
            edit::Splicer,
            testing::{bytes, chunked, whole},
        },
    };

    fn replace(rules: &[(&str, &str)]) -> Box<dyn Transform> {
        let rules = Rules::new(rules.iter().copied());
        Box::new(Splicer::new(Replace::new(Arc::new(rules))))
    }

    /// What the rules mean, said as plainly as possible.
    fn plainly(rules: &[(&str, &str)], text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        'text: while let Some(character) = rest.chars().next() {
            for (from, to) in rules {
                if let Some(after) = rest.strip_prefix(from) {
                    out.push_str(to);
                    rest = after;
                    continue 'text;
                }
            }
            out.push(character);
            rest = &rest[character.len_utf8()..];
        }
        out
    }

    #[track_caller]
    fn check(rules: &[(&str, &str)], text: &str, expected: &str) {
        assert_eq!(whole(replace(rules), text), expected);
        assert_eq!(chunked(replace(rules), text, 1), expected);
        assert_eq!(plainly(rules, text), expected);
    }

    #[test]
    fn one_pass_takes_the_first_match_and_the_first_rule() {
        check(&[("cat", "cow")], "cat dog cat", "cow dog cow");
        check(
            &[("red", "green"), ("green", "blue")],
            "red green",
            "green blue",
        );
        check(
            &[("sun", "[S]"), ("sunflower", "[F]")],
            "sunflower",
            "[S]flower",
        );
        check(
            &[("sunflower", "[F]"), ("sun", "[S]")],
            "sunflower sunf",
            "[F] [S]f",
        );
        check(
            &[("east", "[E]"), ("northe", "[N]")],
            "a northeast wind",
            "a [N]ast wind",
        );
        check(&[("[ad]", "")], "a[ad]b[ad]", "ab");
        check(&[("tick", "T")], "tick tock tic", "T tock tic");
        check(&[("a", "b"), ("b", "a")], "abba", "baab");
        check(&[("aa", "x")], "aaaaa", "xxa");
        check(&[("abcd", "1"), ("bc", "2")], "abcabcd", "a21");
        check(&[("é", "e"), ("日本", "JP")], "é日日本", "e日JP");
        check(&[], "abc", "abc");
    }

    #[test]
    fn nothing_is_held_back_that_no_needle_needs() {
        let rules = [("crimson", "blue"), ("sunflower", "S")];
        for (text, expected) in [
            ("see crime", "see crime"),
            ("see crimes", "see crime"),
            ("see crim", "see "),
            ("suncrimson", "sunblue"),
            ("s", ""),
            ("sunflow", ""),
            ("xx", "xx"),
        ] {
            let mut replace = replace(&rules);
            let mut out = Vec::new();
            replace.push(text.as_bytes(), &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn chunks_do_not_matter(
            rules in prop::collection::vec(("[ab]{1,5}", "[ab]{0,3}"), 0..4),
            text in "[abc]{0,60}",
            cuts in prop::collection::vec(1..9_usize, 1..30),
        ) {
            let rules: Vec<_> = rules.iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
            let mut rest = text.as_bytes();
            let mut chunks = Vec::new();
            for cut in cuts {
                let (chunk, after) = rest.split_at(cut.min(rest.len()));
                chunks.push(chunk);
                rest = after;
            }
            chunks.push(rest);
            let expected = plainly(&rules, &text);
            prop_assert_eq!(bytes(replace(&rules), chunks), expected.as_bytes());
            prop_assert_eq!(whole(replace(&rules), &text), expected);
        }

        #[test]
        fn long_and_short_needles_are_found_alike(
            needle in "[a-f]{200,300}",
            text in "[a-f]{0,20}",
        ) {
            let body = format!("{text}{needle}{text}{needle}");
            let rules = [(needle.as_str(), "N"), ("fade", "F")];
            prop_assert_eq!(chunked(replace(&rules), &body, 7), plainly(&rules, &body));
        }
    }
}
