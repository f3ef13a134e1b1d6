//! The bounds that the schema tells are the bounds that are kept: at each of them a value is accepted, one step beyond it
//! is refused, in its own place.

use jouska::{
    config::{self, schema::json_schema},
    table,
};
use serde_json::{Value, json};

use super::everything;

/// The issues of a document at `path` or inside it.
fn issues_at(document: &Value, path: &str) -> Vec<String> {
    let Err(refused) = table::compile(config::read_value(document.clone())) else {
        return Vec::new();
    };
    refused
        .issues
        .iter()
        .filter(|issue| {
            issue
                .path
                .strip_prefix(path)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        })
        .map(ToString::to_string)
        .collect()
}

/// A member of the document: where it stands, as a path and as a pointer, and what is said about it.
struct Member {
    path: String,
    pointer: String,
    described: Value,
}

/// Every member of every block under `pointer`, found in the sample beside the schema.
fn members(schema: &Value, described: &Value, path: &str, pointer: &str, found: &mut Vec<Member>) {
    let described = resolve(schema, described);
    if let Some(properties) = described["properties"].as_object() {
        for (name, member) in properties {
            let path = match path {
                "" => name.clone(),
                _ => format!("{path}.{name}"),
            };
            let pointer = format!("{pointer}/{name}");
            found.push(Member {
                path: path.clone(),
                pointer: pointer.clone(),
                described: member.clone(),
            });
            members(schema, member, &path, &pointer, found);
        }
    }
    if described.get("items").is_some() {
        let (path, pointer) = (format!("{path}[0]"), format!("{pointer}/0"));
        members(schema, &described["items"], &path, &pointer, found);
    }
    if described["additionalProperties"].is_object() {
        let (path, pointer) = (format!("{path}.502"), format!("{pointer}/502"));
        members(
            schema,
            &described["additionalProperties"],
            &path,
            &pointer,
            found,
        );
    }
}

fn resolve<'s>(schema: &'s Value, described: &'s Value) -> &'s Value {
    let reference = described["allOf"][0]["$ref"].as_str();
    match reference.or(described["$ref"].as_str()) {
        Some(reference) => schema.pointer(reference.trim_start_matches('#')).unwrap(),
        None => described,
    }
}

/// Values at the bounds, and values one step beyond.
fn at_and_beyond(described: &Value) -> (Vec<Value>, Vec<Value>) {
    let number = |key: &str| described[key].as_u64();
    let text = |length: u64| json!("x".repeat(length as usize));
    let list = |length: u64| json!(vec!["x"; length as usize]);
    let (mut within, mut beyond) = (Vec::new(), Vec::new());
    if let Some(least) = number("minimum") {
        within.push(json!(least));
        beyond.push(json!(i64::try_from(least).unwrap() - 1));
    }
    if let Some(most) = number("maximum") {
        within.push(json!(most));
        beyond.push(json!(most + 1));
    }
    if let Some(least) = number("minLength") {
        beyond.push(text(least - 1));
    }
    if let Some(most) = number("maxLength") {
        within.push(text(most));
        beyond.push(text(most + 1));
    }
    if let Some(least) = number("minItems") {
        beyond.push(list(least - 1));
    }
    if let Some(most) = number("maxItems") {
        beyond.push(list(most + 1));
    }
    if let Some(choices) = described["enum"].as_array() {
        within.extend(choices.iter().cloned());
        beyond.push(json!(305));
    }
    if described["const"] == true {
        within.push(json!(true));
        beyond.push(json!(false));
    }
    (within, beyond)
}

/// The sample says everything at once; this takes out what would be told instead of the value at `pointer`.
fn without_rivals(pointer: &str) -> Value {
    let mut document = everything();
    let mut remove = |object: &str, names: &[&str]| {
        for name in names {
            document
                .pointer_mut(object)
                .unwrap()
                .as_object_mut()
                .unwrap()
                .remove(*name);
        }
    };
    match pointer.rsplit_once('/') {
        Some((condition, "prefix")) => remove(condition, &["equals", "present"]),
        Some(("/routes/0/respond", _)) => remove("/routes/0/respond", &["redirect"]),
        Some(("/routes/0/respond/redirect", _)) => {
            remove("/routes/0/respond", &["status", "body", "contentType"]);
        }
        _ => {}
    }
    if pointer == "/routes/0/timeoutMs" {
        document["routes"][0]["totalTimeoutMs"] = json!(300_000);
    }
    document
}

#[test]
fn the_bounds_of_the_schema_are_kept() {
    let schema = json_schema();
    let mut found = Vec::new();
    members(&schema, &schema, "", "", &mut found);
    let mut checked = 0;
    let mut failed = Vec::new();
    for Member {
        path,
        pointer,
        described,
    } in found
    {
        let (within, beyond) = at_and_beyond(&described);
        for (value, accepted) in within
            .into_iter()
            .map(|value| (value, true))
            .chain(beyond.into_iter().map(|value| (value, false)))
        {
            let mut document = without_rivals(&pointer);
            let target = document.pointer_mut(&pointer);
            *target.unwrap_or_else(|| panic!("the sample has {pointer}")) = value.clone();
            let issues = issues_at(&document, &path);
            checked += 1;
            if issues.is_empty() != accepted {
                let shown: String = value.to_string().chars().take(40).collect();
                failed.push(format!("{path} = {shown}: accepted {accepted} {issues:?}"));
            }
        }
    }
    assert!(failed.is_empty(), "{checked}\n{}", failed.join("\n"));
    assert!(checked > 150, "{checked}");
}
