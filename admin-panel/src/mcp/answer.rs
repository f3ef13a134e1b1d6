//! JSON-RPC answers.

use http::{HeaderValue, StatusCode, header};
use serde_json::{Value, json};

use super::message::Fault;
use crate::exchange::{Body, Reply};

/// The result of a request.
pub(super) fn result(id: &Value, result: Value) -> Reply {
    let server = json!({ "name": "jouska", "version": env!("CARGO_PKG_VERSION") });
    let result = Body::of(result).with("resultType", "complete").with(
        "_meta",
        json!({ "io.modelcontextprotocol/serverInfo": server }),
    );
    Reply::ok(json!({ "jsonrpc": "2.0", "id": id, "result": Value::from(result) }))
}

/// What is wrong with a message, under this status.
pub(super) fn fault(status: StatusCode, fault: &Fault) -> Reply {
    let Fault {
        id,
        code,
        message,
        data,
    } = fault;
    let error =
        Body::of(json!({ "code": code, "message": message })).with_some("data", data.clone());
    Reply::json(
        status,
        json!({ "jsonrpc": "2.0", "id": id, "error": Value::from(error) }),
    )
}

/// The header that says which scope is missing.
pub(super) fn insufficient(reply: Reply, scope: &str) -> Reply {
    let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"{scope}\"");
    match HeaderValue::from_str(&challenge) {
        Ok(challenge) => reply.with(header::WWW_AUTHENTICATE, challenge),
        Err(_) => reply,
    }
}
