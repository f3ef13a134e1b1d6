//! What the edge asks of a deployment, beside what [`crate::platform`] has: a key-value store, a database of domains, a
//! log and a dataset. One narrow trait each.

use std::time::Duration;

use super::event::Point;

/// A store of small texts that forgets each when its time is over. It may lag behind what was written.
pub trait KeyValue {
    /// The text under `key`. The error says what went wrong, for the log.
    async fn read(&self, key: &str) -> Result<Option<String>, String>;

    /// Writes `value` under `key`, to be forgotten after `ttl`.
    async fn write(&self, key: &str, value: &str, ttl: Duration) -> Result<(), String>;
}

/// The database of who owns which domain.
pub trait Domains {
    /// The tenant whose claim on `host` is **verified**; `None` where there is none.
    ///
    /// A query that leaves the verification out serves whoever claims a domain first, and keeps its owner from claiming
    /// it. The error says what went wrong, for the log.
    async fn verified_tenant(&self, host: &str) -> Result<Option<String>, String>;
}

/// Takes lines for people to read.
pub trait Log {
    /// One line of JSON for a request that was answered, [`super::Access`].
    fn access(&self, line: &str);

    /// Why a request could not be served; what is said may name bindings and addresses.
    fn trouble(&self, what: &str);
}

/// Takes points for machines to add up.
pub trait Dataset {
    /// Writes one point. What the error says is lost: a metric never fails a request, nor fills its log.
    fn write(&self, point: &Point) -> Result<(), String>;
}

/// What a deployment has bound.
#[derive(Clone, Copy)]
pub struct Bindings<'a, K, D> {
    /// Remembers who owns a host. Without one the database is asked every time.
    pub store: Option<&'a K>,
    /// Knows who owns a host.
    pub domains: &'a D,
    /// Where lines go.
    pub log: &'a dyn Log,
    /// Where points go, if anywhere.
    pub dataset: Option<&'a dyn Dataset>,
}

impl<K, D> std::fmt::Debug for Bindings<'_, K, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bindings")
            .field("store", &self.store.is_some())
            .field("dataset", &self.dataset.is_some())
            .finish_non_exhaustive()
    }
}
