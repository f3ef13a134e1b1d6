//! Responses with bodies that arrive over time.

use std::{fmt, future::Future, io::Write, pin::pin, rc::Rc, time::Duration};

use bytes::Bytes;
use flate2::write::GzDecoder;
use futures_channel::mpsc::unbounded;
use futures_util::{
    FutureExt, StreamExt,
    future::{Either, select},
    stream::{self, LocalBoxStream},
};
use http::{
    HeaderValue,
    header::{CONTENT_ENCODING, CONTENT_LENGTH},
};

use super::{FakePlatform, World};
use crate::{
    body::Relay,
    message::{Answer, ResponseHead},
    outcome::{MirrorOutcome, StreamOutcome},
    platform::{BodyPlan, CopyBody, Deliver, Delivery, ReadBody},
};

/// A body broke off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BodyBroke;

/// The chunks of a body as they arrive.
pub(super) type Chunks = LocalBoxStream<'static, Result<Bytes, BodyBroke>>;

/// A response and its body.
pub struct FakeResponse {
    /// Status and headers.
    pub head: ResponseHead,
    pub(super) body: Option<Chunks>,
}

impl FakeResponse {
    /// The next chunk; `None` at the end.
    pub async fn chunk(&mut self) -> Option<Result<Bytes, BodyBroke>> {
        match &mut self.body {
            Some(body) => body.next().await,
            None => None,
        }
    }

    /// Whether there is a body.
    pub fn has_body(&self) -> bool {
        self.body.is_some()
    }
}

impl fmt::Debug for FakeResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FakeResponse")
            .field("head", &self.head)
            .field("body", &self.body.is_some())
            .finish()
    }
}

impl Deliver for FakePlatform {
    async fn deliver(&self, delivery: Delivery<FakeResponse>) -> FakeResponse {
        let Delivery {
            mut response,
            status,
            edits,
            body,
        } = delivery;
        response.body = match body {
            BodyPlan::Untouched | BodyPlan::Remade => response.body,
            BodyPlan::Dropped => None,
            BodyPlan::Relayed(plan) => {
                // Whatever looks at the bytes of a body is given them decoded, as on the runtime.
                let gzipped = response.head.headers.get(CONTENT_ENCODING) == Some(&GZIP);
                if plan.transform.is_some() {
                    response.head.headers.remove(CONTENT_LENGTH);
                    response.head.headers.remove(CONTENT_ENCODING);
                }
                let decodes = gzipped && plan.transform.is_some();
                response.body.map(|body| {
                    let body = if decodes { gunzipped(body) } else { body };
                    relay(&self.world, body, plan)
                })
            }
        };
        if let Some(status) = status {
            response.head.status = status;
        }
        edits.apply(&mut response.head.headers);
        response
    }

    fn tee(&self, response: FakeResponse) -> (FakeResponse, FakeResponse) {
        let head = response.head.clone();
        let Some(body) = response.body else {
            return (
                FakeResponse {
                    head: head.clone(),
                    body: None,
                },
                FakeResponse { head, body: None },
            );
        };
        let (first, one) = unbounded();
        let (second, other) = unbounded();
        self.world.spawn(Box::pin(async move {
            let mut body = body;
            while let Some(chunk) = body.next().await {
                let first = first.unbounded_send(chunk.clone());
                let second = second.unbounded_send(chunk);
                if first.is_err() && second.is_err() {
                    return;
                }
            }
        }));
        (
            FakeResponse {
                head: head.clone(),
                body: Some(one.boxed_local()),
            },
            FakeResponse {
                head,
                body: Some(other.boxed_local()),
            },
        )
    }

    fn make(&self, answer: Answer) -> FakeResponse {
        FakeResponse {
            head: ResponseHead {
                status: answer.status,
                headers: answer.headers,
            },
            body: (!answer.body.is_empty()).then(|| stream::iter([Ok(answer.body)]).boxed_local()),
        }
    }
}

/// A body without its gzip coding.
fn gunzipped(body: Chunks) -> Chunks {
    let state = Some((body, GzDecoder::new(Vec::new())));
    stream::unfold(state, |state| async move {
        let (mut body, mut decoder) = state?;
        let (decoded, state) = match body.next().await {
            Some(Ok(chunk)) => match decoder.write_all(&chunk) {
                Ok(()) => (Ok(std::mem::take(decoder.get_mut())), Some((body, decoder))),
                Err(_) => (Err(BodyBroke), None),
            },
            Some(Err(broke)) => (Err(broke), None),
            None => (decoder.finish().map_err(|_| BodyBroke), None),
        };
        Some((decoded.map(Bytes::from), state))
    })
    .boxed_local()
}

/// Watches and transforms a body as it is read.
fn relay(world: &World, body: Chunks, plan: Relay) -> Chunks {
    let Relay {
        watch,
        transform,
        // Here a body is read by whoever wants it, and a visitor who leaves drops it.
        follow_visitor: _,
    } = plan;
    let state = (world.clone(), body, Some(watch), transform, false);
    stream::unfold(
        state,
        |(world, mut body, watch, mut transform, over)| async move {
            let mut watch = watch?;
            if over {
                return None;
            }
            loop {
                let due = watch.wake_at().since(world.now());
                let next = match select(body.next(), pin!(world.sleep(due))).await {
                    Either::Left((next, _)) => next,
                    Either::Right(((), _)) => match watch.expired(world.now()) {
                        Some(outcome) => {
                            watch.finish(outcome, world.now());
                            return Some((Err(BodyBroke), (world, body, None, None, true)));
                        }
                        None => continue,
                    },
                };
                match next {
                    Some(Ok(chunk)) => {
                        watch.chunk(chunk.len(), world.now());
                        let made = match &mut transform {
                            None => chunk,
                            Some(transform) => {
                                let mut out = Vec::new();
                                transform.push(&chunk, &mut out);
                                Bytes::from(out)
                            }
                        };
                        if !made.is_empty() {
                            return Some((Ok(made), (world, body, Some(watch), transform, false)));
                        }
                    }
                    Some(Err(BodyBroke)) => {
                        watch.finish(StreamOutcome::UpstreamReset, world.now());
                        return Some((Err(BodyBroke), (world, body, None, None, true)));
                    }
                    None => {
                        watch.finish(StreamOutcome::Complete, world.now());
                        let mut out = Vec::new();
                        if let Some(transform) = transform {
                            transform.finish(&mut out);
                        }
                        return (!out.is_empty())
                            .then(|| (Ok(Bytes::from(out)), (world, body, None, None, true)));
                    }
                }
            }
        },
    )
    .boxed_local()
}

impl ReadBody for FakePlatform {
    async fn read_text(
        &self,
        mut response: FakeResponse,
        limit: usize,
        budget: Duration,
    ) -> Option<String> {
        let read = async {
            let mut text = Vec::new();
            while let Some(chunk) = response.chunk().await {
                text.extend_from_slice(&chunk.ok()?);
                if text.len() > limit {
                    return None;
                }
            }
            String::from_utf8(text).ok()
        };
        match select(pin!(read), pin!(self.world.sleep(budget))).await {
            Either::Left((text, _)) => text,
            Either::Right(_) => None,
        }
    }
}

impl CopyBody for FakePlatform {
    fn copy_body(
        &self,
        limit: usize,
    ) -> impl Future<Output = Result<Bytes, MirrorOutcome>> + use<> + 'static {
        let (world, visit, left) = (self.world.clone(), Rc::clone(&self.visit), self.left());
        async move {
            let upload = async {
                let mut copy = Vec::new();
                for (after, chunk) in &visit.body {
                    world.sleep(*after).await;
                    copy.extend_from_slice(chunk);
                    if copy.len() > limit {
                        return Err(MirrorOutcome::BodyOverLimit);
                    }
                }
                Ok(Bytes::from(copy))
            };
            match select(pin!(upload), left.fuse()).await {
                Either::Left((copy, _)) => copy,
                Either::Right(_) => Err(MirrorOutcome::BodyOverLimit),
            }
        }
    }
}

const GZIP: HeaderValue = HeaderValue::from_static("gzip");
