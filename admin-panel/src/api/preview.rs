//! `/api/preview`: what publishing would do. It reads the database alone and writes nothing.

use serde_json::{Value, json};

use super::Call;
use crate::{
    draft::{Refusal, Snapshot, diff},
    exchange::{Body, Outcome, Refused, Reply},
    store::draft,
    visit::Visit,
};

pub(super) async fn get(call: Call) -> Outcome {
    preview(&call.visit).await.map(Reply::ok)
}

/// What publishing would do.
pub(crate) async fn preview(visit: &Visit) -> Result<Value, Refused> {
    let draft = draft::read(&*visit.outside).await?;
    let live = draft.settings.live();
    let live_told = live
        .as_ref()
        .map(|live| json!({ "revision": live.revision }));
    let compiled = match draft.compile() {
        Ok(compiled) => compiled,
        Err(Refusal { issues, empty }) => {
            let told = Body::of(json!({
                "ok": false,
                "issues": issues,
                "live": live_told,
                // A draft that is empty and always was has nothing that waits to be published.
                "dirty": !empty || live.is_some(),
            }));
            return Ok(told.with_some("empty", empty.then_some(true)).into());
        }
    };
    let snapshot = draft
        .live_document
        .as_deref()
        .and_then(|text| Snapshot::read(text).ok());
    let changes = snapshot.map(|live| diff(&live.document, &compiled.document));
    let told = compiled
        .advice()
        .with("ok", true)
        .with("live", live_told)
        .with(
            "dirty",
            live.is_none_or(|live| live.digest != compiled.digest),
        )
        .with("changes", json!(changes))
        .with("routeCount", compiled.route_count)
        .with("digest", compiled.digest)
        .with("document", compiled.document);
    Ok(told.into())
}
