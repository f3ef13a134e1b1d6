//! What must hold for any document, as plain functions. The fuzz targets call them with inputs nobody thought of; the
//! tests call them with the inputs that were kept.
//!
//! ```sh
//! cargo +nightly fuzz run --features fuzzing document_text -- -max_total_time=600 -timeout=5 -dict=fuzz/document.dict
//! ```

use jouska::{
    config::{self, ConfigError, Reading},
    table,
};
use serde_json::Value;

/// Bytes are taken for text.
pub fn document_text(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Ok(tree) = serde_json::from_str::<Value>(&text) {
        document(tree);
    }
    let whole = compile(config::read(&text));
    assert_eq!(table::compile_text(&text).err(), whole);
}

/// Two bytes choose a place in a document that states everything; the rest is put there, as JSON where it is JSON and
/// as text where it is not.
pub fn document_tree(data: &[u8]) {
    let Some((place, rest)) = data.split_first_chunk::<2>() else {
        return;
    };
    let mut tree: Value = serde_json::from_str(EVERYTHING).unwrap_or_default();
    let mut places = Vec::new();
    collect(&tree, String::new(), &mut places);
    let place = usize::from(u16::from_le_bytes(*place)) % places.len().max(1);
    let target = places.get(place).and_then(|place| tree.pointer_mut(place));
    if let Some(target) = target {
        *target = serde_json::from_slice(rest)
            .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(rest).into_owned()));
    }
    document(tree);
}

/// What was read is written so that it is read the same again.
fn document(tree: Value) {
    let reading = config::read_value(tree);
    let written = serde_json::to_value(&reading.document).unwrap_or_default();
    let again = config::read_value(written);
    if reading.issues.is_empty() {
        assert_eq!(again.document, reading.document);
        assert!(again.warnings.is_empty());
    }
    compile(reading);
}

/// There is a table, or something to say about why there is none, which is handed back.
fn compile(reading: Reading) -> Option<ConfigError> {
    let refused = table::compile(reading).err()?;
    assert!(!refused.issues.is_empty());
    assert!(!refused.to_string().is_empty());
    Some(refused)
}

/// Every place in a tree, as a JSON pointer.
fn collect(tree: &Value, place: String, places: &mut Vec<String>) {
    match tree {
        Value::Object(members) => {
            for (name, member) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                collect(member, format!("{place}/{name}"), places);
            }
        }
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                collect(element, format!("{place}/{index}"), places);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    places.push(place);
}

const EVERYTHING: &str = include_str!("../../src/config/document/everything.json");

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    fn check(target: &str, body: fn(&[u8])) {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("corpus")
            .join(target);
        let mut inputs = 0;
        for input in fs::read_dir(corpus).unwrap() {
            body(&fs::read(input.unwrap().path()).unwrap());
            inputs += 1;
        }
        assert!(
            inputs > 10,
            "the corpus of {target} is where it is looked for"
        );
    }

    #[test]
    fn kept_texts_hold() {
        check("document_text", document_text);
    }

    #[test]
    fn kept_trees_hold() {
        check("document_tree", document_tree);
    }

    #[test]
    fn what_is_no_input_is_none() {
        document_tree(&[]);
        document_tree(&[1]);
        document_text(&[0xff]);
    }
}
