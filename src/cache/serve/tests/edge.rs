//! One isolate between visitors and an upstream, on a clock that jumps.

use super::*;

pub(super) const CSS: &str = "/a.css";
pub(super) const TOTAL_TIMEOUT: Duration = Duration::from_secs(20);

/// One isolate with one caching route.
pub(super) struct Edge {
    pub(super) world: World,
    pub(super) policy: Rc<Policy>,
    pub(super) memory: Memory,
    pub(super) asked: Rc<Cell<usize>>,
}

/// What a visitor saw.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) cache: CacheStatus,
    pub(super) reason: Option<CacheReason>,
    pub(super) body: String,
    pub(super) age: Option<String>,
    pub(super) control: Option<String>,
    pub(super) facts: Option<u32>,
    pub(super) answered: Timestamp,
    pub(super) first_byte: Option<Timestamp>,
    pub(super) broke: bool,
}

impl Edge {
    /// An upstream that answers requests by their number.
    pub(super) fn new(cache: Cache, answer: impl Fn(usize) -> Answers + 'static) -> Self {
        Self::answering(cache, move |number, _| answer(number))
    }

    pub(super) fn answering(
        cache: Cache,
        answer: impl Fn(usize, &Received) -> Answers + 'static,
    ) -> Self {
        let route = RouteDocument {
            cache: Some(cache),
            total_timeout_ms: Some(TOTAL_TIMEOUT.as_millis() as u64),
            ..Default::default()
        };
        let policy = Policy::compile(&route, &Path::root(), &mut Issues::default());
        let asked = Rc::new(Cell::new(0));
        let count = Rc::clone(&asked);
        let upstreams = move |received: &Received| {
            let number = count.get();
            count.set(number + 1);
            answer(number, received).script()
        };
        Self {
            world: World::new(Timestamp::from_millis(0), Box::new(upstreams)),
            policy: Rc::new(policy.unwrap().unwrap()),
            memory: Memory::default(),
            asked,
        }
    }

    pub(super) fn run<F: Future + 'static>(&self, future: F) -> F::Output {
        self.world
            .run(Duration::from_secs(300), future)
            .expect("everything waits for ever")
    }

    pub(super) fn wait(&self, millis: u64) {
        let sleep = self.world.sleep(Duration::from_millis(millis));
        self.run(sleep);
    }

    pub(super) fn visit(&self, head: RequestHead) -> Seen {
        let visit = self.request(head, None);
        self.run(visit)
    }

    pub(super) fn all(&self, heads: impl IntoIterator<Item = RequestHead>) -> Vec<Seen> {
        let visits = join_all(heads.into_iter().map(|head| self.request(head, None)));
        self.run(visits)
    }

    pub(super) fn burst(&self, count: usize) -> Vec<Seen> {
        self.all((0..count).map(|_| get(CSS, &[])))
    }

    #[track_caller]
    pub(super) fn check(&self, path: &str, cache: CacheStatus, body: &str, age: Option<&str>) {
        let seen = self.visit(get(path, &[]));
        assert_eq!(
            (seen.cache, seen.body.as_str(), seen.age.as_deref()),
            (cache, body, age),
            "{seen:?}"
        );
    }

    /// How often an upstream was asked, refused connections included.
    pub(super) fn asked(&self) -> usize {
        self.asked.get()
    }

    pub(super) fn platform(&self, head: RequestHead, leaves_at: Option<Timestamp>) -> FakePlatform {
        self.world.visit(Visit {
            head,
            body: Vec::new(),
            country: None,
            leaves_at,
        })
    }

    pub(super) fn served(
        &self,
        platform: FakePlatform,
    ) -> impl Future<Output = (FakePlatform, Served<<FakePlatform as Fetch>::Response, u32>)> + 'static
    {
        let head = platform.head().clone();
        let (policy, memory) = (Rc::clone(&self.policy), self.memory.clone());
        async move {
            let variant = Variant {
                fingerprint: "f",
                bucket: None,
            };
            let fill = |asking| filling(platform.clone(), head.clone(), asking);
            let served = serve(&policy, variant, &head, &memory, &platform, fill).await;
            (platform, served)
        }
    }

    pub(super) fn request(
        &self,
        head: RequestHead,
        leaves_at: Option<Timestamp>,
    ) -> impl Future<Output = Seen> + 'static {
        self.seen(self.platform(head, leaves_at))
    }

    pub(super) fn seen(&self, platform: FakePlatform) -> impl Future<Output = Seen> + 'static {
        let served = self.served(platform);
        async move {
            let (
                platform,
                Served {
                    cache,
                    reason,
                    source,
                },
            ) = served.await;
            let mut seen = Seen {
                cache,
                reason,
                body: String::new(),
                age: None,
                control: None,
                facts: None,
                answered: platform.now(),
                first_byte: None,
                broke: false,
            };
            let delivery = match source {
                Source::Upstream { delivery, facts } => {
                    seen.facts = Some(facts);
                    delivery
                }
                Source::Store {
                    delivery, facts, ..
                } => {
                    seen.facts = facts;
                    delivery
                }
                Source::Failed(Failed { failure, facts }) => {
                    seen.facts = Some(facts);
                    seen.body = match failure {
                        Failure::Timeout => "timeout",
                        Failure::Unreachable => "unreachable",
                        _ => "client closed",
                    }
                    .to_owned();
                    return seen;
                }
            };
            let mut response = platform.deliver(delivery).await;
            let text = |name| {
                let value = response.head.headers.get(name)?;
                Some(value.to_str().unwrap().to_owned())
            };
            (seen.age, seen.control) = (text(AGE), text(CACHE_CONTROL));
            assert!(text(HeaderName::from_static("x-jouska-stored-at")).is_none());
            while let Some(chunk) = response.chunk().await {
                let Ok(chunk) = chunk else {
                    seen.broke = true;
                    break;
                };
                seen.first_byte.get_or_insert(platform.now());
                seen.body.push_str(std::str::from_utf8(&chunk).unwrap());
            }
            seen
        }
    }
}

pub(super) async fn filling(
    platform: FakePlatform,
    head: RequestHead,
    asking: Asking,
) -> Result<Filled<<FakePlatform as Fetch>::Response, u32>, Failed<u32>> {
    let mut edits = HeaderEdits::default();
    edits.set(
        HeaderName::from_static("x-asked-host"),
        HeaderValue::from_str(head.url.authority()).unwrap(),
    );
    let call = Call {
        url: format!("https://origin.example.net{}", head.url.path_and_query()),
        method: head.method.clone(),
        base: HeaderBase::Visitor,
        edits,
        body: CallBody::None,
        redirect: Redirect::Manual,
        budget: Duration::from_secs(15),
        follow_visitor: asking != Asking::Refresh,
    };
    match platform.fetch(call).await {
        Ok(Fetched { head, response, .. }) => Ok(Filled {
            upstream: head,
            delivery: Delivery {
                response,
                status: None,
                edits: HeaderEdits::default(),
                body: BodyPlan::Untouched,
            },
            facts: 1,
        }),
        Err(error) => Err(Failed {
            failure: match error {
                FetchError::TimedOut => Failure::Timeout,
                FetchError::VisitorLeft => Failure::ClientClosed,
                FetchError::Unreachable | FetchError::BodyTooLarge => Failure::Unreachable,
            },
            facts: 1,
        }),
    }
}

/// Upstreams whose answers go by the number of the request.
pub(super) fn in_turn<const N: usize>(bodies: [&'static str; N]) -> impl Fn(usize) -> Answers {
    move |number| css(bodies[number.min(N - 1)])
}

/// An answer in the making; status 0 refuses the connection.
#[derive(Debug, Clone)]
pub(super) struct Answers(ScriptedAnswer);

pub(super) fn css(body: &str) -> Answers {
    Answers(ScriptedAnswer {
        delay: Duration::ZERO,
        status: 200,
        headers: HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("text/css"))]),
        chunks: vec![(Duration::ZERO, Bytes::copy_from_slice(body.as_bytes()))],
        end: ScriptedEnd::Complete,
    })
}

impl Answers {
    pub(super) fn status(mut self, status: u16) -> Self {
        self.0.status = status;
        self
    }

    pub(super) fn after(mut self, millis: u64) -> Self {
        self.0.delay = Duration::from_millis(millis);
        self
    }

    pub(super) fn then(mut self, millis: u64, chunk: &'static str) -> Self {
        let chunk = Bytes::from_static(chunk.as_bytes());
        self.0.chunks.push((Duration::from_millis(millis), chunk));
        self
    }

    pub(super) fn header(mut self, name: &'static str, value: &'static str) -> Self {
        self.0.headers.append(name, HeaderValue::from_static(value));
        self
    }

    pub(super) fn ends(mut self, end: ScriptedEnd) -> Self {
        self.0.end = end;
        self
    }

    pub(super) fn script(self) -> Script {
        match self.0.status {
            0 => Script::Refuse,
            _ => Script::Answer(self.0),
        }
    }
}

pub(super) fn cache(ttl: u64, stale: u64) -> Cache {
    Cache {
        ttl_seconds: Some(ttl),
        stale_while_revalidate_seconds: Some(stale),
        ..Default::default()
    }
}

pub(super) fn get(path: &str, headers: &[(&'static str, &'static str)]) -> RequestHead {
    request(&format!("https://proxy.example.com{path}"), headers)
}

pub(super) fn request(url: &str, headers: &[(&'static str, &'static str)]) -> RequestHead {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.append(*name, HeaderValue::from_static(value));
    }
    RequestHead {
        method: Method::GET,
        url: RequestUrl::parse(url).unwrap(),
        headers: map,
        has_body: false,
    }
}
