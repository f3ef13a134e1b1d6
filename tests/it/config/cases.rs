//! The tables of the conformance cases, read without serving anything: what works is accepted, and what reading alone
//! can refuse is refused in the right place.

use std::{fs, path::Path};

use jouska::config::{self, ConfigError, parse_value};
use serde_json::Value;

/// All cases of all areas that hold a table.
fn cases() -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance");
    let mut cases = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            let area: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
            cases.extend(area["cases"].as_array().into_iter().flatten().cloned());
        }
    }
    assert!(cases.len() > 500, "the cases are where they are looked for");
    cases
}

fn refusal(case: &Value) -> Option<ConfigError> {
    match (case.get("config"), case["configText"].as_str()) {
        (Some(tree), _) => parse_value(tree.clone()).err(),
        (None, Some(text)) => config::parse(text).err(),
        (None, None) => None,
    }
}

#[test]
fn tables_that_work_are_read() {
    for case in cases() {
        if case.get("configError").is_none()
            && let Some(refused) = refusal(&case)
        {
            panic!("{}\n{refused}", case["id"]);
        }
    }
}

#[test]
fn what_reading_refuses_it_refuses_in_the_right_place() {
    let mut refused = 0;
    for case in cases() {
        let Some(expected) = case.get("configError") else {
            continue;
        };
        let Some(refusal) = refusal(&case) else {
            // It has the right shape; its meaning is refused later.
            continue;
        };
        refused += 1;
        let found = refusal.issues.iter().any(|issue| {
            let in_place = expected["path"]
                .as_str()
                .is_none_or(|path| path == issue.path);
            let contains = expected["contains"].as_array().into_iter().flatten();
            in_place
                && contains
                    .filter_map(Value::as_str)
                    .all(|text| issue.message.to_lowercase().contains(&text.to_lowercase()))
        });
        assert!(found, "{}\n{expected}\n{refusal}", case["id"]);
    }
    assert!(refused >= 18, "{refused} refused by their shape");
}
