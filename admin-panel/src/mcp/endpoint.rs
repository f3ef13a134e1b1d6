//! `POST /mcp`, in the order that requests are looked at: method, origin, type, token, body, message.

use http::{Method, StatusCode, header};
use serde_json::{Value, json};

use super::{
    VERSION, answer,
    call::call,
    message::{self, Fault, METHOD_NOT_FOUND, Message},
    token,
    tools::TOOLS,
};
use crate::{
    exchange::{ErrorCode, Origin, Outcome, Refused, Reply},
    limits,
    store::tokens::{self, Usable},
    visit::Visit,
};

/// Answers a request to the endpoint.
pub(crate) async fn endpoint(visit: &Visit) -> Outcome {
    if visit.head.method != Method::POST {
        return Err(Refused::new(ErrorCode::MethodNotAllowed).header(header::ALLOW, "POST"));
    }
    check_origin(visit)?;
    if !is_json(visit.header("content-type")) {
        return Err(Refused::because(
            ErrorCode::UnsupportedMediaType,
            "expected Content-Type: application/json",
        ));
    }
    let token = authenticate(visit).await?;
    let body = visit.body(limits::BODY).await?;
    note_use(visit, &token);
    let message = match message::read(&body, &visit.head.headers) {
        Ok(message) => message,
        Err(fault) => return Ok(answer::fault(StatusCode::BAD_REQUEST, &fault)),
    };
    // Whoever sends no id waits for no answer, and nothing is done that nobody hears of.
    let Some(id) = &message.id else {
        return Ok(Reply::empty(StatusCode::ACCEPTED));
    };
    Ok(dispatch(visit, &token, id, &message).await)
}

async fn dispatch(visit: &Visit, token: &Usable, id: &Value, message: &Message) -> Reply {
    match message.method.as_str() {
        "server/discover" => answer::result(id, discovered()),
        "tools/list" => answer::result(id, listed(token)),
        "tools/call" => call(visit, token, id, &message.params).await,
        // It left the protocol, and some clients still ask.
        "ping" => answer::result(id, json!({})),
        _ => {
            let fault = Fault {
                id: id.clone(),
                code: METHOD_NOT_FOUND,
                message: "there is no such method here".to_owned(),
                data: None,
            };
            answer::fault(StatusCode::NOT_FOUND, &fault)
        }
    }
}

/// An agent sends no Origin. A page that sends one has to be the panel's own: whoever holds a token in a browser must
/// not be made to use it by another site.
fn check_origin(visit: &Visit) -> Result<(), Refused> {
    let also = visit.config.panel_url.as_ref();
    match Origin::of(&visit.head.headers, visit.head.url.as_str(), also) {
        Origin::Missing | Origin::Same => Ok(()),
        Origin::Unreadable | Origin::Other => Err(Refused::because(
            ErrorCode::ForbiddenOrigin,
            "the request comes from another origin",
        )),
    }
}

fn is_json(content_type: Option<&str>) -> bool {
    let essence = content_type.and_then(|given| given.split(';').next());
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case("application/json"))
}

async fn authenticate(visit: &Visit) -> Result<Usable, Refused> {
    let token = visit.header("authorization").and_then(token::bearer);
    let usable = match token {
        Some(token) => tokens::usable(&*visit.outside, &token::hash(token), visit.now).await?,
        None => None,
    };
    usable.filter(|usable| !usable.scopes.is_empty()).ok_or_else(|| {
        Refused::because(
            ErrorCode::InvalidToken,
            "expected a token of this panel that is neither revoked nor expired, and whose owner is not disabled",
        )
        .header(
            header::WWW_AUTHENTICATE,
            "Bearer realm=\"jouska-mcp\", error=\"invalid_token\"",
        )
    })
}

/// Notes behind the answer that the token was used.
fn note_use(visit: &Visit, token: &Usable) {
    if !tokens::is_use_worth_noting(token.last_used_at, visit.now) {
        return;
    }
    let (outside, id, now) = (visit.outside.clone(), token.id.clone(), visit.now);
    visit.outside.behind(Box::pin(async move {
        if let Err(error) = tokens::used(&*outside, &id, now).await {
            outside.complain(&error.to_string());
        }
    }));
}

fn discovered() -> Value {
    json!({
        "supportedVersions": [VERSION],
        "capabilities": { "tools": { "listChanged": false } },
        "instructions": "These tools read and edit the draft of a reverse proxy's route table. Nothing they do changes traffic: a person looks at the draft and publishes it. Look at preview_config after an edit; it tells mistakes, dangers and routes that others rob.",
        "ttlMs": 3_600_000,
        "cacheScope": "public",
    })
}

fn listed(token: &Usable) -> Value {
    let tools: Vec<Value> = TOOLS
        .iter()
        .filter(|tool| tool.is_open_to(token))
        .map(|tool| tool.told())
        .collect();
    json!({ "tools": tools, "ttlMs": 300_000, "cacheScope": "private" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_is_compared_without_parameters_and_case() {
        for (given, expected) in [
            (None, false),
            (Some("application/json"), true),
            (Some("Application/JSON ; charset=utf-8"), true),
            (Some("text/plain"), false),
            (Some("application/jsonp"), false),
            (
                Some("application/x-www-form-urlencoded, application/json"),
                false,
            ),
        ] {
            assert_eq!(is_json(given), expected, "{given:?}");
        }
    }
}
