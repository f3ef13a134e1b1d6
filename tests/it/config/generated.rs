//! What is generated from the document types is checked in, and fails here when it is stale. `JOUSKA_BLESS=1` writes it
//! anew.

use std::{env, fs, path::PathBuf};

use jouska::config::{reference::reference, schema::json_schema};

#[track_caller]
fn check(file: &str, expected: &str) {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "docs", file].iter().collect();
    if env::var_os("JOUSKA_BLESS").is_some() {
        fs::write(&path, expected).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == expected,
        "docs/{file} is stale: run the tests once with JOUSKA_BLESS=1 and commit it"
    );
}

#[test]
fn the_schema_is_up_to_date() {
    let schema = serde_json::to_string_pretty(&json_schema()).unwrap();
    check("schema.json", &format!("{schema}\n"));
}

#[test]
fn the_reference_is_up_to_date() {
    check("configuration.md", &reference());
}
