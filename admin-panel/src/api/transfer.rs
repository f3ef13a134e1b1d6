//! `/api/export` and `/api/import`: whole tables, out and into the draft.

use http::{HeaderValue, header};
use jouska::config::{self, CONFIG_VERSION};
use serde_json::{Map, Value, json};

use super::Call;
use crate::{
    draft::{Broken, Refusal, Routes, Snapshot, diff, rows},
    edit::{check_id, check_size},
    exchange::{Body, ErrorCode, Outcome, Refused, Reply, digits},
    limits,
    publish::{expected_digest, live, snapshot},
    store::{
        audit::Line,
        draft::{self, Draft, Reset},
        revisions,
    },
};

/// A table as one document that the proxy, the command line and an import read.
pub(super) async fn export(call: Call) -> Outcome {
    let outside = &*call.visit.outside;
    let query = call.query();
    let told = match query.get("source") {
        None | Some("draft") => {
            let document = draft::read(outside).await?.document();
            json!({ "source": "draft", "document": document })
        }
        Some("live") => {
            let (live, snapshot) = live(&draft::read(outside).await?)?;
            json!({ "source": "live", "revision": live.revision, "document": snapshot.document })
        }
        Some("kv") => published(outside.published().await)?,
        Some(other) => {
            let revision = digits(other).filter(|number| *number >= 1).ok_or_else(|| {
                Refused::invalid(
                    "source: expected \"draft\", \"live\", \"kv\" or the number of a revision",
                )
            })?;
            let [text] = revisions::documents(outside, [revision]).await?;
            let snapshot = snapshot(text.as_deref(), &format!("revision {revision}"))?;
            json!({ "source": "revision", "revision": revision, "document": snapshot.document })
        }
    };
    let named = HeaderValue::from_static("attachment; filename=\"jouska-routes.json\"");
    Ok(Reply::ok(told).with(header::CONTENT_DISPOSITION, named))
}

/// What the proxy reads, with its text as it is: that is what is looked at when something is wrong with it.
fn published(read: Result<Option<String>, String>) -> Result<Value, Refused> {
    let text = read.map_err(|error| {
        let mut refused = Refused::because(
            ErrorCode::KvUnavailable,
            "the key-value store could not be read; try again",
        );
        refused.logged = Some(error);
        refused
    })?;
    let text = text.ok_or_else(|| {
        Refused::not_found("the key-value store has nothing under the key \"routes\"")
    })?;
    match serde_json::from_str(&text) {
        Ok(Value::Object(mut document)) => {
            let meta = document.remove("meta");
            Ok(json!({ "source": "kv", "document": document, "meta": meta, "text": text }))
        }
        Ok(_) | Err(_) => Err(Refused::because(
            ErrorCode::SnapshotCorrupt,
            "what the key-value store has under the key \"routes\" is no document; \"text\" is what it is",
        )
        .with("text", text)),
    }
}

/// Puts a document into the draft, or tells what that would change.
pub(super) async fn import(mut call: Call) -> Outcome {
    let document = call.input.object("document")?;
    let is_trial = call.input.switch("dryRun")?.unwrap_or(false);
    let expected = expected_digest(&call.input)?;
    let outside = &*call.visit.outside;
    let draft = draft::read(outside).await?;
    let before = draft.document();
    let digest = config::digest(&before);
    if expected.is_some_and(|expected| expected != digest) {
        return Err(Refused::because(
            ErrorCode::DraftChanged,
            "the draft is no longer what was looked at; look again",
        )
        .with("digest", digest));
    }
    let Imported {
        snapshot,
        routes,
        ignored,
        assigned,
    } = imported(document, &draft)?;
    let disabled = disabled(&draft, &routes);
    let body = Body::of(json!({
        "ok": true,
        "dryRun": is_trial,
        "digest": digest,
        "changes": diff(&before, &snapshot.document),
        "disabled": disabled,
        "ignored": ignored,
        "assigned": assigned,
        "issues": issues(&snapshot),
        "routeCount": routes.len(),
    }));
    if is_trial {
        return Ok(Reply::ok(body));
    }
    let actor = call.actor();
    let line = Line {
        at: call.visit.now,
        actor: &actor,
        action: "config.import",
        target: Some("draft"),
        detail: json!({ "routeCount": routes.len(), "disabled": disabled }),
    };
    let routes = rows(&routes);
    let back_to = Reset {
        routes: &routes,
        defaults: snapshot.defaults(),
    };
    if !draft::import(outside, &actor, &draft, &back_to, &line).await? {
        return Err(Refused::because(
            ErrorCode::DraftChanged,
            "the draft was edited at this moment; look again",
        ));
    }
    let digest = config::digest(&snapshot.document);
    Ok(Reply::ok(body.with("digest", digest)))
}

/// A document as it goes into the draft.
#[derive(Debug)]
struct Imported {
    snapshot: Snapshot,
    routes: Routes,
    /// What the draft has no place for.
    ignored: Vec<Value>,
    /// Ids that were given to routes without one.
    assigned: Vec<String>,
}

/// Takes a document apart. Routes are not checked beyond what a draft asks of them: it may be half finished.
fn imported(mut document: Map<String, Value>, draft: &Draft) -> Result<Imported, Refused> {
    let version = document.remove("version");
    let current = CONFIG_VERSION;
    if version.is_some_and(|version| version != current) {
        return Err(Refused::invalid(format!(
            "document.version: expected {current}, the only version that can be read"
        )));
    }
    let Some(Value::Array(routes)) = document.remove("routes") else {
        return Err(Refused::invalid(
            "document.routes: expected a list of routes",
        ));
    };
    let defaults = match document.remove("defaults") {
        None => None,
        Some(Value::Object(defaults)) => {
            check_size("document.defaults", &defaults)?;
            (!defaults.is_empty()).then_some(defaults)
        }
        Some(_) => return Err(Refused::invalid("document.defaults: expected an object")),
    };
    document.remove("$schema");
    let ignored = document
        .keys()
        .map(|name| {
            let reason = match name.as_str() {
                "meta" => "it is written when the draft is published",
                _ => "the draft holds routes and defaults, and nothing else",
            };
            json!({ "path": name, "reason": reason })
        })
        .collect();
    let taken: Vec<&str> = draft.rows.iter().map(|row| row.id.as_str()).collect();
    let (routes, assigned) = named(routes, &taken)?;
    let document = Body::of(json!({ "version": current, "routes": routes }))
        .with_some("defaults", defaults)
        .into();
    check_whole(&document)?;
    let snapshot = Snapshot { document };
    let routes = snapshot
        .routes()
        .map_err(|Broken| Refused::invalid("document.routes: expected every id once"))?;
    Ok(Imported {
        snapshot,
        routes,
        ignored,
        assigned,
    })
}

/// Holds the whole to the size that can be published and kept.
fn check_whole(document: &Value) -> Result<(), Refused> {
    let size = document.to_string().len();
    if size <= limits::DOCUMENT {
        return Ok(());
    }
    Err(Refused::invalid(format!(
        "document: expected at most {} bytes as compact JSON; found {size}",
        limits::DOCUMENT
    )))
}

/// The routes, each with an id, and the ids that were given: a route that has none gets one that is free.
fn named(routes: Vec<Value>, taken: &[&str]) -> Result<(Vec<Value>, Vec<String>), Refused> {
    let own: Vec<String> = routes
        .iter()
        .filter_map(|route| Some(route.get("id")?.as_str()?.to_owned()))
        .collect();
    let is_free = |id: &String| !own.contains(id) && !taken.contains(&id.as_str());
    let mut free = (1_u64..)
        .map(|number| format!("route-{number}"))
        .filter(is_free);
    let mut assigned = Vec::new();
    let mut named = Vec::with_capacity(routes.len());
    for (index, route) in routes.into_iter().enumerate() {
        let at = format!("document.routes[{index}]");
        let Value::Object(mut route) = route else {
            return Err(Refused::invalid(format!("{at}: expected an object")));
        };
        match route.get("id") {
            None => {
                let id = free.next().unwrap_or_default();
                route.insert("id".to_owned(), json!(id));
                assigned.push(id);
            }
            Some(Value::String(id)) => check_id(id)?,
            Some(_) => return Err(Refused::invalid(format!("{at}.id: expected a text"))),
        }
        check_size(&at, &route)?;
        named.push(Value::Object(route));
    }
    Ok((named, assigned))
}

/// What publishing would say to it.
fn issues(snapshot: &Snapshot) -> Value {
    match snapshot.compile() {
        Ok(_) => json!([]),
        Err(Refusal { issues, .. }) => json!(issues),
    }
}

/// The routes that the document does not have, of those that are on: they are kept and switched off.
fn disabled<'d>(draft: &'d Draft, routes: &Routes) -> Vec<&'d str> {
    draft
        .rows
        .iter()
        .filter(|row| row.enabled && routes.iter().all(|(id, _)| *id != row.id))
        .map(|row| row.id.as_str())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn import(document: Value) -> Result<Imported, Refused> {
        let document = document.as_object().unwrap().clone();
        imported(document, &Draft::default())
    }

    #[test]
    fn a_document_is_taken_apart_and_what_has_no_place_is_told() {
        let imported = import(json!({
            "$schema": "x", "meta": {}, "cache": { "epoch": "1" }, "defaults": {},
            "routes": [{ "upstream": "a" }, { "id": "route-1", "upstream": "b" }, { "upstream": "c" }],
        }))
        .unwrap();
        let ids: Vec<&String> = imported.routes.iter().map(|(id, _)| id).collect();
        assert_eq!(ids, ["route-2", "route-1", "route-3"]);
        assert_eq!(imported.assigned, ["route-2", "route-3"]);
        let ignored: Vec<&Value> = imported.ignored.iter().map(|told| &told["path"]).collect();
        assert_eq!(ignored, ["cache", "meta"]);
        assert_eq!(imported.snapshot.defaults(), None);
    }

    #[test]
    fn what_no_draft_holds_is_refused() {
        let large = "x".repeat(limits::DEFINITION);
        let many: Vec<Value> = (0..limits::DOCUMENT / 60_000 + 1)
            .map(|index| json!({ "id": format!("r{index}"), "note": "x".repeat(60_000) }))
            .collect();
        for document in [
            json!({}),
            json!({ "routes": {} }),
            json!({ "version": 2, "routes": [] }),
            json!({ "defaults": [], "routes": [] }),
            json!({ "routes": [1] }),
            json!({ "routes": [{ "id": 1 }] }),
            json!({ "routes": [{ "id": "a b" }] }),
            json!({ "routes": [{ "id": "a" }, { "id": "a" }] }),
            json!({ "routes": [{ "id": "a", "note": large }] }),
            json!({ "routes": many }),
        ] {
            assert!(import(document.clone()).is_err(), "{document}");
        }
    }
}
