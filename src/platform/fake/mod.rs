//! A platform for tests on the host: scripted upstreams, a clock that jumps, stores in memory.
//!
//! A [`World`] is one isolate with everything around it. Time passes only when everything in it waits, and then jumps
//! to the next moment something happens, so a conversation of minutes is over in milliseconds and always goes the same
//! way.

mod body;
mod fetch;
mod store;
mod timer;

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    fmt,
    future::Future,
    pin::pin,
    rc::Rc,
    time::Duration,
};

use bytes::Bytes;
use futures_executor::{LocalPool, LocalSpawner};
use futures_util::{
    future::{LocalBoxFuture, select},
    task::LocalSpawnExt,
};
use http::{HeaderMap, Method};

pub use body::{BodyBroke, FakeResponse};
pub use store::StoreCondition;

use super::{
    Background, Clock, Documents, MissingBinding, Random, RateLimit, RsaKey, Secrets,
    SignatureCheck, Visitor,
};
use crate::{crypto, message::RequestHead, time::Timestamp};

/// What an upstream received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// Scheme of the URL it was sent to.
    pub scheme: String,
    /// Host, with a port where the URL had one.
    pub authority: String,
    /// Method.
    pub method: Method,
    /// Path and query as sent.
    pub path_and_query: String,
    /// All headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
    /// When all of it had arrived.
    pub at: Timestamp,
}

/// How an upstream answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Script {
    /// The connection fails at once.
    Refuse,
    /// It never sends headers.
    Hang,
    /// It answers.
    Answer(ScriptedAnswer),
}

/// A scripted answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptedAnswer {
    /// Wait before the headers.
    pub delay: Duration,
    /// Status.
    pub status: u16,
    /// Headers.
    pub headers: HeaderMap,
    /// The body, each chunk that long after the one before.
    pub chunks: Vec<(Duration, Bytes)>,
    /// How the body ends.
    pub end: ScriptedEnd,
}

/// How a scripted body ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptedEnd {
    /// It is whole.
    Complete,
    /// The connection breaks.
    Reset,
    /// Nothing more ever comes.
    Stall,
}

/// The upstreams of a world: what was received, to how it is answered.
pub type Upstreams = dyn Fn(&Received) -> Script;

/// One isolate and everything around it.
#[derive(Clone)]
pub struct World {
    inner: Rc<WorldInner>,
}

struct WorldInner {
    timers: timer::Timers,
    pool: RefCell<Option<LocalPool>>,
    spawner: LocalSpawner,
    upstreams: Box<Upstreams>,
    received: RefCell<Vec<Received>>,
    vars: BTreeMap<String, String>,
    limits: BTreeMap<String, (u64, Duration)>,
    counts: RefCell<BTreeMap<(String, String), (u64, u64)>>,
    store: store::Store,
    randoms: Cell<u64>,
}

impl World {
    /// A world that begins at `now`.
    pub fn new(now: Timestamp, upstreams: Box<Upstreams>) -> Self {
        Self::with_bindings(now, upstreams, BTreeMap::new(), BTreeMap::new())
    }

    /// A world with variables, and with rate limits by name: so many in each period.
    pub fn with_bindings(
        now: Timestamp,
        upstreams: Box<Upstreams>,
        vars: BTreeMap<String, String>,
        limits: BTreeMap<String, (u64, Duration)>,
    ) -> Self {
        let pool = LocalPool::new();
        Self {
            inner: Rc::new(WorldInner {
                timers: timer::Timers::new(now),
                spawner: pool.spawner(),
                pool: RefCell::new(Some(pool)),
                upstreams,
                received: RefCell::default(),
                vars,
                limits,
                counts: RefCell::default(),
                store: store::Store::default(),
                randoms: Cell::new(0),
            }),
        }
    }

    /// The platform of one request.
    pub fn visit(&self, visit: Visit) -> FakePlatform {
        FakePlatform {
            world: self.clone(),
            visit: Rc::new(visit),
            killed_at: None,
        }
    }

    /// Puts the store of responses into this condition.
    pub fn set_store(&self, condition: StoreCondition) {
        self.inner.store.condition.set(condition);
    }

    /// Runs `future`, letting time jump whenever everything waits. `None` when nothing can ever happen again, or when
    /// `limit` has passed, and `future` still waits.
    pub fn run<F: Future + 'static>(&self, limit: Duration, future: F) -> Option<F::Output> {
        let until = self.now() + limit;
        let output = Rc::new(RefCell::new(None));
        let slot = Rc::clone(&output);
        self.spawn(Box::pin(async move {
            let value = future.await;
            *slot.borrow_mut() = Some(value);
        }));
        let mut pool = self.inner.pool.borrow_mut().take()?;
        let value = loop {
            pool.run_until_stalled();
            if let Some(value) = output.borrow_mut().take() {
                break Some(value);
            }
            if !self.inner.timers.jump(until) {
                break None;
            }
        };
        *self.inner.pool.borrow_mut() = Some(pool);
        value
    }

    /// The moment it is.
    pub fn now(&self) -> Timestamp {
        self.inner.timers.now()
    }

    /// A future that resolves after `duration`.
    pub fn sleep(&self, duration: Duration) -> impl Future<Output = ()> + 'static {
        self.inner.timers.sleep(duration)
    }

    /// Takes what the upstreams received since the last call, in order of arrival.
    pub fn take_received(&self) -> Vec<Received> {
        std::mem::take(&mut self.inner.received.borrow_mut())
    }

    fn spawn(&self, future: LocalBoxFuture<'static, ()>) {
        // Spawning fails only once the pool is gone, and then nobody is left to run anything for.
        let _ = self.inner.spawner.spawn_local(future);
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World")
            .field("now", &self.now())
            .finish_non_exhaustive()
    }
}

/// One visitor's request as it comes in.
#[derive(Debug, Clone)]
pub struct Visit {
    /// Its head.
    pub head: RequestHead,
    /// Its body, each chunk that long after the one before.
    pub body: Vec<(Duration, Bytes)>,
    /// Where the edge locates the visitor.
    pub country: Option<String>,
    /// When the visitor hangs up.
    pub leaves_at: Option<Timestamp>,
}

/// One request's door to its world.
#[derive(Clone)]
pub struct FakePlatform {
    world: World,
    visit: Rc<Visit>,
    killed_at: Option<Timestamp>,
}

impl FakePlatform {
    /// The head of the visitor's request.
    pub fn head(&self) -> &RequestHead {
        &self.visit.head
    }

    /// The same request, whose work behind the response stops in the middle at that moment and is never carried on.
    pub fn killed_at(self, at: Timestamp) -> Self {
        Self {
            killed_at: Some(at),
            ..self
        }
    }

    /// Resolves when the visitor hangs up; never, when it stays.
    fn left(&self) -> LocalBoxFuture<'static, ()> {
        match self.visit.leaves_at {
            Some(at) => Box::pin(self.world.sleep(at.since(self.world.now()))),
            None => Box::pin(std::future::pending()),
        }
    }
}

impl fmt::Debug for FakePlatform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FakePlatform")
            .field("visit", &self.visit)
            .finish_non_exhaustive()
    }
}

impl Clock for FakePlatform {
    fn now(&self) -> Timestamp {
        self.world.now()
    }

    async fn sleep(&self, duration: Duration) {
        self.world.sleep(duration).await;
    }
}

impl Random for FakePlatform {
    fn random(&self) -> [u8; 16] {
        let next = self.world.inner.randoms.get().wrapping_add(1);
        self.world.inner.randoms.set(next);
        // Spread over all bytes, so that identifiers look like identifiers; reproducible, so that runs do.
        u128::from(next)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
            .to_be_bytes()
    }
}

impl Visitor for FakePlatform {
    fn country(&self) -> Option<String> {
        self.visit.country.clone()
    }
}

impl RateLimit for FakePlatform {
    async fn within_limit(&self, binding: &str, key: &str) -> Result<bool, MissingBinding> {
        let inner = &self.world.inner;
        let (limit, period) = *inner.limits.get(binding).ok_or(MissingBinding)?;
        let window = self.now().as_millis() / (period.as_millis() as u64).max(1);
        let mut counts = inner.counts.borrow_mut();
        let (counted, count) = counts
            .entry((binding.to_owned(), key.to_owned()))
            .or_default();
        if *counted != window {
            (*counted, *count) = (window, 0);
        }
        *count += 1;
        Ok(*count <= limit)
    }
}

impl Secrets for FakePlatform {
    async fn secret(&self, binding: &str) -> Option<String> {
        self.world.inner.vars.get(binding).cloned()
    }
}

impl Documents for FakePlatform {
    async fn read_key(
        &self,
        binding: &str,
        _key: &str,
        _cache_ttl: Option<Duration>,
    ) -> Result<Option<String>, String> {
        Err(format!("no KV namespace is bound as {binding}"))
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.world.inner.vars.get(name).cloned()
    }
}

impl SignatureCheck for FakePlatform {
    async fn rs256(&self, key: &RsaKey, message: &[u8], signature: &[u8]) -> bool {
        crypto::rs256(key, message, signature)
    }
}

impl Background for FakePlatform {
    fn wait_until(&self, work: impl Future<Output = ()> + 'static) {
        let Some(at) = self.killed_at else {
            return self.world.spawn(Box::pin(work));
        };
        let end = self.world.sleep(at.since(self.world.now()));
        self.world.spawn(Box::pin(async move {
            select(pin!(work), pin!(end)).await;
        }));
    }
}
