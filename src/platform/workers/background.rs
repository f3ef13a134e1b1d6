//! Work behind the response.

use std::future::Future;

use wasm_bindgen::{JsCast, JsValue};

use super::{WorkersPlatform, task};
use crate::platform::Background;

impl Background for WorkersPlatform {
    fn wait_until(&self, work: impl Future<Output = ()> + 'static) {
        let promise = task::promise(async move {
            work.await;
            Ok(JsValue::UNDEFINED)
        });
        let context: &worker::worker_sys::Context = self.inner.context.unchecked_ref();
        if let Err(error) = context.wait_until(&promise) {
            worker::console_error!("work behind the response was refused: {error:?}");
        }
    }
}
