//! Timers of a clock that jumps.

use std::{
    cell::{Cell, RefCell},
    future::{Future, poll_fn},
    rc::Rc,
    task::{Poll, Waker},
    time::Duration,
};

use crate::time::Timestamp;

/// All timers of a world.
pub(super) struct Timers {
    now: Rc<Cell<Timestamp>>,
    waiting: Rc<RefCell<Vec<(Timestamp, Waker)>>>,
}

impl Timers {
    pub(super) fn new(now: Timestamp) -> Self {
        Self {
            now: Rc::new(Cell::new(now)),
            waiting: Rc::default(),
        }
    }

    pub(super) fn now(&self) -> Timestamp {
        self.now.get()
    }

    pub(super) fn sleep(&self, duration: Duration) -> impl Future<Output = ()> + 'static {
        let (now, waiting) = (Rc::clone(&self.now), Rc::clone(&self.waiting));
        let due = now.get() + duration;
        poll_fn(move |context| {
            if now.get() >= due {
                return Poll::Ready(());
            }
            waiting.borrow_mut().push((due, context.waker().clone()));
            Poll::Pending
        })
    }

    /// Jumps to the next moment somebody waits for and wakes everybody who waited for it. False when nobody waits, or
    /// only for moments past `until`.
    pub(super) fn jump(&self, until: Timestamp) -> bool {
        let mut waiting = self.waiting.borrow_mut();
        let Some(next) = waiting.iter().map(|(due, _)| *due).min() else {
            return false;
        };
        if next > until {
            return false;
        }
        self.now.set(self.now.get().max(next));
        let (due, later): (Vec<_>, Vec<_>) = waiting.drain(..).partition(|(due, _)| *due <= next);
        *waiting = later;
        drop(waiting);
        for (_, waker) in due {
            waker.wake();
        }
        true
    }
}
