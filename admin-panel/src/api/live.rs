//! `/api/live`: what is recorded as published, what the proxy's store holds, and what the proxy says it serves, side by
//! side.

use jouska::config::digest;
use serde::Serialize;
use serde_json::{Value, json};

use super::Call;
use crate::{
    exchange::{Body, Outcome, Reply},
    store::settings::{self, Live},
    visit::Visit,
};

pub(super) async fn get(call: Call) -> Outcome {
    let visit = &call.visit;
    let live = settings::stored(&*visit.outside).await?.live();
    let held = match visit.outside.published().await {
        Ok(text) => held(text.as_deref(), live.as_ref()),
        Err(error) => {
            visit.outside.complain(&error);
            told(State::Unavailable)
        }
    };
    let live = live.map(|live| json!({ "revision": live.revision, "digest": live.digest }));
    let body = Body::of(json!({ "live": live, "kv": Value::from(held), "observed": null }));
    Ok(Reply::ok(match observe(visit).await {
        Ok(observed) => body.with("observed", observed),
        Err(reason) => body.with("reason", json!(reason)),
    }))
}

/// How what the store holds stands to what is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Same,
    Different,
    /// It holds nothing.
    Missing,
    /// What it holds is no document.
    Unreadable,
    /// It could not be asked.
    Unavailable,
}

fn told(state: State) -> Body {
    Body::of(json!({ "state": state }))
}

fn held(text: Option<&str>, live: Option<&Live>) -> Body {
    let Some(text) = text else {
        return told(State::Missing);
    };
    let document: Value = match serde_json::from_str(text) {
        Ok(document @ Value::Object(_)) => document,
        Ok(_) | Err(_) => return told(State::Unreadable),
    };
    let digest = digest(&document);
    let state = match live {
        Some(live) if live.digest == digest => State::Same,
        _ => State::Different,
    };
    let meta = document.get("meta");
    ["revision", "updatedAt", "updatedBy"]
        .into_iter()
        .fold(told(state).with("digest", digest), |told, name| {
            told.with_some(name, meta.and_then(|meta| meta.get(name)).cloned())
        })
}

/// Why nothing was observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Blind {
    /// The proxy is not bound as `PROXY`.
    NotBound,
    /// `STATUS_SECRET` is not set.
    NoSecret,
    /// The proxy did not answer.
    NoAnswer,
    /// The proxy does not know the secret, and took the question for a visitor's request.
    NotRecognised,
}

/// Asks the proxy.
async fn observe(visit: &Visit) -> Result<Value, Blind> {
    if !visit.outside.is_bound() {
        return Err(Blind::NotBound);
    }
    let secret = visit.config.status_secret.as_ref().ok_or(Blind::NoSecret)?;
    let answer = visit.outside.status(secret).await.ok_or(Blind::NoAnswer)?;
    understood(&answer).ok_or(Blind::NotRecognised)
}

/// The proxy's own answer; a route may answer anything else at that path.
fn understood((status, text): &(u16, String)) -> Option<Value> {
    let body: Value = serde_json::from_str(text).ok()?;
    let is_ours = *status == 200 && body.get("service").is_some_and(|name| name == "jouska");
    is_ours.then_some(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_store_holds_is_compared_with_what_is_recorded() {
        let live = Live {
            revision: 3,
            digest: digest(&json!({ "routes": [] })),
        };
        for (text, live, expected) in [
            (None, Some(&live), "missing"),
            (None, None, "missing"),
            (Some("{"), Some(&live), "unreadable"),
            (Some("[]"), Some(&live), "unreadable"),
            (Some(r#"{"routes":[1]}"#), Some(&live), "different"),
            (Some(r#"{"routes":[]}"#), None, "different"),
            (
                Some(r#"{"routes":[],"meta":{"revision":9}}"#),
                Some(&live),
                "same",
            ),
        ] {
            assert_eq!(Value::from(held(text, live))["state"], expected, "{text:?}");
        }
        let text = r#"{"routes":[],"meta":{"revision":9,"note":"x"}}"#;
        let told = Value::from(held(Some(text), None));
        assert_eq!(told["revision"], 9);
        assert_eq!(told.get("note"), None);
    }

    #[test]
    fn only_the_proxys_own_answer_counts() {
        for (status, text, counts) in [
            (200, r#"{"service":"jouska","revision":1}"#, true),
            (404, r#"{"service":"jouska"}"#, false),
            (200, r#"{"service":"other"}"#, false),
            (200, "<html>", false),
        ] {
            assert_eq!(
                understood(&(status, text.to_owned())).is_some(),
                counts,
                "{text}"
            );
        }
    }
}
