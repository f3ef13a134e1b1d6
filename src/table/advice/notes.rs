//! Settings that work as written and cost something one may not have thought of. They read routes with the defaults
//! folded in.

use std::collections::BTreeSet;

use super::{Advice, Kind};
use crate::{
    config::{
        Document, Issues, Origin, Path,
        defaults::fold,
        document::{Cache, Condition, KeyQuery, RouteDocument},
        origin::Place,
    },
    matching::label,
    net::Upstream,
};

/// Notes on every route that forwards; one that answers by itself stores nothing and has no links. They are part of what
/// [`advise`](super::advise) says, for those who ask for the rest elsewhere.
///
/// ```
/// use jouska::{config, table::advice};
///
/// let text = r#"{ "routes": [{ "match": { "path": "/" }, "upstream": "www.example.net" }] }"#;
/// let notes = advice::notes(&config::parse(text).unwrap().document);
/// assert_eq!(notes[0].path, "routes[0].upstream");
/// ```
pub fn notes(document: &Document) -> Vec<Advice> {
    let defaults = document.defaults.clone().unwrap_or_default();
    let root = Path::root();
    let at = root.key("routes");
    let mut advice = Vec::new();
    for (index, route) in document.routes.iter().enumerate() {
        if route.respond.is_some() {
            continue;
        }
        let at = at.index(index);
        // What folding has to say was said when the table was compiled.
        let mut folded = route.clone();
        let origin = fold(
            &defaults,
            &mut folded,
            Place::Route(index),
            &mut Issues::default(),
        );
        let notes = [
            cache_vary(&folded, &at),
            signed_link_cache(&folded, &origin, &at),
            links_not_rewritten(&folded, &at),
        ];
        advice.extend(notes.into_iter().flatten().map(|note| Advice {
            route: Some(label(route, index)),
            ..note
        }));
    }
    advice
}

fn cache_vary(route: &RouteDocument, at: &Path<'_>) -> Option<Advice> {
    enabled_cache(route)?;
    let asked = route.r#match.as_ref()?;
    let names = |list: &Option<Vec<Condition>>| {
        list.iter()
            .flatten()
            .filter_map(|condition| condition.name.clone())
            .collect::<Vec<String>>()
    };
    let headers: Vec<String> = names(&asked.headers)
        .iter()
        .map(|name| name.to_ascii_lowercase())
        .collect();
    let cookies = names(&asked.cookies);
    let (family, consequence) = if !headers.is_empty() {
        (
            "headers",
            "every distinct value has stored answers of its own, so with many values hardly any request finds one",
        )
    } else if !cookies.is_empty() {
        (
            "cookies",
            "requests with a cookie are always sent to the upstream, so that only visitors without any are answered from the cache",
        )
    } else {
        return None;
    };
    let mut seen = BTreeSet::new();
    let names: Vec<String> = headers
        .into_iter()
        .chain(cookies)
        .filter(|name| seen.insert(name.clone()))
        .collect();
    Some(Advice {
        path: at.key("match").key(family).to_string(),
        route: None,
        message: format!(
            "this route stores answers and is chosen by {}; {consequence}",
            quoted(&names)
        ),
        kind: Kind::CacheVary { names },
    })
}

fn signed_link_cache(route: &RouteDocument, origin: &Origin, at: &Path<'_>) -> Option<Advice> {
    let cache = enabled_cache(route)?;
    let signed = route.signed_link.as_ref()?;
    let param = signed.param.as_deref().unwrap_or("sig");
    let expires_param = signed.expires_param.as_deref().unwrap_or("exp");
    let query = cache.key.as_ref().and_then(|key| key.query.as_ref());
    let has = |names: &[String], name: &str| names.iter().any(|own| own == name);
    let told_apart = match query {
        None | Some(KeyQuery::All) => true,
        Some(KeyQuery::None) => false,
        Some(KeyQuery::Ignore { ignore }) => !(has(ignore, param) && has(ignore, expires_param)),
        Some(KeyQuery::Include { include }) => has(include, param) || has(include, expires_param),
    };
    if !told_apart {
        return None;
    }
    let root = Path::root();
    let defaults = root.key("defaults");
    let place = if origin.inherits("cache") {
        &defaults
    } else {
        at
    };
    let way_out = match query {
        Some(KeyQuery::Include { .. }) => {
            format!("take \"{param}\" and \"{expires_param}\" out of \"key.query.include\"")
        }
        _ => format!(
            "write \"key\": {{ \"query\": {{ \"ignore\": [\"{param}\", \"{expires_param}\"] }} }} into \"cache\"; signatures are checked before the cache is asked"
        ),
    };
    Some(Advice {
        path: place.key("cache").to_string(),
        route: None,
        message: format!(
            "every signed link has its own \"{param}\" and \"{expires_param}\", so a stored answer is found only by the very link it was fetched with; {way_out}"
        ),
        kind: Kind::SignedLinkCache {
            param: param.to_owned(),
            expires_param: expires_param.to_owned(),
        },
    })
}

fn links_not_rewritten(route: &RouteDocument, at: &Path<'_>) -> Option<Advice> {
    let path = route
        .r#match
        .as_ref()
        .and_then(|asked| asked.path.as_deref());
    let whole_site =
        path.is_none_or(|path| path.trim_end_matches('*').trim_matches('/').is_empty());
    if !whole_site || route.body_rewrite.is_some() {
        return None;
    }
    let (place, upstream) = first_upstream(route, at)?;
    let upstream = Upstream::parse(&upstream).ok()?.authority().to_owned();
    Some(Advice {
        path: place,
        route: None,
        message: format!(
            "this route serves a whole site and rewrites no links, so links in its pages that name {upstream} lead visitors away from the proxy; write \"bodyRewrite\": {{}} to keep them here, or \"bodyRewrite\": {{ \"rewriteLinks\": false }} if this is meant"
        ),
        kind: Kind::LinksNotRewritten { upstream },
    })
}

/// The first candidate, and where it stands.
fn first_upstream(route: &RouteDocument, at: &Path<'_>) -> Option<(String, String)> {
    if let Some(upstream) = &route.upstream {
        return Some((at.key("upstream").to_string(), upstream.clone()));
    }
    if let Some(first) = route.upstreams.as_deref().and_then(<[String]>::first) {
        return Some((at.key("upstreams").index(0).to_string(), first.clone()));
    }
    let first = route.traffic_split.as_deref()?.first()?.upstream.clone()?;
    let split = at.key("trafficSplit");
    Some((split.index(0).key("upstream").to_string(), first))
}

fn enabled_cache(route: &RouteDocument) -> Option<&Cache> {
    route
        .cache
        .as_ref()
        .filter(|cache| cache.enabled.unwrap_or(true))
}

/// `"a", "b" and "c"`.
fn quoted(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    match names.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        names => names.concat(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::config::parse_value;

    /// Checks what is noted about a table of these defaults and this one route: path, kind and the kind's own data.
    #[track_caller]
    fn check(defaults: Value, route: Value, expected: &[Value]) {
        let tree = json!({ "defaults": defaults, "routes": [route] });
        let document = parse_value(tree.clone()).unwrap().document;
        let mut notes: Vec<Value> = notes(&document)
            .into_iter()
            .map(|advice| serde_json::to_value(advice).unwrap())
            .collect();
        for note in &mut notes {
            let note = note.as_object_mut().unwrap();
            assert!(note.remove("message").is_some());
            assert!(note.remove("route").is_some());
        }
        assert_eq!(notes, expected, "{tree}");
    }

    fn route(more: Value) -> Value {
        let mut route = json!({ "match": { "path": "/a" }, "upstream": "a.example.com" });
        let fields = more.as_object().unwrap().clone();
        route.as_object_mut().unwrap().extend(fields);
        route
    }

    #[test]
    fn names_that_tell_stored_answers_apart_are_noted_once_each() {
        let asked = json!({
            "path": "/",
            "headers": [{ "name": "X-Env", "equals": "a" }, { "name": "x-env", "prefix": "a" }],
            "cookies": [{ "name": "beta", "present": true }, { "name": "x-env", "present": true }],
            "query": [{ "name": "q", "present": true }],
        });
        let rewriting = json!({ "bodyRewrite": {} });
        let noted = json!({
            "path": "routes[0].match.headers",
            "kind": "cache_vary",
            "names": ["x-env", "beta"],
        });
        check(
            rewriting.clone(),
            route(json!({ "match": asked, "cache": {} })),
            std::slice::from_ref(&noted),
        );
        check(
            json!({ "bodyRewrite": {}, "cache": {} }),
            route(json!({ "match": asked })),
            &[noted],
        );
        let cookie = json!({ "path": "/a", "cookies": [{ "name": "beta", "present": true }] });
        check(
            json!({}),
            route(json!({ "match": cookie, "cache": {} })),
            &[json!({
                "path": "routes[0].match.cookies",
                "kind": "cache_vary",
                "names": ["beta"],
            })],
        );
        for quiet in [
            json!({ "match": asked }),
            json!({ "match": asked, "cache": { "enabled": false } }),
            json!({ "cache": {}, "match": { "path": "/a", "query": [{ "name": "q", "present": true }] } }),
        ] {
            check(rewriting.clone(), route(quiet), &[]);
        }
    }

    #[test]
    fn signed_links_that_never_meet_in_the_cache_are_noted() {
        let signed = json!({ "secretBinding": "S", "param": "s" });
        let noted = |path: &str| {
            json!({
                "path": path,
                "kind": "signed_link_cache",
                "param": "s",
                "expiresParam": "exp",
            })
        };
        for (query, apart) in [
            (json!("all"), true),
            (json!("none"), false),
            (json!({ "ignore": ["s"] }), true),
            (json!({ "ignore": ["exp", "s", "x"] }), false),
            (json!({ "include": ["x"] }), false),
            (json!({ "include": ["exp"] }), true),
        ] {
            let cache = json!({ "key": { "query": query } });
            let expected = [noted("routes[0].cache")];
            check(
                json!({}),
                route(json!({ "signedLink": signed, "cache": cache })),
                if apart { &expected } else { &[] },
            );
        }
        check(
            json!({ "cache": {} }),
            route(json!({ "signedLink": signed })),
            &[noted("defaults.cache")],
        );
        check(
            json!({}),
            route(json!({ "signedLink": signed, "cache": { "enabled": false } })),
            &[],
        );
    }

    #[test]
    fn a_whole_site_whose_links_lead_away_is_noted() {
        let noted = |path: &str, upstream: &str| {
            json!({
                "path": path,
                "kind": "links_not_rewritten",
                "upstream": upstream,
            })
        };
        let host = json!({ "host": "m.example.com" });
        for (asked, whole) in [
            (host.clone(), true),
            (json!({ "path": "/" }), true),
            (json!({ "path": "/*" }), true),
            (json!({ "path": "/a" }), false),
        ] {
            let expected = [noted("routes[0].upstream", "a.example.com:8443")];
            check(
                json!({}),
                json!({ "match": asked, "upstream": "A.example.com:8443/base" }),
                if whole { &expected } else { &[] },
            );
        }
        check(
            json!({}),
            json!({ "match": host, "upstreams": ["a.example.com", "b.example.com"] }),
            &[noted("routes[0].upstreams[0]", "a.example.com")],
        );
        check(
            json!({}),
            json!({ "match": host, "trafficSplit": [{ "upstream": "a.example.com/x", "weight": 1 }] }),
            &[noted("routes[0].trafficSplit[0].upstream", "a.example.com")],
        );
        for (defaults, quiet) in [
            (
                json!({}),
                json!({ "bodyRewrite": { "rewriteLinks": false } }),
            ),
            (json!({ "bodyRewrite": {} }), json!({})),
        ] {
            check(defaults, route(quiet), &[]);
        }
        check(
            json!({}),
            json!({ "match": host, "respond": { "status": 503 } }),
            &[],
        );
    }
}
