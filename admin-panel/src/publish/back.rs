//! Going back: an old revision is published anew, or the draft is set back to what is live.

use serde_json::{Value, json};

use super::forth::{Publication, Request, refused};
use crate::{
    draft::{Broken, Refusal, Routes, Snapshot, rows},
    exchange::{ErrorCode, Refused},
    store::{
        Actor,
        audit::Line,
        draft::{self, Draft, Reset},
        revisions,
        settings::Live,
    },
    visit::Visit,
};

/// Publishes an old snapshot as a new revision, and sets the draft back to it.
pub(crate) async fn rollback(
    visit: &Visit,
    actor: &Actor,
    source: u64,
    request: &Request,
) -> Result<Value, Refused> {
    let outside = &*visit.outside;
    let draft = draft::read(outside).await?;
    let [text] = revisions::documents(outside, [source]).await?;
    let snapshot = read(text.as_deref(), &format!("revision {source}"))?;
    let compiled = snapshot.compile().map_err(|Refusal { issues, .. }| {
        refused(ErrorCode::RevisionNotCompatible).with("issues", json!(issues))
    })?;
    let publication = Publication {
        draft: &draft,
        compiled: &compiled,
        rollback_of: Some(source),
    };
    publication.check(visit, request).await?;
    let routes = rows(&taken_apart(&snapshot)?);
    let back_to = Reset {
        routes: &routes,
        defaults: snapshot.defaults(),
    };
    let revision = publication
        .carry_out(visit, actor, request, Some(&back_to))
        .await?;
    Ok(compiled
        .advice()
        .with("ok", true)
        .with("revision", revision)
        .with("sourceRevision", source)
        .with("routeCount", compiled.route_count)
        .into())
}

/// Sets the draft back to what is live. Nothing is published, and nothing is checked: it is the way out of a draft that
/// does not compile.
pub(crate) async fn discard(visit: &Visit, actor: &Actor) -> Result<u64, Refused> {
    let outside = &*visit.outside;
    let draft = draft::read(outside).await?;
    let (live, snapshot) = live(&draft)?;
    if draft.is_whole() && draft.document() == snapshot.document {
        return Err(
            Refused::because(ErrorCode::AlreadyClean, live.revision.to_string())
                .with("revision", live.revision),
        );
    }
    let line = Line {
        at: visit.now,
        actor,
        action: "config.discard",
        target: Some("draft"),
        detail: json!({ "sourceRevision": live.revision }),
    };
    let routes = rows(&taken_apart(&snapshot)?);
    let back_to = Reset {
        routes: &routes,
        defaults: snapshot.defaults(),
    };
    if !revisions::put_back(outside, actor, &draft, &back_to, &line).await? {
        return Err(refused(ErrorCode::PublishConflict));
    }
    Ok(live.revision)
}

fn taken_apart(snapshot: &Snapshot) -> Result<Routes, Refused> {
    snapshot.routes().map_err(|Broken| {
        Refused::because(
            ErrorCode::SnapshotCorrupt,
            "the snapshot's routes have no ids of their own",
        )
    })
}

/// What is live, and its snapshot.
pub(crate) fn live(draft: &Draft) -> Result<(Live, Snapshot), Refused> {
    let live = draft.settings.live().ok_or_else(|| {
        Refused::because(ErrorCode::NothingPublished, "nothing was ever published")
    })?;
    let name = format!("revision {}", live.revision);
    let snapshot = read(draft.live_document.as_deref(), &name)?;
    Ok((live, snapshot))
}

/// Reads the snapshot that is called `name`.
pub(crate) fn read(text: Option<&str>, name: &str) -> Result<Snapshot, Refused> {
    let text = text.ok_or_else(|| {
        Refused::because(
            ErrorCode::SnapshotUnavailable,
            format!("{name}: its snapshot is not kept"),
        )
    })?;
    Snapshot::read(text).map_err(|Broken| {
        Refused::because(
            ErrorCode::SnapshotCorrupt,
            format!("{name}: its snapshot cannot be read"),
        )
    })
}
