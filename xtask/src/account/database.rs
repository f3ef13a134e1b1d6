//! Asking the panel's database in the account.

use serde_json::Value;

use super::listing::list_in;
use super::wrangler::Wrangler;
use super::{DATABASE, PANEL_FILE};
use crate::failure::Failure;

/// Runs `sql` in the remote database and returns the rows of its first statement.
///
/// # Errors
/// If wrangler fails or its answer cannot be read.
pub(super) fn query(wrangler: &Wrangler<'_>, sql: &str) -> Result<Vec<Value>, Failure> {
    let said = wrangler.ask(&[
        "d1",
        "execute",
        DATABASE,
        "--remote",
        "--yes",
        "--json",
        "--config",
        PANEL_FILE,
        "--command",
        sql,
    ])?;
    rows(&said.out).ok_or_else(|| {
        Failure::new(format!(
            "the database's answer holds no rows; wrangler printed:\n{}",
            said.out.trim()
        ))
    })
}

/// The number that `sql` counts as `count`.
///
/// # Errors
/// As [`query`], and if there is no such number.
pub(super) fn count(wrangler: &Wrangler<'_>, sql: &str) -> Result<u64, Failure> {
    let rows = query(wrangler, sql)?;
    rows.first()
        .and_then(|row| row.get("count")?.as_u64())
        .ok_or_else(|| Failure::new(format!("`{sql}` gave no count")))
}

/// The rows of the first statement in what wrangler printed; `None` if it reports none, or a failure.
fn rows(printed: &str) -> Option<Vec<Value>> {
    let answers = list_in(printed)?;
    let first = answers.first()?;
    if first.get("success").and_then(Value::as_bool) != Some(true) {
        return None;
    }
    first.get("results")?.as_array().cloned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rows_are_read_out_of_an_answer() {
        for (printed, expected) in [
            (
                r#"banner [x]
                [{"results":[{"count":2}],"success":true,"meta":{}}]"#,
                Some(vec![json!({ "count": 2 })]),
            ),
            (r#"[{"results":[],"success":true}]"#, Some(vec![])),
            (r#"[{"results":[{"count":2}],"success":false}]"#, None),
            (r#"[{"success":true}]"#, None),
            (r#"{"error":{"text":"no such table"}}"#, None),
            ("", None),
        ] {
            assert_eq!(rows(printed), expected, "{printed}");
        }
    }
}
