//! Time and chance.

use std::{cell::RefCell, time::Duration};

use wasm_bindgen::JsValue;

use super::{WorkersPlatform, glue, task::Waiting};
use crate::{
    platform::{Clock, Random},
    time::Timestamp,
};

impl Clock for WorkersPlatform {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that reads the clock"
    )]
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(js_sys::Date::now() as u64)
    }

    async fn sleep(&self, duration: Duration) {
        let waiting = Waiting::new();
        let _timer = Timer(glue::sleep(waiting.id(), duration.as_millis() as f64));
        // A timer does not fail, and one whose request is gone never wakes anybody.
        let _ = waiting.await;
    }
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
