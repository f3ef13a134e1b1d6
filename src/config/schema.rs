//! The JSON Schema of the route document, out of its types: editors complete and check with it, the panel serves it,
//! and the [reference page](super::reference) is written from it.
//!
//! It says of every member what it means, of what type it is, its bounds and its default. It does not say what only
//! the stages know, such as the grammar of an upstream or which members may not meet: a document can satisfy the schema
//! and be refused, and one that is accepted may hold keys the schema does not know.

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::{
    document::{
        Access, BodyRewrite, Cache, CacheKey, CloudflareAccess, Condition, Cors, Defaults,
        DescribedKey, Document, ErrorPage, Failover, ForwardAuth, HeaderRules, Inject, Ip, Limits,
        Match, Meta, Mirror, Outlier, RateLimit, Referer, Replace, RequestIdOptions, RequestPolicy,
        Respond, RespondRedirect, RouteDocument, SignedLink, SplitEntry, StaleIfError, TableCache,
    },
    reader::names_of,
};

/// The schema (JSON Schema draft 7, which every editor reads).
pub fn json_schema() -> Value {
    let mut schema = SchemaSettings::draft07()
        .into_generator()
        .into_root_schema_for::<Document>()
        .to_value();
    tidy(&mut schema);
    describe_defaults(&mut schema);
    schema
}

/// The blocks of the document in reading order, each with the names of its members in reading order.
pub(super) fn blocks() -> Vec<(&'static str, Vec<&'static str>)> {
    vec![
        ("Document", names_of::<Document>()),
        ("Meta", names_of::<Meta>()),
        ("TableCache", names_of::<TableCache>()),
        ("Defaults", names_of::<Defaults>()),
        ("RouteDocument", names_of::<RouteDocument>()),
        ("Match", names_of::<Match>()),
        ("Condition", names_of::<Condition>()),
        ("SplitEntry", names_of::<SplitEntry>()),
        ("Failover", names_of::<Failover>()),
        ("Outlier", names_of::<Outlier>()),
        ("Limits", names_of::<Limits>()),
        ("Respond", names_of::<Respond>()),
        ("RespondRedirect", names_of::<RespondRedirect>()),
        ("ErrorPage", names_of::<ErrorPage>()),
        ("Mirror", names_of::<Mirror>()),
        ("HeaderRules", names_of::<HeaderRules>()),
        ("Cache", names_of::<Cache>()),
        ("StaleIfError", names_of::<StaleIfError>()),
        ("CacheKey", names_of::<CacheKey>()),
        ("BodyRewrite", names_of::<BodyRewrite>()),
        ("Replace", names_of::<Replace>()),
        ("Inject", names_of::<Inject>()),
        ("Cors", names_of::<Cors>()),
        ("RequestPolicy", names_of::<RequestPolicy>()),
        ("Ip", names_of::<Ip>()),
        ("Referer", names_of::<Referer>()),
        ("RateLimit", names_of::<RateLimit>()),
        ("SignedLink", names_of::<SignedLink>()),
        ("Access", names_of::<Access>()),
        ("CloudflareAccess", names_of::<CloudflareAccess>()),
        ("DescribedKey", names_of::<DescribedKey>()),
        ("ForwardAuth", names_of::<ForwardAuth>()),
        ("RequestIdOptions", names_of::<RequestIdOptions>()),
    ]
}

/// Takes out what stands for Rust's types and not for the document: a member may be absent, but never null, a whole
/// number has no width and where it is one of a few no least one, and a description is not broken where its source is.
fn tidy(schema: &mut Value) {
    match schema {
        Value::Array(schemas) => schemas.iter_mut().for_each(tidy),
        Value::Object(schema) => {
            schema.values_mut().for_each(tidy);
            if let Some(Value::String(description)) = schema.get_mut("description") {
                *description = description.replace('\n', " ");
            }
            if schema
                .get("format")
                .and_then(Value::as_str)
                .is_some_and(|format| matches!(format, "uint64" | "double"))
            {
                schema.remove("format");
            }
            if schema.contains_key("enum") || schema.contains_key("const") {
                schema.remove("minimum");
            }
            if let Some(Value::Array(types)) = schema.get_mut("type") {
                types.retain(|kind| kind != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    schema.insert("type".to_owned(), only);
                }
            }
            if let Some(Value::Array(choices)) = schema.get_mut("anyOf") {
                choices.retain(|choice| choice.get("type").is_none_or(|kind| kind != "null"));
                if let [Value::Object(only)] = choices.as_slice() {
                    let only = only.clone();
                    schema.remove("anyOf");
                    adopt(schema, only);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Puts a schema in the place of the choice that had only it left. In draft 7 a reference hides what stands beside it,
/// so it is wrapped.
fn adopt(schema: &mut Map<String, Value>, only: Map<String, Value>) {
    if only.contains_key("$ref") {
        let wrapped = Value::Array(vec![Value::Object(only)]);
        schema.insert("allOf".to_owned(), wrapped);
    } else {
        schema.extend(only);
    }
}

/// Says of each default what is said of the route's own value.
fn describe_defaults(schema: &mut Value) {
    let route = properties(schema, "RouteDocument").cloned();
    let Some(Value::Object(defaults)) = schema.pointer_mut("/definitions/Defaults/properties")
    else {
        return;
    };
    for (name, described) in defaults {
        if let Some(same) = route.as_ref().and_then(|route| route.get(name)) {
            described.clone_from(same);
        }
    }
}

/// The members of a block.
pub(super) fn properties<'s>(schema: &'s Value, block: &str) -> Option<&'s Map<String, Value>> {
    definition(schema, block)?.get("properties")?.as_object()
}

/// What is said about a type.
pub(super) fn definition<'s>(schema: &'s Value, name: &str) -> Option<&'s Value> {
    match name {
        "Document" => Some(schema),
        _ => schema.get("definitions")?.get(name),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::config::parse_value;

    #[test]
    fn the_schema_names_what_the_reader_asks_for() {
        let schema = json_schema();
        let blocks = blocks();
        for (block, names) in &blocks {
            let described: BTreeSet<&str> = properties(&schema, block)
                .unwrap()
                .keys()
                .map(String::as_str)
                .collect();
            assert_eq!(described, names.iter().copied().collect(), "{block}");
        }
        for (name, definition) in schema["definitions"].as_object().unwrap() {
            let listed = blocks.iter().any(|(block, _)| block == name);
            assert_eq!(listed, definition.get("properties").is_some(), "{name}");
        }
    }

    #[test]
    fn what_the_schema_describes_is_read_without_a_word() {
        let schema = json_schema();
        for choice in 0..12 {
            let document = sample(&schema, &schema, choice);
            let parsed = parse_value(document.clone());
            let parsed = parsed.unwrap_or_else(|refused| panic!("{document:#}\n{refused}"));
            assert_eq!(parsed.warnings, [], "{document:#}");
        }
    }

    /// A value with everything in it that `described` allows; of several alternatives the one numbered `choice`.
    fn sample(schema: &Value, described: &Value, choice: usize) -> Value {
        let of = |list: &Value| {
            let list = list.as_array().unwrap();
            list[choice % list.len()].clone()
        };
        if let Some(reference) = described["$ref"].as_str() {
            let target = schema.pointer(reference.trim_start_matches('#')).unwrap();
            return sample(schema, target, choice);
        }
        if let Some(only) = described.get("const") {
            return only.clone();
        }
        if let Some(choices) = described.get("enum") {
            return of(choices);
        }
        for key in ["allOf", "oneOf", "anyOf"] {
            if let Some(choices) = described.get(key) {
                return sample(schema, &of(choices), choice);
            }
        }
        match described["type"].as_str().unwrap() {
            "string" => "x".into(),
            "integer" | "number" => described["minimum"].clone(),
            "boolean" => choice.is_multiple_of(2).into(),
            "array" => vec![sample(schema, &described["items"], choice)].into(),
            "object" => match described.get("properties") {
                Some(members) => members
                    .as_object()
                    .unwrap()
                    .iter()
                    .map(|(name, member)| (name.clone(), sample(schema, member, choice)))
                    .collect(),
                None => [(
                    "500",
                    sample(schema, &described["additionalProperties"], choice),
                )]
                .into_iter()
                .map(|(name, entry)| (name.to_owned(), entry))
                .collect(),
            },
            other => panic!("{other}"),
        }
    }

    #[test]
    fn the_prose_gives_the_numbers_of_the_schema() {
        let schema = json_schema();
        for (block, _) in blocks() {
            for (name, member) in properties(&schema, block).unwrap() {
                let description = member["description"].as_str().unwrap();
                for said in numbers(member) {
                    assert!(description.contains(&said), "{block}.{name}: {said}");
                }
            }
        }
    }

    /// How the bounds and the default of a member are written in its description.
    fn numbers(member: &Value) -> Vec<String> {
        let number = |key: &str| member.get(key).and_then(Value::as_u64);
        let mut said = Vec::new();
        match (number("minimum"), number("maximum")) {
            (Some(least), Some(most)) => {
                said.push(format!("{} to {}", grouped(least), grouped(most)))
            }
            (_, None) => {}
            (None, Some(most)) => said.push(grouped(most)),
        }
        for key in ["maxItems", "maxLength"] {
            said.extend(number(key).map(grouped));
        }
        match member.get("default") {
            None => {}
            Some(Value::Number(default)) => {
                said.push(format!("Default: {}.", grouped(default.as_u64().unwrap())));
            }
            Some(Value::Bool(default)) => said.push(format!("Default: {default}.")),
            Some(Value::String(default)) => said.push(format!("Default: `{default}`")),
            Some(_) => said.push("Default: ".to_owned()),
        }
        said
    }

    /// 31,536,000.
    fn grouped(number: u64) -> String {
        let digits = number.to_string();
        let groups: Vec<&str> = digits
            .as_bytes()
            .rchunks(3)
            .rev()
            .map(|group| std::str::from_utf8(group).unwrap())
            .collect();
        groups.join(",")
    }
}
