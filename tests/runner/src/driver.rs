//! The seam between the cases and whatever runs them. A driver brings a proxy up for one case and does what the case
//! says; it decides nothing about the outcome.

use std::fmt;

use crate::case::{Case, Step};
use crate::expect::TableAnswer;
use crate::observed::Observed;

/// A runtime that cases can be played on.
pub trait Driver: Sync {
    /// The name that `--runtime` and the list of expected failures know it by.
    fn name(&self) -> &'static str;

    /// How many cases are best brought up together.
    fn batch(&self) -> usize;

    /// Brings up a proxy for each of some cases: its table, its bindings, its upstreams, and no state of any other case.
    ///
    /// The stages come in the order of the cases and are played one after the other.
    ///
    /// # Errors
    ///
    /// When for one of them nothing came up that a request could be sent to. A table that the proxy refuses is no error
    /// here.
    fn open(&self, cases: &[&Case]) -> Result<Vec<Box<dyn Stage>>, OpenError>;
}

/// A proxy that is up for one case, together with its visitor and its upstreams.
pub trait Stage {
    /// Does what a step says, waits included, and reports what came. State lasts from one step to the next.
    fn play(&mut self, step: &Step) -> Observed;

    /// Finds out what the proxy made of the route table.
    fn table(&mut self) -> TableAnswer;
}

/// Why no proxy came up for a case.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the proxy did not come up: {reason}")]
pub struct OpenError {
    reason: String,
}

impl OpenError {
    pub(crate) fn new(reason: impl fmt::Display) -> Self {
        Self {
            reason: reason.to_string(),
        }
    }
}
