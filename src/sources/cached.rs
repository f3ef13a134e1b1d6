//! Keeps what was loaded for a while, so that a store is read once per isolate and minute instead of once per request.
//!
//! Requests share one load without waiting for each other's futures, which the platform forbids: who finds nothing
//! loaded while another request is loading looks again on a timer of its own.

use std::{
    cell::{Cell, RefCell},
    fmt,
    future::Future,
    rc::Rc,
    time::Duration,
};

use crate::{platform::Clock, time::Timestamp};

/// One value, kept for a while.
pub struct ConfigCache<T> {
    ttl: Duration,
    current: RefCell<Option<Rc<T>>>,
    loaded: Cell<Option<Timestamp>>,
    loading: Cell<Option<Timestamp>>,
}

impl<T> ConfigCache<T> {
    /// Keeps a value for `ttl`. Sixty seconds is a good choice: KV itself may take as long to show a write everywhere.
    pub const fn new(ttl: Duration) -> Self {
        Self {
            ttl,
            current: RefCell::new(None),
            loaded: Cell::new(None),
            loading: Cell::new(None),
        }
    }

    /// The value, loaded by `load` if there is none or its time is over.
    ///
    /// While one request loads, the others keep the old value, or, where there is none yet, look again every few
    /// milliseconds. A load that fails leaves the old value in place, is handed to `failed`, and is tried again by the
    /// next request; its error is returned only where there is nothing to fall back on.
    pub async fn get<C, E, F>(
        &self,
        clock: &C,
        load: impl FnOnce() -> F,
        failed: impl FnOnce(&E),
    ) -> Result<Rc<T>, E>
    where
        C: Clock,
        F: Future<Output = Result<T, E>>,
    {
        loop {
            let now = clock.now();
            let current = self.current.borrow().clone();
            let fresh = self
                .loaded
                .get()
                .is_some_and(|loaded| now.since(loaded) < self.ttl);
            let others_load = self
                .loading
                .get()
                .is_some_and(|since| now.since(since) < LOAD_LEASE);
            match current {
                Some(current) if fresh || others_load => return Ok(current),
                None if others_load => clock.sleep(LOOK_AGAIN).await,
                current => {
                    self.loading.set(Some(now));
                    let loaded = load().await;
                    self.loading.set(None);
                    return match (loaded, current) {
                        (Ok(value), _) => {
                            let value = Rc::new(value);
                            *self.current.borrow_mut() = Some(Rc::clone(&value));
                            self.loaded.set(Some(clock.now()));
                            Ok(value)
                        }
                        (Err(error), Some(current)) => {
                            failed(&error);
                            Ok(current)
                        }
                        (Err(error), None) => {
                            failed(&error);
                            Err(error)
                        }
                    };
                }
            }
        }
    }

    /// Whether there is a value, fresh or not.
    pub fn is_loaded(&self) -> bool {
        self.current.borrow().is_some()
    }

    /// Makes the next request load again. The old value stays as the fallback.
    pub fn invalidate(&self) {
        self.loaded.set(None);
    }
}

impl<T> fmt::Debug for ConfigCache<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConfigCache")
            .field("ttl", &self.ttl)
            .field("loaded", &self.loaded)
            .finish_non_exhaustive()
    }
}

/// How long a load may take before another request takes it over: the request that started it may be gone.
const LOAD_LEASE: Duration = Duration::from_secs(10);

/// How long a request that has nothing yet waits before it looks again.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt, future::join};

    use super::*;

    /// A clock that jumps ahead whenever somebody sleeps.
    #[derive(Default)]
    struct Jumping(Cell<u64>);

    impl Clock for Jumping {
        fn now(&self) -> Timestamp {
            Timestamp::from_millis(self.0.get())
        }

        async fn sleep(&self, duration: Duration) {
            self.0.set(self.0.get() + duration.as_millis() as u64);
            let mut yielded = false;
            std::future::poll_fn(|context| {
                if std::mem::replace(&mut yielded, true) {
                    std::task::Poll::Ready(())
                } else {
                    context.waker().wake_by_ref();
                    std::task::Poll::Pending
                }
            })
            .await;
        }
    }

    fn run<F: Future>(future: F) -> F::Output {
        let mut future = Box::pin(future);
        for _ in 0..100_000 {
            if let Some(output) = future.as_mut().now_or_never() {
                return output;
            }
        }
        panic!("the future never resolved");
    }

    #[test]
    fn a_value_is_loaded_once_until_its_time_is_over() {
        let (clock, cache) = (
            Jumping::default(),
            ConfigCache::new(Duration::from_secs(60)),
        );
        let loads = Cell::new(0);
        let get = || {
            cache.get(
                &clock,
                || async {
                    loads.set(loads.get() + 1);
                    Ok::<_, ()>(loads.get())
                },
                |_| {},
            )
        };
        assert_eq!(*run(get()).unwrap(), 1);
        clock.0.set(59_999);
        assert_eq!(*run(get()).unwrap(), 1);
        clock.0.set(60_000);
        assert_eq!(*run(get()).unwrap(), 2);
        cache.invalidate();
        assert_eq!(*run(get()).unwrap(), 3);
    }

    #[test]
    fn a_burst_shares_one_load_and_nobody_waits_for_anothers_future() {
        let (clock, cache) = (
            Jumping::default(),
            ConfigCache::new(Duration::from_secs(60)),
        );
        let loads = Cell::new(0);
        let get = || {
            cache.get(
                &clock,
                || async {
                    loads.set(loads.get() + 1);
                    clock.sleep(Duration::from_millis(3)).await;
                    Ok::<_, ()>("table")
                },
                |_| {},
            )
        };
        let (first, second) = run(join(get(), get()));
        assert_eq!(
            (*first.unwrap(), *second.unwrap(), loads.get()),
            ("table", "table", 1)
        );
    }

    #[test]
    fn a_load_whose_request_is_gone_is_taken_over() {
        let (clock, cache) = (
            Jumping::default(),
            ConfigCache::new(Duration::from_secs(60)),
        );
        let mut abandoned =
            Box::pin(cache.get(&clock, std::future::pending::<Result<u8, ()>>, |_| {}));
        assert!(abandoned.as_mut().now_or_never().is_none());
        let value = run(cache.get(&clock, || async { Ok::<_, ()>(7) }, |_| {}));
        assert_eq!(*value.unwrap(), 7);
        assert!(clock.now() >= Timestamp::from_millis(10_000));
    }

    #[test]
    fn a_failed_refresh_keeps_the_old_value_and_is_tried_again_at_once() {
        let (clock, cache) = (
            Jumping::default(),
            ConfigCache::new(Duration::from_secs(60)),
        );
        let failures = Cell::new(0);
        let get = |outcome: Result<u8, &'static str>| {
            cache.get(
                &clock,
                move || async move { outcome },
                |_| failures.set(failures.get() + 1),
            )
        };
        assert_eq!(run(get(Err("down"))).unwrap_err(), "down");
        assert_eq!(*run(get(Ok(1))).unwrap(), 1);
        clock.0.set(60_000);
        assert_eq!(*run(get(Err("down"))).unwrap(), 1);
        assert_eq!(*run(get(Ok(2))).unwrap(), 2);
        assert_eq!(failures.get(), 2);
    }
}
