//! The Node.js process that starts Workers for us, spoken to in lines of JSON (`tests/workerd/host.mjs`).

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use serde::{Deserialize, Serialize};

use super::stage::Happening;
use crate::case::RateLimit;
use crate::driver::OpenError;

/// The process, which ends when this is dropped.
#[derive(Debug)]
pub(super) struct NodeProcess {
    child: Child,
    link: Arc<Link>,
    next_id: AtomicU64,
}

#[derive(Debug)]
struct Link {
    /// Absent once the process has been told to end.
    commands: Mutex<Option<ChildStdin>>,
    /// Whom to tell about each runtime; empty for good once the process has ended.
    listeners: Mutex<Listeners>,
}

#[derive(Debug, Default)]
struct Listeners {
    ended: bool,
    by_id: BTreeMap<u64, Listener>,
}

#[derive(Debug)]
struct Listener {
    /// Told once, when the Workers are up or one has failed to come up.
    started: Sender<Result<Vec<u16>, String>>,
    /// Told everything they print.
    happened: Sender<Happening>,
}

/// What a Worker is started with.
#[derive(Debug, Serialize)]
pub(super) struct WorkerStart<'a> {
    /// Address of the server of its upstreams.
    pub(super) upstream: String,
    /// Text of the route table.
    pub(super) config: &'a str,
    pub(super) vars: &'a BTreeMap<String, String>,
    pub(super) ratelimits: &'a BTreeMap<String, RateLimit>,
}

/// A running runtime with its Workers, which is stopped when this is dropped.
#[derive(Debug)]
pub(super) struct Runtime {
    id: u64,
    ports: Vec<u16>,
    link: Arc<Link>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Order<'a> {
    Start(&'a [WorkerStart<'a>]),
    Stop,
}

#[derive(Serialize)]
struct Instruction<'a> {
    id: u64,
    #[serde(flatten)]
    order: Order<'a>,
}

#[derive(Deserialize)]
struct Report {
    id: u64,
    #[serde(flatten)]
    news: News,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum News {
    Ports(Vec<u16>),
    Failed(String),
    Line(String),
}

impl NodeProcess {
    pub(super) fn spawn(root: &Path, worker: &Path) -> Result<Self, OpenError> {
        let script = root.join("tests/workerd/host.mjs");
        for needed in [script.as_path(), &worker.join("index.js")] {
            if !needed.is_file() {
                return Err(OpenError::new(format_args!(
                    "{} does not exist",
                    needed.display()
                )));
            }
        }
        let node = node(root);
        let mut child = Command::new(&node)
            .arg(script)
            .arg(worker)
            // Nothing may be fetched, reported or coloured.
            .envs([
                ("CLOUDFLARE_CF_FETCH_ENABLED", "false"),
                ("WRANGLER_SEND_METRICS", "false"),
                ("NO_COLOR", "1"),
                ("FORCE_COLOR", "0"),
            ])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| OpenError::new(format_args!("{}: {error}", node.display())))?;
        let (commands, reports) = (child.stdin.take(), child.stdout.take());
        let link = Arc::new(Link {
            commands: Mutex::new(commands),
            listeners: Mutex::default(),
        });
        if let Some(reports) = reports {
            let link = Arc::clone(&link);
            thread::spawn(move || link.pass_on(reports));
        }
        Ok(Self {
            child,
            link,
            next_id: AtomicU64::new(1),
        })
    }

    /// Starts a runtime with some Workers and waits until they listen.
    pub(super) fn start(
        &self,
        workers: &[WorkerStart<'_>],
        happened: Sender<Happening>,
    ) -> Result<Runtime, OpenError> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (started, outcome) = mpsc::channel();
        {
            let mut listeners = self.link.listeners();
            if listeners.ended {
                return Err(OpenError::new(ENDED));
            }
            listeners.by_id.insert(id, Listener { started, happened });
        }
        // From here on it is stopped and forgotten, whether or not it comes up.
        let mut runtime = Runtime {
            id,
            ports: Vec::new(),
            link: Arc::clone(&self.link),
        };
        self.link.send(id, Order::Start(workers))?;
        runtime.ports = outcome
            .recv()
            .unwrap_or_else(|_| Err(ENDED.to_owned()))
            .map_err(OpenError::new)?;
        Ok(runtime)
    }
}

impl Drop for NodeProcess {
    fn drop(&mut self) {
        // It ends, and ends what it started, when there is nothing more to read.
        drop(self.link.commands().take());
        let _ = self.child.wait();
    }
}

impl Runtime {
    /// The port of each Worker, in the order they were asked for.
    pub(super) fn ports(&self) -> &[u16] {
        &self.ports
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        self.link.listeners().by_id.remove(&self.id);
        // A process that has ended has stopped its Workers already.
        let _ = self.link.send(self.id, Order::Stop);
    }
}

impl Link {
    fn commands(&self) -> MutexGuard<'_, Option<ChildStdin>> {
        self.commands.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn listeners(&self) -> MutexGuard<'_, Listeners> {
        self.listeners
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn send(&self, id: u64, order: Order<'_>) -> Result<(), OpenError> {
        let mut line = serde_json::to_vec(&Instruction { id, order }).map_err(OpenError::new)?;
        line.push(b'\n');
        let mut commands = self.commands();
        let commands = commands.as_mut().ok_or_else(|| OpenError::new(ENDED))?;
        commands
            .write_all(&line)
            .and_then(|()| commands.flush())
            .map_err(OpenError::new)
    }

    /// Passes on what the process reports, until it ends.
    fn pass_on(&self, reports: ChildStdout) {
        for line in BufReader::new(reports).lines().map_while(Result::ok) {
            let Ok(Report { id, news }) = serde_json::from_str(&line) else {
                continue;
            };
            // Reports about a runtime that was stopped meanwhile interest nobody.
            if let Some(listener) = self.listeners().by_id.get(&id) {
                let _ = match news {
                    News::Ports(ports) => listener.started.send(Ok(ports)).is_ok(),
                    News::Failed(reason) => listener.started.send(Err(reason)).is_ok(),
                    News::Line(line) => listener.happened.send(Happening::Line(line)).is_ok(),
                };
            }
        }
        // Dropping the listeners is what tells those who wait.
        let mut listeners = self.listeners();
        listeners.ended = true;
        listeners.by_id.clear();
    }
}

/// The Node.js that the repository installs, or the system's.
fn node(root: &Path) -> PathBuf {
    let own = root.join("node_modules/.bin/node");
    if own.exists() {
        own
    } else {
        PathBuf::from("node")
    }
}

const ENDED: &str = "the process that starts Workers has ended";
