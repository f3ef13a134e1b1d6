//! The audit log: what was done, by whom. Nothing in it is ever changed.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Actor, Guard};
use crate::outside::{DatabaseError, Outside, Statement, run};

/// Something that was done.
#[derive(Debug, Clone)]
pub(crate) struct Line<'a> {
    pub(crate) at: u64,
    pub(crate) actor: &'a Actor,
    pub(crate) action: &'static str,
    pub(crate) target: Option<&'a str>,
    pub(crate) detail: Value,
}

impl Line<'_> {
    /// The statement that writes it if the guard holds.
    pub(crate) fn write_if(&self, guard: &Guard) -> Statement {
        let Self {
            at,
            actor,
            action,
            target,
            detail,
        } = self;
        let first = guard.parameters.len() + 1;
        Statement::new(
            format!(
                "INSERT INTO audit_log (at, actor, action, target, detail) \
                 SELECT ?{}, ?{}, ?{}, ?{}, ?{} WHERE {}",
                first,
                first + 1,
                first + 2,
                first + 3,
                first + 4,
                guard.sql
            ),
            guard.and([
                json!(at),
                json!(actor.name),
                json!(action),
                json!(target),
                json!(actor.detail(detail.clone()).to_string()),
            ]),
        )
    }

    /// The statement that writes it.
    pub(crate) fn write(&self) -> Statement {
        self.write_if(&Guard::new("TRUE", []))
    }
}

/// A line as it is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    id: u64,
    at: u64,
    actor: String,
    action: String,
    target: Option<String>,
    detail: Option<String>,
}

/// The newest lines.
pub(crate) async fn newest(outside: &dyn Outside, limit: u64) -> Result<Vec<Entry>, DatabaseError> {
    let select = Statement::new(
        "SELECT id, at, actor, action, target, detail FROM audit_log ORDER BY id DESC LIMIT ?1",
        [json!(limit)],
    );
    Ok(run(outside, vec![select]).await?.next().read())
}
