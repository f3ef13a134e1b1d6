//! Just enough of a reader of Rust to see which modules and crates a file names. It need not be right about code that does not compile.

use std::iter::Peekable;
use std::str::CharIndices;

/// A path into the crate, resolved: `super` and `self` are gone.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Use {
    pub(super) line: usize,
    pub(super) path: Vec<String>,
}

/// The text with comments and literals blanked out, and every line break where it was.
pub(super) fn code_only(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let rest = text.get(at..).unwrap_or_default();
        let length = match c {
            '/' => comment(rest),
            '"' => quoted(rest),
            '\'' => char_literal(rest),
            // A raw or byte string begins with a letter; one that goes on a word does not begin anything.
            'r' | 'b' | 'c' if !code.ends_with(is_word) => prefixed(rest),
            _ => 0,
        };
        if length == 0 {
            code.push(c);
        } else {
            blank(rest.get(..length).unwrap_or(rest), &mut code);
            skip_to(&mut chars, at + length);
        }
    }
    code
}

/// Every path into the crate that `code` names, `use` groups taken apart. `module` is where the code stands.
pub(super) fn uses(code: &str, module: &[String]) -> Vec<Use> {
    let tokens = tokens(code);
    let mut found = Vec::new();
    // For every open brace, the name of the module it opens, if it opens one: `super` inside counts from there.
    let mut open: Vec<Option<&str>> = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let before = |back: usize| {
            at.checked_sub(back)
                .and_then(|index| tokens.get(index))
                .map(|token| token.text)
        };
        match token.text {
            "{" => open.push(before(1).filter(|_| before(2) == Some("mod"))),
            "}" => {
                open.pop();
            }
            "crate" | "super" | "self" if next_is(&tokens, at, "::") && before(1) != Some("::") => {
                let (start, rest) = start_of_path(&tokens, at, module, &open);
                at = branches(&tokens, rest, &start, &mut found);
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// Where `code` begins a path with one of the crates `names`, or brings one into scope.
pub(super) fn named_crates<'a>(code: &'a str, names: &[&str]) -> Vec<(usize, &'a str)> {
    let tokens = tokens(code);
    let mut found = Vec::new();
    let [mut last, mut last_but_one] = [""; 2];
    for (at, token) in tokens.iter().enumerate() {
        // `::worker::Env` begins with the crate too; in `my::worker::Env` something stands before the colons.
        let goes_on = last == "::" && last_but_one.starts_with(is_word);
        let begins = next_is(&tokens, at, "::") && !goes_on;
        if names.contains(&token.text) && (begins || last == "use" || last == "crate") {
            found.push((token.line, token.text));
        }
        (last_but_one, last) = (last, token.text);
    }
    found
}

/// A word, `::`, or any other single character.
#[derive(Debug, Clone, Copy)]
struct Token<'a> {
    line: usize,
    text: &'a str,
}

fn tokens(code: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    for (index, text) in code.lines().enumerate() {
        let line = index + 1;
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let length = if is_word(first) {
                rest.find(|c| !is_word(c)).unwrap_or(rest.len())
            } else if rest.starts_with("::") {
                2
            } else {
                first.len_utf8()
            };
            let (text, after) = rest.split_at(length);
            tokens.push(Token { line, text });
            rest = after.trim_start();
        }
    }
    tokens
}

/// Resolves `crate::`, `self::` and any number of `super::` at `at`, and says where the path goes on.
fn start_of_path(
    tokens: &[Token<'_>],
    mut at: usize,
    module: &[String],
    open: &[Option<&str>],
) -> (Vec<String>, usize) {
    let inner = open.iter().flatten().map(|name| (*name).to_owned());
    let mut path: Vec<String> = module.iter().cloned().chain(inner).collect();
    while let Some(token) = tokens.get(at).filter(|_| next_is(tokens, at, "::")) {
        match token.text {
            "crate" => path.clear(),
            "self" => {}
            "super" => {
                path.pop();
            }
            _ => break,
        }
        at += 2;
    }
    (path, at)
}

/// Adds what the path at `at` leads to, each branch of a group apart, and returns where it ends.
fn branches(tokens: &[Token<'_>], mut at: usize, start: &[String], found: &mut Vec<Use>) -> usize {
    let mut path = start.to_vec();
    let line = tokens.get(at).map_or(0, |token| token.line);
    while let Some(token) = tokens.get(at) {
        if token.text == "{" {
            at += 1;
            while let Some(token) = tokens.get(at) {
                match token.text {
                    "}" => return at + 1,
                    "," => at += 1,
                    // `self` stands for the group's own module, and a new name after `as` for nothing we know.
                    "self" => {
                        found.push(Use {
                            line: token.line,
                            path: path.clone(),
                        });
                        at += 1;
                    }
                    "as" => at += 2,
                    _ => at = branches(tokens, at, &path, found).max(at + 1),
                }
            }
            return at;
        }
        if token.text.starts_with(is_word) {
            path.push(token.text.to_owned());
        }
        at += 1;
        if tokens.get(at).is_none_or(|token| token.text != "::") {
            break;
        }
        at += 1;
    }
    found.push(Use { line, path });
    at
}

fn next_is(tokens: &[Token<'_>], at: usize, text: &str) -> bool {
    tokens.get(at + 1).is_some_and(|token| token.text == text)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The length of the comment that `rest` begins with, or 0.
fn comment(rest: &str) -> usize {
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    if !rest.starts_with("/*") {
        return 0;
    }
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(here) = rest.get(at..).filter(|here| !here.is_empty()) {
        if here.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if here.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += here.chars().next().map_or(1, char::len_utf8);
        }
    }
    rest.len()
}

/// The length of the string that `rest` begins with, quotes included.
fn quoted(rest: &str) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// The length of the character literal that `rest` begins with, or 0 where the quote begins a lifetime.
fn char_literal(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => rest
            .char_indices()
            .skip(3)
            .find(|(_, c)| *c == '\'')
            .map_or(0, |(at, _)| at + 1),
        Some(_) => match chars.next() {
            Some((at, '\'')) => at + 1,
            _ => 0,
        },
        None => 0,
    }
}

/// The length of the raw, byte or C string or the byte character that `rest` begins with, or 0.
fn prefixed(rest: &str) -> usize {
    let letters = rest
        .find(|c: char| !matches!(c, 'r' | 'b' | 'c'))
        .unwrap_or(rest.len());
    let (prefix, body) = rest.split_at(letters);
    if !["r", "b", "c", "br", "cr"].contains(&prefix) {
        return 0;
    }
    let length = if prefix.ends_with('r') {
        let hashes = body.find(|c| c != '#').unwrap_or(body.len());
        let (fence, string) = body.split_at(hashes);
        if !string.starts_with('"') {
            return 0;
        }
        let end = format!("\"{fence}");
        let inside = string.get(1..).unwrap_or_default();
        hashes + 1 + inside.find(&end).map_or(inside.len(), |at| at + end.len())
    } else if body.starts_with('"') {
        quoted(body)
    } else if prefix == "b" && body.starts_with('\'') {
        char_literal(body)
    } else {
        return 0;
    };
    letters + length
}

fn blank(text: &str, code: &mut String) {
    code.extend(text.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
}

fn skip_to(chars: &mut Peekable<CharIndices<'_>>, end: usize) {
    while chars.next_if(|(at, _)| *at < end).is_some() {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blanked() {
        #[track_caller]
        fn check(text: &str, expected: &str) {
            let code = code_only(text);
            assert_eq!(
                code.split_whitespace().collect::<Vec<_>>().join(" "),
                expected,
                "{text}"
            );
            assert_eq!(code.lines().count(), text.lines().count());
        }
        check("a // b\nc", "a c");
        check("a /* b /* c */ d */ e", "a e");
        check("a \"b \\\" // c\" d", "a d");
        check("a r#\"b \" c\"# d", "a d");
        check("a b\"c\" br\"d\" c\"e\" f", "a f");
        check("a r\"\\\" b", "a b");
        check("'\\'' 'b' '\\u{1F600}' c", "c");
        check(
            "fn f<'a>(x: &'a str) -> &'static str",
            "fn f<'a>(x: &'a str) -> &'static str",
        );
        check("r#type bar", "r#type bar");
        check("a /* b\nc */ d", "a d");
        check("a \"b", "a");
    }

    #[test]
    fn paths_into_the_crate_are_found() {
        #[track_caller]
        fn check(code: &str, expected: &[&str]) {
            let module = ["cache".to_owned(), "serve".to_owned()];
            let found: Vec<String> = uses(code, &module)
                .iter()
                .map(|found| found.path.join("::"))
                .collect();
            assert_eq!(found, expected, "{code}");
        }
        check("use crate::a::B;", &["a::B"]);
        check(
            "use crate::{a::{self, b as c, d::*}, e};",
            &["a", "a::b", "a::d", "e"],
        );
        check(
            "let x: crate::a::B<crate::c::D> = $crate::e!();",
            &["a::B", "c::D", "e"],
        );
        check(
            "use super::key; use super::super::hash;",
            &["cache::key", "hash"],
        );
        check("use self::inner::X;", &["cache::serve::inner::X"]);
        check(
            "mod tests { use super::X; use super::super::key; } use super::key;",
            &["cache::serve::X", "cache::key", "cache::key"],
        );
        check(
            "fn f() { if a { super::g(); } } mod m {} super::h();",
            &["cache::g", "cache::h"],
        );
        check("pub(crate) fn f(&self) { self.x; other::crate_; }", &[]);
        check("crate::a::f::<crate::b::T>();", &["a::f", "b::T"]);
    }

    #[test]
    fn the_line_is_that_of_the_branch() {
        let found = uses(
            "use crate::{\n    a,\n    b::{\n        c,\n    },\n};",
            &[],
        );
        assert_eq!(
            found.iter().map(|found| found.line).collect::<Vec<_>>(),
            [2, 4]
        );
    }

    #[test]
    fn crates_are_found_where_a_path_begins() {
        #[track_caller]
        fn check(code: &str, expected: usize) {
            assert_eq!(named_crates(code, &["worker"]).len(), expected, "{code}");
        }
        check("use worker::Env;", 1);
        check("use worker as w; extern crate worker;", 2);
        check("fn f(x: ::worker::Env, y: worker::Env) {}", 2);
        check("let worker = x.worker; my::worker::f();", 0);
    }
}
