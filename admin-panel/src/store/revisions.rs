//! What was published: numbers that are claimed once, snapshots of which the newest are kept, and what is live.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    Actor, Guard,
    audit::Line,
    draft::{Draft, Reset, reset},
    settings::Live,
};
use crate::{
    exchange::Window,
    limits,
    outside::{DatabaseError, Outside, Rows, Statement, run},
};

pub(super) fn select_newest() -> Statement {
    Statement::new(
        "SELECT coalesce(max(revision), 0) AS newest FROM revisions",
        [],
    )
}

pub(super) fn newest(rows: Rows) -> u64 {
    #[derive(Deserialize)]
    struct Newest {
        newest: u64,
    }
    rows.first().map_or(0, |Newest { newest }| newest)
}

pub(super) fn select_live() -> Statement {
    Statement::new(
        "SELECT document FROM revisions WHERE revision = (SELECT \
           CASE WHEN json_valid(value) THEN json_extract(value, '$.revision') END \
           FROM settings WHERE key = 'live')",
        [],
    )
}

fn select_document(revision: u64) -> Statement {
    Statement::new(
        "SELECT document FROM revisions WHERE revision = ?1",
        [json!(revision)],
    )
}

pub(super) fn document(rows: Rows) -> Option<String> {
    #[derive(Deserialize)]
    struct Document {
        document: String,
    }
    rows.first().map(|Document { document }| document)
}

/// The texts of two snapshots, as far as they are kept.
pub(crate) async fn documents<const N: usize>(
    outside: &dyn Outside,
    revisions: [u64; N],
) -> Result<[Option<String>; N], DatabaseError> {
    let statements = revisions.map(select_document).into();
    let mut results = run(outside, statements).await?;
    Ok(revisions.map(|_| document(results.next())))
}

/// A published revision as the list tells it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all(serialize = "camelCase"))]
pub(crate) struct RevisionEntry {
    revision: u64,
    at: u64,
    actor: String,
    note: Option<String>,
    rollback_of: Option<u64>,
    route_count: Option<u64>,
    snapshot: Snapshot,
    #[serde(default)]
    live: bool,
}

/// How much of a revision is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Snapshot {
    Full,
    None,
}

/// Part of the history, newest first, and which revision is live. Revisions whose snapshot is gone are told from the
/// audit log.
pub(crate) async fn history(
    outside: &dyn Outside,
    window: Window,
) -> Result<(Vec<RevisionEntry>, Option<u64>), DatabaseError> {
    let select = Statement::new(
        "SELECT revision, at, actor, note, rollback_of, route_count, snapshot FROM ( \
           SELECT revision, at, actor, note, rollback_of, route_count, 'full' AS snapshot FROM revisions \
           UNION ALL \
           SELECT revision, at, actor, note, rollback_of, route_count, 'none' AS snapshot FROM ( \
             SELECT json_extract(told, '$.revision') AS revision, at, actor, \
               json_extract(told, '$.note') AS note, json_extract(told, '$.rollbackOf') AS rollback_of, \
               json_extract(told, '$.routeCount') AS route_count, max(id) \
             FROM (SELECT id, at, actor, CASE WHEN json_valid(detail) THEN detail ELSE '{}' END AS told \
               FROM audit_log WHERE action IN ('config.publish', 'config.rollback')) \
             WHERE json_type(told, '$.revision') = 'integer' GROUP BY json_extract(told, '$.revision')) \
           WHERE revision NOT IN (SELECT revision FROM revisions) \
         ) ORDER BY revision DESC LIMIT ?1 OFFSET ?2",
        [json!(window.limit), json!(window.offset)],
    );
    let mut results = run(outside, vec![select, select_live_setting()]).await?;
    let mut entries: Vec<RevisionEntry> = results.next().read();
    let live = live_setting(results.next()).map(|live| live.revision);
    for entry in &mut entries {
        entry.live = live == Some(entry.revision);
    }
    Ok((entries, live))
}

fn select_live_setting() -> Statement {
    Statement::new("SELECT value FROM settings WHERE key = 'live'", [])
}

fn live_setting(rows: Rows) -> Option<Live> {
    #[derive(Deserialize)]
    struct Setting {
        value: String,
    }
    let Setting { value } = rows.first()?;
    Live::read(Some(&value))
}

/// What has to hold for a number to be claimed: nobody claimed one since the draft was read, however that went on.
fn unclaimed(draft: &Draft) -> Guard {
    Guard::new(
        "(SELECT value FROM settings WHERE key = 'revision') IS ?1 \
         AND (SELECT coalesce(max(revision), 0) FROM revisions) < ?2",
        [json!(draft.settings.revision), json!(draft.next_revision())],
    )
}

/// Claims the draft's next number, and with it sets the draft back where that is asked for, all or nothing. Returns
/// whether it could be had.
pub(crate) async fn claim(
    outside: &dyn Outside,
    draft: &Draft,
    back_to: Option<&Reset<'_>>,
    actor: &Actor,
    now: u64,
) -> Result<bool, DatabaseError> {
    let guard = unclaimed(draft);
    let mut statements = Vec::new();
    if let Some(back_to) = back_to {
        statements.extend(reset(back_to, &guard, actor, now));
    }
    // Last, because it makes the guard fail.
    statements.push(Statement::new(
        format!(
            "INSERT INTO settings (key, value) SELECT 'revision', ?3 WHERE {} \
             ON CONFLICT (key) DO UPDATE SET value = excluded.value RETURNING key",
            guard.sql
        ),
        guard.and([json!(draft.next_revision().to_string())]),
    ));
    let claimed = run(outside, statements).await?.last();
    Ok(!claimed.rows.is_empty())
}

/// What is recorded about a publish that the proxy can see.
#[derive(Debug, Clone)]
pub(crate) struct Record<'a> {
    pub(crate) revision: u64,
    pub(crate) digest: &'a str,
    /// Without `meta`.
    pub(crate) document: &'a str,
    pub(crate) route_count: usize,
    pub(crate) note: Option<&'a str>,
    pub(crate) rollback_of: Option<u64>,
    /// What the audit log tells beyond that.
    pub(crate) told: Value,
}

/// A publish that came later and is recorded already.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Later {
    pub(crate) revision: u64,
    pub(crate) document: String,
    pub(crate) actor: String,
    pub(crate) at: u64,
    pub(crate) note: Option<String>,
}

/// Records a publish: what is live, its snapshot, the line in the audit log; and drops what is too old. Returns what is
/// live instead, where that came later and was faster.
pub(crate) async fn record(
    outside: &dyn Outside,
    actor: &Actor,
    record: &Record<'_>,
    now: u64,
) -> Result<Option<Later>, DatabaseError> {
    let Record {
        revision,
        digest,
        document,
        route_count,
        note,
        rollback_of,
        told,
    } = record;
    let live = json!({ "revision": revision, "digest": digest });
    let statements = vec![
        // Of two publishes the later number stays, whichever is recorded first.
        Statement::new(
            "INSERT INTO settings (key, value) VALUES ('live', ?1) ON CONFLICT (key) DO UPDATE \
             SET value = excluded.value WHERE CASE WHEN NOT json_valid(settings.value) THEN TRUE \
               WHEN json_type(settings.value, '$.revision') IS NOT 'integer' THEN TRUE \
               ELSE json_extract(settings.value, '$.revision') < ?2 END",
            [json!(live.to_string()), json!(revision)],
        ),
        Statement::new(
            "INSERT INTO revisions (revision, document, actor, at, note, rollback_of, route_count) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            [
                json!(revision),
                json!(document),
                json!(actor.name),
                json!(now),
                json!(note),
                json!(rollback_of),
                json!(route_count),
            ],
        ),
        Line {
            at: now,
            actor,
            action: match rollback_of {
                Some(_) => "config.rollback",
                None => "config.publish",
            },
            target: Some("routes"),
            detail: told.clone(),
        }
        .write(),
        Statement::new(
            "DELETE FROM revisions WHERE revision NOT IN \
             (SELECT revision FROM revisions ORDER BY revision DESC LIMIT ?1)",
            [json!(limits::REVISIONS)],
        ),
        Statement::new(
            "SELECT revision, document, actor, at, note FROM revisions WHERE revision > ?1 \
             AND revision = (SELECT json_extract(value, '$.revision') FROM settings WHERE key = 'live')",
            [json!(revision)],
        ),
    ];
    Ok(run(outside, statements).await?.last().first())
}

/// Sets the draft back to what is live, if that is still live; returns whether it was. The line tells of it.
pub(crate) async fn put_back(
    outside: &dyn Outside,
    actor: &Actor,
    draft: &Draft,
    back_to: &Reset<'_>,
    line: &Line<'_>,
) -> Result<bool, DatabaseError> {
    let guard = Guard::new(
        "(SELECT value FROM settings WHERE key = 'live') IS ?1",
        [json!(draft.settings.live)],
    );
    let mut statements = vec![line.write_if(&guard)];
    statements.extend(reset(back_to, &guard, actor, line.at));
    statements.push(Statement::new(
        format!("SELECT 1 AS held WHERE {}", guard.sql),
        guard.and([]),
    ));
    let held = run(outside, statements).await?.last();
    Ok(!held.rows.is_empty())
}
