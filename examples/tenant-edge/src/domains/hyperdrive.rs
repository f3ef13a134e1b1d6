//! Domains in PostgreSQL, through the Hyperdrive configuration bound as `HYPERDRIVE`.

use std::pin::pin;

use futures_util::future::{Either, select};
use jouska::tenant::Domains;
use tokio_postgres::{Config, NoTls};
use worker::{Env, Hyperdrive};

/// The database, or why there is none.
pub(crate) struct Database(Result<Hyperdrive, String>);

impl Database {
    pub(crate) fn of(env: &Env) -> Self {
        Self(
            env.hyperdrive("HYPERDRIVE")
                .map_err(|error| error.to_string()),
        )
    }

    /// Hyperdrive keeps the connections to the database; one to Hyperdrive is made for each query, and belongs to the
    /// request that asks. A query that is given up on takes its connection with it.
    async fn find(&self, host: &str) -> Result<Option<String>, Box<dyn std::error::Error>> {
        let hyperdrive = self.0.as_ref().map_err(Clone::clone)?;
        let config: Config = hyperdrive.connection_string().parse()?;
        // What lies between here and Hyperdrive is the runtime's, so there is nothing to encrypt.
        let (client, connection) = config.connect_raw(hyperdrive.connect()?, NoTls).await?;
        let query = async {
            let sql = "SELECT tenant_id FROM domains WHERE host = $1 AND verified = TRUE";
            client.query_opt(sql, &[&host]).await
        };
        match select(pin!(query), pin!(connection)).await {
            Either::Left((row, _)) => Ok(row?.map(|row| row.try_get("tenant_id")).transpose()?),
            Either::Right((Err(error), _)) => Err(error.into()),
            Either::Right((Ok(()), _)) => Err("the connection was closed".into()),
        }
    }
}

impl Domains for Database {
    async fn verified_tenant(&self, host: &str) -> Result<Option<String>, String> {
        self.find(host).await.map_err(|error| error.to_string())
    }
}
