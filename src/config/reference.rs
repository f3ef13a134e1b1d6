//! The reference page of the route document, written from its [schema](super::schema): what a type says about itself is
//! said once.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::{
    presets::PRESETS,
    schema::{blocks, definition, json_schema, properties},
};

/// The page, as Markdown.
pub fn reference() -> String {
    let schema = json_schema();
    let blocks = blocks();
    let mut page = String::from(OPENING);
    for (block, names) in &blocks {
        page.push_str(&section(&schema, block));
        page.push_str(&members(&schema, block, names));
    }
    page.push_str("\n## Values\n");
    for name in definitions(&schema) {
        if blocks.iter().all(|(block, _)| *block != name) {
            page.push_str(&section(&schema, name));
            page.push_str(&values(&schema, name));
        }
    }
    page.push_str(&presets());
    page
}

/// The heading of a type and what it is.
fn section(schema: &Value, name: &str) -> String {
    let description = definition(schema, name).map_or("", description);
    let heading = places(schema, name);
    format!(
        "\n<a id=\"{}\"></a>\n### {heading}\n\n{description}\n",
        anchor(name)
    )
}

/// Where a type stands in the document, seen from a route where it stands in one.
fn places(schema: &Value, name: &str) -> String {
    match name {
        "Document" => return "The document".to_owned(),
        "RouteDocument" => return "A route".to_owned(),
        "Defaults" => return "`defaults`".to_owned(),
        "TableCache" => return "`cache` of the document".to_owned(),
        "DescribedKey" => return "An entry of `access.keys`, described".to_owned(),
        _ => {}
    }
    let mut found: Vec<String> = Vec::new();
    for (block, names) in blocks() {
        if block == "Defaults" {
            continue;
        }
        for member in names {
            let inner = properties(schema, block).and_then(|members| members.get(member));
            let Some(suffix) = inner.and_then(|inner| suffix(inner, name)) else {
                continue;
            };
            let outer = match block {
                "Document" | "RouteDocument" => String::new(),
                _ => format!("{}.", places(schema, block).replace('`', "")),
            };
            found.push(format!("`{outer}{member}{suffix}`"));
        }
    }
    found.join(", ")
}

/// How `member` leads to the type `name`: directly, as an element of a list, or as an entry of a map.
fn suffix(member: &Value, name: &str) -> Option<&'static str> {
    let is = |value: &Value| reference_of(value).is_some_and(|target| target == name);
    if is(member) {
        Some("")
    } else if member.get("items").is_some_and(is) {
        Some("[]")
    } else if member.get("additionalProperties").is_some_and(is) {
        Some(".*")
    } else {
        None
    }
}

/// The table of a block's members.
fn members(schema: &Value, block: &str, names: &[&str]) -> String {
    let nothing = Map::new();
    let described = properties(schema, block).unwrap_or(&nothing);
    let required: Vec<&str> = definition(schema, block)
        .and_then(|block| block.get("required"))
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    if block == "Defaults" {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        return format!("\nIt may hold {}.\n", names.join(", "));
    }
    let mut table = String::from("\n| key | type | meaning |\n| --- | --- | --- |\n");
    for name in names {
        let Some(member) = described.get(*name) else {
            continue;
        };
        let mark = if required.contains(name) { " *" } else { "" };
        // Writing to a text cannot fail.
        let _ = writeln!(
            table,
            "| `{name}`{mark} | {} | {} |",
            kind(schema, member),
            description(member)
        );
    }
    if !required.is_empty() {
        table.push_str("\n\\* required\n");
    }
    table
}

/// The table of a type's alternatives.
fn values(schema: &Value, name: &str) -> String {
    let alternatives = definition(schema, name)
        .map(alternatives)
        .unwrap_or_default();
    let mut table = String::from("\n| value | meaning |\n| --- | --- |\n");
    for alternative in alternatives {
        let _ = writeln!(
            table,
            "| {} | {} |",
            kind(schema, alternative),
            description(alternative)
        );
    }
    table
}

/// The table of presets.
fn presets() -> String {
    let mut table = String::from(
        "\n## Presets\n\nTimes that suit a kind of upstream, to be copied into a route. A route can have both.\n\n| preset | for | fields |\n| --- | --- | --- |\n",
    );
    for preset in PRESETS {
        let fields = serde_json::to_value(preset.timing).unwrap_or_default();
        let fields: Vec<String> = fields
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, value)| format!("`\"{name}\": {value}`"))
            .collect();
        let _ = writeln!(
            table,
            "| `{}` | {} | {} |",
            preset.name,
            preset.purpose,
            fields.join(", ")
        );
    }
    table
}

/// What may be written for a value.
fn kind(schema: &Value, value: &Value) -> String {
    if let Some(target) = reference_of(value) {
        return kind_of_reference(schema, target);
    }
    if let Some(only) = value.get("const") {
        return format!("`{only}`");
    }
    if let Some(choices) = value.get("enum").and_then(Value::as_array) {
        let choices: Vec<String> = choices.iter().map(|choice| format!("`{choice}`")).collect();
        return choices.join(", ");
    }
    match value.get("type").and_then(Value::as_str) {
        Some("string") => "text".to_owned(),
        Some("integer") => "whole number".to_owned(),
        Some("number") => "number".to_owned(),
        Some("boolean") => "true or false".to_owned(),
        Some("array") => {
            let items = value.get("items").map(|items| kind(schema, items));
            format!("list of {}", items.unwrap_or_default())
        }
        Some("object") => match value.get("additionalProperties") {
            Some(entries) => format!("object, name to {}", kind(schema, entries)),
            None => shape(schema, value),
        },
        _ => String::new(),
    }
}

fn kind_of_reference(schema: &Value, target: &str) -> String {
    let link = |text: &str| format!("[{text}](#{})", anchor(target));
    if properties(schema, target).is_some() {
        return link("object");
    }
    let alternatives = definition(schema, target)
        .map(alternatives)
        .unwrap_or_default();
    let words: Option<Vec<String>> = alternatives
        .iter()
        .map(|word| word.get("const").map(|word| format!("`{word}`")))
        .collect();
    match words {
        Some(words) => format!("{} ({})", words.join(", "), link("meaning")),
        None => link("one of"),
    }
}

/// An object as an example of itself: `{ "source": "header", "header": text }`.
fn shape(schema: &Value, object: &Value) -> String {
    let required = object.get("required").and_then(Value::as_array);
    let members: Vec<String> = required
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .filter_map(|name| {
            let member = object.get("properties")?.get(name)?;
            Some(format!(
                "\"{name}\": {}",
                kind(schema, member).replace('`', "")
            ))
        })
        .collect();
    format!("`{{ {} }}`", members.join(", "))
}

fn alternatives(definition: &Value) -> Vec<&Value> {
    ["oneOf", "anyOf"]
        .iter()
        .filter_map(|key| definition.get(key)?.as_array())
        .flatten()
        .collect()
}

fn definitions(schema: &Value) -> impl Iterator<Item = &str> {
    schema
        .get("definitions")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(|definitions| definitions.keys().map(String::as_str))
}

/// The type a member refers to.
fn reference_of(value: &Value) -> Option<&str> {
    let wrapped = value.get("allOf").and_then(|all| all.get(0));
    wrapped
        .unwrap_or(value)
        .get("$ref")?
        .as_str()?
        .rsplit('/')
        .next()
}

fn description(value: &Value) -> &str {
    value
        .get("description")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

fn anchor(name: &str) -> String {
    name.to_ascii_lowercase()
}

const OPENING: &str = r##"# Configuration reference

This page is generated from the document types in `src/config/document`; their comments are what is to be edited. The
same facts stand in [schema.json](schema.json), which editors use while one types: refer to it with `$schema`.

A route table is one JSON document. What is not written has its default. A key nobody knows has no effect and is told in
a warning. Everything here has been there since version 0.1; what came later says so.

```json
{
  "version": 1,
  "defaults": { "timeoutMs": 5000 },
  "routes": [
    { "id": "api", "match": { "path": "/api" }, "upstream": "api.example.com", "stripPrefix": true },
    { "id": "site", "match": { "host": "www.example.com" }, "upstream": "origin.example.com", "bodyRewrite": {} }
  ]
}
```

## Blocks
"##;
