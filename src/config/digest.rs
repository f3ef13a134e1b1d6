//! What tells whether two documents are the same, however they are written.

use serde_json::Value;

use crate::crypto::{hex, sha256};

/// The SHA-256 digest of a document, as 64 lower-case hexadecimal digits: of its compact JSON with the members of every
/// object in the order of their names, and without its `meta`, which says who wrote it and when. The order of lists
/// counts.
///
/// ```
/// use jouska::config::digest;
/// use serde_json::json;
///
/// let written = json!({ "routes": [{ "upstream": "a", "id": "x" }], "meta": { "revision": 7 } });
/// let same = json!({ "routes": [{ "id": "x", "upstream": "a" }] });
/// assert_eq!(digest(&written), digest(&same));
/// ```
pub fn digest(document: &Value) -> String {
    let mut members = match document {
        Value::Object(members) => members.clone(),
        other => return of(other),
    };
    members.remove("meta");
    of(&Value::Object(members))
}

fn of(document: &Value) -> String {
    let mut sorted = document.clone();
    // Other crates of a program may have asked serde_json to keep the order members were written in.
    sorted.sort_all_objects();
    hex(&sha256(sorted.to_string().as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_members_and_meta_make_no_difference_and_the_order_of_lists_does() {
        let read = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
        let one = read(r#"{"b":[1,2],"a":{"d":1,"c":2}}"#);
        let other = read(r#"{ "meta": {"x":1}, "a": {"c":2,"d":1}, "b": [1,2] }"#);
        let third = read(r#"{"a":{"c":2,"d":1},"b":[2,1]}"#);
        assert_eq!(digest(&one), digest(&other));
        assert_ne!(digest(&one), digest(&third));
        assert_eq!(
            digest(&read("{}")),
            "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
        );
    }
}
