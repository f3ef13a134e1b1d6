//! The health probe: does what was just deployed answer?

use std::process::Command;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::github;
use crate::failure::Failure;
use crate::process;

/// What an answer says about the panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// It is up and says so.
    Healthy,
    /// Access answered in its place: it is deployed, and its door is closed.
    Guarded,
    /// Neither.
    Unwell,
}

/// An answer, or the reason there is none.
type Answer = Result<(u16, String), String>;

/// Asks the panel at `address` until it is well, with `pause` between two attempts.
///
/// # Errors
/// If there is no address, or no attempt finds it well.
pub(crate) fn run(address: &str, pause: Duration) -> Result<(), Failure> {
    let address = address.trim().trim_end_matches('/');
    if address.is_empty() {
        return Err(Failure::new(
            "the deployment named no workers.dev address, so the panel cannot be looked at",
        )
        .mend("give the account a workers.dev subdomain, and leave `workers_dev` on in the panel's wrangler file"));
    }
    let url = format!("{address}/api/health");
    match attempts(|| ask(&url), || thread::sleep(pause))? {
        Verdict::Guarded => github::notice(&format!(
            "{url} is behind Cloudflare Access: the panel is deployed and its door is closed. What is behind the door cannot be seen from here; open {address} in a signed-in browser and look."
        )),
        _ => println!("{url} is well"),
    }
    Ok(())
}

/// Asks until the answer is good enough; the last answer is the failure's cause.
fn attempts(mut ask: impl FnMut() -> Answer, mut pause: impl FnMut()) -> Result<Verdict, Failure> {
    let mut last = String::new();
    for attempt in 1..=ATTEMPTS {
        if attempt > 1 {
            pause();
        }
        let answer = ask();
        match &answer {
            Ok((status, body)) => match verdict(*status, body) {
                Verdict::Unwell => last = format!("{status} {}", shortened(body)),
                well => return Ok(well),
            },
            Err(reason) => last.clone_from(reason),
        }
        println!("attempt {attempt} of {ATTEMPTS}: {last}");
    }
    Err(Failure::new(format!(
        "the panel did not become well within {ATTEMPTS} attempts; the last one found: {last}"
    )))
}

fn verdict(status: u16, body: &str) -> Verdict {
    match status {
        200 if says_ok(body) => Verdict::Healthy,
        302 | 401 | 403 => Verdict::Guarded,
        _ => Verdict::Unwell,
    }
}

fn says_ok(body: &str) -> bool {
    serde_json::from_str::<Value>(body)
        .is_ok_and(|health| health.get("ok").and_then(Value::as_bool) == Some(true))
}

/// One request, which follows no redirect: where Access sends a visitor is an answer too.
fn ask(url: &str) -> Answer {
    let program = std::env::var_os(PROGRAM_VARIABLE).unwrap_or_else(|| "curl".into());
    let printed = process::output(
        Command::new(program)
            .args(["--silent", "--show-error", "--max-time", DEADLINE_SECONDS])
            .args(["--write-out", "\\n%{http_code}", url]),
    )
    .map_err(|failure| failure.to_string())?;
    answer_in(&printed)
}

/// The body, and below it the status.
fn answer_in(printed: &str) -> Answer {
    let (body, status) = printed.rsplit_once('\n').unwrap_or(("", printed));
    match status.trim().parse() {
        Ok(status) => Ok((status, body.to_owned())),
        Err(_) => Err(format!("curl gave no status but `{}`", shortened(printed))),
    }
}

fn shortened(text: &str) -> String {
    text.trim().chars().take(200).collect()
}

const ATTEMPTS: u32 = 6;
const DEADLINE_SECONDS: &str = "10";
/// Names another program to call instead of curl.
const PROGRAM_VARIABLE: &str = "JOUSKA_CURL";

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn an_answer_is_judged_by_its_status_and_what_it_says() {
        for (status, body, expected) in [
            (200, r#"{"ok":true,"build":"v1"}"#, Verdict::Healthy),
            (200, r#"{ "ok" : true }"#, Verdict::Healthy),
            (200, r#"{"ok":false}"#, Verdict::Unwell),
            (200, r#"{"ok":"true"}"#, Verdict::Unwell),
            (200, "<html>\"ok\":true</html>", Verdict::Unwell),
            (204, "", Verdict::Unwell),
            (301, "", Verdict::Unwell),
            (302, "", Verdict::Guarded),
            (401, "", Verdict::Guarded),
            (403, "", Verdict::Guarded),
            (404, r#"{"ok":true}"#, Verdict::Unwell),
            (500, r#"{"ok":true}"#, Verdict::Unwell),
            (503, "", Verdict::Unwell),
        ] {
            assert_eq!(verdict(status, body), expected, "{status} {body}");
        }
    }

    #[test]
    fn it_asks_six_times_with_pauses_between() {
        let (asked, paused) = (Cell::new(0), Cell::new(0));
        let play = |answers: &[Answer]| {
            asked.set(0);
            paused.set(0);
            let outcome = attempts(
                || {
                    let answer = answers[asked.get().min(answers.len() - 1)].clone();
                    asked.set(asked.get() + 1);
                    answer
                },
                || paused.set(paused.get() + 1),
            );
            (
                outcome.map_err(|failure| failure.to_string()),
                asked.get(),
                paused.get(),
            )
        };
        let error = || Ok((500, "broken".to_owned()));
        let well = || Ok((200, r#"{"ok":true}"#.to_owned()));

        assert_eq!(play(&[well()]), (Ok(Verdict::Healthy), 1, 0));
        assert_eq!(
            play(&[Err("no route to host".to_owned()), error(), well()]),
            (Ok(Verdict::Healthy), 3, 2)
        );
        let (outcome, asked, paused) = play(&[error()]);
        assert_eq!((asked, paused), (6, 5));
        assert!(outcome.unwrap_err().contains("500 broken"));
    }

    #[test]
    fn the_status_stands_below_the_body() {
        assert_eq!(answer_in("a\nb\n200"), Ok((200, "a\nb".to_owned())));
        assert_eq!(answer_in("\n302"), Ok((302, String::new())));
        assert!(answer_in("a\nb").is_err());
    }

    #[test]
    fn no_address_is_a_failure() {
        assert!(run("  ", Duration::ZERO).is_err());
    }
}
