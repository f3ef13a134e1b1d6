//! Whatever the document, reading and compiling it end in an answer.

use jouska::{
    config::{self, ConfigError, Reading, Warning},
    table::{self, Compiled},
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::everything;

/// Reads and compiles; either there is a table or there is something to say about why not.
fn answers(reading: Reading) {
    if let Err(refused) = table::compile(reading) {
        assert!(!refused.issues.is_empty());
        assert!(!refused.to_string().is_empty());
    }
}

/// What compiling came to, in a form that can be compared.
fn outcome(compiled: Result<Compiled, ConfigError>) -> Result<(String, Vec<Warning>), ConfigError> {
    let Compiled { table, warnings } = compiled?;
    Ok((format!("{:?} {:?}", table.routes(), table.meta()), warnings))
}

/// A table with something in most of its corners, unknown keys among them.
fn sensible() -> Value {
    json!({
        "version": 1,
        "meta": { "updatedBy": "somebody", "by": "nobody knows" },
        "comment": "nobody knows",
        "defaults": { "scheme": "http", "responseHeaders": { "remove": ["server"] }, "timeout": 5 },
        "cache": { "epoch": "1" },
        "routes": [
            {
                "id": "shop",
                "match": { "host": "shop.example", "path": "/a" },
                "upstreams": ["one.example", "two.example:8080/base"],
                "requestHeaders": { "set": { "x-a": "1", "x-b": "2" } },
                "cache": { "ttlSeconds": 60 },
                "retrys": 1
            },
            { "match": { "path": "/b" }, "respond": { "status": 204 } },
            {
                "match": { "path": "/", "nothing": [1] },
                "upstream": "three.example",
                "cors": { "origins": ["https://a.example"] },
                "stripPrefix": true
            }
        ]
    })
}

#[test]
fn a_sensible_table_is_compiled_alike_whole_and_route_by_route() {
    let text = sensible().to_string();
    let (_, warnings) = outcome(table::compile_text(&text)).unwrap();
    let unknown: Vec<&str> = warnings.iter().map(|key| key.path.as_str()).collect();
    assert_eq!(
        unknown,
        [
            "meta.by",
            "defaults.timeout",
            "routes[0].retrys",
            "routes[2].match.nothing",
            "comment"
        ]
    );
    let whole = table::compile(config::read(&text));
    assert_eq!(outcome(table::compile_text(&text)), outcome(whole));
}

#[test]
fn a_mistake_is_told_alike_whole_and_route_by_route() {
    let upstreams = json!({ "match": { "path": "/" }, "upstream": "a.example", "timeoutMs": 5 });
    for (place, mistake) in [
        ("/version", json!(2)),
        ("/version", json!("1")),
        ("/meta/updatedBy", json!("")),
        ("/meta", json!([])),
        ("/defaults/scheme", json!("ftp")),
        ("/routes", json!([])),
        ("/routes", json!({})),
        ("/routes", json!(vec![upstreams; config::MAX_ROUTES + 1])),
        ("/routes/0", json!("shop")),
        ("/routes/0/id", json!("")),
        ("/routes/1/respond/status", json!(99)),
        ("/routes/2/upstream", json!("localhost")),
        ("/routes/2/stripPrefix", json!("yes")),
    ] {
        let mut document = sensible();
        *document.pointer_mut(place).unwrap() = mistake;
        let text = document.to_string();
        let told = outcome(table::compile_text(&text));
        assert!(told.is_err(), "{place}");
        assert_eq!(
            told,
            outcome(table::compile(config::read(&text))),
            "{place}"
        );
    }
    // Of no route's business, because each states its own.
    let text = r#"{ "defaults": { "timeoutMs": 0 }, "routes": [{ "match": { "path": "/" }, "upstream": "a", "timeoutMs": 5 }] }"#;
    let told = outcome(table::compile_text(text));
    assert!(told.is_err());
    assert_eq!(told, outcome(table::compile(config::read(text))));
}

fn names() -> Vec<String> {
    fn collect(tree: &Value, names: &mut Vec<String>) {
        match tree {
            Value::Object(members) => {
                for (name, member) in members {
                    names.push(name.clone());
                    collect(member, names);
                }
            }
            Value::Array(elements) => elements.iter().for_each(|element| collect(element, names)),
            _ => {}
        }
    }
    let mut names = Vec::new();
    collect(&everything(), &mut names);
    names.sort();
    names.dedup();
    names
}

/// Every place in a tree, as a JSON pointer.
fn places(tree: &Value) -> Vec<String> {
    let inside: Vec<(String, &Value)> = match tree {
        Value::Object(members) => members
            .iter()
            .map(|(name, member)| (name.replace('~', "~0").replace('/', "~1"), member))
            .collect(),
        Value::Array(elements) => elements
            .iter()
            .enumerate()
            .map(|(index, element)| (index.to_string(), element))
            .collect(),
        _ => Vec::new(),
    };
    let mut found = vec![String::new()];
    for (name, member) in inside {
        found.extend(
            places(member)
                .into_iter()
                .map(|rest| format!("/{name}{rest}")),
        );
    }
    found
}

/// Any JSON, with the document's own names among the keys and texts.
fn tree() -> impl Strategy<Value = Value> {
    let word = prop_oneof![
        prop::sample::select(names()),
        any::<String>(),
        "[a-z.:/*0-9-]{0,12}",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (0_u64..1_000).prop_map(Value::from),
        word.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((word.clone(), inner), 0..6)
                .prop_map(|members| Value::from(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        answers(config::read(&String::from_utf8_lossy(&bytes)));
    }

    #[test]
    fn any_text_like_json_is_answered(text in r#"([\[\]{}:,"\\/ \n]|[a-z0-9.eE+-]|true|null|routes){0,60}"#) {
        answers(config::read(&text));
    }

    #[test]
    fn any_tree_is_answered(tree in tree()) {
        answers(config::read_value(tree));
    }

    #[test]
    fn any_route_is_answered(route in tree(), defaults in tree()) {
        answers(config::read_value(json!({ "routes": [route], "defaults": defaults })));
    }

    #[test]
    fn a_document_with_anything_in_any_place_is_answered(
        place in prop::sample::select(places(&everything())),
        value in tree(),
    ) {
        let mut document = everything();
        if let Some(target) = document.pointer_mut(&place) {
            *target = value;
        }
        answers(config::read_value(document.clone()));
        answers(config::read(&document.to_string()));
    }

    #[test]
    fn a_table_with_anything_in_any_place_is_compiled_alike_whole_and_route_by_route(
        place in prop::sample::select(places(&sensible())),
        value in tree(),
    ) {
        let mut document = sensible();
        if let Some(target) = document.pointer_mut(&place) {
            *target = value;
        }
        let text = document.to_string();
        let whole = table::compile(config::read(&text));
        prop_assert_eq!(outcome(table::compile_text(&text)), outcome(whole));
    }

    #[test]
    fn text_and_tree_are_read_alike(tree in tree()) {
        let text = tree.to_string();
        let one = config::parse(&text);
        let other = config::parse_value(serde_json::from_str(&text).unwrap());
        prop_assert_eq!(one, other);
    }

    #[test]
    fn what_was_read_is_written_as_it_was(
        place in prop::sample::select(places(&everything())),
        value in tree(),
    ) {
        let mut document = everything();
        if let Some(target) = document.pointer_mut(&place) {
            *target = value;
        }
        if let Ok(parsed) = config::parse_value(document) {
            let written = serde_json::to_value(&parsed.document).unwrap();
            let again = config::parse_value(written).unwrap();
            prop_assert_eq!(again.warnings, []);
            prop_assert_eq!(again.document, parsed.document);
        }
    }
}
