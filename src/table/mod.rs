//! The compiled table: what the engine reads. Immutable, swapped whole, with nothing left to second-guess.

pub mod advice;
mod compile;
pub mod conflicts;
pub mod explain;
pub mod fingerprint;
pub mod merge;
mod route;
#[cfg(test)]
mod samples;

pub use advice::{Advice, advise};
pub use compile::{Compiled, compile, compile_text};
pub use explain::{Explanation, explain};
pub use fingerprint::Fingerprint;
pub use merge::{MergeMode, Resolved, Unresolved, resolve_config};
pub use route::Route;
pub(crate) use route::{Action, Caching, Forward};

use std::rc::Rc;

use crate::{
    config::document::Meta,
    matching::{Index, Subject, Taken},
};

/// Routes in order, and an index that finds the first that takes a request.
#[derive(Debug)]
pub struct RouteTable {
    routes: Vec<Rc<Route>>,
    index: Index,
    meta: Option<Meta>,
}

impl RouteTable {
    fn new(routes: Vec<Rc<Route>>, meta: Option<Meta>) -> Self {
        let index = Index::new(routes.iter().map(|route| &route.matching));
        Self {
            routes,
            index,
            meta,
        }
    }

    /// The first route that takes the request.
    pub fn find(&self, subject: &Subject<'_>) -> Option<&Rc<Route>> {
        self.routes.get(self.position(subject)?)
    }

    /// The place of the first route that takes the request, from 0.
    pub fn position(&self, subject: &Subject<'_>) -> Option<usize> {
        let Taken { position, .. } =
            self.index
                .find(&self.routes, |route| &route.matching, subject)?;
        Some(position)
    }

    /// All routes, in order.
    pub fn routes(&self) -> &[Rc<Route>] {
        &self.routes
    }

    /// Who wrote the document, and when.
    pub fn meta(&self) -> Option<&Meta> {
        self.meta.as_ref()
    }
}
