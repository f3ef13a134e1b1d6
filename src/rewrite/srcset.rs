//! The grammar of `srcset` and `imagesrcset`: addresses with descriptors, separated by commas, which may also stand
//! inside an address (HTML, 4.8.4.3.10).

use std::ops::Range;

/// Where the addresses in `text` stand.
pub(super) fn addresses(text: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        at = skip(text, at, |byte| is_blank(byte) || byte == b',');
        let start = at;
        at = skip(text, at, |byte| !is_blank(byte));
        let address = text.get(start..at).filter(|address| !address.is_empty())?;
        let commas = address
            .iter()
            .rev()
            .take_while(|byte| **byte == b',')
            .count();
        let end = at - commas;
        if commas == 0 {
            at = after_descriptors(text, at);
        }
        Some(start..end)
    })
}

/// Past the descriptors that start at `at`: to the first comma outside parentheses.
fn after_descriptors(text: &[u8], mut at: usize) -> usize {
    let mut inside = false;
    while let Some(byte) = text.get(at) {
        match byte {
            b'(' => inside = true,
            b')' => inside = false,
            b',' if !inside => return at,
            _ => {}
        }
        at += 1;
    }
    at
}

fn skip(text: &[u8], at: usize, while_true: impl Fn(u8) -> bool) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| while_true(**byte)).count()
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\x0C' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let seen: Vec<_> = addresses(text.as_bytes())
            .map(|range| &text[range])
            .collect();
        assert_eq!(seen, expected, "{text}");
    }

    #[test]
    fn commas_separate_candidates_and_belong_to_addresses() {
        check("", &[]);
        check(" , ,", &[]);
        check("a.png", &["a.png"]);
        check("a.png 1x, b.png 2x", &["a.png", "b.png"]);
        check("a.png 1x,b.png 2x", &["a.png", "b.png"]);
        check("a.png, b.png", &["a.png", "b.png"]);
        check("w=1,q=2/a 8w,\n w=3,q=4/b 9w", &["w=1,q=2/a", "w=3,q=4/b"]);
        check(
            "data:image/png;base64,AA= 1x, c 2x",
            &["data:image/png;base64,AA=", "c"],
        );
        check("data:,a,b 1x,, c,,", &["data:,a,b", "c"]);
        check("a (1,2) 3x, b", &["a", "b"]);
        check("a (1,2", &["a"]);
    }
}
