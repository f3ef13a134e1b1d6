//! Plays cases on workerd: a Worker, a visitor's socket and a server of upstreams for each case.

mod answer;
mod period;
mod process;
mod stage;
mod upstream;
mod visitor;
mod websocket;

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::mpsc;

use crate::case::Case;
use crate::driver::{Driver, OpenError, Stage};
use crate::script::Script;

use period::FreshPeriod;
use process::{NodeProcess, WorkerStart};
use stage::{Shared, WorkerdStage};
use upstream::Upstreams;

/// The driver for workerd.
#[derive(Debug)]
pub struct Workerd {
    node: NodeProcess,
}

impl Workerd {
    /// Starts the process that starts Workers.
    ///
    /// `root` is the repository, `worker` the folder with the Worker's `index.js` and `index_bg.wasm`.
    ///
    /// # Errors
    ///
    /// When Node.js or the built Worker is missing.
    pub fn start(root: &Path, worker: &Path) -> Result<Self, OpenError> {
        Ok(Self {
            node: NodeProcess::spawn(root, worker)?,
        })
    }
}

impl Driver for Workerd {
    fn name(&self) -> &'static str {
        "workerd"
    }

    /// Starting a runtime costs 90 ms of a core and every further Worker in it 25, so four at once halve the work. More
    /// save little and lose more cases when one takes its runtime down.
    fn batch(&self) -> usize {
        4
    }

    fn open(&self, cases: &[&Case]) -> Result<Vec<Box<dyn Stage>>, OpenError> {
        let (happened, happenings) = mpsc::channel();
        let upstreams = cases
            .iter()
            .map(|case| Upstreams::listen(Script::new(&case.upstreams), happened.clone()))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| OpenError::new(format_args!("no port for the upstreams: {error}")))?;
        let starts: Vec<_> = cases
            .iter()
            .zip(&upstreams)
            .map(|(case, upstreams)| WorkerStart {
                upstream: upstreams.address().to_string(),
                config: &case.config,
                vars: &case.vars,
                ratelimits: &case.ratelimits,
            })
            .collect();
        let runtime = self.node.start(&starts, happened)?;
        let ports = runtime.ports().to_vec();
        let shared = Rc::new(RefCell::new(Shared::new(runtime, happenings)));
        let stages = cases
            .iter()
            .zip(upstreams)
            .zip(ports)
            .map(|((case, upstreams), port)| {
                let shared = Rc::clone(&shared);
                Box::new(WorkerdStage::new(
                    shared,
                    port,
                    upstreams,
                    FreshPeriod::of(case),
                )) as Box<dyn Stage>
            });
        Ok(stages.collect())
    }
}

#[cfg(test)]
mod tests;
