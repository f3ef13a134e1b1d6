//! A message before it is acted on: what it must look like, in the order it is looked at. Each check is told by its own
//! JSON-RPC error, so that a client's author can tell what is wrong.

use base64::{Engine, engine::general_purpose::STANDARD};
use http::HeaderMap;
use serde_json::{Map, Value, json};

use super::VERSION;

/// A message that may be acted on.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Message {
    /// Absent where nobody waits for an answer.
    pub(super) id: Option<Value>,
    pub(super) method: String,
    /// Empty where there are none.
    pub(super) params: Map<String, Value>,
}

/// What is wrong with a message.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fault {
    /// The message's own, where it could be read.
    pub(super) id: Value,
    pub(super) code: i32,
    pub(super) message: String,
    pub(super) data: Option<Value>,
}

/// The message is no JSON.
pub(super) const PARSE_ERROR: i32 = -32700;
/// It is no request.
pub(super) const INVALID_REQUEST: i32 = -32600;
pub(super) const METHOD_NOT_FOUND: i32 = -32601;
pub(super) const INVALID_PARAMS: i32 = -32602;
pub(super) const INTERNAL_ERROR: i32 = -32603;
/// The token may not do this.
pub(super) const FORBIDDEN: i32 = -32803;
/// A header is missing, or says something else than the body.
const HEADER_MISMATCH: i32 = -32020;
/// The protocol's revision is not spoken here.
const UNSUPPORTED_VERSION: i32 = -32022;

/// Reads a message and checks it against its headers.
pub(super) fn read(body: &[u8], headers: &HeaderMap) -> Result<Message, Fault> {
    let message: Value = serde_json::from_slice(body).map_err(|_| Fault {
        id: Value::Null,
        code: PARSE_ERROR,
        message: "the body is no JSON".to_owned(),
        data: None,
    })?;
    let id = message
        .get("id")
        .filter(|id| is_id(id))
        .cloned()
        .unwrap_or(Value::Null);
    check(message, headers).map_err(|Wrong(code, message, data)| Fault {
        id,
        code,
        message: message.to_owned(),
        data,
    })
}

struct Wrong(i32, &'static str, Option<Value>);

fn check(message: Value, headers: &HeaderMap) -> Result<Message, Wrong> {
    let invalid = |said| Wrong(INVALID_REQUEST, said, None);
    let Value::Object(mut message) = message else {
        return Err(invalid(
            "expected one JSON-RPC request; batches are not accepted",
        ));
    };
    let id = message.remove("id");
    if message.get("jsonrpc") != Some(&json!("2.0")) {
        return Err(invalid("expected \"jsonrpc\": \"2.0\""));
    }
    let Some(Value::String(method)) = message.remove("method") else {
        return Err(invalid("expected \"method\" to be a text"));
    };
    if id.as_ref().is_some_and(|id| !is_id(id)) {
        return Err(invalid("expected \"id\" to be a text or a whole number"));
    }
    let params = match message.remove("params") {
        Some(Value::Object(params)) => params,
        _ => Map::new(),
    };
    if method == "initialize" {
        let requested = params
            .get("protocolVersion")
            .cloned()
            .unwrap_or(Value::Null);
        return Err(unsupported(requested));
    }
    let version = text(headers, "mcp-protocol-version").unwrap_or_default();
    if version.is_empty() {
        return Err(Wrong(
            HEADER_MISMATCH,
            "the header MCP-Protocol-Version is missing",
            Some(json!({ "supported": [VERSION] })),
        ));
    }
    if version != VERSION {
        return Err(unsupported(json!(version)));
    }
    let meta = params.get("_meta").and_then(Value::as_object);
    let stated = meta.and_then(|meta| meta.get(META_VERSION)).ok_or(Wrong(
        INVALID_PARAMS,
        "params._meta lacks io.modelcontextprotocol/protocolVersion",
        None,
    ))?;
    if stated != version {
        return Err(Wrong(
            HEADER_MISMATCH,
            "MCP-Protocol-Version says another version than params._meta",
            None,
        ));
    }
    if !meta.is_some_and(|meta| meta.get(META_CAPABILITIES).is_some_and(Value::is_object)) {
        return Err(Wrong(
            INVALID_PARAMS,
            "params._meta lacks io.modelcontextprotocol/clientCapabilities, which is an object",
            None,
        ));
    }
    if text(headers, "mcp-method") != Some(method.as_str()) {
        return Err(Wrong(
            HEADER_MISMATCH,
            "the header Mcp-Method says another method than the message",
            None,
        ));
    }
    if method == "tools/call" {
        let Some(Value::String(name)) = params.get("name") else {
            return Err(Wrong(
                INVALID_PARAMS,
                "expected params.name to be a text",
                None,
            ));
        };
        if params
            .get("arguments")
            .is_some_and(|given| !given.is_object())
        {
            return Err(Wrong(
                INVALID_PARAMS,
                "expected params.arguments to be an object",
                None,
            ));
        }
        if text(headers, "mcp-name").and_then(decoded).as_ref() != Some(name) {
            return Err(Wrong(
                HEADER_MISMATCH,
                "the header Mcp-Name says another tool than params.name",
                None,
            ));
        }
    }
    Ok(Message { id, method, params })
}

fn unsupported(requested: Value) -> Wrong {
    Wrong(
        UNSUPPORTED_VERSION,
        "this revision of the protocol is not spoken here",
        Some(json!({ "supported": [VERSION], "requested": requested })),
    )
}

fn is_id(id: &Value) -> bool {
    id.is_string() || id.is_i64() || id.is_u64()
}

fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let text = headers.get(name)?.to_str().ok();
    text.map(str::trim)
}

/// A header's value, which may be base64 of what no header carries; `None` where it says so and is not.
fn decoded(value: &str) -> Option<String> {
    let (Some(rest), true) = (value.strip_prefix(OPENING), value.ends_with(CLOSING)) else {
        return Some(value.to_owned());
    };
    // In `=?base64?=` the markers share their question mark, and there is nothing between them.
    let encoded = rest.strip_suffix(CLOSING)?;
    String::from_utf8(STANDARD.decode(encoded).ok()?).ok()
}

const OPENING: &str = "=?base64?";
const CLOSING: &str = "?=";
const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn good() -> Value {
        json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {
                "name": "get_config",
                "_meta": { META_VERSION: VERSION, META_CAPABILITIES: {} },
            },
        })
    }

    fn headers(changes: &[(&'static str, Option<&str>)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("mcp-protocol-version", Some(VERSION)),
            ("mcp-method", Some("tools/call")),
            ("mcp-name", Some("get_config")),
        ]
        .iter()
        .chain(changes)
        {
            match value {
                Some(value) => {
                    headers.insert(*name, HeaderValue::from_str(value).unwrap());
                }
                None => {
                    headers.remove(*name);
                }
            }
        }
        headers
    }

    /// Checks the code a message is refused with, 0 where it is accepted.
    #[track_caller]
    fn check(
        change: impl FnOnce(&mut Value),
        lines: &[(&'static str, Option<&str>)],
        expected: i32,
    ) {
        let mut message = good();
        change(&mut message);
        let read = read(message.to_string().as_bytes(), &headers(lines));
        let code = read.err().map_or(0, |fault| fault.code);
        assert_eq!(code, expected, "{message} {lines:?}");
    }

    #[test]
    fn a_message_is_checked_in_one_order() {
        check(|_| {}, &[], 0);
        check(|m| *m = json!([m.clone()]), &[], INVALID_REQUEST);
        check(|m| m["jsonrpc"] = json!("1.0"), &[], INVALID_REQUEST);
        check(|m| m["method"] = json!(1), &[], INVALID_REQUEST);
        for id in [json!(null), json!(1.5), json!({}), json!([])] {
            check(|m| m["id"] = id, &[], INVALID_REQUEST);
        }
        let nothing = &[("mcp-protocol-version", None)];
        check(
            |m| m["method"] = json!("initialize"),
            nothing,
            UNSUPPORTED_VERSION,
        );
        check(|m| m["params"] = json!({}), nothing, HEADER_MISMATCH);
        let blank = &[("mcp-protocol-version", Some(" "))];
        check(|_| {}, blank, HEADER_MISMATCH);
        let old = &[("mcp-protocol-version", Some("2025-06-18"))];
        check(|m| m["params"] = json!({}), old, UNSUPPORTED_VERSION);
        check(|m| m["params"]["_meta"] = json!({}), &[], INVALID_PARAMS);
        check(
            |m| m["params"]["_meta"][META_VERSION] = json!("2025-06-18"),
            &[],
            HEADER_MISMATCH,
        );
        check(
            |m| m["params"]["_meta"][META_CAPABILITIES] = json!([]),
            &[("mcp-method", None)],
            INVALID_PARAMS,
        );
        check(
            |m| m["params"]["name"] = json!(1),
            &[("mcp-method", None)],
            HEADER_MISMATCH,
        );
        check(
            |_| {},
            &[("mcp-method", Some("Tools/call"))],
            HEADER_MISMATCH,
        );
        check(|m| m["params"]["name"] = json!(1), &[], INVALID_PARAMS);
        check(
            |m| m["params"]["arguments"] = json!([]),
            &[],
            INVALID_PARAMS,
        );
        check(|_| {}, &[("mcp-name", None)], HEADER_MISMATCH);
    }

    #[test]
    fn names_may_be_encoded() {
        for (value, expected) in [
            ("get_config", true),
            ("=?base64?Z2V0X2NvbmZpZw==?=", true),
            ("=?base64?Z2V0X2NvbmZpZw?=", false),
            ("=?base64?!!!?=", false),
            ("=?base64?/w==?=", false),
            ("=?base64?=", false),
            ("=?base64??=", false),
            ("Get_config", false),
        ] {
            let code = if expected { 0 } else { HEADER_MISMATCH };
            check(|_| {}, &[("mcp-name", Some(value))], code);
        }
    }

    #[test]
    fn an_error_carries_the_id_where_there_is_one() {
        let id = |body: &str| read(body.as_bytes(), &headers(&[])).unwrap_err().id;
        assert_eq!(id("{"), Value::Null);
        assert_eq!(id(r#"{"id":"a"}"#), json!("a"));
        assert_eq!(id(r#"{"id":7,"jsonrpc":"2.0"}"#), json!(7));
        assert_eq!(id(r#"{"id":{}}"#), Value::Null);
        assert_eq!(id("[]"), Value::Null);
        assert_eq!(read(&[0xff], &headers(&[])).unwrap_err().code, PARSE_ERROR);
    }
}
