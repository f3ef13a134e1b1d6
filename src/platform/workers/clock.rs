//! Time and chance.

use std::{
    cell::{Cell, RefCell},
    time::Duration,
};

use wasm_bindgen::JsValue;

use super::{WorkersPlatform, glue, task::Waiting};
use crate::{
    platform::{Clock, Random},
    time::Timestamp,
};

impl Clock for WorkersPlatform {
    fn now(&self) -> Timestamp {
        if let Turn::Told(now) = TURN.get() {
            return now;
        }
        let now = read();
        if let Turn::Untold = TURN.get() {
            TURN.set(Turn::Told(now));
        }
        now
    }

    async fn sleep(&self, duration: Duration) {
        let waiting = Waiting::new();
        let _timer = Timer(glue::sleep(waiting.id(), duration.as_millis() as f64));
        // A timer does not fail, and one whose request is gone never wakes anybody.
        let _ = waiting.await;
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is the one place that reads the clock"
)]
fn read() -> Timestamp {
    Timestamp::from_millis(js_sys::Date::now() as u64)
}

/// Runs `work`, in which the clock stands still: the runtime's own moves on only where something is waited for, and
/// asking it is a crossing.
pub(super) fn turn<T>(work: impl FnOnce() -> T) -> T {
    let outer = TURN.replace(Turn::Untold);
    let done = work();
    TURN.set(outer);
    done
}

/// What is known of the time in the work that is going on.
#[derive(Clone, Copy)]
enum Turn {
    /// It is nobody's turn, so the clock moves.
    Outside,
    /// Nobody has asked yet.
    Untold,
    Told(Timestamp),
}

thread_local! {
    static TURN: Cell<Turn> = const { Cell::new(Turn::Outside) };
}

/// A timer of the runtime's, ended where nobody waits for it any more.
struct Timer(JsValue);

impl Drop for Timer {
    fn drop(&mut self) {
        glue::forget_timer(&self.0);
    }
}

impl Random for WorkersPlatform {
    fn random(&self) -> [u8; 16] {
        POOL.with_borrow_mut(|pool| {
            if pool.is_empty() {
                let mut fresh = [0; POOLED * 16];
                glue::random(POOLED * 16).copy_to(&mut fresh);
                pool.extend(fresh.as_chunks().0);
            }
            pool.pop().unwrap_or_default()
        })
    }
}

/// How many random values are fetched at once. One crossing for each costs as much as everything done with it.
const POOLED: usize = 64;

thread_local! {
    static POOL: RefCell<Vec<[u8; 16]>> = const { RefCell::new(Vec::new()) };
}
