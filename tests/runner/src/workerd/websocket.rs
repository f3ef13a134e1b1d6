//! The upstream's half of a WebSocket handshake.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use crate::observed::UpstreamRequest;

/// The header lines without which the runtime takes a 101 for a broken one, except those the case states itself.
///
/// The key is the runtime's own and new each time, so no case can know the right answer to it (RFC 6455, 4.2.2).
pub(super) fn handshake(request: &UpstreamRequest, stated: &[(String, String)]) -> String {
    let key = request
        .headers
        .joined("sec-websocket-key")
        .unwrap_or_default();
    let lines = [
        ("upgrade", "websocket".to_owned()),
        ("connection", "Upgrade".to_owned()),
        ("sec-websocket-accept", accept(&key)),
    ];
    lines
        .into_iter()
        .filter(|(name, _)| !stated.iter().any(|(own, _)| own.eq_ignore_ascii_case(name)))
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .collect()
}

fn accept(key: &[u8]) -> String {
    let mut hash = sha1_smol::Sha1::new();
    hash.update(key);
    hash.update(b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
    BASE64.encode(hash.digest().bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observed::Headers;

    #[test]
    fn the_key_is_answered_and_stated_headers_stand() {
        // The example of RFC 6455, 1.3.
        let key = (
            "Sec-WebSocket-Key".to_owned(),
            b"dGhlIHNhbXBsZSBub25jZQ==".to_vec(),
        );
        let request = UpstreamRequest {
            headers: Headers(vec![key]),
            ..UpstreamRequest::default()
        };
        let lines = handshake(&request, &[("Upgrade".to_owned(), "websocket".to_owned())]);
        assert_eq!(
            lines,
            "connection: Upgrade\r\nsec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
        );
    }
}
