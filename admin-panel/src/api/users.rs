//! `/api/users`: who may come in.

use http::StatusCode;
use serde_json::json;

use super::Call;
use crate::{
    exchange::{ErrorCode, Outcome, Refused, Reply, digits},
    identity::Role,
    limits,
    store::users::{self, Change, Changed},
};

pub(super) async fn list(call: Call) -> Outcome {
    let users = users::list(&*call.visit.outside, call.visit.now).await?;
    Ok(Reply::ok(json!({ "users": users })))
}

pub(super) async fn add(call: Call) -> Outcome {
    let subject = call.input.required_text("subject", limits::NAME)?;
    let subject = subject.to_ascii_lowercase();
    let email = call.input.text("email", limits::NAME)?;
    let role = role(&call)?.unwrap_or(Role::Viewer);
    let actor = call.actor();
    let added = users::add(
        &*call.visit.outside,
        &actor,
        &subject,
        email.as_deref(),
        role,
        call.visit.now,
    );
    match added.await? {
        Some(id) => {
            let body = json!({ "ok": true, "id": id });
            Ok(Reply::json(StatusCode::CREATED, body))
        }
        None => Err(Refused::because(
            ErrorCode::SubjectTaken,
            format!("{subject} is known already"),
        )),
    }
}

pub(super) async fn change(call: Call) -> Outcome {
    let id = id(&call)?;
    let change = Change {
        role: role(&call)?,
        disabled: call.input.switch("disabled")?,
    };
    if change == Change::default() {
        return Err(Refused::invalid(
            "expected \"role\" or \"disabled\"; found neither",
        ));
    }
    let actor = call.actor();
    let changed = users::change(&*call.visit.outside, &actor, id, change, call.visit.now);
    done(changed.await?)?;
    Ok(Reply::ok(json!({ "ok": true })))
}

pub(super) async fn delete(call: Call) -> Outcome {
    let id = id(&call)?;
    let (actor, by) = (call.actor(), call.caller.id);
    let deleted = users::delete(&*call.visit.outside, &actor, by, id, call.visit.now);
    let tokens_revoked = done(deleted.await?)?;
    Ok(Reply::ok(
        json!({ "ok": true, "tokensRevoked": tokens_revoked }),
    ))
}

fn id(call: &Call) -> Result<u64, Refused> {
    digits(&call.id).ok_or_else(nobody)
}

fn nobody() -> Refused {
    Refused::not_found("there is no such person")
}

fn role(call: &Call) -> Result<Option<Role>, Refused> {
    match call.input.get("role") {
        None => Ok(None),
        Some(given) => given
            .as_str()
            .and_then(Role::named)
            .map(Some)
            .ok_or_else(|| {
                Refused::invalid("role: expected \"admin\" or \"viewer\"; found something else")
            }),
    }
}

fn done(changed: Changed) -> Result<u64, Refused> {
    match changed {
        Changed::Done { tokens_revoked } => Ok(tokens_revoked),
        Changed::NotFound => Err(nobody()),
        Changed::LastAdmin => Err(Refused::because(
            ErrorCode::LastAdmin,
            "nobody would be left who can manage the panel; make somebody else an admin first",
        )),
        Changed::LastUser => Err(Refused::because(
            ErrorCode::LastUser,
            "nobody would be left; add somebody else first",
        )),
    }
}
