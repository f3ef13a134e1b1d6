//! `/api/defaults`: the draft's defaults block.

use serde_json::json;

use super::Call;
use crate::{
    edit,
    exchange::{Outcome, Reply},
    store::settings,
};

pub(super) async fn get(call: Call) -> Outcome {
    let stored = settings::stored(&*call.visit.outside).await?;
    let defaults = stored.defaults().filter(serde_json::Value::is_object);
    Ok(Reply::ok(json!({ "defaults": defaults })))
}

pub(super) async fn put(mut call: Call) -> Outcome {
    let defaults = call.input.object("defaults")?;
    edit::put_defaults(&call.visit, &call.actor(), &defaults).await?;
    Ok(Reply::ok(json!({ "ok": true })))
}
