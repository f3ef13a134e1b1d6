//! People, and what none of them may take away: the last row, the last admin, the last admin who is not disabled.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Actor, Guard, audit::Line};
use crate::{
    exchange::Body,
    identity::{Caller, Grant, Role, Standing},
    outside::{DatabaseError, Outside, Statement, run},
};

/// What is known about the person `subject`, and about who else there is.
pub(crate) async fn standing(
    outside: &dyn Outside,
    subject: &str,
) -> Result<Standing, DatabaseError> {
    let row = run(outside, vec![select_standing(subject)]).await?.next();
    Ok(row.first().unwrap_or_default())
}

fn select_standing(subject: &str) -> Statement {
    Statement::new(
        "SELECT u.id, u.role, u.disabled, u.last_seen, \
         (SELECT value FROM settings WHERE key = 'provision_window') AS provision_window, \
         EXISTS (SELECT 1 FROM users) AS users, \
         EXISTS (SELECT 1 FROM users WHERE role = 'admin' AND disabled = 0) AS enabled_admins \
         FROM (SELECT ?1 AS subject) AS asked LEFT JOIN users AS u ON u.subject = asked.subject",
        [json!(subject)],
    )
}

/// Makes a row for `subject`, if what the grant rests on holds while it is written; returns how things stand then.
pub(crate) async fn provision(
    outside: &dyn Outside,
    subject: &str,
    grant: Grant,
    window: Option<&str>,
    now: u64,
) -> Result<Standing, DatabaseError> {
    let guard = match grant {
        Grant::Window => Guard::new(
            "NOT EXISTS (SELECT 1 FROM users WHERE subject = ?1) \
             AND NOT EXISTS (SELECT 1 FROM users WHERE role = 'admin' AND disabled = 0) \
             AND EXISTS (SELECT 1 FROM settings WHERE key = 'provision_window' AND value IS ?2)",
            [json!(subject), json!(window)],
        ),
        Grant::Founder => Guard::new("NOT EXISTS (SELECT 1 FROM users)", []),
        Grant::Policy(_) => Guard::new(
            "NOT EXISTS (SELECT 1 FROM users WHERE subject = ?1)",
            [json!(subject)],
        ),
    };
    let role = grant.role();
    let actor = Actor {
        name: subject.to_owned(),
        token: None,
    };
    let line = Line {
        at: now,
        actor: &actor,
        action: "user.provision",
        target: Some(subject),
        detail: json!({ "role": role, "via": grant.via() }),
    };
    let first = guard.parameters.len() + 1;
    let insert = Statement::new(
        format!(
            "INSERT INTO users (subject, email, role, created_at, last_seen) \
             SELECT ?{first}, ?{first}, ?{}, ?{}, ?{} WHERE {}",
            first + 1,
            first + 2,
            first + 2,
            guard.sql
        ),
        guard.and([json!(subject), json!(role), json!(now)]),
    );
    let mut statements = vec![line.write_if(&guard), insert];
    if grant == Grant::Window {
        // Whoever came first used it up; for everybody else it is gone.
        statements.push(Statement::new(
            "DELETE FROM settings WHERE key = 'provision_window' AND value IS ?2 \
             AND EXISTS (SELECT 1 FROM users WHERE subject = ?1)",
            [json!(subject), json!(window)],
        ));
    }
    statements.push(select_standing(subject));
    let results = run(outside, statements).await?;
    Ok(results.last().first().unwrap_or_default())
}

/// Notes that the caller was here, at most once an hour.
pub(crate) async fn saw(
    outside: &dyn Outside,
    caller: &Caller,
    last_seen: Option<u64>,
    now: u64,
) -> Result<(), DatabaseError> {
    let before = now.saturating_sub(SEEN_EVERY);
    if last_seen.is_some_and(|seen| seen > before) {
        return Ok(());
    }
    let update = Statement::new(
        "UPDATE users SET last_seen = ?2 WHERE id = ?1 AND (last_seen IS NULL OR last_seen <= ?3)",
        [json!(caller.id), json!(now), json!(before)],
    );
    run(outside, vec![update]).await.map(drop)
}

/// A person as the list tells them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all(serialize = "camelCase"))]
pub(crate) struct User {
    id: u64,
    subject: String,
    email: Option<String>,
    role: Role,
    #[serde(deserialize_with = "flag")]
    disabled: bool,
    created_at: u64,
    last_seen: Option<u64>,
    token_count: u64,
}

/// SQLite's 0 and 1.
pub(super) fn flag<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    u64::deserialize(deserializer).map(|number| number != 0)
}

/// Everybody.
pub(crate) async fn list(outside: &dyn Outside, now: u64) -> Result<Vec<User>, DatabaseError> {
    let select = Statement::new(
        "SELECT u.id, u.subject, u.email, u.role, u.disabled, u.created_at, u.last_seen, \
         (SELECT count(*) FROM mcp_tokens AS t WHERE t.owner_user_id = u.id \
          AND t.revoked_at IS NULL AND t.expires_at > ?1) AS token_count \
         FROM users AS u ORDER BY u.id",
        [json!(now)],
    );
    Ok(run(outside, vec![select]).await?.next().read())
}

/// Adds a person; `None` where the address is taken.
pub(crate) async fn add(
    outside: &dyn Outside,
    actor: &Actor,
    subject: &str,
    email: Option<&str>,
    role: Role,
    now: u64,
) -> Result<Option<u64>, DatabaseError> {
    let insert = Statement::new(
        "INSERT INTO users (subject, email, role, created_at) VALUES (?1, ?2, ?3, ?4) \
         ON CONFLICT (subject) DO NOTHING RETURNING id",
        [json!(subject), json!(email), json!(role), json!(now)],
    );
    // The id is known only now, and only where the row was made.
    let line = Statement::new(
        "INSERT INTO audit_log (at, actor, action, target, detail) \
         SELECT ?2, ?3, 'user.create', subject, json_object('id', id, 'role', role) \
         FROM users WHERE subject = ?1 AND changes() > 0",
        [json!(subject), json!(now), json!(actor.name)],
    );
    let mut results = run(outside, vec![insert, line]).await?;
    Ok(results.next().first::<Id>().map(|Id { id }| id))
}

#[derive(Deserialize)]
struct Id {
    id: u64,
}

/// What became of a change to a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Changed {
    /// It was made. `tokens_revoked` is of use only where somebody was deleted.
    Done { tokens_revoked: u64 },
    /// There is no such person.
    NotFound,
    /// It would have taken the last admin away.
    LastAdmin,
    /// It would have taken the last person away.
    LastUser,
}

/// Another role, another state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Change {
    pub(crate) role: Option<Role>,
    pub(crate) disabled: Option<bool>,
}

/// Changes a person, unless that would leave no admin who can do anything.
pub(crate) async fn change(
    outside: &dyn Outside,
    actor: &Actor,
    id: u64,
    change: Change,
    now: u64,
) -> Result<Changed, DatabaseError> {
    let Change { role, disabled } = change;
    // Nothing is lost by who was no admin, or stays one; by everybody else only where another one is left.
    let guard = Guard::new(
        "EXISTS (SELECT 1 FROM users AS u WHERE u.id = ?1 AND ( \
           u.role <> 'admin' \
           OR (coalesce(?2, u.role) = 'admin' AND coalesce(?3, u.disabled) <= u.disabled) \
           OR EXISTS (SELECT 1 FROM users AS o WHERE o.id <> ?1 AND o.role = 'admin' AND o.disabled = 0) \
         ))",
        [json!(id), json!(role), json!(disabled.map(u8::from))],
    );
    let detail = Body::default()
        .with_some("role", role)
        .with_some("disabled", disabled);
    let line = Statement::new(
        format!(
            "INSERT INTO audit_log (at, actor, action, target, detail) \
             SELECT ?4, ?5, 'user.update', subject, ?6 FROM users WHERE id = ?1 AND {}",
            guard.sql
        ),
        guard.and([
            json!(now),
            json!(actor.name),
            json!(Value::from(detail).to_string()),
        ]),
    );
    let update = Statement::new(
        format!(
            "UPDATE users SET role = coalesce(?2, role), disabled = coalesce(?3, disabled) \
             WHERE id = ?1 AND {} RETURNING id",
            guard.sql
        ),
        guard.and([]),
    );
    let mut results = run(outside, vec![line, update, select_presence(id)]).await?;
    results.next();
    if results.next().first::<Id>().is_some() {
        return Ok(Changed::Done { tokens_revoked: 0 });
    }
    let presence: Presence = results.next().first().unwrap_or_default();
    Ok(match presence.found {
        0 => Changed::NotFound,
        _ => Changed::LastAdmin,
    })
}

/// Deletes a person and revokes their tokens, unless that would leave nobody, or no admin who can do anything.
pub(crate) async fn delete(
    outside: &dyn Outside,
    actor: &Actor,
    by: u64,
    id: u64,
    now: u64,
) -> Result<Changed, DatabaseError> {
    let guard = Guard::new(
        "EXISTS (SELECT 1 FROM users AS u WHERE u.id = ?1 AND ( \
           EXISTS (SELECT 1 FROM users AS o WHERE o.id <> ?1 AND o.role = 'admin' AND o.disabled = 0) \
           OR (u.role <> 'admin' AND EXISTS (SELECT 1 FROM users AS o WHERE o.id <> ?1)) \
         ))",
        [json!(id)],
    );
    let line = Statement::new(
        format!(
            "INSERT INTO audit_log (at, actor, action, target, detail) \
             SELECT ?2, ?3, 'user.delete', u.subject, \
               CASE t.live WHEN 0 THEN json_object('role', u.role) \
               ELSE json_object('role', u.role, 'tokensRevoked', t.live) END \
             FROM users AS u, (SELECT count(*) AS live FROM mcp_tokens \
               WHERE owner_user_id = ?1 AND revoked_at IS NULL AND expires_at > ?2) AS t \
             WHERE u.id = ?1 AND {}",
            guard.sql
        ),
        guard.and([json!(now), json!(actor.name)]),
    );
    let revoke = Statement::new(
        format!(
            "UPDATE mcp_tokens SET revoked_at = max(?2, created_at), revoke_reason = 'owner_deleted', \
             revoked_by_user_id = (SELECT id FROM users WHERE id = ?3) \
             WHERE owner_user_id = ?1 AND revoked_at IS NULL AND expires_at > ?2 AND {} RETURNING 1 AS id",
            guard.sql
        ),
        // A person who deletes themselves is not there to be named.
        guard.and([json!(now), json!((by != id).then_some(by))]),
    );
    let delete = Statement::new(
        format!(
            "DELETE FROM users WHERE id = ?1 AND {} RETURNING id",
            guard.sql
        ),
        guard.and([]),
    );
    let statements = vec![line, revoke, delete, select_presence(id)];
    let mut results = run(outside, statements).await?;
    results.next();
    let tokens_revoked = results.next().read::<Id>().len() as u64;
    if results.next().first::<Id>().is_some() {
        return Ok(Changed::Done { tokens_revoked });
    }
    let presence: Presence = results.next().first().unwrap_or_default();
    Ok(match presence {
        Presence { found: 0, .. } => Changed::NotFound,
        Presence { others: 0, .. } => Changed::LastUser,
        Presence { .. } => Changed::LastAdmin,
    })
}

#[derive(Deserialize, Default)]
struct Presence {
    found: u64,
    others: u64,
}

fn select_presence(id: u64) -> Statement {
    Statement::new(
        "SELECT EXISTS (SELECT 1 FROM users WHERE id = ?1) AS found, \
         EXISTS (SELECT 1 FROM users WHERE id <> ?1) AS others",
        [json!(id)],
    )
}

/// Seconds between two notes that somebody was here.
const SEEN_EVERY: u64 = 3600;

impl From<Role> for Value {
    fn from(role: Role) -> Self {
        Self::from(role.as_str())
    }
}
