//! Requests to upstreams.

use wasm_bindgen::{JsCast, JsValue};

use super::{
    WorkersPlatform, glue, head,
    task::{Settled, Waiting},
};
use crate::platform::{Call, CallBody, Fetch, FetchError, Fetched, HeaderBase, Redirect};

impl Fetch for WorkersPlatform {
    type Response = web_sys::Response;

    async fn fetch(&self, call: Call) -> Result<Fetched<Self::Response>, FetchError> {
        let (body, limit) = match call.body {
            CallBody::None => (JsValue::UNDEFINED, None),
            CallBody::Visitor { limit } => (self.visitor_body(), limit),
            CallBody::Bytes(bytes) => (js_sys::Uint8Array::from(bytes.as_ref()).into(), None),
        };
        let waiting = Waiting::new();
        glue::call(
            waiting.id(),
            &self.inner.request,
            &head::call(&call.method, &call.url, &call.edits),
            &body,
            limit.map_or(-1.0, |limit| limit as f64),
            call.redirect == Redirect::Manual,
            call.budget.as_millis() as f64,
            call.follow_visitor,
            call.base == HeaderBase::Visitor,
        );
        let (response, head) = match waiting.await {
            Ok(Settled {
                value,
                text: Some(head),
            }) => (value.unchecked_into::<web_sys::Response>(), head),
            Ok(Settled { value, text: None }) => return Err(failure(value.as_f64())),
            Err(_) => return Err(FetchError::Unreachable),
        };
        let Some((head, has_body)) = head::response(head) else {
            glue::discard(&response);
            return Err(FetchError::Unreachable);
        };
        Ok(Fetched {
            head,
            has_body,
            response,
        })
    }

    fn discard(&self, response: Self::Response) {
        glue::discard(&response);
    }
}

impl WorkersPlatform {
    fn visitor_body(&self) -> JsValue {
        match self.inner.body.borrow().as_ref() {
            Some(body) => body.into(),
            None => self
                .inner
                .request
                .body()
                .map_or(JsValue::UNDEFINED, Into::into),
        }
    }
}

/// The numbers `call` resolves to.
fn failure(number: Option<f64>) -> FetchError {
    match number {
        Some(1.0) => FetchError::TimedOut,
        Some(3.0) => FetchError::VisitorLeft,
        Some(4.0) => FetchError::BodyTooLarge,
        _ => FetchError::Unreachable,
    }
}
