//! The dangerous switches of a document, by route.

use std::collections::BTreeMap;

use jouska::table::advice::{Level, Rule, dangers};
use serde_json::{Value, json};

use crate::exchange::Body;

/// The dangerous switches of a document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Dangers {
    routes: BTreeMap<String, Vec<&'static Rule>>,
    defaults: Vec<&'static Rule>,
}

impl Dangers {
    /// Looks at the routes and the defaults as they are written.
    pub(crate) fn of(document: &Value) -> Self {
        let routes = document.get("routes").and_then(Value::as_array);
        Self {
            routes: routes
                .into_iter()
                .flatten()
                .filter_map(|route| {
                    let fired = dangers(route);
                    let id = route.get("id")?.as_str()?.to_owned();
                    (!fired.is_empty()).then_some((id, fired))
                })
                .collect(),
            defaults: document.get("defaults").map(dangers).unwrap_or_default(),
        }
    }

    /// Whether there is anything to confirm.
    pub(crate) fn is_empty(&self) -> bool {
        self.routes.is_empty() && self.defaults.is_empty()
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.routes.values().map(Vec::len).sum::<usize>() + self.defaults.len()
    }

    /// `{ dangers, defaultsDangers }`.
    pub(crate) fn told(&self) -> Body {
        Body::of(json!({ "dangers": self.routes, "defaultsDangers": self.defaults }))
    }

    /// What fires in one route, the worst first.
    pub(super) fn worst_first(definition: &Value) -> Vec<&'static Rule> {
        let mut fired = dangers(definition);
        fired.sort_by_key(|rule| match rule.level {
            Level::High => 0,
            Level::Medium => 1,
        });
        fired
    }

    /// The rule that fires in `definition` for the field at `path`: its own, or that of the nearest block around it, or
    /// of a block that came as a whole the worst in it.
    pub(super) fn nearest(definition: &Value, path: &str) -> Option<&'static Rule> {
        let fired = Self::worst_first(definition);
        let is_around = |rule: &&&Rule| is_within(path, rule.place());
        fired
            .iter()
            .filter(is_around)
            .max_by_key(|rule| rule.place().len())
            .or_else(|| fired.iter().find(|rule| is_within(rule.place(), path)))
            .copied()
    }
}

/// Whether a path is `block` or leads into it.
fn is_within(path: &str, block: &str) -> bool {
    path.strip_prefix(block)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_are_told_by_route_and_in_the_defaults() {
        let document = json!({
            "defaults": { "scheme": "http" },
            "routes": [
                { "id": "a", "scheme": "http", "allowPrivateUpstream": true },
                { "id": "b", "upstream": "b.example.com" },
            ],
        });
        let told = Value::from(Dangers::of(&document).told());
        let paths = |list: &Value| -> Vec<String> {
            list.as_array()
                .unwrap()
                .iter()
                .map(|rule| rule["path"].as_str().unwrap().to_owned())
                .collect()
        };
        assert_eq!(
            paths(&told["dangers"]["a"]),
            ["allowPrivateUpstream", "scheme"]
        );
        assert_eq!(told["dangers"].get("b"), None);
        assert_eq!(paths(&told["defaultsDangers"]), ["scheme"]);
        assert!(Dangers::of(&json!({ "routes": [{ "id": "b" }] })).is_empty());
    }

    #[test]
    fn a_field_carries_the_rule_of_the_nearest_block_around_it() {
        let route = json!({
            "respond": { "redirect": { "to": "https://a/", "allowExternal": true }, "status": 301 },
            "bodyRewrite": { "inject": { "headEnd": "<script>" }, "links": true },
        });
        for (path, expected) in [
            (
                "respond.redirect.allowExternal",
                Some("respond.redirect.allowExternal"),
            ),
            ("respond.redirect.to", Some("respond")),
            ("respond", Some("respond")),
            ("bodyRewrite.inject.headEnd", Some("bodyRewrite.inject")),
            ("bodyRewrite.links", None),
            ("bodyRewrite", Some("bodyRewrite.inject")),
            ("respondents", None),
        ] {
            let rule = Dangers::nearest(&route, path).map(|rule| rule.path);
            assert_eq!(rule, expected, "{path}");
        }
    }
}
