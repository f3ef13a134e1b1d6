//! `/api/publish`.

use super::Call;
use crate::{
    exchange::{Outcome, Reply},
    publish::{Request, publish},
};

pub(super) async fn post(call: Call) -> Outcome {
    let request = Request::read(&call.input)?;
    let published = publish(&call.visit, &call.actor(), &request).await?;
    Ok(Reply::ok(published))
}
