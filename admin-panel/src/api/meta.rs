//! `/api/meta`: what the library knows about documents, so that the user interface keeps no copies of it.

use serde_json::{Map, Value, json};

use super::Call;
use crate::{
    exchange::{Outcome, Reply},
    limits,
    mcp::SCOPES,
};
use jouska::{
    config::{CONFIG_VERSION, presets::PRESETS},
    headers::reserved,
    table::advice::danger::RULES,
};

pub(super) async fn get(_call: Call) -> Outcome {
    Ok(Reply::ok(json!({
        "configVersion": CONFIG_VERSION,
        "presets": PRESETS,
        "limits": limits::told(),
        "bounds": bounds(&schema()),
        "reservedHeaders": {
            "request": reserved::request_names(),
            "response": reserved::response_names(),
            "responseRemoval": reserved::response_removal_names(),
        },
        "dangerRules": RULES,
        "scopes": SCOPES,
    })))
}

/// The JSON Schema of documents, for editors.
pub(super) async fn schema_file(_call: Call) -> Outcome {
    Ok(Reply::text(
        http::StatusCode::OK,
        "application/json",
        SCHEMA,
    ))
}

fn schema() -> Value {
    serde_json::from_str(SCHEMA).unwrap_or_default()
}

/// Minimum, maximum and default of every field of a route that has any, by the field's path; lists and maps of blocks
/// are `[]` and `*` in it.
fn bounds(schema: &Value) -> Map<String, Value> {
    let mut bounds = Map::new();
    if let Some(route) = schema.pointer("/definitions/RouteDocument") {
        collect(schema, route, "", 0, &mut bounds);
    }
    bounds
}

fn collect(schema: &Value, block: &Value, at: &str, depth: usize, bounds: &mut Map<String, Value>) {
    // Blocks do not contain themselves today; should one ever, this ends all the same.
    if depth > DEEPEST {
        return;
    }
    let properties = block.get("properties").and_then(Value::as_object);
    for (name, field) in properties.into_iter().flatten() {
        let path = match at {
            "" => name.clone(),
            at => format!("{at}.{name}"),
        };
        let found: Map<String, Value> = BOUNDS
            .iter()
            .filter_map(|key| Some(((*key).to_owned(), field.get(key)?.clone())))
            .collect();
        if !found.is_empty() {
            bounds.insert(path.clone(), Value::Object(found));
        }
        for (inner, suffix) in [
            (Some(field), ""),
            (field.get("items"), "[]"),
            (field.get("additionalProperties"), ".*"),
        ] {
            if let Some(inner) = inner.and_then(|inner| referred(schema, inner)) {
                collect(schema, inner, &format!("{path}{suffix}"), depth + 1, bounds);
            }
        }
    }
}

/// The type that a description refers to.
fn referred<'s>(schema: &'s Value, described: &'s Value) -> Option<&'s Value> {
    let reference = described
        .get("$ref")
        .or_else(|| described.pointer("/allOf/0/$ref"))?;
    schema.pointer(reference.as_str()?.strip_prefix('#')?)
}

/// Written from the document's types; a test of the library fails where it is not what they say.
const SCHEMA: &str = include_str!("../../../docs/schema.json");

const BOUNDS: [&str; 7] = [
    "minimum",
    "maximum",
    "default",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
];

const DEEPEST: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_told_by_path_with_their_defaults() {
        let bounds = bounds(&schema());
        for path in ["timeoutMs", "retries"] {
            let told = &bounds[path];
            for key in ["minimum", "maximum", "default"] {
                assert!(told.get(key).is_some(), "{path}: {told}");
            }
        }
        let nested: Vec<&String> = bounds.keys().filter(|path| path.contains('.')).collect();
        assert!(nested.len() > 20, "{nested:?}");
        assert!(bounds.contains_key("trafficSplit[].weight"), "{nested:?}");
    }
}
