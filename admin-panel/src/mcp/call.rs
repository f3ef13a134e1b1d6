//! A tool at work.

use http::StatusCode;
use serde_json::{Map, Value, json};

use super::{
    answer,
    message::{FORBIDDEN, Fault, INTERNAL_ERROR, INVALID_PARAMS},
    tools::{Kind, TOOLS, Tool},
};
use crate::{
    api, domains, edit,
    exchange::{ErrorCode, Input, Refused, Reply, Window},
    limits,
    store::{Actor, audit, routes::Write, tokens::Usable},
    visit::Visit,
};

/// Calls a tool.
pub(super) async fn call(
    visit: &Visit,
    token: &Usable,
    id: &Value,
    params: &Map<String, Value>,
) -> Reply {
    let fault = |code, message: &str, data| Fault {
        id: id.clone(),
        code,
        message: message.to_owned(),
        data,
    };
    let name = params.get("name").and_then(Value::as_str);
    let Some(tool) = TOOLS.iter().find(|tool| Some(tool.name) == name) else {
        let unknown = fault(INVALID_PARAMS, "there is no such tool", None);
        return answer::fault(StatusCode::OK, &unknown);
    };
    if !tool.is_open_to(token) {
        let scope = tool.scope.as_str();
        let refused = fault(
            FORBIDDEN,
            "the token may not use this tool",
            Some(json!({ "required": scope })),
        );
        return answer::insufficient(answer::fault(StatusCode::FORBIDDEN, &refused), scope);
    }
    let arguments = match params.get("arguments") {
        Some(Value::Object(arguments)) => arguments.clone(),
        _ => Map::new(),
    };
    let (value, is_error) = match work(visit, token, tool, Input::new(arguments)).await {
        Ok(value) => (value, false),
        Err(refused) if refused.code == ErrorCode::InternalError => {
            visit
                .outside
                .complain(refused.logged.as_deref().unwrap_or("a tool failed"));
            let failed = fault(INTERNAL_ERROR, "something failed; try again", None);
            return answer::fault(StatusCode::OK, &failed);
        }
        Err(refused) => (refused.body(), true),
    };
    let told = json!({
        "content": [{ "type": "text", "text": value.to_string() }],
        "structuredContent": value,
        "isError": is_error,
    });
    answer::result(id, told)
}

async fn work(
    visit: &Visit,
    token: &Usable,
    tool: &Tool,
    mut arguments: Input,
) -> Result<Value, Refused> {
    arguments.only(tool.arguments)?;
    let actor = Actor::agent(&token.id, &token.owner);
    match tool.kind {
        Kind::GetConfig => api::draft(visit).await,
        Kind::PreviewConfig => api::preview(visit).await,
        Kind::UpdateRoute => {
            let id = route_id(&arguments)?;
            let definition = arguments.object("definition")?;
            let write = Write {
                id: &id,
                definition: &definition,
                enabled: arguments.switch("enabled")?,
                expected: arguments.whole("expectedVersion")?,
            };
            let row = edit::put_route(visit, &actor, &write).await?;
            Ok(json!({ "ok": true, "id": id, "enabled": row.enabled, "version": row.version }))
        }
        Kind::DeleteRoute => {
            let id = route_id(&arguments)?;
            edit::delete_route(visit, &actor, &id, None).await?;
            Ok(json!({ "ok": true, "id": id }))
        }
        Kind::ReorderRoutes => {
            let ids = arguments.texts("ids")?;
            if ids.is_empty() {
                return Err(Refused::invalid("ids: expected at least one id"));
            }
            edit::reorder(visit, &actor, &ids).await?;
            Ok(json!({ "ok": true }))
        }
        Kind::UpdateDefaults => {
            let defaults = arguments.object("defaults")?;
            edit::put_defaults(visit, &actor, &defaults).await?;
            Ok(json!({ "ok": true }))
        }
        Kind::ListDomains => domains::domains(visit).await,
        Kind::ListAudit => {
            let limit = arguments.whole("limit")?.unwrap_or(Window::USUAL);
            if !(1..=Window::MOST).contains(&limit) {
                return Err(Refused::invalid(format!(
                    "limit: expected a whole number from 1 to {}; found {limit}",
                    Window::MOST
                )));
            }
            let entries = audit::newest(&*visit.outside, limit).await?;
            Ok(json!({ "entries": entries }))
        }
    }
}

/// An id of the length that the tool's schema allows, as it was given.
fn route_id(arguments: &Input) -> Result<String, Refused> {
    match arguments.get("id").and_then(Value::as_str) {
        Some(id) if (1..=limits::ROUTE_ID).contains(&id.chars().count()) => Ok(id.to_owned()),
        _ => Err(Refused::invalid(format!(
            "id: expected a text of 1 to {} characters",
            limits::ROUTE_ID
        ))),
    }
}
