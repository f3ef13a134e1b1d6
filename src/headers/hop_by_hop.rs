//! Headers that describe one connection and never travel beyond it (RFC 9110 section 7.6.1).

use http::{HeaderMap, HeaderName, header};

/// The names that never travel. `upgrade` is not among them: a WebSocket handshake needs it.
pub const HOP_BY_HOP: [HeaderName; 7] = [
    header::CONNECTION,
    HeaderName::from_static("keep-alive"),
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
];

/// The names a message's `Connection` headers declare to be of this connection only; what is no token is passed over.
pub fn connection_named(headers: &HeaderMap) -> impl Iterator<Item = HeaderName> + '_ {
    headers
        .get_all(header::CONNECTION)
        .iter()
        .flat_map(|line| line.as_bytes().split(|byte| *byte == b','))
        .filter_map(|token| HeaderName::from_bytes(token.trim_ascii()).ok())
}
