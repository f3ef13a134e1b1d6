//! What tells one route's stored responses from another's: a hash of everything the route says.
//!
//! Stored bytes were made by a route as it was then. Hashing the whole of it, and not a list of the fields that matter,
//! leaves no field to forget: an edit that changes nothing about responses costs a cold cache, a forgotten field would
//! serve the wrong bytes.

use std::fmt;

use crate::{
    config::{Document, RouteDocument},
    hash::fnv1a_and_djb2,
};

/// The fingerprint of a route, 16 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint {
    high: u32,
    low: u32,
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}{:08x}", self.high, self.low)
    }
}

/// Takes the fingerprint of a folded route and of the table's cache epoch.
pub fn fingerprint(route: &RouteDocument, epoch: Option<&str>) -> Fingerprint {
    // Members come in the order of the types and maps are sorted, so equal routes are equal texts. Nothing in a route
    // can fail to serialize; if something could, its debug text would serve as well within one build.
    let route = serde_json::to_string(route).unwrap_or_else(|_| format!("{route:?}"));
    let text = match epoch {
        Some(epoch) => format!("{route}{epoch}"),
        None => route,
    };
    let (high, low) = fnv1a_and_djb2(&text);
    Fingerprint { high, low }
}

/// The epoch of a document's cache, if it has one.
pub fn epoch(document: &Document) -> Option<&str> {
    document
        .cache
        .as_ref()
        .and_then(|cache| cache.epoch.as_deref())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::config::{document::samples, parse_value};

    fn of(text: &str, epoch: Option<&str>) -> String {
        let route: serde_json::Value = serde_json::from_str(text).unwrap();
        let parsed = parse_value(json!({ "routes": [route] })).unwrap();
        fingerprint(&parsed.document.routes[0], epoch).to_string()
    }

    #[test]
    fn the_order_of_keys_does_not_count() {
        let one = of(
            r#"{ "upstream": "a", "requestHeaders": { "set": { "a": "1", "b": "2" } } }"#,
            None,
        );
        let other = of(
            r#"{ "requestHeaders": { "set": { "b": "2", "a": "1" } }, "upstream": "a" }"#,
            None,
        );
        assert_eq!(one, other);
        assert_eq!(one.len(), 16);
    }

    #[test]
    fn every_value_counts() {
        let document = samples::everything();
        let whole = serde_json::to_value(&document.routes[0]).unwrap();
        let mut seen = vec![fingerprint(&document.routes[0], None)];
        for name in whole.as_object().unwrap().keys() {
            let mut less = whole.clone();
            less.as_object_mut().unwrap().remove(name);
            let parsed = parse_value(json!({ "routes": [less] })).unwrap();
            let print = fingerprint(&parsed.document.routes[0], None);
            assert!(!seen.contains(&print), "{name}");
            seen.push(print);
        }
    }

    #[test]
    fn another_epoch_leaves_all_entries_behind() {
        let route = r#"{ "upstream": "a" }"#;
        assert_ne!(of(route, None), of(route, Some("1")));
        assert_ne!(of(route, Some("1")), of(route, Some("2")));
        assert_eq!(of(route, Some("1")), of(route, Some("1")));
    }

    #[test]
    fn a_release_keeps_the_entries_of_the_one_before() {
        assert_eq!(
            of(
                r#"{ "match": { "path": "/" }, "upstream": "a.example.com" }"#,
                Some("1")
            ),
            "73c4b6c8b92bc996"
        );
    }
}
