//! Headers of the proxy's own that more than one place writes or removes.

use http::HeaderName;

/// The id a request goes by, on all its messages.
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// What the response cache did, on every response of a caching route.
pub const X_JOUSKA_CACHE: HeaderName = HeaderName::from_static("x-jouska-cache");
