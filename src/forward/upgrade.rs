//! WebSocket handshakes. One is asked once, because it cannot be replayed, and its 101 is the socket itself: no header
//! of it may be touched, since a message made anew would have lost the connection.

use http::StatusCode;

use crate::message::{RequestHead, ResponseHead};

/// Whether a request is a handshake the route forwards; with `websocket` off one is a plain request.
pub(super) fn is_handshake(websocket: bool, head: &RequestHead) -> bool {
    websocket && head.is_upgrade()
}

/// Whether an answer is the socket.
pub(super) fn is_socket(head: &ResponseHead) -> bool {
    head.status == StatusCode::SWITCHING_PROTOCOLS
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue, Method};

    use super::*;
    use crate::message::RequestUrl;

    #[test]
    fn a_handshake_asks_for_a_websocket_on_a_route_that_has_them() {
        for (upgrade, websocket, expected) in [
            (Some("websocket"), true, true),
            (Some("WebSocket"), true, true),
            (Some("websocket"), false, false),
            (Some("h2c"), true, false),
            (None, true, false),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(upgrade) = upgrade {
                headers.insert("upgrade", HeaderValue::from_static(upgrade));
            }
            let head = RequestHead {
                method: Method::GET,
                url: RequestUrl::parse("https://proxy.example.com/").unwrap(),
                headers,
                has_body: false,
            };
            assert_eq!(is_handshake(websocket, &head), expected, "{upgrade:?}");
        }
    }

    #[test]
    fn only_a_101_is_a_socket() {
        for (status, expected) in [(101, true), (100, false), (200, false), (426, false)] {
            let head = ResponseHead {
                status: StatusCode::from_u16(status).unwrap(),
                headers: HeaderMap::new(),
            };
            assert_eq!(is_socket(&head), expected, "{status}");
        }
    }
}
