//! Literal replacements in one pass: the match that starts first is taken, an earlier rule wins a tie, and what was
//! put in is never looked at again.
//!
//! The search looks at the last two bytes of a window as long as the shortest needle and skips as far as they allow
//! (Wu and Manber), so that long needles are found faster than bytes can be read one by one. A table of a few
//! kilobytes replaces an automaton, which would weigh more in the module than everything else here.
//!
//! Where every needle holds one of up to three bytes that are rare in texts, such as a brace, the search jumps from one
//! such byte to the next, sixteen bytes a step. Where they turn out not to be rare, it gives that up.

use std::{ops::Range, sync::Arc};

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
    rare: Option<Rare>,
}

/// Bytes of which every needle holds one. One that stands thrice fills the places of the others.
#[derive(Debug, PartialEq, Eq)]
struct Rare {
    bytes: [u8; 3],
    /// How far from its start the needle's one stands at most.
    depth: usize,
}

#[derive(Debug, PartialEq, Eq)]
struct Rule {
    from: Vec<u8>,
    to: Arc<str>,
    /// What its needle shows of itself in a window.
    glimpse: (u64, u64),
}

struct Match {
    start: usize,
    rule: usize,
}

impl Rules {
    /// Compiles pairs of a needle, which is not empty, and what stands in its place.
    pub(super) fn new<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut rules: Vec<Rule> = pairs
            .into_iter()
            .filter(|(from, _)| !from.is_empty())
            .map(|(from, to)| Rule {
                from: from.as_bytes().to_vec(),
                to: to.into(),
                glimpse: (0, 0),
            })
            .collect();
        let lengths = || rules.iter().map(|rule| rule.from.len());
        let window = lengths().min().unwrap_or(1).min(LONGEST_WINDOW);
        let longest = lengths().max().unwrap_or(1);
        for rule in &mut rules {
            rule.glimpse = glimpse(rule.from.get(..window).unwrap_or_default());
        }
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
        let rare = Rare::of(rules.iter().map(|rule| &rule.from[..]), window);
        Self {
            rules,
            window,
            longest,
            shifts,
            blocks,
            rare,
        }
    }

    /// The first match that starts in `starts`.
    fn find(&self, text: &[u8], starts: Range<usize>) -> Option<Match> {
        let mut end = starts.start + self.window;
        let last = starts.end.saturating_add(self.window);
        while let Some(seen) = text.get(..end).filter(|_| end < last) {
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
        let seen = glimpse(text.get(..self.window).unwrap_or_default());
        self.blocks
            .iter()
            .skip(first)
            .take_while(|(other, _)| *other == block)
            .map(|(_, rule)| *rule)
            .find(|rule| {
                let rule = self.rules.get(*rule);
                rule.is_some_and(|rule| rule.glimpse == seen && text.starts_with(&rule.from))
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

impl Rare {
    /// Looks for each needle's rarest byte among its first `window`.
    fn of<'a>(needles: impl Iterator<Item = &'a [u8]>, window: usize) -> Option<Self> {
        let mut bytes: Vec<u8> = Vec::with_capacity(3);
        let mut depth = 0;
        for needle in needles {
            let (at, byte) = (needle.iter().take(window).copied().enumerate())
                .min_by_key(|(_, byte)| (commonness(*byte), !bytes.contains(byte)))?;
            depth = depth.max(at);
            if !bytes.contains(&byte) {
                bytes.push(byte);
            }
        }
        let bytes = match *bytes {
            [one] => [one; 3],
            [one, other] => [one, other, other],
            [one, other, third] => [one, other, third],
            _ => return None,
        };
        Some(Self { bytes, depth })
    }

    /// Where, at or after `from`, the first of them stands.
    fn find(&self, text: &[u8], from: usize) -> Option<usize> {
        let text = text.get(from..)?;
        let [one, other, third] = self.bytes;
        let at = if one == other {
            memchr::memchr(one, text)
        } else {
            memchr::memchr3(one, other, third, text)
        };
        at.map(|at| from + at)
    }
}

/// How common a byte is in the texts of the web, from rare on; a guess, and nothing but speed hangs on it.
fn commonness(byte: u8) -> u8 {
    match byte {
        b' ' | b'e' | b't' | b'a' | b'o' | b'i' | b'n' | b's' | b'r' => 4,
        b'a'..=b'z' | b'\n' => 3,
        b'<' | b'>' | b'/' | b'"' | b'=' | b'.' | b'-' | b'0'..=b'9' | 0x80.. => 2,
        b'A'..=b'Z' | b',' | b':' | b';' | b'\'' | b'(' | b')' | b'_' => 1,
        _ => 0,
    }
}

/// A search through one text.
struct Search<'a> {
    rules: &'a Rules,
    text: &'a [u8],
    /// Bytes it jumped over, and how often it did so.
    jumped: usize,
    jumps: usize,
}

impl Search<'_> {
    /// The first match at or after `from`.
    fn next(&mut self, mut from: usize) -> Option<Match> {
        let Some(rare) = &self.rules.rare else {
            return self.rules.find(self.text, from..self.text.len());
        };
        loop {
            if self.jumps > PATIENCE && self.jumped / self.jumps < WORTHWHILE {
                return self.rules.find(self.text, from..self.text.len());
            }
            let at = rare.find(self.text, from)?;
            self.jumps += 1;
            self.jumped += at - from;
            // Whatever starts earlier holds its byte earlier.
            let starts = at.saturating_sub(rare.depth).max(from)..at + 1;
            let found = self.rules.find(self.text, starts);
            if found.is_some() {
                return found;
            }
            from = at + 1;
        }
    }
}

/// Jumps that are made before they are judged, and how far they have to lead on average to be worth making.
const PATIENCE: usize = 32;
const WORTHWHILE: usize = 24;

/// The number of the block that ends `seen`: its last two bytes folded, or its last where windows are one byte.
fn block(seen: &[u8], window: usize) -> usize {
    match *seen {
        [.., _, last] | [last] if window == 1 => usize::from(last),
        [.., before, last] => (usize::from(before) << 5 ^ usize::from(last)) & (BLOCKS - 1),
        [last] => usize::from(last),
        [] => 0,
    }
}

/// The first and the last eight bytes of a window. Needles that stand in the same place are often alike at one end, as
/// `{{name}}` is, and comparing two numbers costs less than comparing texts.
fn glimpse(window: &[u8]) -> (u64, u64) {
    let number = |bytes: Option<&[u8; 8]>| bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes));
    (number(window.first_chunk()), number(window.last_chunk()))
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
        let mut search = Search {
            rules,
            text,
            jumped: 0,
            jumps: 0,
        };
        while let Some(found) = search.next(from) {
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

    #[test]
    fn needles_are_looked_for_by_their_rarest_bytes() {
        let rare = |needles: &[&str]| {
            let window = needles.iter().map(|needle| needle.len()).min().unwrap();
            Rare::of(needles.iter().map(|needle| needle.as_bytes()), window)
                .map(|rare| (rare.bytes.map(char::from), rare.depth))
        };
        assert_eq!(rare(&["{{a}}", "{{b}}"]), Some((['{'; 3], 0)));
        assert_eq!(rare(&["the Cat", "a dog {"]), Some((['C', '{', '{'], 6)));
        // Only what lies within every window is looked at, and one more needle with the same byte adds none.
        assert_eq!(rare(&["ab", "ee{", "be"]), Some((['b', 'e', 'e'], 1)));
        assert_eq!(rare(&["bb", "cc", "dd", "ff"]), None);
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
        fn jumping_finds_what_reading_finds(
            rules in prop::collection::vec("[xy{%&]{1,6}", 1..6),
            text in prop::collection::vec(prop_oneof![
                3 => "[ xyz]{0,40}",
                1 => "[xy{%&]{1,12}",
            ], 0..60),
            chunk in 1..80_usize,
        ) {
            let rules: Vec<_> = rules.iter().map(|from| (from.as_str(), "_")).collect();
            let text = text.concat();
            prop_assert_eq!(chunked(replace(&rules), &text, chunk), plainly(&rules, &text));
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
