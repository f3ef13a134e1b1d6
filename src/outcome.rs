//! The words stages end with. Their JSON names are the event's vocabulary and stand here and nowhere else.

use serde::Serialize;

/// How a proxied request ended, for the event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// An upstream answered, whatever its status, or the cache did.
    Ok,
    /// A guard, a size cap or an in-flight cap refused the request.
    Refused,
    /// No upstream sent headers in time.
    Timeout,
    /// No upstream could be reached.
    Unreachable,
    /// The visitor hung up before an upstream answered.
    ClientClosed,
    /// The route answered at the edge.
    Responded,
}

/// Which guard refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GuardReason {
    /// `requestPolicy.allowedMethods`.
    Method,
    /// `requestPolicy.maxBodyBytes`, declared or counted.
    BodySize,
    /// `requestPolicy.ambiguousPath`.
    AmbiguousPath,
    /// `blockCountries` or `allowCountries`.
    Geo,
    /// `ip`.
    Ip,
    /// `referer`.
    Referer,
    /// `rateLimit`.
    RateLimit,
    /// `signedLink`.
    SignedLink,
    /// `access`.
    Access,
    /// `forwardAuth`.
    ForwardAuth,
}

/// What a guard refused a request for. Which status and payload it gets is decided where answers are made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The method is outside `requestPolicy.allowedMethods`, which is given.
    MethodNotAllowed {
        /// The methods that are forwarded.
        allow: Vec<http::Method>,
    },
    /// The declared body is larger than `requestPolicy.maxBodyBytes`.
    PayloadTooLarge {
        /// The cap.
        max_body_bytes: u64,
    },
    /// The spellings of the path disagree (`requestPolicy.ambiguousPath`).
    AmbiguousPath,
    /// The country is blocked, or not among those allowed.
    Geo,
    /// The address is denied, not among those allowed, or unknown.
    Ip,
    /// The referer names a host outside the list.
    Referer {
        /// 403 or 404, as the route has it.
        status: http::StatusCode,
    },
    /// The rate limit is exceeded.
    RateLimited,
    /// The limit is per caller and the caller has no address.
    RateLimitUnidentifiable,
    /// The rate limit's binding is missing.
    RateLimitMisconfigured {
        /// Its name, for the log; visitors are not told.
        binding: String,
    },
    /// The signature or expiry of a link does not hold.
    SignedLinkInvalid,
    /// The link secret is missing.
    SignedLinkMisconfigured {
        /// Its name, for the log; visitors are not told.
        binding: String,
    },
    /// No credential.
    AccessMissing,
    /// A credential longer than is read.
    AccessTooLong,
    /// A credential that is not valid.
    AccessInvalid,
    /// A valid credential that does not grant this route.
    AccessForbidden,
    /// The keys that tokens are verified with could not be had.
    AccessJwksUnavailable,
    /// The authentication service could not be asked.
    ForwardAuthUnavailable,
}

impl Refusal {
    /// The binding that is missing, where that is the reason.
    pub fn binding(&self) -> Option<&str> {
        match self {
            Self::RateLimitMisconfigured { binding }
            | Self::SignedLinkMisconfigured { binding } => Some(binding),
            _ => None,
        }
    }

    /// Which guard refused.
    pub fn reason(&self) -> GuardReason {
        match self {
            Self::MethodNotAllowed { .. } => GuardReason::Method,
            Self::PayloadTooLarge { .. } => GuardReason::BodySize,
            Self::AmbiguousPath => GuardReason::AmbiguousPath,
            Self::Geo => GuardReason::Geo,
            Self::Ip => GuardReason::Ip,
            Self::Referer { .. } => GuardReason::Referer,
            Self::RateLimited
            | Self::RateLimitUnidentifiable
            | Self::RateLimitMisconfigured { .. } => GuardReason::RateLimit,
            Self::SignedLinkInvalid | Self::SignedLinkMisconfigured { .. } => {
                GuardReason::SignedLink
            }
            Self::AccessMissing
            | Self::AccessTooLong
            | Self::AccessInvalid
            | Self::AccessForbidden
            | Self::AccessJwksUnavailable => GuardReason::Access,
            Self::ForwardAuthUnavailable => GuardReason::ForwardAuth,
        }
    }
}

/// Why no upstream's answer can be delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// No headers within `timeoutMs` or `totalTimeoutMs`: 504.
    Timeout,
    /// The connection failed: 502.
    Unreachable,
    /// The visitor hung up first: 499.
    ClientClosed,
    /// The body outgrew `requestPolicy.maxBodyBytes` (given in bytes) while it streamed: 413.
    BodyTooLarge {
        /// The cap that was exceeded.
        max_body_bytes: u64,
    },
    /// `limits.maxInFlight` was reached: 503.
    InFlightLimit,
}

impl Failure {
    /// How the event calls it.
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Timeout => Outcome::Timeout,
            Self::Unreachable => Outcome::Unreachable,
            Self::ClientClosed => Outcome::ClientClosed,
            Self::BodyTooLarge { .. } | Self::InFlightLimit => Outcome::Refused,
        }
    }

    /// The guard behind it, where it was one that could only refuse once the body was on its way.
    pub fn guard_reason(&self) -> Option<GuardReason> {
        match self {
            Self::BodyTooLarge { .. } => Some(GuardReason::BodySize),
            Self::Timeout | Self::Unreachable | Self::ClientClosed | Self::InFlightLimit => None,
        }
    }
}

/// What the response cache did, as `x-jouska-cache` and the event name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheStatus {
    /// Served from a fresh entry.
    Hit,
    /// Served from an expired entry while a refresh runs behind the response.
    Stale,
    /// Eligible, but nothing was stored.
    Miss,
    /// Never a candidate.
    Bypass,
    /// Served from an expired entry because the upstream failed.
    StaleError,
}

impl CacheStatus {
    /// The value of the `x-jouska-cache` header.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hit => "hit",
            Self::Stale => "stale",
            Self::Miss => "miss",
            Self::Bypass => "bypass",
            Self::StaleError => "stale_error",
        }
    }
}

/// Why the response cache took no part in a request, or did not store its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheReason {
    /// Bypassed: the method is not among `cache.methods`.
    Method,
    /// Bypassed: a WebSocket handshake.
    Upgrade,
    /// Bypassed: the request carries `Authorization`.
    Authorization,
    /// Bypassed: the request carries `Cookie`.
    Cookie,
    /// Bypassed: the request asks for a range.
    Range,
    /// Bypassed: the address already has the parameter that keys are made with.
    KeyParameter,
    /// Not stored: the status has no window.
    Status,
    /// Not stored: the type is outside `cache.contentTypes`.
    ContentType,
    /// Not stored: a stream of events or lines, which is never replayed.
    StreamingMedia,
    /// Not stored: the upstream set a cookie.
    SetCookie,
    /// Not stored: the upstream said `no-store`.
    NoStore,
    /// Not stored: the upstream said `private`.
    Private,
    /// Not stored: the upstream said `no-cache`, and there is no validator to ask it with.
    NoCache,
    /// Not stored: the upstream varies its answer by a header that is no part of the key.
    Vary,
}

/// Why a body was delivered as it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// The route has no `bodyRewrite`.
    NotConfigured,
    /// 204, 206 or 304.
    BodylessStatus,
    /// The status permits a body and none arrived.
    NoBody,
    /// The type is outside `bodyRewrite.contentTypes`.
    ContentType,
    /// A stream of events or lines, which is never rewritten.
    StreamingMedia,
    /// A charset nobody here can decode, and no usable fallback.
    CharsetUndecodable,
    /// The bytes were rewritten when they were stored.
    ServedFromCache,
}

/// How far the rewriting of a document went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RewriteOutcome {
    /// To its end.
    Complete,
    /// To where the parser had used up its memory. The rest passed as it was.
    OutOfMemory,
    /// To where the visitor left or the upstream broke off.
    Unfinished,
}

/// How an upstream's body ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StreamOutcome {
    /// All of it arrived.
    Complete,
    /// No first byte within `firstChunkTimeoutMs`.
    FirstChunkTimeout,
    /// A silence longer than `streamIdleTimeoutMs`.
    IdleTimeout,
    /// The upstream broke it off.
    UpstreamReset,
    /// The visitor left.
    ClientClosed,
}

/// How an upstream's body ended, and how much of it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StreamReport {
    /// How it ended.
    pub outcome: StreamOutcome,
    /// Bytes received from the upstream, before any rewriting.
    pub bytes: u64,
    /// Milliseconds from the headers to the end.
    pub duration_ms: u64,
}

/// How a mirrored copy fared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MirrorOutcome {
    /// The mirror answered; its answer was discarded unread.
    Answered,
    /// It did not answer within `mirror.timeoutMs`.
    Timeout,
    /// It could not be reached.
    Unreachable,
    /// The request's body outgrew the copy's buffer, or broke off.
    BodyOverLimit,
}

/// What became of a mirrored copy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MirrorReport {
    /// Authority of the mirror.
    pub upstream: String,
    /// How it fared.
    pub outcome: MirrorOutcome,
    /// Milliseconds from sending to the outcome.
    pub duration_ms: u64,
}

/// An anchor of `bodyRewrite.inject`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum InjectAnchor {
    /// Just inside `<head>`.
    HeadStart,
    /// Just before `</head>`.
    HeadEnd,
    /// Just inside `<body>`.
    BodyStart,
    /// Just before `</body>`.
    BodyEnd,
}

/// Which anchors received their markup.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct InjectReport {
    /// Placed, in the order of [`InjectAnchor`].
    pub landed: Vec<InjectAnchor>,
    /// Never met.
    pub missed: Vec<InjectAnchor>,
}

/// Which fuse of `limits` held a request back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitReason {
    /// `limits.retryRatio`: the walk was denied further attempts.
    RetryBudget,
    /// `limits.maxInFlight`: the request was refused.
    InFlight,
}

/// How a split picked its upstream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Selection {
    /// Index into `trafficSplit`.
    pub index: usize,
    /// Cookie or hash.
    pub reason: SelectionReason,
    /// What was hashed.
    pub scope: SelectionScope,
}

/// What decided a split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SelectionReason {
    /// The caller's `__jouska_upstream` cookie.
    Sticky,
    /// The weighted hash.
    Weighted,
}

/// What a split's key was taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SelectionScope {
    /// The caller's address, also as the fallback for a missing content key.
    Ip,
    /// The path.
    Path,
    /// The whole URL.
    Url,
    /// A header.
    Header,
    /// A cookie.
    Cookie,
    /// A query parameter.
    Query,
    /// Nothing was there to hash, or a cookie decided.
    None,
}
