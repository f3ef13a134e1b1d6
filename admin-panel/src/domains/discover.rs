//! Asking Cloudflare's API: nothing but GET requests, one after another.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::found::{Bound, Failure, Found, Kind};
use crate::outside::Outside;

/// Asks for everything that leads to `script`. What cannot be read is told, and the others still answer.
pub(super) async fn discover(
    outside: &dyn Outside,
    account: &str,
    script: &str,
    token: &str,
) -> Found {
    let api = Api {
        outside,
        token,
        account: segment(account),
        script,
    };
    let mut found = Found::default();
    for (kind, asked) in [
        (Kind::WorkersDev, workers_dev(&api, &mut found).await),
        (Kind::CustomDomain, custom_domains(&api, &mut found).await),
        (Kind::Route, routes(&api, &mut found).await),
    ] {
        if let Err(Unanswered {
            message,
            permission,
        }) = asked
        {
            found.failures.push(Failure {
                source: kind,
                message,
                permission,
            });
        }
    }
    found
}

/// Cloudflare's API, as it is asked.
struct Api<'a> {
    outside: &'a dyn Outside,
    token: &'a str,
    /// The account as a segment of a path.
    account: String,
    script: &'a str,
}

/// A source did not answer.
struct Unanswered {
    message: String,
    permission: &'static str,
}

impl Api<'_> {
    /// The whole answer to a request that succeeded.
    async fn get(&self, path: &str, permission: &'static str) -> Result<Value, Unanswered> {
        let url = format!("{API}{path}");
        let answer = self.outside.get(&url, self.token).await;
        // Cloudflare's own words may repeat what they were asked with.
        let masked = |(status, text): (u16, String)| (status, text.replace(self.token, "[token]"));
        understood(answer.map(masked)).map_err(|message| Unanswered {
            message,
            permission,
        })
    }
}

/// An answer that counts: 2xx, JSON, not declared a failure, and with a result.
fn understood(answer: Option<(u16, String)>) -> Result<Value, String> {
    let (status, text) = answer.ok_or("Cloudflare did not answer in time")?;
    let body: Option<Value> = serde_json::from_str(&text).ok();
    let said = || {
        let said = body.as_ref()?.pointer("/errors/0/message")?.as_str()?;
        Some(said.chars().take(200).collect::<String>())
    };
    if !(200..300).contains(&status) {
        return Err(match said() {
            Some(said) => format!("Cloudflare answered {status}: {said}"),
            None => format!("Cloudflare answered {status}"),
        });
    }
    match &body {
        None => Err("Cloudflare answered with something else than JSON".to_owned()),
        Some(body) if body.get("success") == Some(&Value::Bool(false)) => Err(match said() {
            Some(said) => format!("Cloudflare refused: {said}"),
            None => "Cloudflare refused".to_owned(),
        }),
        Some(body) if body.get("result").is_none_or(Value::is_null) => {
            Err("Cloudflare's answer has no result".to_owned())
        }
        Some(_) => body.ok_or_else(String::new),
    }
}

async fn workers_dev(api: &Api<'_>, found: &mut Found) -> Result<(), Unanswered> {
    let Api {
        account, script, ..
    } = api;
    let path = format!(
        "/accounts/{account}/workers/scripts/{}/subdomain",
        segment(script)
    );
    let own = api.get(&path, SCRIPTS_READ).await?;
    if own.pointer("/result/enabled") != Some(&Value::Bool(true)) {
        return Ok(());
    }
    let path = format!("/accounts/{account}/workers/subdomain");
    let of_account = api.get(&path, SCRIPTS_READ).await?;
    if let Some(subdomain) = of_account
        .get("result")
        .and_then(|result| text(result, "subdomain"))
    {
        found.add(Bound {
            kind: Kind::WorkersDev,
            host: format!("{script}.{subdomain}.workers.dev").to_ascii_lowercase(),
            zone: None,
            pattern: None,
        });
    }
    Ok(())
}

async fn custom_domains(api: &Api<'_>, found: &mut Found) -> Result<(), Unanswered> {
    let path = format!(
        "/accounts/{}/workers/domains?service={}",
        api.account,
        segment(api.script)
    );
    let answer = api.get(&path, SCRIPTS_READ).await?;
    for domain in results(&answer) {
        if text(domain, "service") != Some(api.script) {
            continue;
        }
        if let Some(host) = text(domain, "hostname") {
            found.add(Bound {
                kind: Kind::CustomDomain,
                host: host.to_ascii_lowercase(),
                zone: text(domain, "zone_name").map(str::to_owned),
                pattern: None,
            });
        }
    }
    Ok(())
}

async fn routes(api: &Api<'_>, found: &mut Found) -> Result<(), Unanswered> {
    let path = format!("/zones?account.id={}&per_page={ZONES_LISTED}", api.account);
    let answer = api.get(&path, ZONES_READ).await?;
    let zones = results(&answer);
    let all = answer
        .pointer("/result_info/total_count")
        .and_then(Value::as_u64)
        .unwrap_or(0);
    found.unlisted_zones = all.saturating_sub(zones.len() as u64);
    let (mut asked, mut unread) = (0, Vec::new());
    for zone in zones {
        let (Some(id), Some(name)) = (text(zone, "id"), text(zone, "name")) else {
            continue;
        };
        if asked == ZONES_ASKED {
            found.skipped_zones.push(name.to_owned());
            continue;
        }
        asked += 1;
        let path = format!("/zones/{}/workers/routes", segment(id));
        match api.get(&path, ZONES_READ).await {
            Ok(answer) => {
                for pattern in patterns(&answer, api.script) {
                    let host = pattern.split('/').next().unwrap_or_default();
                    found.add(Bound {
                        kind: Kind::Route,
                        host: host.to_ascii_lowercase(),
                        zone: Some(name.to_owned()),
                        pattern: Some(pattern.to_owned()),
                    });
                }
            }
            Err(error) => {
                found.skipped_zones.push(name.to_owned());
                unread.push(error);
            }
        }
    }
    // Where no zone could be read at all, that is no matter of single zones.
    match unread.pop() {
        Some(error) if unread.len() + 1 == asked => Err(error),
        Some(_) | None => Ok(()),
    }
}

/// The patterns of a zone's routes that lead to this script.
fn patterns<'a>(answer: &'a Value, script: &str) -> Vec<&'a str> {
    results(answer)
        .iter()
        .filter(|route| text(route, "script") == Some(script))
        .filter_map(|route| text(route, "pattern"))
        .collect()
}

fn results(answer: &Value) -> &[Value] {
    answer
        .get("result")
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// A text that is not empty.
fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str().filter(|text| !text.is_empty())
}

/// A name as one segment of a path, whatever is in it.
fn segment(name: &str) -> String {
    match name {
        // However they are written these climb, so they ask for a name that nothing has.
        "." | ".." => "_".to_owned(),
        name => utf8_percent_encode(name, SEGMENT).to_string(),
    }
}

const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

const API: &str = "https://api.cloudflare.com/client/v4";

/// What the token needs for the script's own addresses.
const SCRIPTS_READ: &str = "Workers Scripts Read";

/// What it needs for the routes of zones.
const ZONES_READ: &str = "Zone Read and Workers Routes Read";

/// Zones on the one page that is asked for.
const ZONES_LISTED: usize = 50;

/// Zones whose routes are asked for: each costs a request of the few that one request of ours may make.
const ZONES_ASKED: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_counts_only_if_it_says_so_everywhere() {
        for (answer, counts) in [
            (None, false),
            (Some((200, r#"{"success":true,"result":[]}"#)), true),
            (Some((200, r#"{"result":{}}"#)), true),
            (Some((200, r#"{"success":false,"result":[]}"#)), false),
            (Some((200, r#"{"success":true}"#)), false),
            (Some((200, r#"{"success":true,"result":null}"#)), false),
            (Some((200, "<html>")), false),
            (Some((301, r#"{"result":{}}"#)), false),
            (Some((403, r#"{"errors":[{"message":"no"}]}"#)), false),
        ] {
            let answer = answer.map(|(status, text)| (status, text.to_owned()));
            assert_eq!(understood(answer.clone()).is_ok(), counts, "{answer:?}");
        }
        let refused = understood(Some((403, r#"{"errors":[{"message":"no"}]}"#.to_owned())));
        assert_eq!(refused.unwrap_err(), "Cloudflare answered 403: no");
    }

    #[test]
    fn names_are_one_segment() {
        for (name, expected) in [
            ("../x?y#z", "..%2Fx%3Fy%23z"),
            ("a-b_c~1.d", "a-b_c~1.d"),
            ("..", "_"),
            (".", "_"),
            ("é", "%C3%A9"),
        ] {
            assert_eq!(segment(name), expected);
        }
    }
}
