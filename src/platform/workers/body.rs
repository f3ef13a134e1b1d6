//! Bodies: delivered, relayed through a pump, copied aside, read whole.

use std::{cell::RefCell, future::Future, time::Duration};

use bytes::Bytes;
use futures_util::FutureExt;
use wasm_bindgen::{JsCast, JsValue, prelude::Closure};

use super::{
    WorkersPlatform, glue, head,
    task::{Settled, Waiting},
};
use crate::{
    body::{Relay, Transform},
    message::Answer,
    outcome::{MirrorOutcome, StreamOutcome, StreamReport},
    platform::{BodyPlan, CopyBody, Deliver, Delivery, ReadBody},
};

impl Deliver for WorkersPlatform {
    async fn deliver(&self, delivery: Delivery<Self::Response>) -> Self::Response {
        let Delivery {
            response,
            status,
            edits,
            body,
        } = delivery;
        let edits = head::edits(&edits);
        let status = status.map_or(0, |status| status.as_u16());
        let delivered = match body {
            BodyPlan::Untouched => glue::deliver(&response, &edits, status, true),
            BodyPlan::Remade => glue::edited(&response, &edits),
            BodyPlan::Dropped => glue::deliver(&response, &edits, status, false),
            BodyPlan::Relayed(relay) => self.relay(&response, &edits, status, relay).await,
        };
        delivered.unwrap_or_else(|error| refused(&response, &error))
    }

    fn tee(&self, response: Self::Response) -> (Self::Response, Self::Response) {
        match glue::tee(&response) {
            Ok(copy) => (response, copy),
            Err(error) => {
                let copy = refused(&response, &error);
                (response, copy)
            }
        }
    }

    fn make(&self, answer: Answer) -> Self::Response {
        let body = if answer.body.is_empty() {
            JsValue::NULL
        } else {
            js_sys::Uint8Array::from(answer.body.as_ref()).into()
        };
        let headers = head::all(&answer.headers);
        glue::made(answer.status.as_u16(), &headers, &body).unwrap_or_else(|error| {
            worker::console_error!("an answer could not be made: {error:?}");
            web_sys::Response::error()
        })
    }
}

impl WorkersPlatform {
    async fn relay(
        &self,
        response: &web_sys::Response,
        edits: &str,
        status: u16,
        relay: Relay,
    ) -> Result<web_sys::Response, JsValue> {
        let Relay {
            watch,
            transform,
            follow_visitor,
        } = relay;
        let first_chunk = watch.first_chunk.as_millis() as f64;
        let idle = watch.idle.as_millis() as f64;
        let mut opened = JsValue::UNDEFINED;
        if transform.is_none() {
            let waiting = Waiting::new();
            glue::at_hand(waiting.id(), response, edits, status);
            let Settled { value, text } = waiting.await?;
            // A small body came whole: there is nothing left to watch.
            if let Some(length) = text {
                watch.finish_with(StreamReport {
                    outcome: StreamOutcome::Complete,
                    bytes: length.parse().unwrap_or_default(),
                    duration_ms: 0,
                });
                return Ok(value.unchecked_into());
            }
            opened = value;
        }
        let transformer = transform.map(transformer);
        let transform = transformer
            .as_ref()
            .map_or(JsValue::UNDEFINED, |transformer| {
                transformer.as_ref().clone()
            });
        // It owns the transform, so that what that holds is free with the last chunk and not with the runtime's next
        // garbage collection, and so that whoever waits for what became of the body hears that no more will.
        let done = Closure::once_into_js(move |outcome: u32, bytes: f64, duration: f64| {
            watch.finish_with(StreamReport {
                outcome: stream_outcome(outcome),
                bytes: bytes as u64,
                duration_ms: duration as u64,
            });
            drop(transformer);
        });
        glue::relay(
            response,
            edits,
            status,
            &opened,
            &self.inner.request,
            follow_visitor,
            first_chunk,
            idle,
            &transform,
            &done,
            &self.inner.context,
        )
    }
}

/// A function for JavaScript that takes a chunk and gives what is made of it. It takes null behind the last chunk.
fn transformer(transform: Box<dyn Transform>) -> Closure<dyn Fn(JsValue) -> JsValue> {
    struct State {
        transform: Option<Box<dyn Transform>>,
        chunk: Vec<u8>,
        out: Vec<u8>,
    }
    let state = RefCell::new(State {
        transform: Some(transform),
        chunk: Vec::new(),
        out: Vec::new(),
    });
    Closure::new(move |chunk: JsValue| {
        let State {
            transform,
            chunk: bytes,
            out,
        } = &mut *state.borrow_mut();
        out.clear();
        match chunk.dyn_into::<js_sys::Uint8Array>() {
            Ok(chunk) => {
                bytes.resize(chunk.length() as usize, 0);
                chunk.copy_to(bytes);
                if let Some(transform) = transform {
                    transform.push(bytes, out);
                }
            }
            Err(_) => {
                if let Some(transform) = transform.take() {
                    transform.finish(out);
                }
            }
        }
        if out.is_empty() {
            JsValue::UNDEFINED
        } else {
            js_sys::Uint8Array::from(out.as_slice()).into()
        }
    })
}

/// The numbers the pump reports.
fn stream_outcome(number: u32) -> StreamOutcome {
    match number {
        0 => StreamOutcome::Complete,
        1 => StreamOutcome::FirstChunkTimeout,
        2 => StreamOutcome::IdleTimeout,
        3 => StreamOutcome::UpstreamReset,
        _ => StreamOutcome::ClientClosed,
    }
}

/// What is left when the runtime refuses a response that its own parts were taken from.
fn refused(response: &web_sys::Response, error: &JsValue) -> web_sys::Response {
    worker::console_error!("a response could not be delivered: {error:?}");
    glue::discard(response);
    glue::made(502, "", &JsValue::NULL).unwrap_or_else(|_| web_sys::Response::error())
}

/// The visitor's body was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unread {
    /// It is larger than it may be.
    #[error("the body is larger than it may be")]
    TooLarge,
    /// It broke off.
    #[error("the body broke off")]
    Broken,
}

impl WorkersPlatform {
    /// Reads the visitor's body into memory, for routes of the Worker's own: at most `limit` bytes, counted while they
    /// arrive. A body can be read once.
    ///
    /// # Errors
    /// If it is longer, or breaks off.
    pub async fn read_body(&self, limit: usize) -> Result<Vec<u8>, Unread> {
        let read = glue::read_body(&self.inner.request, limit as f64);
        let bytes = Waiting::promise(read).await.map_err(|_| Unread::Broken)?;
        bytes
            .dyn_into::<js_sys::Uint8Array>()
            .map(|bytes| bytes.to_vec())
            .map_err(|_| Unread::TooLarge)
    }
}

impl ReadBody for WorkersPlatform {
    async fn read_text(
        &self,
        response: Self::Response,
        limit: usize,
        budget: Duration,
    ) -> Option<String> {
        Waiting::promise(glue::read_text(
            &response,
            limit as f64,
            budget.as_millis() as f64,
        ))
        .await
        .ok()?
        .as_string()
    }
}

impl CopyBody for WorkersPlatform {
    fn copy_body(
        &self,
        limit: usize,
    ) -> impl Future<Output = Result<Bytes, MirrorOutcome>> + use<> + 'static {
        let halves = self
            .inner
            .request
            .body()
            .and_then(|body| glue::copy_body(&body, limit as f64).ok());
        let copy = halves.map(|halves| {
            *self.inner.body.borrow_mut() = halves.get(0).dyn_into().ok();
            js_sys::Promise::from(halves.get(1))
        });
        async move {
            let Some(copy) = copy else {
                return Ok(Bytes::new());
            };
            Waiting::promise(copy)
                .map(|read| {
                    read.ok()
                        .and_then(|bytes| bytes.dyn_into::<js_sys::Uint8Array>().ok())
                        .map(|bytes| Bytes::from(bytes.to_vec()))
                        .ok_or(MirrorOutcome::BodyOverLimit)
                })
                .await
        }
    }
}
