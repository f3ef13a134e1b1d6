//! Domains in D1, bound as `DOMAINS`.

use jouska::tenant::Domains;
use worker::{D1Database, Env};

/// The database, or why there is none.
pub(crate) struct Database(Result<D1Database, String>);

impl Database {
    pub(crate) fn of(env: &Env) -> Self {
        Self(env.d1("DOMAINS").map_err(|error| error.to_string()))
    }

    async fn find(&self, host: &str) -> worker::Result<Option<String>> {
        let database = self
            .0
            .as_ref()
            .map_err(|why| worker::Error::from(why.as_str()))?;
        database
            .prepare("SELECT tenant_id FROM domains WHERE host = ?1 AND verified = TRUE")
            .bind(&[host.into()])?
            .first(Some("tenant_id"))
            .await
    }
}

impl Domains for Database {
    async fn verified_tenant(&self, host: &str) -> Result<Option<String>, String> {
        self.find(host).await.map_err(|error| error.to_string())
    }
}
