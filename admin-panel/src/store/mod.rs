//! The database. Every statement of the panel stands in this folder and nowhere else.
//!
//! What has to hold is a condition of the statement that writes, never a read before it: two requests that run at once
//! are ordered by the database alone. A line in the audit log is written in the same transaction as what it tells, under
//! the same condition. Lists travel as one JSON parameter that is expanded in SQL, because a statement takes a hundred
//! parameters at the most.

pub(crate) mod audit;
pub(crate) mod draft;
pub(crate) mod revisions;
pub(crate) mod routes;
pub(crate) mod settings;
pub(crate) mod tokens;
pub(crate) mod users;

use serde_json::{Map, Value, json};

use crate::identity::Caller;

/// Who did something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Actor {
    /// How the audit log names them.
    pub(crate) name: String,
    /// The token of an agent.
    token: Option<String>,
}

impl Actor {
    /// An agent that acts with the token `id` of a person.
    pub(crate) fn agent(id: &str, owner: &str) -> Self {
        Self {
            name: format!("mcp:{id}:{owner}"),
            token: Some(id.to_owned()),
        }
    }

    /// What is told about something they did.
    pub(crate) fn detail(&self, told: Value) -> Value {
        let mut told = match told {
            Value::Object(told) => told,
            _ => Map::new(),
        };
        if let Some(id) = &self.token {
            told.insert("via".to_owned(), json!("mcp"));
            told.insert("tokenId".to_owned(), json!(id));
        }
        Value::Object(told)
    }
}

impl From<&Caller> for Actor {
    fn from(caller: &Caller) -> Self {
        Self {
            name: caller.subject.clone(),
            token: None,
        }
    }
}

/// What has to hold while something is written: an expression over its own parameters, which are the statement's first.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    sql: &'static str,
    parameters: Vec<Value>,
}

impl Guard {
    pub(crate) fn new(sql: &'static str, parameters: impl Into<Vec<Value>>) -> Self {
        Self {
            sql,
            parameters: parameters.into(),
        }
    }

    /// The parameters of a statement under this guard: its own, then the statement's.
    fn and(&self, parameters: impl IntoIterator<Item = Value>) -> Vec<Value> {
        let mut all = self.parameters.clone();
        all.extend(parameters);
        all
    }
}
