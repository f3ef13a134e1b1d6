//! `/api/domains`: the host names that lead to the proxy.

use super::Call;
use crate::{
    domains::domains,
    exchange::{Outcome, Reply},
};

pub(super) async fn get(call: Call) -> Outcome {
    domains(&call.visit).await.map(Reply::ok)
}
