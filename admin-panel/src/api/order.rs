//! `/api/routes-order`: the order of the draft's routes.

use serde_json::json;

use super::Call;
use crate::{
    edit,
    exchange::{Outcome, Reply},
};

pub(super) async fn put(call: Call) -> Outcome {
    let ids = call.input.texts("ids")?;
    edit::reorder(&call.visit, &call.actor(), &ids).await?;
    Ok(Reply::ok(json!({ "ok": true })))
}
