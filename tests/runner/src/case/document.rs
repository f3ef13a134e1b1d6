//! The JSON of a case, key by key. Unknown keys are refused, so a misspelt expectation cannot pass by not being looked at.

use std::collections::BTreeMap;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use regex::Regex;
use serde::{Deserialize, Deserializer, de};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{
    Act, Answer, AnswerBody, Case, End, Expect, Piece, Plot, RateLimit, Refusal, Request,
    RequestBody, Rule, Step, Then, UpstreamCount, UpstreamExpect, ValueMatch,
};

/// A file of cases. They stay raw so that an error in one can name it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileDocument {
    pub(super) area: String,
    pub(super) cases: Vec<Box<RawValue>>,
}

/// The one key that is read even when the rest of a case is wrong.
#[derive(Deserialize)]
pub(super) struct Named {
    pub(super) id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct CaseDocument {
    id: String,
    rule: String,
    /// Kept raw: the order of its keys and the spelling of its numbers are the operator's.
    config: Option<Box<RawValue>>,
    config_text: Option<String>,
    config_error: Option<RefusalDocument>,
    #[serde(default)]
    vars: BTreeMap<String, String>,
    #[serde(default)]
    ratelimits: BTreeMap<String, RateLimit>,
    #[serde(default)]
    upstreams: BTreeMap<String, Vec<Rule>>,
    #[serde(default, rename = "from")]
    _from: de::IgnoredAny,
    steps: Option<Vec<StepDocument>>,
}

impl CaseDocument {
    pub(super) fn compile(self, file: &str, area: &str) -> Result<Case, &'static str> {
        let config = match (self.config, self.config_text) {
            (Some(config), None) => config.get().to_owned(),
            (None, Some(text)) => text,
            _ => return Err("exactly one of `config` and `configText` is expected"),
        };
        let plot = match (self.config_error, self.steps) {
            (Some(RefusalDocument { path, contains }), None) => {
                Plot::Refused(Refusal { path, contains })
            }
            (None, Some(steps)) if !steps.is_empty() => {
                Plot::Steps(steps.into_iter().map(Step::from).collect())
            }
            _ => return Err("exactly one of `configError` and a list of `steps` is expected"),
        };
        let upstreams = self
            .upstreams
            .into_iter()
            .map(|(host, rules)| (host.to_ascii_lowercase(), rules))
            .collect();
        Ok(Case {
            id: self.id,
            area: area.to_owned(),
            file: file.to_owned(),
            rule: self.rule,
            config,
            vars: self.vars,
            ratelimits: self.ratelimits,
            upstreams,
            plot,
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RefusalDocument {
    path: Option<String>,
    #[serde(default)]
    contains: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ThenDocument {
    status: Option<u16>,
    #[serde(default)]
    headers: Vec<(String, String)>,
    body: Option<String>,
    body_base64: Option<Base64>,
    repeat_body: Option<RepeatDocument>,
    chunks: Option<Vec<PieceDocument>>,
    #[serde(default, deserialize_with = "millis")]
    delay_ms: Duration,
    fail: Option<FailDocument>,
    #[serde(default)]
    echo: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RepeatDocument {
    text: String,
    times: usize,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum FailDocument {
    Refuse,
    Hang,
    Stall,
    Reset,
}

impl<'de> Deserialize<'de> for Then {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ThenDocument::deserialize(deserializer)?
            .compile()
            .map_err(de::Error::custom)
    }
}

impl ThenDocument {
    fn compile(self) -> Result<Then, &'static str> {
        let Self {
            status,
            headers,
            body,
            body_base64,
            repeat_body,
            chunks,
            delay_ms: delay,
            fail,
            echo,
        } = self;
        let body = match (body, body_base64, repeat_body, chunks) {
            (None, None, None, None) => None,
            (Some(text), None, None, None) => Some(AnswerBody::Whole(text.into_bytes())),
            (None, Some(Base64(bytes)), None, None) => Some(AnswerBody::Whole(bytes)),
            (None, None, Some(RepeatDocument { text, times }), None) => {
                Some(AnswerBody::Whole(text.repeat(times).into_bytes()))
            }
            (None, None, None, Some(pieces)) => Some(AnswerBody::Pieces(
                pieces
                    .into_iter()
                    .map(Piece::try_from)
                    .collect::<Result<_, _>>()?,
            )),
            _ => {
                return Err(
                    "at most one of `body`, `bodyBase64`, `repeatBody` and `chunks` is expected",
                );
            }
        };
        let scripted = status.is_some() || !headers.is_empty() || body.is_some();
        let end = match fail {
            None if echo && scripted => return Err("`echo` makes up the whole answer"),
            Some(_) if echo => return Err("`echo` does not fail"),
            None if echo => {
                return Ok(Then {
                    delay,
                    act: Act::Echo,
                });
            }
            Some(FailDocument::Refuse | FailDocument::Hang) if scripted => {
                return Err("an upstream that refuses or hangs has no answer");
            }
            Some(FailDocument::Refuse) => {
                return Ok(Then {
                    delay,
                    act: Act::Refuse,
                });
            }
            Some(FailDocument::Hang) => {
                return Ok(Then {
                    delay,
                    act: Act::Hang,
                });
            }
            Some(FailDocument::Stall) => End::Stall,
            Some(FailDocument::Reset) => End::Reset,
            None => End::Complete,
        };
        let body = body.unwrap_or(AnswerBody::Whole(Vec::new()));
        Ok(Then {
            delay,
            act: Act::Answer(Answer {
                status: status.unwrap_or(200),
                headers,
                body,
                end,
            }),
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct PieceDocument {
    #[serde(default, deserialize_with = "millis")]
    after_ms: Duration,
    text: Option<String>,
    base64: Option<Base64>,
}

impl TryFrom<PieceDocument> for Piece {
    type Error = &'static str;

    fn try_from(
        PieceDocument {
            after_ms: after,
            text,
            base64,
        }: PieceDocument,
    ) -> Result<Self, Self::Error> {
        match (text, base64) {
            (Some(text), None) => Ok(Self {
                after,
                bytes: text.into_bytes(),
            }),
            (None, Some(Base64(bytes))) => Ok(Self { after, bytes }),
            _ => Err("a chunk has exactly one of `text` and `base64`"),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct StepDocument {
    #[serde(default, deserialize_with = "millis")]
    wait_ms: Duration,
    request: Request,
    #[serde(default)]
    expect: Expect,
}

impl From<StepDocument> for Step {
    fn from(
        StepDocument {
            wait_ms: wait,
            request,
            expect,
        }: StepDocument,
    ) -> Self {
        Self {
            wait,
            request,
            expect,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RequestDocument {
    #[serde(default = "get")]
    method: String,
    url: String,
    #[serde(default)]
    headers: Vec<(String, String)>,
    body: Option<String>,
    body_base64: Option<Base64>,
    body_chunks: Option<Vec<PieceDocument>>,
    cf: Option<Map<String, Value>>,
    #[serde(default = "one")]
    repeat: u32,
    #[serde(default = "one")]
    parallel: u32,
    #[serde(default, deserialize_with = "some_millis")]
    abort_after_ms: Option<Duration>,
}

impl<'de> Deserialize<'de> for Request {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        RequestDocument::deserialize(deserializer)?
            .compile()
            .map_err(de::Error::custom)
    }
}

impl RequestDocument {
    fn compile(self) -> Result<Request, &'static str> {
        let Self {
            method,
            url,
            headers,
            body,
            body_base64,
            body_chunks,
            cf,
            repeat,
            parallel,
            abort_after_ms,
        } = self;
        let body = match (body, body_base64, body_chunks) {
            (None, None, None) => RequestBody::Absent,
            (Some(text), None, None) => RequestBody::Whole(text.into_bytes()),
            (None, Some(Base64(bytes)), None) => RequestBody::Whole(bytes),
            (None, None, Some(pieces)) => RequestBody::Pieces(
                pieces
                    .into_iter()
                    .map(Piece::try_from)
                    .collect::<Result<_, _>>()?,
            ),
            _ => return Err("at most one of `body`, `bodyBase64` and `bodyChunks` is expected"),
        };
        if repeat == 0 || parallel == 0 {
            return Err("`repeat` and `parallel` are at least 1");
        }
        Ok(Request {
            method,
            url,
            headers,
            body,
            cf,
            repeat,
            parallel,
            abort_after: abort_after_ms,
        })
    }
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
struct ExpectDocument {
    fallthrough: Option<bool>,
    status: OneOrMany,
    headers: BTreeMap<String, ValueMatch>,
    no_headers: Vec<String>,
    body: Option<String>,
    body_contains: Vec<String>,
    body_lacks: Vec<String>,
    body_base64: Option<Base64>,
    body_bytes: Option<usize>,
    body_error: bool,
    chunks_at_least: Option<usize>,
    #[serde(deserialize_with = "some_millis")]
    first_byte_within_ms: Option<Duration>,
    #[serde(deserialize_with = "some_millis")]
    within_ms: Option<Duration>,
    #[serde(deserialize_with = "some_millis")]
    not_before_ms: Option<Duration>,
    upstream: Option<Vec<UpstreamExpect>>,
    upstream_count: Option<UpstreamCount>,
    event: Option<Map<String, Value>>,
}

impl<'de> Deserialize<'de> for Expect {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let document = ExpectDocument::deserialize(deserializer)?;
        Ok(Self {
            fallthrough: document.fallthrough,
            status: document.status.0,
            headers: document.headers,
            no_headers: document.no_headers,
            body: document.body,
            body_contains: document.body_contains,
            body_lacks: document.body_lacks,
            body_bytes: document.body_base64.map(|Base64(bytes)| bytes),
            body_length: document.body_bytes,
            body_error: document.body_error,
            chunks_at_least: document.chunks_at_least,
            first_byte_within: document.first_byte_within_ms,
            within: document.within_ms,
            not_before: document.not_before_ms,
            upstream: document.upstream,
            upstream_count: document.upstream_count,
            event: document.event,
        })
    }
}

impl<'de> Deserialize<'de> for ValueMatch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match ValueMatchDocument::deserialize(deserializer)? {
            ValueMatchDocument::Exact(value) => Self::Exact(value),
            ValueMatchDocument::Lines(lines) => Self::Lines(lines),
            ValueMatchDocument::Pattern(PatternDocument::Contains(text)) => Self::Contains(text),
            ValueMatchDocument::Pattern(PatternDocument::Matches(pattern)) => {
                Self::Matches(Regex::new(&pattern).map_err(de::Error::custom)?)
            }
        })
    }
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected a text, a list of texts, {\"matches\": \"regex\"} or {\"contains\": \"text\"}"
)]
enum ValueMatchDocument {
    Exact(String),
    Lines(Vec<String>),
    Pattern(PatternDocument),
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum PatternDocument {
    Matches(String),
    Contains(String),
}

impl<'de> Deserialize<'de> for UpstreamCount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match UpstreamCountDocument::deserialize(deserializer)? {
            UpstreamCountDocument::Total(count) => Self::Total(count),
            UpstreamCountDocument::ByHost(counts) => Self::ByHost(counts),
        })
    }
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected a number or an object of numbers by host"
)]
enum UpstreamCountDocument {
    Total(usize),
    ByHost(BTreeMap<String, usize>),
}

/// A status or a list of them; empty when the key is absent.
#[derive(Default)]
struct OneOrMany(Vec<u16>);

impl<'de> Deserialize<'de> for OneOrMany {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected a status or a list of statuses")]
        enum Document {
            One(u16),
            Many(Vec<u16>),
        }
        Ok(match Document::deserialize(deserializer)? {
            Document::One(status) => Self(vec![status]),
            Document::Many(statuses) => Self(statuses),
        })
    }
}

struct Base64(Vec<u8>);

impl<'de> Deserialize<'de> for Base64 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        BASE64.decode(text).map(Self).map_err(de::Error::custom)
    }
}

fn millis<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    u64::deserialize(deserializer).map(Duration::from_millis)
}

fn some_millis<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    millis(deserializer).map(Some)
}

fn get() -> String {
    "GET".to_owned()
}

fn one() -> u32 {
    1
}
