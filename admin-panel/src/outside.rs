//! The one door to the outside: what a request may ask of the platform it runs on. Everything that decides stands
//! elsewhere, as plain functions over what comes through here.
//!
//! The traits can be made into objects, so that handlers are plain functions and the module holds each of them once.

use std::{borrow::Cow, future::Future, pin::Pin, rc::Rc};

use jouska::{
    Unread,
    guards::access::jwt::{Application, Identity, Rejection},
    time::Timestamp,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

/// A future of the outside. An isolate is one thread, so none has to be `Send`.
pub(crate) type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Everything a request may ask for.
pub(crate) trait Outside:
    Database + Published + Identities + Web + Proxy + Upload + Surroundings
{
}

impl<T> Outside for T where
    T: Database + Published + Identities + Web + Proxy + Upload + Surroundings
{
}

/// A handle on the outside of one request.
pub(crate) type Door = Rc<dyn Outside>;

/// The database.
pub(crate) trait Database {
    /// Runs statements in order as one transaction: either all of them take effect, or none does.
    fn batch(&self, statements: Vec<Statement>) -> Pending<'_, Result<Vec<Rows>, DatabaseError>>;
}

/// One statement. A parameter is null, a number or a text; SQLite sees every number as a real one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Statement {
    pub(crate) sql: Cow<'static, str>,
    pub(crate) parameters: Vec<Value>,
}

impl Statement {
    pub(crate) fn new(
        sql: impl Into<Cow<'static, str>>,
        parameters: impl Into<Vec<Value>>,
    ) -> Self {
        Self {
            sql: sql.into(),
            parameters: parameters.into(),
        }
    }
}

/// What a statement brought.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
pub(crate) struct Rows {
    /// The rows it selected or returned, each an object of columns.
    pub(crate) rows: Vec<Value>,
}

impl Rows {
    /// The rows as `T`; those of another shape are left out.
    pub(crate) fn read<T: DeserializeOwned>(self) -> Vec<T> {
        self.rows
            .into_iter()
            .filter_map(|row| serde_json::from_value(row).ok())
            .collect()
    }

    /// The first row.
    pub(crate) fn first<T: DeserializeOwned>(self) -> Option<T> {
        self.read().into_iter().next()
    }
}

/// The results of a batch, one after another.
#[derive(Debug)]
pub(crate) struct Results(std::vec::IntoIter<Rows>);

impl Results {
    /// What the next statement brought.
    pub(crate) fn next(&mut self) -> Rows {
        self.0.next().unwrap_or_default()
    }

    /// What the last statement brought.
    pub(crate) fn last(self) -> Rows {
        self.0.last().unwrap_or_default()
    }
}

/// The database failed. The text is for the log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the database failed: {0}")]
pub(crate) struct DatabaseError(pub(crate) String);

/// Runs a batch.
pub(crate) async fn run(
    database: &dyn Outside,
    statements: Vec<Statement>,
) -> Result<Results, DatabaseError> {
    let rows = database.batch(statements).await?;
    Ok(Results(rows.into_iter()))
}

/// The document that the proxy reads.
pub(crate) trait Published {
    /// Its text; `None` where there is none. The error is for the log.
    fn published(&self) -> Pending<'_, Result<Option<String>, String>>;

    /// Replaces it.
    fn publish<'a>(&'a self, text: &'a str) -> Pending<'a, Result<(), String>>;
}

/// Who is asking.
pub(crate) trait Identities {
    /// Verifies a token of Cloudflare Access.
    fn verify<'a>(
        &'a self,
        token: &'a str,
        application: &'a Application,
    ) -> Pending<'a, Result<Identity, Rejection>>;

    /// The address that the runtime itself vouches for, as `wrangler dev` does.
    fn context_email(&self) -> Pending<'_, Option<String>>;
}

/// Cloudflare's API.
pub(crate) trait Web {
    /// Asks for `url` with a bearer token: status and text, or `None` where no answer came in time.
    fn get<'a>(&'a self, url: &'a str, token: &'a str) -> Pending<'a, Option<(u16, String)>>;
}

/// The proxy, where it is bound.
pub(crate) trait Proxy {
    /// Whether it is bound.
    fn is_bound(&self) -> bool;

    /// Asks it for its status, proving `secret`: status and text, or `None` where no answer came.
    fn status<'a>(&'a self, secret: &'a str) -> Pending<'a, Option<(u16, String)>>;
}

/// The body of the request.
pub(crate) trait Upload {
    /// Reads it whole, counting while it arrives.
    fn read(&self, limit: usize) -> Pending<'_, Result<Vec<u8>, Unread>>;
}

/// Time, chance, variables, the log, and work behind the answer.
pub(crate) trait Surroundings {
    /// The moment it is.
    fn now(&self) -> Timestamp;

    /// Sixteen random bytes.
    fn random(&self) -> [u8; 16];

    /// The variable or secret `name`, where it is text.
    fn variable(&self, name: &str) -> Option<String>;

    /// A line in the log that somebody should read.
    fn complain(&self, line: &str);

    /// Runs `work` after the answer was sent.
    fn behind(&self, work: Pending<'static, ()>);
}
