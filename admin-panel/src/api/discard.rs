//! `/api/discard`: back to what is live.

use serde_json::json;

use super::Call;
use crate::{
    exchange::{Outcome, Reply},
    publish::discard,
};

pub(super) async fn post(call: Call) -> Outcome {
    let source = discard(&call.visit, &call.actor()).await?;
    Ok(Reply::ok(json!({ "ok": true, "sourceRevision": source })))
}
