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

use super::Happening;
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
    /// Whom to tell about each Worker; empty for good once the process has ended.
    listeners: Mutex<Listeners>,
}

#[derive(Debug, Default)]
struct Listeners {
    ended: bool,
    by_id: BTreeMap<u64, Listener>,
}

#[derive(Debug)]
struct Listener {
    /// Told once, when the Worker is up or has failed to come up.
    started: Sender<Result<u16, String>>,
    /// Told everything the Worker prints.
    happened: Sender<Happening>,
}

/// What a Worker is started with.
#[derive(Debug, Serialize)]
pub(super) struct Start<'a> {
    /// Address of the server of its upstreams.
    pub(super) upstream: String,
    /// Text of the route table.
    pub(super) config: &'a str,
    pub(super) vars: &'a BTreeMap<String, String>,
    pub(super) ratelimits: &'a BTreeMap<String, RateLimit>,
}

/// A running Worker, which is stopped when this is dropped.
#[derive(Debug)]
pub(super) struct Instance {
    id: u64,
    port: u16,
    link: Arc<Link>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Order<'a> {
    Start(&'a Start<'a>),
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
    Port(u16),
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

    /// Starts a Worker and waits until it listens.
    pub(super) fn start(
        &self,
        start: &Start<'_>,
        happened: Sender<Happening>,
    ) -> Result<Instance, OpenError> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (started, outcome) = mpsc::channel();
        {
            let mut listeners = self.link.listeners();
            if listeners.ended {
                return Err(OpenError::new(ENDED));
            }
            listeners.by_id.insert(id, Listener { started, happened });
        }
        self.link.send(id, Order::Start(start))?;
        match outcome.recv() {
            Ok(Ok(port)) => Ok(Instance {
                id,
                port,
                link: Arc::clone(&self.link),
            }),
            Ok(Err(reason)) => Err(OpenError::new(reason)),
            Err(_) => Err(OpenError::new(ENDED)),
        }
    }
}

impl Drop for NodeProcess {
    fn drop(&mut self) {
        // It ends, and ends what it started, when there is nothing more to read.
        drop(self.link.commands().take());
        let _ = self.child.wait();
    }
}

impl Instance {
    pub(super) fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for Instance {
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
            // Reports about a Worker that was stopped meanwhile interest nobody.
            if let Some(listener) = self.listeners().by_id.get(&id) {
                let _ = match news {
                    News::Port(port) => listener.started.send(Ok(port)).is_ok(),
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
