//! Futures driven by the very promises they wait for.
//!
//! `wasm-bindgen-futures` would do, at a price: every promise waited for costs two closures that the runtime's garbage
//! collector has to be told of, and every wake-up goes through a queue behind a microtask. For a small request that is
//! more than all decisions about it. Here a promise costs one entry in a table, and whoever waits for it is polled at once.
//!
//! A promise may never settle: the runtime drops those of a request that it cancels. The table's entry then goes with
//! the last thing in JavaScript that could have settled it, and with the entry everything that waited for it.

use std::{
    cell::{Cell, OnceCell, RefCell},
    collections::{HashMap, hash_map::Entry},
    fmt,
    future::Future,
    pin::Pin,
    rc::Rc,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
};

use wasm_bindgen::{JsValue, prelude::Closure};
use worker::send::SendWrapper;

use super::{clock, glue};

/// Runs `future` and gives a promise of what it makes: a Worker's handler that is exported as it is, without a macro
/// around it, saves the runtime a queue and two microtasks for each request. A response that it makes is the runtime's
/// from then on, so a body that a [`Router`](super::Router) watches is streamed through one buffer instead of many.
///
/// ```ignore
/// #[wasm_bindgen]
/// pub fn fetch(request: web_sys::Request, env: Env, context: worker_sys::Context) -> Promise {
///     jouska::promise(async move { Ok(answer(request, env, Context::new(context)).await.into()) })
/// }
/// ```
pub fn promise(
    future: impl Future<Output = Result<JsValue, JsValue>> + 'static,
) -> js_sys::Promise {
    let mut future = Some(future);
    js_sys::Promise::new(&mut |resolve, reject| {
        let Some(future) = future.take() else { return };
        Task::spawn(async move {
            match future.await {
                Ok(value) => glue::answer(&resolve, &value),
                // The functions of a promise do not throw.
                Err(error) => drop(reject.call1(&JsValue::UNDEFINED, &error)),
            }
        });
    })
}

/// A future that is polled whenever something wakes it.
struct Task {
    /// Gone while it is polled, and for good once it is done.
    future: Cell<Option<Pin<Box<dyn Future<Output = ()>>>>>,
    /// Woken while it was being polled.
    again: Cell<bool>,
    /// To be polled in a microtask.
    queued: Cell<bool>,
}

impl Task {
    fn spawn(future: impl Future<Output = ()> + 'static) {
        Rc::new(Self {
            future: Cell::new(Some(Box::pin(future))),
            again: Cell::new(false),
            queued: Cell::new(false),
        })
        .poll();
    }

    fn poll(self: Rc<Self>) {
        let Some(mut future) = self.future.take() else {
            self.again.set(true);
            return;
        };
        self.queued.set(false);
        let waker = self.waker();
        loop {
            self.again.set(false);
            let polled = clock::turn(|| future.as_mut().poll(&mut Context::from_waker(&waker)));
            if polled.is_ready() {
                return;
            }
            if !self.again.get() {
                break;
            }
        }
        self.future.set(Some(future));
    }
}

impl Task {
    fn waker(self: &Rc<Self>) -> Waker {
        Waker::from(Arc::new(Wakeup(SendWrapper::new(Rc::clone(self)))))
    }

    /// Polls in a microtask. Whoever wakes a task may do so before the thing waited for is there to be seen, as
    /// `worker::Delay` does.
    fn poll_soon(self: Rc<Self>) {
        match self.future.take() {
            None => self.again.set(true),
            future => {
                self.future.set(future);
                if !self.queued.replace(true) {
                    let waker = Some(self.waker());
                    let progress = Rc::new(RefCell::new(Progress::Pending(waker)));
                    let id = TABLE.with(|table| table.enter(&progress));
                    glue::settle(&js_sys::Promise::resolve(&JsValue::UNDEFINED), id);
                }
            }
        }
    }
}

/// Polls the task it belongs to. Wakers must be `Send`; an isolate has one thread, so nothing is ever sent.
struct Wakeup(SendWrapper<Rc<Task>>);

impl Wake for Wakeup {
    fn wake(self: Arc<Self>) {
        let task = Rc::clone(&self.0);
        if TABLE.with(|table| table.settling.take()) {
            task.poll();
        } else {
            task.poll_soon();
        }
    }
}

/// Waits for something in JavaScript that was given [`Waiting::id`].
pub(super) struct Waiting {
    id: u32,
    progress: Rc<RefCell<Progress>>,
}

enum Progress {
    Pending(Option<Waker>),
    Settled(Result<Settled, JsValue>),
}

/// What a wait ended with.
pub(super) struct Settled {
    pub(super) value: JsValue,
    /// What is said of it, so that asking is no crossing of its own.
    pub(super) text: Option<String>,
}

impl Waiting {
    /// Enters a wait into the table.
    pub(super) fn new() -> Self {
        let progress = Rc::new(RefCell::new(Progress::Pending(None)));
        let id = TABLE.with(|table| table.enter(&progress));
        Self { id, progress }
    }

    /// Waits for a promise.
    pub(super) async fn promise(promise: js_sys::Promise) -> Result<JsValue, JsValue> {
        let waiting = Self::new();
        glue::settle(&promise, waiting.id);
        waiting.await.map(|settled| settled.value)
    }

    /// The number to settle it by.
    pub(super) fn id(&self) -> u32 {
        self.id
    }
}

impl Future for Waiting {
    type Output = Result<Settled, JsValue>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut progress = self.progress.borrow_mut();
        match std::mem::replace(&mut *progress, Progress::Pending(None)) {
            Progress::Settled(settled) => Poll::Ready(settled),
            Progress::Pending(_) => {
                *progress = Progress::Pending(Some(context.waker().clone()));
                Poll::Pending
            }
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        TABLE.with(|table| table.leave(self.id));
    }
}

impl fmt::Debug for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Waiting")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

/// Everything that is being waited for.
#[derive(Default)]
struct Table {
    next: Cell<u32>,
    waiting: RefCell<HashMap<u32, Rc<RefCell<Progress>>>>,
    /// Whether the next task that is woken is woken by a wait that was just settled.
    settling: Cell<bool>,
    /// The functions that JavaScript settles and forgets by, made once.
    callbacks: OnceCell<(Settle, Forget)>,
}

type Settle = Closure<dyn Fn(u32, bool, JsValue, Option<String>)>;
type Forget = Closure<dyn Fn(u32)>;

thread_local! {
    static TABLE: Table = Table::default();
}

impl Table {
    fn enter(&self, progress: &Rc<RefCell<Progress>>) -> u32 {
        self.callbacks.get_or_init(|| {
            let settle = Settle::new(|id, kept, value, text| {
                let settled = if kept {
                    Ok(Settled { value, text })
                } else {
                    Err(value)
                };
                TABLE.with(|table| table.settle(id, settled));
            });
            let forget = Forget::new(|id| TABLE.with(|table| table.leave(id)));
            glue::install(&settle, &forget);
            (settle, forget)
        });
        let mut waiting = self.waiting.borrow_mut();
        // Numbers come round after four thousand million waits; one that is still in use is passed over.
        loop {
            let id = self.next.get();
            self.next.set(id.wrapping_add(1));
            if let Entry::Vacant(free) = waiting.entry(id) {
                free.insert(Rc::clone(progress));
                return id;
            }
        }
    }

    fn settle(&self, id: u32, settled: Result<Settled, JsValue>) {
        let Some(progress) = self.take(id) else {
            return;
        };
        let before = progress.replace(Progress::Settled(settled));
        if let Progress::Pending(Some(waker)) = before {
            // What it waits for is there to be seen, so it is polled here and now.
            self.settling.set(true);
            waker.wake();
            self.settling.set(false);
        }
    }

    /// Removes an entry. What waited for it may go with it, and may itself hold entries, so nothing is borrowed then.
    fn leave(&self, id: u32) {
        drop(self.take(id));
    }

    fn take(&self, id: u32) -> Option<Rc<RefCell<Progress>>> {
        self.waiting.borrow_mut().remove(&id)
    }
}
