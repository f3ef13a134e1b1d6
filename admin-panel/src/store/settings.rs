//! Single values: the draft's defaults, the last number claimed, what is live. One that does not parse is absent.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Actor, audit::Line};
use crate::outside::{DatabaseError, Outside, Statement, run};

/// What was last published.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Live {
    pub(crate) revision: u64,
    pub(crate) digest: String,
}

impl Live {
    /// Reads the setting. What is of another shape says that nothing was ever published.
    pub(crate) fn read(stored: Option<&str>) -> Option<Self> {
        serde_json::from_str(stored?).ok()
    }
}

/// The statement that reads the settings of the draft, for [`Stored::of`].
pub(super) fn select() -> Statement {
    Statement::new(
        "SELECT key, value FROM settings WHERE key IN ('defaults', 'revision', 'live')",
        [],
    )
}

/// The settings of the draft, as they are stored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Stored {
    pub(crate) defaults: Option<String>,
    pub(crate) revision: Option<String>,
    pub(crate) live: Option<String>,
}

#[derive(Deserialize)]
struct Setting {
    key: String,
    value: String,
}

impl Stored {
    pub(super) fn of(rows: crate::outside::Rows) -> Self {
        let mut stored = Self::default();
        for Setting { key, value } in rows.read() {
            match key.as_str() {
                "defaults" => stored.defaults = Some(value),
                "revision" => stored.revision = Some(value),
                "live" => stored.live = Some(value),
                _ => {}
            }
        }
        stored
    }

    /// What is live.
    pub(crate) fn live(&self) -> Option<Live> {
        Live::read(self.live.as_deref())
    }

    /// The defaults block; `None` where there is none, or one that does not parse.
    pub(crate) fn defaults(&self) -> Option<Value> {
        serde_json::from_str(self.defaults.as_deref()?).ok()
    }

    /// The last number that was claimed.
    pub(crate) fn claimed(&self) -> u64 {
        self.revision
            .as_deref()
            .and_then(|text| text.parse().ok())
            .unwrap_or(0)
    }
}

/// The settings of the draft.
pub(crate) async fn stored(outside: &dyn Outside) -> Result<Stored, DatabaseError> {
    Ok(Stored::of(run(outside, vec![select()]).await?.next()))
}

/// Replaces the draft's defaults.
pub(crate) async fn put_defaults(
    outside: &dyn Outside,
    actor: &Actor,
    defaults: &Map<String, Value>,
    now: u64,
) -> Result<(), DatabaseError> {
    let line = Line {
        at: now,
        actor,
        action: "defaults.update",
        target: Some("defaults"),
        detail: json!({ "defaults": defaults }),
    };
    let write = Statement::new(
        "INSERT INTO settings (key, value) VALUES ('defaults', ?1) \
         ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        [json!(json!(defaults).to_string())],
    );
    run(outside, vec![line.write(), write]).await.map(drop)
}
