//! Time and chance.

use std::time::Duration;

use super::WorkersPlatform;
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
        worker::Delay::from(duration).await;
    }
}

impl Random for WorkersPlatform {
    fn random(&self) -> [u8; 16] {
        let mut bytes = [0; 16];
        super::glue::random().copy_to(&mut bytes);
        bytes
    }
}
