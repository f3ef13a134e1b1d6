//! Character references in attribute values.
//!
//! Only references that stand for ASCII are looked up by name: scheme, host and path of a URL consist of nothing else.
//! Any other name stays as it is written, and since only what changes is written again, nothing is lost by that.

use super::decoded::Notation;

/// What starts a reference.
pub(super) const MARK: u8 = b'&';

/// Reads the reference at the start of `text` as browsers do in attribute values (HTML, 13.2.5.72 to 13.2.5.80).
pub(super) fn reference(text: &[u8]) -> Option<Notation> {
    let body = text.strip_prefix(&[MARK])?;
    if let Some(number) = body.strip_prefix(b"#") {
        return numeric(number).map(|(character, len)| (Some(character), len + 2));
    }
    let name_len = body
        .iter()
        .take(LONGEST_NAME + 1)
        .take_while(|byte| byte.is_ascii_alphanumeric())
        .count();
    let (name, rest) = body.split_at(name_len);
    if rest.first() == Some(&b';') {
        let (_, character) = NAMES.iter().find(|(known, _)| known.as_bytes() == name)?;
        return Some((Some(*character), name_len + 2));
    }
    // Four names are known without their semicolon, unless a letter, a digit or `=` follows: `?a=1&lt=2` is a query.
    let bare = rest.first() != Some(&b'=')
        && [&b"amp"[..], b"lt", b"gt", b"quot"]
            .iter()
            .any(|known| known.eq_ignore_ascii_case(name));
    let (_, character) = NAMES
        .iter()
        .find(|(known, _)| bare && known.as_bytes() == name)?;
    Some((Some(*character), name_len + 1))
}

fn numeric(text: &[u8]) -> Option<(char, usize)> {
    let (radix, marker) = match text.first() {
        Some(b'x' | b'X') => (16, 1),
        _ => (10, 0),
    };
    let digits = text.get(marker..)?;
    let count = digits
        .iter()
        .take_while(|byte| char::from(**byte).is_digit(radix))
        .count();
    let number = digits.get(..count).filter(|digits| !digits.is_empty())?;
    let code = number.iter().fold(0_u32, |code, digit| {
        let digit = char::from(*digit).to_digit(radix).unwrap_or_default();
        code.saturating_mul(radix).saturating_add(digit)
    });
    let semicolon = usize::from(digits.get(count) == Some(&b';'));
    let character = match code {
        0 => char::REPLACEMENT_CHARACTER,
        _ => char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
    };
    Some((character, marker + count + semicolon))
}

const LONGEST_NAME: usize = 16;

/// Names that stand for ASCII.
const NAMES: [(&str, char); 45] = [
    ("amp", '&'),
    ("AMP", '&'),
    ("lt", '<'),
    ("LT", '<'),
    ("gt", '>'),
    ("GT", '>'),
    ("quot", '"'),
    ("QUOT", '"'),
    ("apos", '\''),
    ("sol", '/'),
    ("colon", ':'),
    ("period", '.'),
    ("Tab", '\t'),
    ("NewLine", '\n'),
    ("excl", '!'),
    ("num", '#'),
    ("dollar", '$'),
    ("percnt", '%'),
    ("lpar", '('),
    ("rpar", ')'),
    ("ast", '*'),
    ("midast", '*'),
    ("plus", '+'),
    ("comma", ','),
    ("semi", ';'),
    ("equals", '='),
    ("quest", '?'),
    ("commat", '@'),
    ("lsqb", '['),
    ("lbrack", '['),
    ("bsol", '\\'),
    ("rsqb", ']'),
    ("rbrack", ']'),
    ("Hat", '^'),
    ("lowbar", '_'),
    ("UnderBar", '_'),
    ("grave", '`'),
    ("DiacriticalGrave", '`'),
    ("lcub", '{'),
    ("lbrace", '{'),
    ("verbar", '|'),
    ("vert", '|'),
    ("VerticalLine", '|'),
    ("rcub", '}'),
    ("rbrace", '}'),
];

#[cfg(test)]
mod tests {
    use super::super::decoded::Decoded;
    use super::*;

    #[track_caller]
    fn check(written: &str, expected: &str) {
        let mut decoded = Decoded::default();
        decoded.decode(written.as_bytes(), MARK, reference);
        let seen = str::from_utf8(decoded.text()).unwrap();
        assert_eq!(seen, expected, "{written}");
    }

    #[test]
    fn references_are_read_as_browsers_read_them() {
        check("https:&#x2F;&#47;a&sol;b", "https://a/b");
        check("&#X2f&#47x&colon;&period;", "//x:.");
        check("?a=1&amp;b=2&c=3", "?a=1&b=2&c=3");
        check("?a&lt=1&ltx&lt", "?a&lt=1&ltx<");
        check("&;&#;&#x;&unknown;&", "&;&#;&#x;&unknown;&");
        check("&#0;&#xD800;&#9999999999;", "\u{fffd}\u{fffd}\u{fffd}");
        check("&quot;&apos;&lpar;&Tab;", "\"'(\t");
        check("é&amp;é", "é&é");
    }
}
