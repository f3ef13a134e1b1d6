//! From a host to its tenant: the key-value store first, the database where that knows nothing.
//!
//! "Not found" is two things. A host that is *known to be nobody's* is in the store as such, for a minute, so that a
//! scanner costs the database one query. A host the store *knows nothing of* is asked for. An answer that never came is
//! neither: remembering it would turn a slow database into a minute of missing shops.

use std::{fmt, future::Future, pin::pin, time::Duration};

use futures_util::future::{Either, select};
use http::HeaderValue;
use serde_json::Value;

use super::{Domains, KeyValue};
use crate::platform::{Background, Clock};

/// Longest wait for the database, and for the store before it.
pub const LOOKUP_BUDGET: Duration = Duration::from_millis(800);

/// How long the store remembers whose a host is.
pub const KNOWN_FOR: Duration = Duration::from_secs(3600);

/// How long the store remembers that a host is nobody's.
pub const NOBODYS_FOR: Duration = Duration::from_secs(60);

/// A tenant's id: 1 to 96 visible ASCII characters.
///
/// It travels as a header's value and is the index of a metric, which Analytics Engine cuts at 96 bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TenantId(String);

impl TenantId {
    /// The id that `text` is, if it is one.
    pub fn parse(text: &str) -> Option<Self> {
        let usable =
            (1..=96).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        usable.then(|| Self(text.to_owned()))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id as a header's value.
    pub fn header_value(&self) -> HeaderValue {
        // Visible ASCII is a header value, so this cannot fail.
        HeaderValue::from_str(&self.0).unwrap_or(HeaderValue::from_static(""))
    }
}

impl fmt::Display for TenantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whose a host is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lookup {
    /// This tenant's.
    Tenant(TenantId),
    /// Nobody's.
    Nobody(Nobody),
    /// That could not be found out.
    Failed(LookupFailure),
}

/// How it is known that a host is nobody's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nobody {
    /// The store says so.
    Remembered,
    /// The database has no verified claim.
    NoClaim,
    /// The request names no host.
    NoHost,
}

/// Why it could not be found out whose a host is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LookupFailure {
    /// The database took too long.
    #[error("the domains database did not answer within {} ms", LOOKUP_BUDGET.as_millis())]
    TimedOut,
    /// The database failed.
    #[error("the domains database failed: {0}")]
    Database(String),
    /// The database has a tenant that cannot be one.
    #[error("the domains database has the tenant {0:?}; expected 1 to 96 visible ASCII characters")]
    InvalidTenant(String),
}

/// Looks up whose `host` is, which [`super::host()`] has read.
///
/// What the database said is written to the store behind the response: a visitor waits for reads only, and a write that
/// fails costs nobody a page.
pub async fn lookup<K, D, P>(host: &str, store: Option<&K>, domains: &D, platform: &P) -> Lookup
where
    K: KeyValue + Clone + 'static,
    D: Domains,
    P: Clock + Background,
{
    let key = key(host);
    let writable = match store {
        None => None,
        Some(store) => match within(platform, store.read(&key)).await {
            Some(Ok(text)) => match Entry::read(text.as_deref()) {
                Entry::Tenant(tenant) => return Lookup::Tenant(tenant),
                Entry::Nobodys => return Lookup::Nobody(Nobody::Remembered),
                Entry::Absent | Entry::Garbled => Some(store),
            },
            // What could not be read is not overwritten: it may be right.
            Some(Err(_)) | None => None,
        },
    };
    let found = match within(platform, domains.verified_tenant(host)).await {
        None => return Lookup::Failed(LookupFailure::TimedOut),
        Some(Err(error)) => return Lookup::Failed(LookupFailure::Database(error)),
        Some(Ok(None)) => None,
        Some(Ok(Some(id))) => match TenantId::parse(&id) {
            Some(tenant) => Some(tenant),
            None => return Lookup::Failed(LookupFailure::InvalidTenant(id)),
        },
    };
    if let Some(store) = writable.cloned() {
        let (value, ttl) = Entry::written(found.as_ref());
        platform.wait_until(async move {
            let _ = store.write(&key, &value, ttl).await;
        });
    }
    found.map_or(Lookup::Nobody(Nobody::NoClaim), Lookup::Tenant)
}

/// The key a host's tenant is stored under. Whoever changes who owns a domain writes or deletes it, so that the change
/// shows before the entry's time is over.
pub fn key(host: &str) -> String {
    format!("host:{host}")
}

/// What the store has under a host's key.
#[derive(Debug, PartialEq, Eq)]
enum Entry {
    Tenant(TenantId),
    Nobodys,
    Absent,
    /// Something else than this file writes; the next write repairs it.
    Garbled,
}

impl Entry {
    fn read(text: Option<&str>) -> Self {
        let Some(text) = text else {
            return Self::Absent;
        };
        let value: Value = serde_json::from_str(text).unwrap_or_default();
        match value.get("t") {
            Some(Value::Null) => Self::Nobodys,
            Some(Value::String(id)) => TenantId::parse(id).map_or(Self::Garbled, Self::Tenant),
            _ => Self::Garbled,
        }
    }

    fn written(tenant: Option<&TenantId>) -> (String, Duration) {
        let ttl = if tenant.is_some() {
            KNOWN_FOR
        } else {
            NOBODYS_FOR
        };
        let value = serde_json::json!({ "t": tenant.map(TenantId::as_str) });
        (value.to_string(), ttl)
    }
}

/// What `work` gives, unless it takes longer than a lookup may. Whichever comes first ends the other.
async fn within<T>(clock: &impl Clock, work: impl Future<Output = T>) -> Option<T> {
    match select(pin!(work), pin!(clock.sleep(LOOKUP_BUDGET))).await {
        Either::Left((done, _)) => Some(done),
        Either::Right(((), _)) => None,
    }
}

#[cfg(test)]
#[cfg(feature = "test-util")]
mod tests;
