//! The adapter over the `worker` crate: conversions between the core's values and the runtime's objects, and no
//! decisions. These are the only files that touch `worker`, `web_sys` and `js_sys`.
//!
//! Requests and responses stay the runtime's own objects. What the core needs of a message's head crosses as one text,
//! changes go back as one text, and a body crosses only where a transform must see its bytes.

mod background;
mod bindings;
mod body;
mod clock;
mod fetch;
mod glue;
mod head;
#[cfg(feature = "tower")]
mod layer;
mod router;
mod store;
mod task;

use std::{cell::RefCell, fmt, rc::Rc};

use wasm_bindgen::JsValue;

pub use body::Unread;
#[cfg(feature = "tower")]
pub use layer::{Routed, RoutedError, RouterLayer};
pub use router::{Handled, Router};
pub use store::ResponseCache;
pub use task::promise;

use crate::{
    message::RequestHead,
    platform::{Background, Shelf},
};

/// One request's door to the runtime.
#[derive(Clone)]
pub struct WorkersPlatform {
    inner: Rc<Inner>,
}

struct Inner {
    request: web_sys::Request,
    /// The visitor's body once it was split; until then it is still the request's.
    body: RefCell<Option<web_sys::ReadableStream>>,
    env: JsValue,
    context: JsValue,
    /// What responses are stored in; `caches.default` where nothing else was given.
    store: Option<Rc<dyn ResponseCache>>,
    /// Where what is asked for often is kept in memory, if anywhere.
    shelf: Option<Rc<Shelf<JsValue>>>,
}

impl WorkersPlatform {
    /// Wraps a request and what the runtime handed over beside it.
    pub fn new(request: web_sys::Request, env: &worker::Env, context: &worker::Context) -> Self {
        Self {
            inner: Rc::new(Inner {
                request,
                body: RefCell::new(None),
                env: AsRef::<JsValue>::as_ref(env).clone(),
                context: JsValue::from(AsRef::<worker::worker_sys::Context>::as_ref(context)),
                store: None,
                shelf: None,
            }),
        }
    }

    /// The same, storing responses in `store`, or in `caches.default` and, what is asked for often, in memory. Another
    /// store may be as near as memory is, and what is done to it is its own affair.
    fn storing_in(
        mut self,
        store: Option<&Rc<dyn ResponseCache>>,
        shelf: &Rc<Shelf<JsValue>>,
    ) -> Self {
        if let Some(inner) = Rc::get_mut(&mut self.inner) {
            match store {
                Some(store) => inner.store = Some(Rc::clone(store)),
                None => inner.shelf = Some(Rc::clone(shelf)),
            }
        }
        self
    }

    /// The head of the visitor's request; `None` where the runtime handed over a URL that is no http(s) URL.
    pub fn head(&self) -> Option<RequestHead> {
        head::request(glue::read_request(&self.inner.request))
    }

    /// Runs `work` to its end behind the response.
    pub fn run_behind(&self, work: impl Future<Output = ()> + 'static) {
        self.wait_until(work);
    }

    /// What the deployment bound as `name`; undefined where nothing is.
    pub fn binding(&self, name: &str) -> JsValue {
        js_sys::Reflect::get(&self.inner.env, &JsValue::from_str(name)).unwrap_or_default()
    }

    /// The variable or secret `name`, where it is text.
    pub fn variable(&self, name: &str) -> Option<String> {
        self.binding(name).as_string()
    }

    /// The visitor's request, as it came.
    pub fn request(&self) -> &web_sys::Request {
        &self.inner.request
    }
}

impl fmt::Debug for WorkersPlatform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkersPlatform").finish_non_exhaustive()
    }
}
