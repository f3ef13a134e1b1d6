//! The host names that lead to the proxy: asked of Cloudflare, and compared with the hosts that the draft's routes name.

mod compare;
mod discover;
mod found;

pub(crate) use found::Seen;

use serde::Serialize;
use serde_json::{Value, json};

use crate::{exchange::Refused, store::routes, visit::Visit};

/// What leads to the proxy, and which routes take it.
pub(crate) async fn domains(visit: &Visit) -> Result<Value, Refused> {
    let config = &visit.config;
    let script = &config.script;
    let (account, token) = match (&config.account, &config.api_token) {
        (Some(account), Some(token)) => (account, token),
        (account, token) => {
            let reason = match (account, token) {
                (None, None) => Missing::Both,
                (None, _) => Missing::AccountId,
                (_, _) => Missing::Token,
            };
            return Ok(json!({ "configured": false, "reason": reason, "script": script }));
        }
    };
    let key = (account.clone(), script.clone(), token.clone());
    let found = match visit.isolate.domains.fresh(&key, visit.now) {
        Some(found) => found,
        None => {
            let found = discover::discover(&*visit.outside, account, script, token).await;
            visit.isolate.domains.keep(key, found, visit.now)
        }
    };
    let rows = routes::list(&*visit.outside).await?;
    Ok(compare::told(&found, script, &rows))
}

/// What is not set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
enum Missing {
    #[serde(rename = "missing_account_id")]
    AccountId,
    #[serde(rename = "missing_token")]
    Token,
    #[serde(rename = "missing_both")]
    Both,
}
