//! The main type: a route table that answers requests.

use std::{
    cell::{Cell, RefCell},
    fmt,
    rc::Rc,
    time::Duration,
};

use serde_json::Value;
use wasm_bindgen::JsValue;

use super::{ResponseCache, WorkersPlatform};
use crate::{
    config::{self, ConfigError, Document, Warning},
    event::ProxyEvent,
    isolate::Isolate,
    message::RequestHead,
    pipeline,
    platform::{Clock, Deliver, Secrets, Shelf},
    sources::{
        self, ConfigCache, Loaded, Source, Status, TableError, TableSource,
        status::{self, LoadError},
    },
    table::{self, Compiled, MergeMode, RouteTable},
    time::Timestamp,
};

/// Proxies requests by a route table, and gives back untouched what no route takes.
///
/// Make one per isolate and keep it in a `thread_local!`: what it learns about upstreams, and the table it read, live
/// as long as it does. Clones share everything.
#[derive(Clone)]
pub struct Router {
    inner: Rc<Inner>,
}

struct Inner {
    table: Table,
    isolate: Rc<Isolate>,
    on_proxy: Option<OnProxy>,
    on_reload_error: Option<OnReloadError>,
    store: Option<Rc<dyn ResponseCache>>,
    shelf: Rc<Shelf<JsValue>>,
    status: Option<Told>,
    /// What was last warned of, so that a table that is read every minute does not fill the log.
    warned: RefCell<Vec<Warning>>,
    /// What a table made in code says without effect: a router is made before there is a log to write to.
    untold: Cell<Vec<Warning>>,
}

type OnProxy = Rc<dyn Fn(ProxyEvent, &WorkersPlatform)>;
type OnReloadError = Rc<dyn Fn(&TableError)>;

enum Table {
    Fixed(Rc<RouteTable>),
    Read {
        source: Box<TableSource>,
        cache: ConfigCache<Served>,
    },
}

/// A table that was read, and what is told about it.
struct Served {
    table: Rc<RouteTable>,
    loaded_at: Timestamp,
    /// What it was read from; kept only where somebody may ask for its digest.
    text: Option<String>,
}

/// What is told to who may ask how the router is doing.
struct Told {
    /// The variable or secret that has to be proved.
    binding: String,
    last_error: RefCell<Option<LoadError>>,
}

/// What became of a request.
#[derive(Debug)]
pub enum Handled {
    /// A route took it; this is the response.
    Answered(web_sys::Response),
    /// No route took it; it is given back as it came, body unread.
    FellThrough(web_sys::Request),
}

impl Router {
    /// A router over a table written in code, as JSON.
    ///
    /// # Errors
    /// The document's issues, all of them.
    pub fn from_json(document: Value) -> Result<Self, ConfigError> {
        table::compile(config::read_value(document)).map(|Compiled { table, warnings }| {
            let router = Self::from_table(table);
            router.inner.untold.replace(warnings);
            router
        })
    }

    /// A router over a table written in code, as typed values. It goes through the same checks as JSON.
    ///
    /// # Errors
    /// The document's issues, all of them.
    pub fn from_document(document: &Document) -> Result<Self, ConfigError> {
        Self::from_json(sources::json(document)?)
    }

    /// A router over a compiled table.
    pub fn from_table(table: RouteTable) -> Self {
        Self::with(Table::Fixed(Rc::new(table)))
    }

    /// A router that reads its table from `source` and keeps it for sixty seconds in each isolate.
    ///
    /// A refresh that fails leaves the old table in place; see [`Router::on_reload_error`].
    pub fn from_source(source: Source) -> Self {
        Self::from_source_kept(source, Duration::from_secs(60))
    }

    /// As [`Router::from_source`], with another time to keep a table.
    pub fn from_source_kept(source: Source, ttl: Duration) -> Self {
        Self::with(Table::Read {
            source: Box::new(TableSource::new(source)),
            cache: ConfigCache::new(ttl),
        })
    }

    fn with(table: Table) -> Self {
        Self {
            inner: Rc::new(Inner {
                table,
                isolate: Rc::default(),
                on_proxy: None,
                on_reload_error: None,
                store: None,
                shelf: Rc::default(),
                status: None,
                warned: RefCell::default(),
                untold: Cell::default(),
            }),
        }
    }

    /// Calls `on_proxy` once per proxied request, when its response is decided.
    pub fn on_proxy(self, on_proxy: impl Fn(ProxyEvent, &WorkersPlatform) + 'static) -> Self {
        self.changed(|inner| inner.on_proxy = Some(Rc::new(on_proxy)))
    }

    /// Calls `on_reload_error` when a table cannot be loaded, whether or not an old one stays in use.
    pub fn on_reload_error(self, on_reload_error: impl Fn(&TableError) + 'static) -> Self {
        self.changed(|inner| inner.on_reload_error = Some(Rc::new(on_reload_error)))
    }

    /// Stores responses in `store` instead of `caches.default`.
    pub fn cache_impl(self, store: impl ResponseCache + 'static) -> Self {
        self.changed(|inner| inner.store = Some(Rc::new(store)))
    }

    /// Tells its [`Status`] at [`status::PATH`] to who proves to know the secret bound as `binding`, a variable, a secret
    /// or a secret of a store. To everybody else, and where there is no such secret, that path is one like any other.
    pub fn status_secret(self, binding: impl Into<String>) -> Self {
        let told = Told {
            binding: binding.into(),
            last_error: RefCell::default(),
        };
        self.changed(|inner| inner.status = Some(told))
    }

    /// Puts `code` in front of what the source holds, as [`table::resolve_config`] says: its routes come first and win.
    /// A table that was made of code alone stays as it is.
    ///
    /// # Errors
    /// The issues of `code`, all of them.
    pub fn with_code(self, code: &Document, mode: MergeMode) -> Result<Self, ConfigError> {
        let code = sources::Code::check(code, mode)?;
        Ok(self.changed(|inner| {
            if let Table::Read { source, .. } = &mut inner.table {
                source.put_in_front(code);
            }
        }))
    }

    fn changed(mut self, change: impl FnOnce(&mut Inner)) -> Self {
        // A router is configured where it is made, before anybody has cloned it.
        if let Some(inner) = Rc::get_mut(&mut self.inner) {
            change(inner);
        }
        self
    }

    /// Answers a request, or gives it back.
    ///
    /// # Errors
    /// If there is no table, and never was one in this isolate.
    pub async fn handle(
        &self,
        request: web_sys::Request,
        env: &worker::Env,
        context: &worker::Context,
    ) -> Result<Handled, TableError> {
        let platform = WorkersPlatform::new(request, env, context)
            .storing_in(self.inner.store.as_ref(), &self.inner.shelf);
        let Some(head) = platform.head().map(Rc::new) else {
            // A route speaks of hosts and paths, and this URL has neither.
            return Ok(Handled::FellThrough(Clone::clone(platform.request())));
        };
        if let Some(status) = self.status(&head, &platform).await {
            return Ok(Handled::Answered(platform.make(status.answer())));
        }
        let table = self.table(&platform).await?;
        let on_proxy = self.inner.on_proxy.as_ref();
        let report = |event| {
            if let Some(on_proxy) = on_proxy {
                on_proxy(event, &platform);
            }
        };
        let answered =
            pipeline::handle(&table, &head, &self.inner.isolate, &platform, &report).await;
        Ok(match answered {
            Some(response) => Handled::Answered(response),
            // The handle is cloned, not the request: its own `clone` would split the body.
            None => Handled::FellThrough(Clone::clone(platform.request())),
        })
    }

    async fn table(&self, platform: &WorkersPlatform) -> Result<Rc<RouteTable>, TableError> {
        match &self.inner.table {
            Table::Fixed(table) => {
                self.warn(self.inner.untold.take());
                Ok(Rc::clone(table))
            }
            Table::Read { source, cache } => {
                let served = self.served(source, cache, platform).await?;
                Ok(Rc::clone(&served.table))
            }
        }
    }

    async fn served(
        &self,
        source: &TableSource,
        cache: &ConfigCache<Served>,
        platform: &WorkersPlatform,
    ) -> Result<Rc<Served>, TableError> {
        let failed = |error: &TableError| {
            if let Some(status) = &self.inner.status {
                *status.last_error.borrow_mut() = Some(LoadError {
                    at: platform.now(),
                    message: error.to_string(),
                });
            }
            if let Some(report) = &self.inner.on_reload_error {
                report(error);
            }
        };
        let load = || async {
            let Loaded { compiled, text } =
                source.load(platform, cache.is_loaded(), failed).await?;
            self.warn(compiled.warnings);
            Ok(Served {
                table: Rc::new(compiled.table),
                loaded_at: platform.now(),
                text: text.filter(|_| self.inner.status.is_some()),
            })
        };
        cache.get(platform, load, failed).await
    }

    /// What is told to who asks for the status and may hear it.
    async fn status(&self, head: &RequestHead, platform: &WorkersPlatform) -> Option<Status> {
        let told = self.inner.status.as_ref()?;
        if !status::is_asked_for(head) {
            return None;
        }
        let secret = platform.secret(&told.binding).await?;
        if !status::is_proved(head, &secret) {
            return None;
        }
        // As a visitor's request at this moment would have it.
        let (table, loaded_at, digest) = match &self.inner.table {
            Table::Fixed(table) => (Some(Rc::clone(table)), None, None),
            Table::Read { source, cache } => {
                match self.served(source, cache, platform).await.ok() {
                    None => (None, None, None),
                    Some(served) => (
                        Some(Rc::clone(&served.table)),
                        Some(served.loaded_at),
                        served.text.as_deref().and_then(status::digest),
                    ),
                }
            }
        };
        let last_error = told.last_error.borrow().clone();
        Some(Status::of(table.as_deref(), loaded_at, digest, last_error))
    }

    /// Logs what a table says without effect, once as long as it stays the same.
    fn warn(&self, warnings: Vec<Warning>) {
        if *self.inner.warned.borrow() != warnings {
            for warning in &warnings {
                worker::console_warn!("route table: {warning}");
            }
            *self.inner.warned.borrow_mut() = warnings;
        }
    }
}

impl fmt::Debug for Router {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Router").finish_non_exhaustive()
    }
}
