//! The one door to the outside: narrow traits, one per thing a request may ask of the platform it runs on.
//!
//! A platform value belongs to one request and holds that request's body and context. A stage bounds only the traits
//! it uses. Futures are not `Send`: an isolate is one thread.

#![allow(
    async_fn_in_trait,
    reason = "an isolate is one thread, so callers never need these futures to be Send"
)]

#[cfg(feature = "test-util")]
pub mod fake;
#[cfg(test)]
pub(crate) mod scripted;
pub(crate) mod shelf;
#[cfg(feature = "workers")]
pub mod workers;

use std::{future::Future, time::Duration};

use bytes::Bytes;
use http::{Method, StatusCode};

pub use shelf::Shelf;

use crate::{
    body::Relay,
    headers::HeaderEdits,
    message::{Answer, ResponseHead},
    outcome::MirrorOutcome,
    time::Timestamp,
};

/// Tells the time and waits.
pub trait Clock {
    /// The moment it is.
    fn now(&self) -> Timestamp;

    /// Waits. Dropping the future ends the wait.
    async fn sleep(&self, duration: Duration);
}

/// Gives random bytes, good enough for identifiers.
pub trait Random {
    /// Sixteen random bytes.
    fn random(&self) -> [u8; 16];
}

/// What the platform knows about the visitor beside the request itself.
pub trait Visitor {
    /// Two-letter country code, upper case, as the edge located the visitor; read only when a rule asks.
    fn country(&self) -> Option<String>;
}

/// Sends requests.
pub trait Fetch {
    /// A response as the platform holds it, body included. Dropping one does not end its connection; see
    /// [`Fetch::discard`].
    type Response: 'static;

    /// Sends a request and waits for the response's headers.
    ///
    /// The platform keeps `call.budget` and, where [`Call::follow_visitor`] says so, watches for the visitor hanging
    /// up; in both cases the connection to the upstream is cut. A dropped future's connection ends with its budget at
    /// the latest.
    async fn fetch(&self, call: Call) -> Result<Fetched<Self::Response>, FetchError>;

    /// Ends the connection behind a response nobody will read.
    fn discard(&self, response: Self::Response);
}

/// A request to be sent.
#[derive(Debug, Clone)]
pub struct Call {
    /// Absolute URL, path and query byte for byte as they are to be sent.
    pub url: String,
    /// The method.
    pub method: Method,
    /// The headers that [`Call::edits`] start from.
    pub base: HeaderBase,
    /// Changes to those headers.
    pub edits: HeaderEdits,
    /// The body.
    pub body: CallBody,
    /// Whether the platform may follow a redirect by itself.
    pub redirect: Redirect,
    /// Longest wait for the response's headers.
    pub budget: Duration,
    /// Whether the visitor hanging up ends this request.
    pub follow_visitor: bool,
}

/// Which headers a [`Call`] starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeaderBase {
    /// The visitor's own.
    Visitor,
    /// None.
    Empty,
}

/// The body of a [`Call`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallBody {
    /// None.
    None,
    /// The visitor's, streamed through; it can be sent once. Past `limit` bytes the upload is cut and the call fails
    /// with [`FetchError::BodyTooLarge`].
    Visitor {
        /// Cap in bytes, where the route has one.
        limit: Option<u64>,
    },
    /// These bytes.
    Bytes(Bytes),
}

/// Who follows redirects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Redirect {
    /// Nobody: the redirect is the response.
    Manual,
    /// The platform.
    Follow,
}

/// What a [`Call`] brought.
#[derive(Debug)]
pub struct Fetched<R> {
    /// Status and headers.
    pub head: ResponseHead,
    /// Whether there is a body, by the runtime's view (none for HEAD, 204, 304).
    pub has_body: bool,
    /// The response itself.
    pub response: R,
}

/// Why a [`Call`] brought nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FetchError {
    /// The budget ran out.
    TimedOut,
    /// The connection failed.
    Unreachable,
    /// The visitor hung up.
    VisitorLeft,
    /// The visitor's body outgrew its cap.
    BodyTooLarge,
}

/// Makes responses for the visitor out of upstream responses.
pub trait Deliver: Fetch {
    /// Carries a [`Delivery`] out: headers edited in place, the body watched and transformed as it is read.
    ///
    /// A platform may wait a few milliseconds for a body that is small and of known length, so that it need not be
    /// streamed; otherwise it does not wait for the body.
    async fn deliver(&self, delivery: Delivery<Self::Response>) -> Self::Response;

    /// Two responses with the same body; each may be read at its own pace.
    fn tee(&self, response: Self::Response) -> (Self::Response, Self::Response);

    /// Turns an answer of the proxy's own into a response.
    fn make(&self, answer: Answer) -> Self::Response;
}

/// How an upstream's response becomes the visitor's.
#[derive(Debug)]
pub struct Delivery<R> {
    /// The upstream's.
    pub response: R,
    /// Another status, where it does not keep its own.
    pub status: Option<StatusCode>,
    /// Changes to its headers.
    pub edits: HeaderEdits,
    /// What happens to its body.
    pub body: BodyPlan,
}

impl<R> Delivery<R> {
    /// The same for somebody besides the visitor, whose leaving then does not end it.
    #[must_use]
    pub fn kept(mut self) -> Self {
        if let BodyPlan::Relayed(relay) = &mut self.body {
            relay.follow_visitor = false;
        }
        self
    }
}

/// What happens to a body.
#[derive(Debug)]
pub enum BodyPlan {
    /// It stays the runtime's own stream.
    Untouched,
    /// It was made for this visitor out of what is in memory ([`ResponseStore::remake`]), and so was the whole response,
    /// which may be changed as it is.
    Remade,
    /// It is watched, and perhaps transformed.
    Relayed(Relay),
    /// It is not delivered, and its connection is ended.
    Dropped,
}

/// Stores whole responses under a key, as Cloudflare's Cache API does. A store that fails is an empty store.
pub trait ResponseStore: Fetch {
    /// What is stored under `key`, an absolute URL.
    async fn lookup(&self, key: &str) -> Option<Fetched<Self::Response>>;

    /// Stores `response` with `edits` made to its headers; resolves when the body has been read to its end. A body
    /// that breaks off is not stored.
    async fn store(&self, key: &str, response: Self::Response, edits: HeaderEdits) -> bool;

    /// A response in memory, of which any number can be made.
    type Kept: 'static;

    /// Where those are between requests; `None` where the store is to be asked each time.
    fn shelf(&self) -> Option<&Shelf<Self::Kept>>;

    /// Reads a small response into memory; `None` where its body breaks off.
    async fn keep(&self, response: Self::Response) -> Option<Self::Kept>;

    /// Makes one for a visitor.
    fn remake(&self, kept: &Self::Kept) -> Self::Response;
}

/// Counts against a rate limit.
pub trait RateLimit {
    /// Whether `key` is still within the limit of the binding.
    async fn within_limit(&self, binding: &str, key: &str) -> Result<bool, MissingBinding>;
}

/// A binding the table names is not bound into the Worker, or is of another kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MissingBinding;

/// Reads secrets and variables.
pub trait Secrets {
    /// The text under `binding`; `None` where it is absent or not text.
    async fn secret(&self, binding: &str) -> Option<String>;
}

/// Verifies RS256 signatures, which are cheap only where the platform does it (20 us against 350 us).
pub trait SignatureCheck {
    /// Whether `signature` over `message` was made by the RSA key with this modulus and exponent (big-endian bytes).
    async fn rs256(&self, key: &RsaKey, message: &[u8], signature: &[u8]) -> bool;
}

/// An RSA public key out of a JSON Web Key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RsaKey {
    /// Modulus, base64url as the key set has it.
    pub n: String,
    /// Exponent, base64url.
    pub e: String,
}

/// Reads a response's body into memory, for the few that are small and ours to read.
pub trait ReadBody: Fetch {
    /// The body as text, at most `limit` bytes; `None` if it is longer, breaks off, is silent for longer than `budget` or is no UTF-8.
    async fn read_text(
        &self,
        response: Self::Response,
        limit: usize,
        budget: Duration,
    ) -> Option<String>;
}

/// Copies the visitor's body aside while it is sent to the upstream.
pub trait CopyBody {
    /// From now on a copy of the visitor's body is kept, up to `limit` bytes. The future resolves when the body has
    /// been read to its end, with the copy, or with the reason there is none.
    fn copy_body(
        &self,
        limit: usize,
    ) -> impl Future<Output = Result<Bytes, MirrorOutcome>> + use<Self> + 'static;
}

/// Lets work go on behind the response.
pub trait Background {
    /// Runs `work` to its end, even after the response was sent.
    fn wait_until(&self, work: impl Future<Output = ()> + 'static);
}

/// Reads documents from where a deployment keeps them.
pub trait Documents {
    /// The text under `key` of the key-value store bound as `binding`, which the store may itself serve from a cache
    /// of that age. The error says what went wrong, for the log.
    async fn read_key(
        &self,
        binding: &str,
        key: &str,
        cache_ttl: Option<Duration>,
    ) -> Result<Option<String>, String>;

    /// The variable `name`; one that is not text is given as JSON.
    fn variable(&self, name: &str) -> Option<String>;
}

/// Everything a request may need.
///
/// Cloning gives another handle on the same request; work behind the response keeps one.
pub trait Platform:
    Clock
    + Random
    + Visitor
    + Deliver
    + ResponseStore
    + RateLimit
    + Secrets
    + SignatureCheck
    + ReadBody
    + CopyBody
    + Background
    + Clone
    + 'static
{
}

impl<T> Platform for T where
    T: Clock
        + Random
        + Visitor
        + Deliver
        + ResponseStore
        + RateLimit
        + Secrets
        + SignatureCheck
        + ReadBody
        + CopyBody
        + Background
        + Clone
        + 'static
{
}
