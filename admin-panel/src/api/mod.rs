//! The API, a file for each resource. A handler reads what was sent, has it done, and tells what came of it.

mod audit;
mod auth;
mod defaults;
mod discard;
mod domains;
mod explain;
mod live;
mod meta;
mod order;
mod preview;
mod publish;
mod revisions;
mod router;
mod routes;
mod tokens;
mod transfer;
mod users;

pub(crate) use auth::{health, logout, me};
pub(crate) use preview::preview;
pub(crate) use router::{Api, router};
pub(crate) use routes::draft;

use std::rc::Rc;

use crate::{
    exchange::{Input, Query},
    identity::Caller,
    store::Actor,
    visit::Visit,
};

/// A request that was let in, as a handler gets it.
#[derive(Debug)]
pub(crate) struct Call {
    visit: Rc<Visit>,
    caller: Caller,
    /// The last segment of the path, where it names something.
    id: String,
    input: Input,
}

impl Call {
    fn query(&self) -> Query {
        Query::parse(self.visit.head.url.query())
    }

    fn actor(&self) -> Actor {
        Actor::from(&self.caller)
    }
}
