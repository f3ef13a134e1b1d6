//! Attributes that carry addresses, and what their values are made of.

use super::{
    css::Styles,
    edit::{Edit, Scan},
    html::{self, Rules},
    refresh, srcset,
};

/// What the value of an attribute is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    /// One address.
    Address,
    /// Addresses separated by blanks.
    Addresses,
    /// Addresses with descriptors.
    Candidates,
    /// Declarations of a style.
    Style,
    /// A document.
    Document,
    /// A delay and an address.
    Refresh,
}

/// What the attribute `name` carries, on whatever element; `None` where it is no address.
///
/// This is asked for every attribute of a page, so the length decides before anything is compared.
pub(super) fn value_of(name: &[u8]) -> Option<Value> {
    let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
    let any = |known: &[&str]| known.iter().any(|known| is(known));
    match name.len() {
        3 if is("src") => Some(Value::Address),
        4 if is("ping") => Some(Value::Addresses),
        4 if any(&["href", "cite", "data"]) => Some(Value::Address),
        5 if is("style") => Some(Value::Style),
        6 if is("srcset") => Some(Value::Candidates),
        6 if is("srcdoc") => Some(Value::Document),
        6 if any(&["action", "poster", "usemap"]) => Some(Value::Address),
        8 if any(&["longdesc", "manifest"]) => Some(Value::Address),
        10 if any(&["formaction", "background", "xlink:href"]) => Some(Value::Address),
        LONGEST_NAME if is("imagesrcset") => Some(Value::Candidates),
        _ => None,
    }
}

const LONGEST_NAME: usize = 11;

/// Whether a start tag, as it is written, may have an attribute that carries an address. It may be mistaken about what
/// stands in values, and only for yes: what it denies, the parser need not be asked about.
///
/// A name stands before its `=`, apart from blanks, and behind a blank, a `/` or the end of another value.
pub(super) fn may_be_in(tag: &[u8]) -> bool {
    memchr::memchr_iter(b'=', tag).any(|at| {
        let before = tag.get(..at).unwrap_or_default().trim_ascii_end();
        let len = before
            .iter()
            .rev()
            .take(LONGEST_NAME + 1)
            .take_while(|byte| !byte.is_ascii_whitespace() && !b"/\"'=>".contains(byte))
            .count();
        let name = before.get(before.len() - len..).unwrap_or_default();
        value_of(name).is_some()
    })
}

/// Adds the edits of a value without character references.
pub(super) fn rewrite(value: Value, text: &[u8], rules: &Rules, edits: &mut Vec<Edit>) {
    let mut address = |start: usize, end: usize| {
        let first = edits.len();
        let address = text.get(start..end).unwrap_or_default();
        rules.mapping.rewrite(address, rules.rooted, edits);
        for edit in edits.iter_mut().skip(first) {
            edit.shift(start);
        }
    };
    match value {
        Value::Address => address(0, text.len()),
        Value::Addresses => {
            let mut start = 0;
            for part in text.split(u8::is_ascii_whitespace) {
                address(start, start + part.len());
                start += part.len() + 1;
            }
        }
        Value::Candidates => {
            for range in srcset::addresses(text) {
                address(range.start, range.end);
            }
        }
        Value::Refresh if rules.styles => {
            let range = refresh::target(text);
            address(range.start, range.end);
        }
        Value::Style if rules.styles => {
            Styles::new(rules.mapping.clone(), rules.rooted).scan(text, true, edits);
        }
        Value::Document if rules.styles => html::document(text, rules, edits),
        Value::Refresh | Value::Style | Value::Document => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_without_an_address_is_told_by_how_it_is_written() {
        for (tag, expected) in [
            (r#"<p class="row">"#, false),
            (r#"<a data-href="x" hrefs=y href>"#, false),
            ("<br>", false),
            ("<a href=x>", true),
            ("<a\thref\n = 'x'>", true),
            ("<img alt=''SRC=x>", true),
            ("<a/href=x>", true),
            ("<use xlink:href='#x'>", true),
            ("<link imagesrcset=x>", true),
            // Mistaken, at the price of a second look.
            ("<option value='?href=x'>", false),
            ("<option value=' href=x'>", true),
        ] {
            assert_eq!(may_be_in(tag.as_bytes()), expected, "{tag}");
        }
    }
}
