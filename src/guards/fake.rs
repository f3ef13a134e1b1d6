//! What the tests of this stage run on: a platform in memory, whose clock moves only when somebody sleeps.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    future::Future,
    pin::pin,
    task::{Context, Poll},
    time::Duration,
};

use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};

use crate::{
    config::{Issues, Path, Reported},
    crypto,
    message::{RequestHead, RequestUrl, ResponseHead},
    platform::{
        Call, Clock, Fetch, FetchError, Fetched, MissingBinding, RateLimit, ReadBody, RsaKey,
        Secrets, SignatureCheck, Visitor,
    },
    time::Timestamp,
};

/// A request to `https://proxy.test`.
pub(super) fn head(method: &str, path_and_query: &str, lines: &[(&str, &str)]) -> RequestHead {
    RequestHead {
        method: Method::from_bytes(method.as_bytes()).expect(method),
        url: RequestUrl::parse(&format!("https://proxy.test{path_and_query}"))
            .expect(path_and_query),
        headers: headers(lines),
        has_body: false,
    }
}

pub(super) fn headers(lines: &[(&str, &str)]) -> HeaderMap {
    lines
        .iter()
        .map(|(name, value)| {
            (
                HeaderName::from_bytes(name.as_bytes()).expect(name),
                HeaderValue::from_bytes(value.as_bytes()).expect(value),
            )
        })
        .collect()
}

/// The places a block is complained about in, below `key`; none where it compiles.
pub(super) fn complaints<T>(
    key: &str,
    compile: impl FnOnce(&Path<'_>, &mut Issues) -> Result<T, Reported>,
) -> Vec<String> {
    let mut issues = Issues::default();
    let compiled = compile(&Path::root().key(key), &mut issues);
    assert_eq!(compiled.is_ok(), issues.is_empty());
    let places = issues.into_vec().into_iter();
    places.map(|issue| issue.path).collect()
}

/// Polls a future until it is ready. Everything the fake gives out is ready after a few polls.
pub(super) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(futures_util::task::noop_waker_ref());
    for _ in 0..100_000 {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
    panic!("the future hangs");
}

/// A platform of one test.
#[derive(Debug, Default)]
pub(super) struct Fake {
    pub(super) country: Option<String>,
    now: Cell<u64>,
    secrets: BTreeMap<String, String>,
    limits: BTreeMap<String, usize>,
    buckets: RefCell<Vec<String>>,
    /// What is answered to each URL, in turn; the last one again and again.
    answers: RefCell<BTreeMap<String, Vec<Answer>>>,
    calls: RefCell<Vec<Call>>,
    discarded: Cell<usize>,
    verified: Cell<usize>,
}

/// What a host answers.
#[derive(Debug, Clone)]
pub(super) enum Answer {
    /// This, after so long.
    Response(Duration, StatusCode, HeaderMap, String),
    /// Headers, and then a body without end.
    Stalled,
    /// Nothing.
    Fails(FetchError),
    /// Nothing, ever.
    Hangs,
}

impl Answer {
    pub(super) fn new(status: u16, lines: &[(&str, &str)], body: &str) -> Self {
        Self::Response(
            Duration::ZERO,
            StatusCode::from_u16(status).expect("a status"),
            headers(lines),
            body.to_owned(),
        )
    }

    pub(super) fn after(self, delay: Duration) -> Self {
        match self {
            Self::Response(_, status, headers, body) => {
                Self::Response(delay, status, headers, body)
            }
            other => other,
        }
    }
}

/// A response of a [`Fake`].
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Body(pub(super) Option<String>);

impl Fake {
    pub(super) fn at(self, seconds: u64) -> Self {
        self.now.set(seconds * 1000);
        self
    }

    pub(super) fn with_limit(mut self, binding: &str, limit: usize) -> Self {
        self.limits.insert(binding.to_owned(), limit);
        self
    }

    pub(super) fn with_secret(mut self, binding: &str, secret: &str) -> Self {
        self.secrets.insert(binding.to_owned(), secret.to_owned());
        self
    }

    pub(super) fn answering(self, url: &str, answers: Vec<Answer>) -> Self {
        self.answers.borrow_mut().insert(url.to_owned(), answers);
        self
    }

    /// Lets time pass.
    pub(super) fn pass(&self, duration: Duration) {
        self.now
            .set(self.now.get() + u64::try_from(duration.as_millis()).expect("short"));
    }

    pub(super) fn buckets(&self) -> Vec<String> {
        self.buckets.borrow().clone()
    }

    pub(super) fn calls(&self) -> Vec<Call> {
        self.calls.borrow().clone()
    }

    pub(super) fn discarded(&self) -> usize {
        self.discarded.get()
    }

    pub(super) fn verified(&self) -> usize {
        self.verified.get()
    }
}

impl Clock for Fake {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.now.get())
    }

    /// Waits until time has come; where nobody else moves it on, each further look does.
    async fn sleep(&self, duration: Duration) {
        let until = self.now() + duration;
        std::future::poll_fn(|_| {
            if self.now() >= until {
                return Poll::Ready(());
            }
            self.now.set(self.now.get() + 1);
            Poll::Pending
        })
        .await;
    }
}

impl Visitor for Fake {
    fn country(&self) -> Option<String> {
        self.country.clone()
    }
}

impl Secrets for Fake {
    async fn secret(&self, binding: &str) -> Option<String> {
        self.secrets.get(binding).cloned()
    }
}

impl RateLimit for Fake {
    async fn within_limit(&self, binding: &str, key: &str) -> Result<bool, MissingBinding> {
        let limit = self.limits.get(binding).ok_or(MissingBinding)?;
        let mut buckets = self.buckets.borrow_mut();
        buckets.push(key.to_owned());
        Ok(buckets.iter().filter(|bucket| *bucket == key).count() <= *limit)
    }
}

impl SignatureCheck for Fake {
    async fn rs256(&self, key: &RsaKey, message: &[u8], signature: &[u8]) -> bool {
        self.verified.set(self.verified.get() + 1);
        crypto::rs256(key, message, signature)
    }
}

impl Fetch for Fake {
    type Response = Body;

    async fn fetch(&self, call: Call) -> Result<Fetched<Body>, FetchError> {
        let budget = call.budget;
        let answer = {
            let mut answers = self.answers.borrow_mut();
            match answers.get_mut(&call.url) {
                Some(answers) if answers.len() > 1 => Some(answers.remove(0)),
                Some(answers) => answers.first().cloned(),
                None => None,
            }
        };
        self.calls.borrow_mut().push(call);
        match answer {
            None => Err(FetchError::Unreachable),
            Some(Answer::Fails(error)) => Err(error),
            Some(Answer::Hangs) => {
                self.sleep(budget).await;
                Err(FetchError::TimedOut)
            }
            Some(Answer::Stalled) => Ok(fetched(StatusCode::OK, HeaderMap::new(), None)),
            Some(Answer::Response(delay, status, headers, body)) => {
                self.sleep(delay.min(budget)).await;
                if delay > budget {
                    return Err(FetchError::TimedOut);
                }
                Ok(fetched(status, headers, Some(body)))
            }
        }
    }

    fn discard(&self, _: Body) {
        self.discarded.set(self.discarded.get() + 1);
    }
}

impl ReadBody for Fake {
    async fn read_text(&self, response: Body, limit: usize, budget: Duration) -> Option<String> {
        if response.0.is_none() {
            self.sleep(budget).await;
        }
        response.0.filter(|text| text.len() <= limit)
    }
}

fn fetched(status: StatusCode, headers: HeaderMap, body: Option<String>) -> Fetched<Body> {
    Fetched {
        head: ResponseHead { status, headers },
        has_body: true,
        response: Body(body),
    }
}
