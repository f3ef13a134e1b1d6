//! What every answer gets last.

use crate::{
    headers::HeaderEdits,
    message::Answer,
    request_id::{RequestId, X_REQUEST_ID},
};

/// Stamps an answer of the proxy's own with the request's id.
pub(crate) fn own(mut answer: Answer, id: &RequestId, last: &HeaderEdits) -> Answer {
    answer.headers.insert(X_REQUEST_ID, id.header_value());
    last.apply(&mut answer.headers);
    answer
}
