//! Resetting the panel's accounts, for an operator who is locked out: `cargo xtask reset`.
//!
//! Only accounts and their tokens go. Routes, settings, revisions, the audit log and the published table are not touched, so the proxy
//! serves on throughout.

use clap::Subcommand;
use serde_json::Value;

use super::github;
use super::wrangler::Wrangler;
use super::{database, deploy};
use crate::failure::Failure;
use crate::workspace::Workspace;

/// A step of the reset.
#[derive(Debug, Subcommand)]
pub(crate) enum Step {
    /// Say who will be removed, and count their tokens.
    List,
    /// Remove all tokens and all users.
    Remove,
    /// Make sure that nobody is left.
    Verify,
    /// Write a line into the audit log. REMOVED_USERS and REMOVED_TOKENS say how many there were.
    Record,
}

/// Carries out one step.
///
/// # Errors
/// If wrangler fails, if somebody is left, or if a number is missing.
pub(crate) fn run(workspace: &Workspace, step: &Step) -> Result<(), Failure> {
    let wrangler = Wrangler::find(workspace)?;
    match step {
        Step::List => list(&wrangler),
        Step::Remove => database::query(&wrangler, REMOVE).map(|_| ()),
        Step::Verify => verify(&wrangler),
        Step::Record => {
            let number = |name| counted(name, &deploy::variable(name)?);
            let sql = audit_line(number("REMOVED_USERS")?, number("REMOVED_TOKENS")?);
            database::query(&wrangler, &sql).map(|_| ())
        }
    }
}

fn list(wrangler: &Wrangler<'_>) -> Result<(), Failure> {
    let users = database::query(wrangler, LIST_USERS)?;
    let tokens = database::count(wrangler, COUNT_TOKENS)?;
    for user in &users {
        println!("{}", user_line(user));
    }
    println!(
        "{} users and {tokens} MCP tokens will be removed",
        users.len()
    );
    github::set_output("users", &users.len().to_string())?;
    github::set_output("tokens", &tokens.to_string())
}

fn user_line(user: &Value) -> String {
    let text = |key| user.get(key).and_then(Value::as_str).unwrap_or("?");
    let disabled = match user.get("disabled").and_then(Value::as_u64) {
        Some(0) => "",
        _ => ", disabled",
    };
    // A line break in a subject could be read as a command to the runner.
    format!("  {} ({}{disabled})", text("subject"), text("role")).replace(['\n', '\r'], " ")
}

fn verify(wrangler: &Wrangler<'_>) -> Result<(), Failure> {
    match database::count(wrangler, COUNT_USERS)? {
        0 => {
            github::notice(
                "the panel has no accounts: the next person whom Access admits becomes its administrator. Sign in at once.",
            );
            Ok(())
        }
        left => Err(Failure::new(format!(
            "{left} users are left in the database"
        ))),
    }
}

fn counted(name: &str, text: &str) -> Result<u64, Failure> {
    text.trim()
        .parse()
        .map_err(|_| Failure::new(format!("{name} is no number: `{text}`")))
}

/// Only numbers that were parsed here go into the text.
fn audit_line(users: u64, tokens: u64) -> String {
    format!(
        "INSERT INTO audit_log (at, actor, action, target, detail) VALUES \
         (unixepoch(), 'workflow:admin-reset', 'users.reset', NULL, '{{\"users\":{users},\"tokens\":{tokens}}}')"
    )
}

const LIST_USERS: &str = "SELECT subject, role, disabled FROM users ORDER BY id";
const COUNT_TOKENS: &str = "SELECT COUNT(*) AS count FROM mcp_tokens";
const COUNT_USERS: &str = "SELECT COUNT(*) AS count FROM users";
/// Tokens first: they point at the users.
const REMOVE: &str = "DELETE FROM mcp_tokens; DELETE FROM users";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_user_is_one_line_of_the_log() {
        for (user, expected) in [
            (
                json!({ "subject": "a@example.com", "role": "admin", "disabled": 0 }),
                "  a@example.com (admin)",
            ),
            (
                json!({ "subject": "b\n::set-output", "role": "viewer", "disabled": 1 }),
                "  b ::set-output (viewer, disabled)",
            ),
            (json!({}), "  ? (?, disabled)"),
        ] {
            assert_eq!(user_line(&user), expected);
        }
    }

    #[test]
    fn the_audit_line_holds_counts() {
        let sql = audit_line(2, 5);
        assert!(sql.contains(r#"'{"users":2,"tokens":5}'"#), "{sql}");
        assert!(counted("N", "2; DROP TABLE users").is_err());
        assert_eq!(counted("N", "2\n").unwrap(), 2);
    }
}
