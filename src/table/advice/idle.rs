//! Slips of the pen that are no mistakes to the compiler: settings without an effect, and names that were given twice.
//! They are told where they are written, in `defaults` once.

use std::collections::{BTreeMap, btree_map::Entry};

use super::{Advice, Kind};
use crate::{
    config::{
        Document, Path,
        document::{Access, BodyRewrite},
    },
    matching::label,
    rewrite,
};

/// What is idle in the defaults and in every route, and routes that go by the id of one above them. It is part of what
/// [`advise`](super::advise) says, for those who ask for the rest elsewhere.
///
/// ```
/// use jouska::{config, table::advice};
///
/// let text = r#"{ "routes": [{ "upstream": "a.example", "bodyRewrite": { "fallbackCharset": "utf8x" } }] }"#;
/// let idle = advice::idle(&config::parse(text).unwrap().document);
/// assert_eq!(idle[0].path, "routes[0].bodyRewrite.fallbackCharset");
/// ```
pub fn idle(document: &Document) -> Vec<Advice> {
    let root = Path::root();
    let mut advice = Vec::new();
    if let Some(defaults) = &document.defaults {
        let at = root.key("defaults");
        advice.extend(blocks(&defaults.access, &defaults.body_rewrite, &at));
    }
    let at = root.key("routes");
    let mut ids: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, route) in document.routes.iter().enumerate() {
        let at = at.index(index);
        let idle = blocks(&route.access, &route.body_rewrite, &at);
        let shared = match route.id.as_deref().map(|id| ids.entry(id)) {
            Some(Entry::Vacant(free)) => {
                free.insert(index);
                None
            }
            Some(Entry::Occupied(first)) => Some(shared_id(first.key(), *first.get(), &at)),
            None => None,
        };
        advice.extend(idle.into_iter().chain(shared).map(|told| Advice {
            route: Some(label(route, index)),
            ..told
        }));
    }
    advice
}

fn blocks(
    access: &Option<Access>,
    body_rewrite: &Option<BodyRewrite>,
    at: &Path<'_>,
) -> Vec<Advice> {
    let header = access
        .as_ref()
        .filter(|access| access.header.is_some() && access.keys.is_none())
        .map(|_| {
            no_effect(
                &at.key("access").key("header"),
                "it names the header that keys are looked for in, and there are no keys, so it has no effect; write \"keys\" beside it, or delete it".to_owned(),
            )
        });
    let charset = body_rewrite
        .as_ref()
        .and_then(|rewrite| rewrite.fallback_charset.as_deref())
        .filter(|charset| !rewrite::reads_charset(charset))
        .map(|charset| {
            no_effect(
                &at.key("bodyRewrite").key("fallbackCharset"),
                format!(
                    "no charset is known by the name {charset:?}, so it has no effect; write one as browsers know it, such as \"windows-1252\" or \"gb18030\""
                ),
            )
        });
    header.into_iter().chain(charset).collect()
}

fn no_effect(at: &Path<'_>, message: String) -> Advice {
    Advice {
        path: at.to_string(),
        route: None,
        kind: Kind::NoEffect,
        message,
    }
}

fn shared_id(id: &str, first: usize, at: &Path<'_>) -> Advice {
    Advice {
        path: at.key("id").to_string(),
        route: None,
        kind: Kind::SharedId { first },
        message: format!(
            "routes[{first}] goes by the id {id:?} too, so the two share their rate limits and what is remembered of failing upstreams, and no log tells them apart; give one of them another id"
        ),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::config::parse_value;

    #[track_caller]
    fn check(tree: &Value, expected: &[(&str, Option<&str>, Kind)]) {
        let told = idle(&parse_value(tree.clone()).unwrap().document);
        let told: Vec<_> = told
            .iter()
            .map(|told| (told.path.as_str(), told.route.as_deref(), told.kind.clone()))
            .collect();
        assert_eq!(told, expected, "{tree}");
    }

    #[test]
    fn a_header_for_keys_that_are_not_there_is_told() {
        let cloudflare = json!({ "team": "t", "audience": "a" });
        let idle = json!({ "cloudflare": cloudflare, "header": "x-key" });
        check(
            &json!({ "defaults": { "access": idle }, "routes": [{ "id": "a" }, { "id": "b", "access": idle }] }),
            &[
                ("defaults.access.header", None, Kind::NoEffect),
                ("routes[1].access.header", Some("b"), Kind::NoEffect),
            ],
        );
        check(
            &json!({ "routes": [{ "access": { "keys": [], "header": "x-key" } }, { "access": { "cloudflare": cloudflare } }] }),
            &[],
        );
    }

    #[test]
    fn a_charset_nobody_knows_is_told() {
        for (charset, known) in [
            ("utf8x", false),
            ("replacement", false),
            ("UTF8", true),
            ("gb2312", true),
        ] {
            let rewrite = json!({ "bodyRewrite": { "fallbackCharset": charset } });
            let path = "defaults.bodyRewrite.fallbackCharset";
            let told = [(path, None, Kind::NoEffect)];
            check(
                &json!({ "defaults": rewrite, "routes": [{}] }),
                if known { &[] } else { &told },
            );
        }
    }

    #[test]
    fn an_id_is_told_wherever_it_stands_again() {
        let routes = json!([{ "id": "a" }, { "id": "b" }, {}, { "id": "a" }, {}, { "id": "a" }]);
        let again = Kind::SharedId { first: 0 };
        check(
            &json!({ "routes": routes }),
            &[
                ("routes[3].id", Some("a"), again.clone()),
                ("routes[5].id", Some("a"), again),
            ],
        );
    }
}
