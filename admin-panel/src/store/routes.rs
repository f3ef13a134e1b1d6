//! The draft's routes.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Actor, Guard, audit::Line};
use crate::outside::{DatabaseError, Outside, Statement, run};

/// A route as it is stored.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct Row {
    pub(crate) id: String,
    pub(crate) definition: String,
    #[serde(deserialize_with = "super::users::flag")]
    pub(crate) enabled: bool,
    pub(crate) position: i64,
    pub(crate) version: u64,
    pub(crate) updated_at: u64,
    pub(crate) updated_by: String,
}

/// A route as the list tells it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RouteEntry {
    id: String,
    definition: Option<Value>,
    enabled: bool,
    position: i64,
    version: u64,
    updated_at: u64,
    updated_by: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    corrupt: bool,
}

impl From<Row> for RouteEntry {
    fn from(row: Row) -> Self {
        let definition: Option<Value> = serde_json::from_str(&row.definition).ok();
        Self {
            corrupt: definition.is_none(),
            definition,
            id: row.id,
            enabled: row.enabled,
            position: row.position,
            version: row.version,
            updated_at: row.updated_at,
            updated_by: row.updated_by,
        }
    }
}

/// The statement that reads all routes in order.
pub(super) fn select() -> Statement {
    Statement::new(
        "SELECT id, definition, enabled, position, version, updated_at, updated_by \
         FROM routes ORDER BY position, id",
        [],
    )
}

fn select_one(id: &str) -> Statement {
    Statement::new(
        "SELECT id, definition, enabled, position, version, updated_at, updated_by \
         FROM routes WHERE id = ?1",
        [json!(id)],
    )
}

/// All routes in order.
pub(crate) async fn list(outside: &dyn Outside) -> Result<Vec<Row>, DatabaseError> {
    Ok(run(outside, vec![select()]).await?.next().read())
}

/// What is written of one route.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Write<'a> {
    pub(crate) id: &'a str,
    pub(crate) definition: &'a Map<String, Value>,
    /// Absent: as it is, and on for a new route.
    pub(crate) enabled: Option<bool>,
    /// The version the writer has seen; 0 for a route that must not exist yet.
    pub(crate) expected: Option<u64>,
}

/// What became of a write.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Written {
    /// It was made.
    Done(Row),
    /// Somebody else was faster; this is the route now.
    Changed(Option<Row>),
}

/// Writes a route: a new one to the end, an existing one where it stands.
pub(crate) async fn put(
    outside: &dyn Outside,
    actor: &Actor,
    write: &Write<'_>,
    now: u64,
) -> Result<Written, DatabaseError> {
    let Write {
        id,
        definition,
        enabled,
        expected,
    } = write;
    let guard = Guard::new(
        "(?2 IS NULL OR ?2 = coalesce((SELECT version FROM routes WHERE id = ?1), 0))",
        [json!(id), json!(expected)],
    );
    let enabled = json!(enabled.map(u8::from));
    let detail = actor.detail(json!({ "definition": definition }));
    let line = Statement::new(
        format!(
            "INSERT INTO audit_log (at, actor, action, target, detail) SELECT ?3, ?4, \
             CASE WHEN EXISTS (SELECT 1 FROM routes WHERE id = ?1) THEN 'route.update' ELSE 'route.create' END, ?1, \
             json_set(?5, '$.enabled', json(CASE \
               coalesce(?6, (SELECT enabled FROM routes WHERE id = ?1), 1) WHEN 0 THEN 'false' ELSE 'true' END)) \
             WHERE {}",
            guard.sql
        ),
        guard.and([
            json!(now),
            json!(actor.name),
            json!(detail.to_string()),
            enabled.clone(),
        ]),
    );
    let upsert = Statement::new(
        format!(
            "INSERT INTO routes (id, definition, enabled, position, version, updated_at, updated_by) \
             SELECT ?1, ?3, coalesce(?4, 1), (SELECT coalesce(max(position) + 1, 0) FROM routes), 1, ?5, ?6 \
             WHERE {} \
             ON CONFLICT (id) DO UPDATE SET definition = excluded.definition, \
               enabled = coalesce(?4, routes.enabled), version = routes.version + 1, \
               updated_at = excluded.updated_at, updated_by = excluded.updated_by \
             RETURNING id",
            guard.sql
        ),
        guard.and([
            json!(json!(definition).to_string()),
            enabled,
            json!(now),
            json!(actor.name),
        ]),
    );
    let mut results = run(outside, vec![line, upsert, select_one(id)]).await?;
    results.next();
    let is_written = !results.next().rows.is_empty();
    Ok(match (is_written, results.next().first()) {
        (true, Some(row)) => Written::Done(row),
        (_, row) => Written::Changed(row),
    })
}

/// What became of a deletion.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Deleted {
    Done,
    NotFound,
    /// Somebody else was faster; this is the route now.
    Changed(Row),
}

/// Deletes a route.
pub(crate) async fn delete(
    outside: &dyn Outside,
    actor: &Actor,
    id: &str,
    expected: Option<u64>,
    now: u64,
) -> Result<Deleted, DatabaseError> {
    let guard = Guard::new(
        "id = ?1 AND (?2 IS NULL OR version = ?2)",
        [json!(id), json!(expected)],
    );
    let line = Statement::new(
        format!(
            "INSERT INTO audit_log (at, actor, action, target, detail) \
             SELECT ?3, ?4, 'route.delete', id, json_set(?5, '$.definition', \
               json(CASE WHEN json_valid(definition) THEN definition ELSE json_quote(definition) END)) \
             FROM routes WHERE {}",
            guard.sql
        ),
        guard.and([
            json!(now),
            json!(actor.name),
            json!(actor.detail(json!({})).to_string()),
        ]),
    );
    let delete = Statement::new(
        format!("DELETE FROM routes WHERE {} RETURNING id", guard.sql),
        guard.and([]),
    );
    let mut results = run(outside, vec![line, delete, select_one(id)]).await?;
    results.next();
    let is_deleted = !results.next().rows.is_empty();
    Ok(match (is_deleted, results.next().first()) {
        (true, _) => Deleted::Done,
        (false, None) => Deleted::NotFound,
        (false, Some(row)) => Deleted::Changed(row),
    })
}

/// Puts the routes into this order, if these are all there are; returns whether they were.
pub(crate) async fn reorder(
    outside: &dyn Outside,
    actor: &Actor,
    ids: &[String],
    now: u64,
) -> Result<bool, DatabaseError> {
    // The ids are distinct, so that as many of them as there are routes, all of them known, are all routes.
    let guard = Guard::new(
        "(SELECT count(*) FROM routes) = json_array_length(?1) AND NOT EXISTS ( \
           SELECT 1 FROM json_each(?1) AS j WHERE j.value NOT IN (SELECT id FROM routes))",
        [json!(json!(ids).to_string())],
    );
    let line = Line {
        at: now,
        actor,
        action: "routes.reorder",
        target: Some("routes"),
        detail: json!({ "ids": ids }),
    };
    let update = Statement::new(
        format!(
            "UPDATE routes SET position = j.key FROM json_each(?1) AS j \
             WHERE routes.id = j.value AND {}",
            guard.sql
        ),
        guard.and([]),
    );
    let check = Statement::new(format!("SELECT {} AS held", guard.sql), guard.and([]));
    let statements = vec![line.write_if(&guard), update, check];
    let held = run(outside, statements).await?.last();
    Ok(held.first::<Held>().is_some_and(|Held { held }| held))
}

#[derive(Deserialize)]
struct Held {
    #[serde(deserialize_with = "super::users::flag")]
    held: bool,
}
