//! The panel's side of HTTP: requests as handlers see them, answers, refusals, and the rules both are held to.

mod body;
mod input;
mod list;
mod origin;
mod refusal;
mod reply;
mod security;

pub(crate) use body::Body;
pub(crate) use input::{Input, object, whole};
pub(crate) use list::{Query, Window, digits};
pub(crate) use origin::{Origin, same_origin};
pub(crate) use refusal::{ErrorCode, Refused};
pub(crate) use reply::Reply;
pub(crate) use security::secured;

/// What a handler ends with.
pub(crate) type Outcome = Result<Reply, Refused>;
