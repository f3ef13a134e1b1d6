//! `/api/routes`: the draft, route by route.

use serde_json::{Value, json};

use super::Call;
use crate::{
    edit,
    exchange::{Outcome, Refused, Reply},
    store::{
        draft,
        routes::{self, RouteEntry, Row, Write},
    },
    visit::Visit,
};

pub(super) async fn list(call: Call) -> Outcome {
    let rows = routes::list(&*call.visit.outside).await?;
    Ok(Reply::ok(json!({ "routes": told(rows) })))
}

pub(super) async fn put(mut call: Call) -> Outcome {
    edit::check_id(&call.id)?;
    let actor = call.actor();
    let definition = call.input.object("definition")?;
    let write = Write {
        id: &call.id,
        definition: &definition,
        enabled: call.input.switch("enabled")?,
        expected: call.input.whole("expectedVersion")?,
    };
    let row = edit::put_route(&call.visit, &actor, &write).await?;
    Ok(Reply::ok(json!({ "ok": true, "version": row.version })))
}

pub(super) async fn delete(call: Call) -> Outcome {
    let expected = call.input.whole("expectedVersion")?;
    edit::delete_route(&call.visit, &call.actor(), &call.id, expected).await?;
    Ok(Reply::ok(json!({ "ok": true })))
}

/// The whole draft as it is kept.
pub(crate) async fn draft(visit: &Visit) -> Result<Value, Refused> {
    let draft = draft::read(&*visit.outside).await?;
    let defaults = draft.settings.defaults();
    Ok(json!({ "routes": told(draft.rows), "defaults": defaults }))
}

fn told(rows: Vec<Row>) -> Vec<RouteEntry> {
    rows.into_iter().map(RouteEntry::from).collect()
}
