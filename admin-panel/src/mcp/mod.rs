//! The endpoint for agents: the Model Context Protocol in its revision of 2026-07-28, stateless, over single JSON
//! objects. Agents edit the draft; there is no tool that publishes.

mod answer;
mod call;
mod endpoint;
mod message;
mod scope;
mod token;
mod tools;

pub(crate) use endpoint::endpoint;
pub(crate) use scope::{SCOPES, Scope};
pub(crate) use token::{Fresh, fresh};

/// The one revision of the protocol that is spoken.
const VERSION: &str = "2026-07-28";
