//! Ids of somebody's account. Databases have UUIDs; namespaces, accounts and zones have 32 hexadecimal digits.

/// The words of a line that look like the id of a resource.
pub(super) fn in_line(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_ascii_alphanumeric() && c != '-')
        .filter(|word| is_id(word) && !is_made_up(word))
}

fn is_id(word: &str) -> bool {
    let hexadecimal = |text: &str| text.chars().all(|c| c.is_ascii_hexdigit());
    match word.len() {
        32 => hexadecimal(word),
        36 => {
            let parts: Vec<&str> = word.split('-').collect();
            let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
            lengths == UUID_PARTS && parts.iter().all(|part| hexadecimal(part))
        }
        _ => false,
    }
}

/// Whether a person wrote it as an example: chance hardly ever leaves out this many digits, counts, or repeats itself.
fn is_made_up(word: &str) -> bool {
    let distinct = ('0'..='9')
        .chain('a'..='f')
        .filter(|digit| word.contains(*digit) || word.contains(digit.to_ascii_uppercase()));
    distinct.count() <= 6
        || word.contains("01234567")
        || word.contains("00000000")
        || word.eq_ignore_ascii_case(WEBSOCKET_GUID)
}

const UUID_PARTS: [usize; 5] = [8, 4, 4, 4, 12];
/// Every WebSocket handshake has it: RFC 6455, section 1.3.
const WEBSOCKET_GUID: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_found_by_its_shape() {
        // In halves, so that this file has none.
        let hexadecimal = ["3f9ab2c45d6e7081", "92a3b4c5d6e7f809"].concat();
        let uuid = ["3f9ab2c4-5d6e-4081", "92a3-b4c5d6e7f809"].join("-");
        for (line, expected) in [
            (format!("id = \"{hexadecimal}\""), Some(&hexadecimal)),
            (format!("/accounts/{hexadecimal}/d1"), Some(&hexadecimal)),
            (format!("database_id: {uuid}"), Some(&uuid)),
            (uuid.to_uppercase(), Some(&uuid.to_uppercase())),
            (format!("{hexadecimal}{hexadecimal}"), None),
            (format!("x{hexadecimal}"), None),
            (format!("{uuid}-1"), None),
            ("ffffffff-ffff-4fff-bfff-ffffffffffff".to_owned(), None),
            ("0123456789abcdef0123456789abcdef".to_owned(), None),
            ("b7f3c1d2-0000-4000-8000-000000000000".to_owned(), None),
            (WEBSOCKET_GUID.to_owned(), None),
            ("set-by-cargo-xtask-setup".to_owned(), None),
        ] {
            assert_eq!(
                in_line(&line).next(),
                expected.map(String::as_str),
                "{line}"
            );
        }
    }
}
