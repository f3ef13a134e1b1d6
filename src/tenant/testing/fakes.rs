//! A store, a database, a log and a dataset in memory, which count what is asked of them.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    rc::Rc,
    time::Duration,
};

use crate::{
    platform::fake::World,
    tenant::{Dataset, Domains, KeyValue, Log, Point},
    time::Timestamp,
};

/// A key-value store.
#[derive(Clone)]
pub(in crate::tenant) struct Store(Rc<StoreInner>);

struct StoreInner {
    world: World,
    entries: RefCell<BTreeMap<String, (String, Timestamp)>>,
    writes: RefCell<Vec<(String, String, Duration)>>,
    reads_fail: Cell<bool>,
    reads_hang: Cell<bool>,
    writes_fail: Cell<bool>,
}

impl Store {
    pub(in crate::tenant) fn new(world: &World) -> Self {
        Self(Rc::new(StoreInner {
            world: world.clone(),
            entries: RefCell::default(),
            writes: RefCell::default(),
            reads_fail: Cell::default(),
            reads_hang: Cell::default(),
            writes_fail: Cell::default(),
        }))
    }

    /// A store that holds this already.
    pub(in crate::tenant) fn holding(world: &World, key: &str, value: &str) -> Self {
        let store = Self::new(world);
        let forever = Timestamp::from_millis(u64::MAX);
        let entry = (value.to_owned(), forever);
        store.0.entries.borrow_mut().insert(key.to_owned(), entry);
        store
    }

    pub(in crate::tenant) fn fail_reads(&self) {
        self.0.reads_fail.set(true);
    }

    pub(in crate::tenant) fn hang_reads(&self) {
        self.0.reads_hang.set(true);
    }

    pub(in crate::tenant) fn fail_writes(&self) {
        self.0.writes_fail.set(true);
    }

    /// What was written, as key, value and seconds.
    pub(in crate::tenant) fn written(&self) -> Vec<(String, String, u64)> {
        let writes = self.0.writes.borrow();
        let write = |(key, value, ttl): &(String, String, Duration)| {
            (key.clone(), value.clone(), ttl.as_secs())
        };
        writes.iter().map(write).collect()
    }
}

impl KeyValue for Store {
    async fn read(&self, key: &str) -> Result<Option<String>, String> {
        if self.0.reads_hang.get() {
            return std::future::pending().await;
        }
        if self.0.reads_fail.get() {
            return Err("the store is down".to_owned());
        }
        let entries = self.0.entries.borrow();
        let entry = entries
            .get(key)
            .filter(|(_, due)| self.0.world.now() < *due);
        Ok(entry.map(|(value, _)| value.clone()))
    }

    async fn write(&self, key: &str, value: &str, ttl: Duration) -> Result<(), String> {
        let write = (key.to_owned(), value.to_owned(), ttl);
        self.0.writes.borrow_mut().push(write);
        if self.0.writes_fail.get() {
            return Err("the store takes nothing".to_owned());
        }
        let entry = (value.to_owned(), self.0.world.now() + ttl);
        self.0.entries.borrow_mut().insert(key.to_owned(), entry);
        Ok(())
    }
}

/// What a database says.
#[derive(Clone)]
pub(in crate::tenant) enum Says {
    Tenant(&'static str),
    NoRow,
    Error,
    Late(&'static str, Duration),
    Never,
}

/// A database of domains.
pub(in crate::tenant) struct Database {
    world: World,
    says: RefCell<Says>,
    asked: Cell<u32>,
}

impl Database {
    pub(in crate::tenant) fn new(world: &World, says: Says) -> Self {
        Self {
            world: world.clone(),
            says: RefCell::new(says),
            asked: Cell::default(),
        }
    }

    pub(in crate::tenant) fn says(&self, says: Says) {
        *self.says.borrow_mut() = says;
    }

    /// How often it was asked since the last call.
    pub(in crate::tenant) fn take_asked(&self) -> u32 {
        self.asked.take()
    }
}

impl Domains for Database {
    async fn verified_tenant(&self, _host: &str) -> Result<Option<String>, String> {
        self.asked.set(self.asked.get() + 1);
        let says = self.says.borrow().clone();
        match says {
            Says::Tenant(id) => Ok(Some(id.to_owned())),
            Says::NoRow => Ok(None),
            Says::Error => Err("no such table: domains".to_owned()),
            Says::Late(id, after) => {
                self.world.sleep(after).await;
                Ok(Some(id.to_owned()))
            }
            Says::Never => std::future::pending().await,
        }
    }
}

/// A log that is read.
#[derive(Default)]
pub(in crate::tenant) struct Lines {
    access: RefCell<Vec<String>>,
    trouble: RefCell<Vec<String>>,
}

impl Lines {
    /// The one line there is since the last call.
    #[track_caller]
    pub(in crate::tenant) fn take_access(&self) -> String {
        let lines = self.access.take();
        assert_eq!(lines.len(), 1, "one line for each request: {lines:?}");
        lines.into_iter().next().unwrap()
    }

    pub(in crate::tenant) fn take_trouble(&self) -> Vec<String> {
        self.trouble.take()
    }
}

impl Log for Lines {
    fn access(&self, line: &str) {
        self.access.borrow_mut().push(line.to_owned());
    }

    fn trouble(&self, what: &str) {
        self.trouble.borrow_mut().push(what.to_owned());
    }
}

/// A dataset that is read, and may refuse.
#[derive(Default)]
pub(in crate::tenant) struct Points {
    points: RefCell<Vec<Point>>,
    pub(in crate::tenant) refuses: Cell<bool>,
}

impl Points {
    pub(in crate::tenant) fn take(&self) -> Vec<Point> {
        self.points.take()
    }
}

impl Dataset for Points {
    fn write(&self, point: &Point) -> Result<(), String> {
        self.points.borrow_mut().push(point.clone());
        if self.refuses.get() {
            return Err("the dataset takes nothing".to_owned());
        }
        Ok(())
    }
}
