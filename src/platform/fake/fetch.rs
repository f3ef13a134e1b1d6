//! Requests to scripted upstreams.

use std::pin::pin;

use bytes::Bytes;
use futures_util::{
    StreamExt,
    future::{Either, select},
    stream,
};
use http::{
    HeaderMap, HeaderValue, Method, StatusCode,
    header::{HOST, LOCATION},
};
use url::Url;

use super::{
    BodyBroke, FakePlatform, FakeResponse, Received, Script, ScriptedAnswer, ScriptedEnd, World,
    body::Chunks,
};
use crate::{
    message::{RequestUrl, ResponseHead},
    platform::{Call, CallBody, Fetch, FetchError, Fetched, HeaderBase, Redirect},
};

impl Fetch for FakePlatform {
    type Response = FakeResponse;

    async fn fetch(&self, call: Call) -> Result<Fetched<FakeResponse>, FetchError> {
        let budget = self.world.sleep(call.budget);
        let left = if call.follow_visitor {
            self.left()
        } else {
            Box::pin(std::future::pending())
        };
        let exchange = pin!(self.followed(call));
        match select(exchange, pin!(select(pin!(budget), left))).await {
            Either::Left((answered, _)) => answered,
            Either::Right((Either::Left(_), _)) => Err(FetchError::TimedOut),
            Either::Right((Either::Right(_), _)) => Err(FetchError::VisitorLeft),
        }
    }

    fn discard(&self, _response: FakeResponse) {}
}

impl FakePlatform {
    /// Sends a call, and where it asks for that, goes where redirects lead.
    async fn followed(&self, mut call: Call) -> Result<Fetched<FakeResponse>, FetchError> {
        loop {
            let fetched = self.exchange(call.clone()).await?;
            let location = fetched
                .head
                .headers
                .get(LOCATION)
                .filter(|_| {
                    call.redirect == Redirect::Follow && fetched.head.status.is_redirection()
                })
                .and_then(|location| location.to_str().ok())
                .and_then(|location| Url::parse(&call.url).ok()?.join(location).ok());
            match location {
                Some(location) => call.url = location.into(),
                None => return Ok(fetched),
            }
        }
    }

    async fn exchange(&self, call: Call) -> Result<Fetched<FakeResponse>, FetchError> {
        let url = RequestUrl::parse(&call.url).map_err(|_| FetchError::Unreachable)?;
        let mut headers = match call.base {
            HeaderBase::Visitor => self.visit.head.headers.clone(),
            HeaderBase::Empty => HeaderMap::new(),
        };
        call.edits.apply(&mut headers);
        if let Ok(host) = HeaderValue::from_str(url.authority()) {
            headers.insert(HOST, host);
        }
        let received = Received {
            scheme: url.scheme().to_owned(),
            authority: url.authority().to_owned(),
            method: call.method.clone(),
            path_and_query: url.path_and_query().to_owned(),
            headers,
            body: self.upload(&call.body).await?,
            at: self.world.now(),
        };
        let script = (self.world.inner.upstreams)(&received);
        if script != Script::Refuse {
            self.world.inner.received.borrow_mut().push(received);
        }
        match script {
            Script::Refuse => Err(FetchError::Unreachable),
            Script::Hang => std::future::pending().await,
            Script::Answer(answer) => {
                self.world.sleep(answer.delay).await;
                Ok(answered(&self.world, &call.method, answer))
            }
        }
    }

    async fn upload(&self, body: &CallBody) -> Result<Bytes, FetchError> {
        let limit = match body {
            CallBody::None => return Ok(Bytes::new()),
            CallBody::Bytes(bytes) => return Ok(bytes.clone()),
            CallBody::Visitor { limit } => limit.unwrap_or(u64::MAX),
        };
        let mut sent = Vec::new();
        for (after, chunk) in &self.visit.body {
            self.world.sleep(*after).await;
            sent.extend_from_slice(chunk);
            if sent.len() as u64 > limit {
                return Err(FetchError::BodyTooLarge);
            }
        }
        Ok(Bytes::from(sent))
    }
}

fn answered(world: &World, method: &Method, answer: ScriptedAnswer) -> Fetched<FakeResponse> {
    let ScriptedAnswer {
        delay: _,
        status,
        headers,
        chunks,
        end,
    } = answer;
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    let has_body = *method != Method::HEAD && !matches!(status.as_u16(), 101 | 204 | 205 | 304);
    let head = ResponseHead { status, headers };
    Fetched {
        has_body,
        response: FakeResponse {
            head: head.clone(),
            body: has_body.then(|| scripted(world, chunks, end)),
        },
        head,
    }
}

fn scripted(world: &World, chunks: Vec<(std::time::Duration, Bytes)>, end: ScriptedEnd) -> Chunks {
    let world = world.clone();
    stream::unfold(Some(chunks.into_iter()), move |chunks| {
        let world = world.clone();
        async move {
            let mut chunks = chunks?;
            match (chunks.next(), end) {
                (Some((after, chunk)), _) => {
                    world.sleep(after).await;
                    Some((Ok(chunk), Some(chunks)))
                }
                (None, ScriptedEnd::Complete) => None,
                (None, ScriptedEnd::Reset) => Some((Err(BodyBroke), None)),
                (None, ScriptedEnd::Stall) => std::future::pending().await,
            }
        }
    })
    .boxed_local()
}
