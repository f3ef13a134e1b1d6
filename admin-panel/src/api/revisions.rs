//! `/api/revisions`: what was published, how two of them differ, and the way back to one.

use serde_json::json;

use super::Call;
use crate::{
    draft::diff,
    exchange::{Outcome, Refused, Reply, digits, whole},
    publish::{Request, rollback, snapshot},
    store::revisions,
};

pub(super) async fn list(call: Call) -> Outcome {
    let window = call.query().window();
    let (entries, live) = revisions::history(&*call.visit.outside, window).await?;
    Ok(Reply::ok(
        json!({ "entries": entries, "liveRevision": live }),
    ))
}

pub(super) async fn compare(call: Call) -> Outcome {
    let query = call.query();
    let number = |name: &str| {
        query
            .get(name)
            .and_then(digits)
            .filter(|number| *number >= 1)
            .ok_or_else(|| Refused::invalid(format!("{name}: expected the number of a revision")))
    };
    let (from, to) = (number("from")?, number("to")?);
    let [before, after] = revisions::documents(&*call.visit.outside, [from, to]).await?;
    let before = snapshot(before.as_deref(), "from")?;
    let after = snapshot(after.as_deref(), "to")?;
    let entries = diff(&before.document, &after.document);
    Ok(Reply::ok(
        json!({ "from": from, "to": to, "entries": entries }),
    ))
}

pub(super) async fn back(call: Call) -> Outcome {
    let source = call
        .input
        .get("sourceRevision")
        .and_then(whole)
        .filter(|number| *number >= 1)
        .ok_or_else(|| Refused::invalid("sourceRevision: expected the number of a revision"))?;
    let request = Request::read(&call.input)?;
    let rolled = rollback(&call.visit, &call.actor(), source, &request).await?;
    Ok(Reply::ok(rolled))
}
