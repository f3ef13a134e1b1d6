//! `/api/mcp-tokens`: agents' tokens.

use http::StatusCode;
use serde_json::json;

use super::Call;
use crate::{
    exchange::{ErrorCode, Outcome, Refused, Reply},
    limits,
    mcp::{Fresh, Scope, fresh},
    store::tokens::{self, TokenInfo},
};

pub(super) async fn list(call: Call) -> Outcome {
    let tokens = tokens::list(&*call.visit.outside).await?;
    Ok(Reply::ok(json!({ "tokens": tokens })))
}

pub(super) async fn create(call: Call) -> Outcome {
    let name = call.input.required_text("name", limits::NAME)?;
    let scopes = match call.input.get("scopes") {
        None => vec![Scope::ConfigRead],
        Some(_) => Scope::asked(&call.input.texts("scopes")?).map_err(Refused::invalid)?,
    };
    let days = call
        .input
        .whole("expiresInDays")?
        .unwrap_or(limits::USUAL_TOKEN_DAYS);
    if !limits::TOKEN_DAYS.contains(&days) {
        return Err(Refused::invalid(format!(
            "expiresInDays: expected a whole number from {} to {}; found {days}",
            limits::TOKEN_DAYS.start(),
            limits::TOKEN_DAYS.end()
        )));
    }
    let now = call.visit.now;
    let Fresh {
        id,
        text,
        prefix,
        hash,
    } = fresh(&*call.visit.outside);
    let token = TokenInfo {
        id,
        name,
        token_prefix: prefix,
        owner_user_id: Some(call.caller.id),
        issued_by_user_id: Some(call.caller.id),
        owner_subject: Some(call.caller.subject.clone()),
        scopes,
        created_at: now,
        expires_at: now + days * DAY,
        revoked_at: None,
        revoke_reason: None,
        last_used_at: None,
    };
    if !tokens::add(&*call.visit.outside, &call.actor(), &token, &hash).await? {
        return Err(Refused::because(
            ErrorCode::Forbidden,
            "you are no longer an admin",
        ));
    }
    let body = json!({ "token": text, "tokenInfo": token });
    Ok(Reply::json(StatusCode::CREATED, body))
}

pub(super) async fn revoke(call: Call) -> Outcome {
    let reason = call.input.text("reason", limits::NOTE)?;
    let actor = call.actor();
    let revoked = tokens::revoke(
        &*call.visit.outside,
        &actor,
        call.caller.id,
        &call.id,
        reason.as_deref(),
        call.visit.now,
    );
    match revoked.await? {
        true => Ok(Reply::ok(json!({ "ok": true }))),
        false => Err(Refused::not_found(
            "there is no such token, or it is revoked already",
        )),
    }
}

/// In seconds.
const DAY: u64 = 86_400;
