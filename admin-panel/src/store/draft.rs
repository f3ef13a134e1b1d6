//! The draft as a whole: read in one transaction, and put back from a snapshot in one.

use serde_json::{Value, json};

use super::{
    Actor, Guard,
    audit::Line,
    revisions,
    routes::{self, Row},
    settings::{self, Stored},
};
use crate::outside::{DatabaseError, Outside, Statement, run};

/// Everything that a preview and a publish look at, as it was at one moment.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Draft {
    /// All routes in order, disabled ones included.
    pub(crate) rows: Vec<Row>,
    pub(crate) settings: Stored,
    /// The highest revision that is stored.
    pub(crate) newest: u64,
    /// The text of the live revision's document, where it is still stored.
    pub(crate) live_document: Option<String>,
}

/// Reads the draft.
pub(crate) async fn read(outside: &dyn Outside) -> Result<Draft, DatabaseError> {
    let statements = vec![
        routes::select(),
        settings::select(),
        revisions::select_newest(),
        revisions::select_live(),
    ];
    let mut results = run(outside, statements).await?;
    let (rows, settings) = (results.next().read(), Stored::of(results.next()));
    let newest = revisions::newest(results.next());
    // A record that is broken names no revision, whatever SQL makes of it.
    let live_document = revisions::document(results.next()).filter(|_| settings.live().is_some());
    Ok(Draft {
        rows,
        settings,
        newest,
        live_document,
    })
}

/// The number the next publish claims.
impl Draft {
    pub(crate) fn next_revision(&self) -> u64 {
        self.settings.claimed().max(self.newest) + 1
    }
}

/// Replaces the draft, if it is still the one that was read; returns whether it was. The line tells of it.
pub(crate) async fn import(
    outside: &dyn Outside,
    actor: &Actor,
    draft: &Draft,
    new: &Reset<'_>,
    line: &Line<'_>,
) -> Result<bool, DatabaseError> {
    let versions: Vec<Value> = draft
        .rows
        .iter()
        .map(|row| json!([row.id, row.version, row.position]))
        .collect();
    let guard = Guard::new(
        "(SELECT count(*) FROM routes) = json_array_length(?1) AND NOT EXISTS ( \
           SELECT 1 FROM json_each(?1) AS j LEFT JOIN routes AS r ON r.id = json_extract(j.value, '$[0]') \
           WHERE r.version IS NOT json_extract(j.value, '$[1]') \
             OR r.position IS NOT json_extract(j.value, '$[2]')) \
         AND (SELECT value FROM settings WHERE key = 'defaults') IS ?2",
        [
            json!(json!(versions).to_string()),
            json!(draft.settings.defaults),
        ],
    );
    // Once the routes are written the guard no longer holds, so all of it is decided by what is noted first.
    let note = Statement::new(
        format!(
            "INSERT INTO settings (key, value) SELECT 'importing', ?3 WHERE {} \
             ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            guard.sql
        ),
        guard.and([json!(line.at.to_string())]),
    );
    let noted = Guard::new(
        "EXISTS (SELECT 1 FROM settings WHERE key = 'importing')",
        [],
    );
    let mut statements = vec![note, line.write_if(&noted)];
    statements.extend(reset(new, &noted, actor, line.at));
    statements.push(Statement::new(
        "DELETE FROM settings WHERE key = 'importing' RETURNING key",
        [],
    ));
    let done = run(outside, statements).await?.last();
    Ok(!done.rows.is_empty())
}

/// What the draft is set back to: routes as `[{ "id", "definition" }]`, and the defaults block.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reset<'a> {
    pub(crate) routes: &'a Value,
    pub(crate) defaults: Option<&'a Value>,
}

/// The statements that set the draft back if the guard holds. The routes given come first, enabled and in their order;
/// every other route is kept behind them, disabled and in the order it had. Nothing is deleted.
pub(super) fn reset(reset: &Reset<'_>, guard: &Guard, actor: &Actor, now: u64) -> [Statement; 4] {
    let Reset { routes, defaults } = reset;
    let first = guard.parameters.len() + 1;
    let (given, at, by) = (first, first + 1, first + 2);
    let parameters = || guard.and([json!(routes.to_string()), json!(now), json!(actor.name)]);
    let upsert = Statement::new(
        format!(
            "INSERT INTO routes (id, definition, enabled, position, version, updated_at, updated_by) \
             SELECT json_extract(j.value, '$.id'), json_extract(j.value, '$.definition'), 1, j.key, 1, ?{at}, ?{by} \
             FROM json_each(?{given}) AS j WHERE {} \
             ON CONFLICT (id) DO UPDATE SET definition = excluded.definition, enabled = 1, \
               position = excluded.position, version = routes.version + 1, \
               updated_at = excluded.updated_at, updated_by = excluded.updated_by",
            guard.sql
        ),
        parameters(),
    );
    let others = Statement::new(
        format!(
            "UPDATE routes SET position = json_array_length(?{given}) + o.place, \
               version = routes.version + routes.enabled, \
               updated_at = CASE routes.enabled WHEN 1 THEN ?{at} ELSE routes.updated_at END, \
               updated_by = CASE routes.enabled WHEN 1 THEN ?{by} ELSE routes.updated_by END, \
               enabled = 0 \
             FROM (SELECT id, row_number() OVER (ORDER BY position, id) - 1 AS place FROM routes \
               WHERE id NOT IN (SELECT json_extract(value, '$.id') FROM json_each(?{given}))) AS o \
             WHERE routes.id = o.id AND {}",
            guard.sql
        ),
        parameters(),
    );
    let cleared = Statement::new(
        format!(
            "DELETE FROM settings WHERE key = 'defaults' AND {}",
            guard.sql
        ),
        guard.and([]),
    );
    let text = defaults.map(Value::to_string);
    let written = Statement::new(
        format!(
            "INSERT INTO settings (key, value) SELECT 'defaults', ?{first} WHERE ?{first} IS NOT NULL AND {}",
            guard.sql
        ),
        guard.and([json!(text)]),
    );
    [others, upsert, cleared, written]
}
