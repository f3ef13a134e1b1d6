//! `/api/audit`: what was done.

use serde_json::json;

use super::Call;
use crate::{
    exchange::{Outcome, Reply},
    store::audit,
};

pub(super) async fn list(call: Call) -> Outcome {
    let limit = call.query().window().limit;
    let entries = audit::newest(&*call.visit.outside, limit).await?;
    Ok(Reply::ok(json!({ "entries": entries })))
}
