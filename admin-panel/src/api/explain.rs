//! `/api/explain`: which route would take a request, and why the others would not.

use http::{HeaderMap, HeaderName, HeaderValue, Method};
use jouska::{
    config,
    matching::Subject,
    message::{RequestHead, RequestUrl},
    table,
};
use serde_json::{Value, json};

use super::Call;
use crate::{
    draft::{Compiled, Refusal},
    exchange::{Body, ErrorCode, Input, Outcome, Refused, Reply, whole},
    publish::{live, snapshot},
    store::{draft, revisions},
};

pub(super) async fn post(call: Call) -> Outcome {
    let head = head(&call.input)?;
    let outside = &*call.visit.outside;
    let (document, told) = match call.input.get("in") {
        None => (
            compiled(draft::read(outside).await?.compile())?,
            json!("draft"),
        ),
        Some(Value::String(name)) if name == "draft" => (
            compiled(draft::read(outside).await?.compile())?,
            json!("draft"),
        ),
        Some(Value::String(name)) if name == "live" => {
            let (live, snapshot) = live(&draft::read(outside).await?)?;
            (snapshot.document, json!(live.revision))
        }
        Some(given) => {
            let revision = whole(given).filter(|number| *number >= 1).ok_or_else(|| {
                Refused::invalid("in: expected \"draft\", \"live\" or the number of a revision")
            })?;
            let [text] = revisions::documents(outside, [revision]).await?;
            let name = format!("revision {revision}");
            (snapshot(text.as_deref(), &name)?.document, json!(revision))
        }
    };
    // A snapshot was compiled by the rules of its day.
    let table = table::compile(config::read_value(document))
        .map_err(|error| Refused::because(ErrorCode::RevisionNotCompatible, error.to_string()))?;
    let (table, subject) = (table.table, Subject::new(&head));
    let explanation = table::explain(&table, &subject);
    let others: Option<Vec<Value>> = explanation.taken.as_ref().map(|taken| {
        let below = table.routes().iter().enumerate().skip(taken.index + 1);
        below
            .filter(|(_, route)| route.takes(&subject))
            .map(|(index, route)| json!({ "index": index, "route": route.label() }))
            .collect()
    });
    let body = Body::of(json!(explanation))
        .with_some("others", others)
        .with("in", told)
        .with("method", head.method.as_str())
        .with("url", head.url.as_str());
    Ok(Reply::ok(body))
}

fn compiled(outcome: Result<Compiled, Refusal>) -> Result<Value, Refused> {
    match outcome {
        Ok(compiled) => Ok(compiled.document),
        Err(Refusal { issues, empty }) => {
            let refused = Refused::because(
                ErrorCode::CompileFailed,
                "the draft has mistakes, so that no table can be asked",
            )
            .with("issues", json!(issues));
            Err(if empty {
                refused.with("empty", true)
            } else {
                refused
            })
        }
    }
}

/// The request that is asked about.
fn head(input: &Input) -> Result<RequestHead, Refused> {
    let url = input.required_text("url", LONGEST_URL)?;
    let url = url::Url::parse(&url)
        .ok()
        .and_then(|url| RequestUrl::parse(url.as_str()).ok())
        .ok_or_else(|| {
            Refused::invalid("url: expected a whole address such as https://shop.example.com/cart")
        })?;
    let method = match input.text("method", LONGEST_METHOD)? {
        None => Method::GET,
        Some(method) => Method::from_bytes(method.to_ascii_uppercase().as_bytes())
            .map_err(|_| Refused::invalid("method: expected a method such as GET"))?,
    };
    Ok(RequestHead {
        method,
        url,
        headers: headers(input.get("headers"))?,
        has_body: false,
    })
}

/// Names to values; of several values under one name the entry is a list.
fn headers(given: Option<&Value>) -> Result<HeaderMap, Refused> {
    let invalid = |name: &str| {
        Refused::invalid(format!(
            "headers: expected names with a text, or a list of texts; {name:?} is something else"
        ))
    };
    let mut headers = HeaderMap::new();
    let members = match given {
        None | Some(Value::Null) => return Ok(headers),
        Some(Value::Object(members)) => members,
        Some(_) => return Err(Refused::invalid("headers: expected an object")),
    };
    for (name, value) in members {
        let values = match value {
            Value::Array(values) => values.as_slice(),
            one => std::slice::from_ref(one),
        };
        let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| invalid(name))?;
        for value in values {
            let value = value
                .as_str()
                .and_then(|text| HeaderValue::from_bytes(text.as_bytes()).ok())
                .ok_or_else(|| invalid(name))?;
            headers.append(header.clone(), value);
        }
    }
    Ok(headers)
}

const LONGEST_URL: usize = 16_384;
const LONGEST_METHOD: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_read_whole_or_refused() {
        let read = |body: Value| head(&Input::new(body.as_object().unwrap().clone()));
        let head = read(json!({
            "url": "https://Shop.example.com/a b",
            "method": "purge",
            "headers": { "Cookie": "a=1", "x-many": ["1", "2"] },
        }))
        .unwrap();
        assert_eq!(head.url.as_str(), "https://shop.example.com/a%20b");
        assert_eq!(head.method.as_str(), "PURGE");
        assert_eq!(head.headers.len(), 3);
        for wrong in [
            json!({}),
            json!({ "url": "/cart" }),
            json!({ "url": "ftp://a/" }),
            json!({ "url": "https://a/", "method": "G T" }),
            json!({ "url": "https://a/", "headers": ["a"] }),
            json!({ "url": "https://a/", "headers": { "a b": "1" } }),
            json!({ "url": "https://a/", "headers": { "a": 1 } }),
            json!({ "url": "https://a/", "headers": { "a": "1\n2" } }),
        ] {
            assert!(read(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
