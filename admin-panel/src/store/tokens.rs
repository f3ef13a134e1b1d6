//! Agents' tokens. A token is kept as its digest; nobody can read it again.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Actor, Guard, audit::Line};
use crate::{
    identity::Role,
    mcp::Scope,
    outside::{DatabaseError, Outside, Statement, run},
};

/// A token as the list tells it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TokenInfo {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) token_prefix: String,
    pub(crate) owner_user_id: Option<u64>,
    pub(crate) issued_by_user_id: Option<u64>,
    pub(crate) owner_subject: Option<String>,
    pub(crate) scopes: Vec<Scope>,
    pub(crate) created_at: u64,
    pub(crate) expires_at: u64,
    pub(crate) revoked_at: Option<u64>,
    pub(crate) revoke_reason: Option<String>,
    pub(crate) last_used_at: Option<u64>,
}

#[derive(Deserialize)]
struct Row {
    id: String,
    name: String,
    token_prefix: String,
    owner_user_id: Option<u64>,
    issued_by_user_id: Option<u64>,
    owner_subject: Option<String>,
    scopes: String,
    created_at: u64,
    expires_at: u64,
    revoked_at: Option<u64>,
    revoke_reason: Option<String>,
    last_used_at: Option<u64>,
}

impl From<Row> for TokenInfo {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            name: row.name,
            token_prefix: row.token_prefix,
            owner_user_id: row.owner_user_id,
            issued_by_user_id: row.issued_by_user_id,
            owner_subject: row.owner_subject,
            scopes: Scope::stored(&row.scopes),
            created_at: row.created_at,
            expires_at: row.expires_at,
            revoked_at: row.revoked_at,
            revoke_reason: row.revoke_reason,
            last_used_at: row.last_used_at,
        }
    }
}

/// All tokens, newest first, dead ones included.
pub(crate) async fn list(outside: &dyn Outside) -> Result<Vec<TokenInfo>, DatabaseError> {
    let select = Statement::new(
        "SELECT t.id, t.name, t.token_prefix, t.owner_user_id, t.issued_by_user_id, \
         u.subject AS owner_subject, t.scopes, t.created_at, t.expires_at, t.revoked_at, t.revoke_reason, \
         t.last_used_at FROM mcp_tokens AS t LEFT JOIN users AS u ON u.id = t.owner_user_id \
         ORDER BY t.created_at DESC, t.rowid DESC",
        [],
    );
    let rows: Vec<Row> = run(outside, vec![select]).await?.next().read();
    Ok(rows.into_iter().map(TokenInfo::from).collect())
}

/// Keeps a new token, if whoever issues it is still an admin while it is written; returns whether that is so.
pub(crate) async fn add(
    outside: &dyn Outside,
    actor: &Actor,
    token: &TokenInfo,
    hash: &str,
) -> Result<bool, DatabaseError> {
    let guard = Guard::new(
        "EXISTS (SELECT 1 FROM users WHERE id = ?1 AND role = 'admin' AND disabled = 0)",
        [json!(token.issued_by_user_id)],
    );
    let insert = Statement::new(
        format!(
            "INSERT INTO mcp_tokens (id, token_hash, token_prefix, name, owner_user_id, issued_by_user_id, scopes, \
             created_at, expires_at) SELECT ?2, ?3, ?4, ?5, ?6, ?1, ?7, ?8, ?9 WHERE {} RETURNING id",
            guard.sql
        ),
        guard.and([
            json!(token.id),
            json!(hash),
            json!(token.token_prefix),
            json!(token.name),
            json!(token.owner_user_id),
            json!(json!(token.scopes).to_string()),
            json!(token.created_at),
            json!(token.expires_at),
        ]),
    );
    let line = Line {
        at: token.created_at,
        actor,
        action: "mcp.token.create",
        target: Some(&token.id),
        detail: json!({ "name": token.name, "scopes": token.scopes, "expiresAt": token.expires_at }),
    };
    let statements = vec![line.write_if(&guard), insert];
    Ok(!run(outside, statements).await?.last().rows.is_empty())
}

/// Revokes a token; returns whether there was one to revoke.
pub(crate) async fn revoke(
    outside: &dyn Outside,
    actor: &Actor,
    by: u64,
    id: &str,
    reason: Option<&str>,
    now: u64,
) -> Result<bool, DatabaseError> {
    let guard = Guard::new(
        "EXISTS (SELECT 1 FROM mcp_tokens WHERE id = ?1 AND revoked_at IS NULL)",
        [json!(id)],
    );
    let line = Line {
        at: now,
        actor,
        action: "mcp.token.revoke",
        target: Some(id),
        detail: reason.map_or(json!({}), |reason| json!({ "reason": reason })),
    };
    let update = Statement::new(
        "UPDATE mcp_tokens SET revoked_at = max(?2, created_at), revoke_reason = ?3, \
         revoked_by_user_id = (SELECT id FROM users WHERE id = ?4) \
         WHERE id = ?1 AND revoked_at IS NULL RETURNING id",
        [json!(id), json!(now), json!(reason), json!(by)],
    );
    let statements = vec![line.write_if(&guard), update];
    Ok(!run(outside, statements).await?.last().rows.is_empty())
}

/// A token that works, and who is responsible for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Usable {
    pub(crate) id: String,
    pub(crate) owner: String,
    pub(crate) role: Role,
    pub(crate) scopes: Vec<Scope>,
    pub(crate) last_used_at: Option<u64>,
}

/// The token with this digest, if it works at the moment.
pub(crate) async fn usable(
    outside: &dyn Outside,
    hash: &str,
    now: u64,
) -> Result<Option<Usable>, DatabaseError> {
    #[derive(Deserialize)]
    struct Row {
        id: String,
        owner: String,
        role: Role,
        scopes: String,
        last_used_at: Option<u64>,
    }
    let select = Statement::new(
        "SELECT t.id, u.subject AS owner, u.role, t.scopes, t.last_used_at \
         FROM mcp_tokens AS t JOIN users AS u ON u.id = t.owner_user_id \
         WHERE t.token_hash = ?1 AND t.revoked_at IS NULL AND t.expires_at > ?2 AND u.disabled = 0",
        [json!(hash), json!(now)],
    );
    let row: Option<Row> = run(outside, vec![select]).await?.next().first();
    Ok(row.map(|row| Usable {
        scopes: Scope::stored(&row.scopes),
        id: row.id,
        owner: row.owner,
        role: row.role,
        last_used_at: row.last_used_at,
    }))
}

/// Notes that a token was used, at most every 15 minutes.
pub(crate) async fn used(outside: &dyn Outside, id: &str, now: u64) -> Result<(), DatabaseError> {
    let update = Statement::new(
        "UPDATE mcp_tokens SET last_used_at = ?2 \
         WHERE id = ?1 AND (last_used_at IS NULL OR last_used_at <= ?3)",
        [json!(id), json!(now), json!(now.saturating_sub(USED_EVERY))],
    );
    run(outside, vec![update]).await.map(drop)
}

/// Whether it is time to note that a token was used.
pub(crate) fn is_use_worth_noting(last_used_at: Option<u64>, now: u64) -> bool {
    last_used_at.is_none_or(|used| used + USED_EVERY <= now)
}

/// Seconds between two notes that a token was used.
const USED_EVERY: u64 = 15 * 60;

impl From<Scope> for Value {
    fn from(scope: Scope) -> Self {
        Self::from(scope.as_str())
    }
}
