//! A scripted answer as bytes on the wire.

use super::websocket;
use crate::case::{Answer, AnswerBody, End};
use crate::http1;
use crate::observed::UpstreamRequest;

/// The head of an answer: the scripted headers as they are, and whatever else the message cannot do without.
pub(super) fn head(request: &UpstreamRequest, answer: &Answer, framing: Framing) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {} {}\r\n", answer.status, reason(answer.status));
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str(&framing.lines(answer));
    if answer.status == 101 {
        head.push_str(&websocket::handshake(request, &answer.headers));
    }
    head.push_str("\r\n");
    head.into_bytes()
}

/// How the end of an answer's body is known.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Framing {
    /// There is no body. Its length may still be stated, as on HEAD.
    Bodiless,
    /// By its length, or as the scripted headers say.
    Plain,
    /// By chunked coding.
    Chunked,
}

impl Framing {
    pub(super) fn of(request: &UpstreamRequest, answer: &Answer) -> Self {
        if http1::is_bodiless(&request.method, answer.status) {
            Self::Bodiless
        } else if states(answer, "content-length") {
            Self::Plain
        } else if matches!(answer.body, AnswerBody::Pieces(_)) || answer.end != End::Complete {
            Self::Chunked
        } else {
            Self::Plain
        }
    }

    /// The header lines that announce it, where the scripted headers leave that to us.
    fn lines(self, answer: &Answer) -> String {
        match (self, &answer.body) {
            _ if states(answer, "content-length") || states(answer, "transfer-encoding") => {
                String::new()
            }
            (Self::Bodiless, _) if answer.status < 200 || matches!(answer.status, 204 | 304) => {
                String::new()
            }
            (Self::Bodiless | Self::Plain, AnswerBody::Whole(bytes)) => {
                format!("content-length: {}\r\n", bytes.len())
            }
            (Self::Bodiless | Self::Plain | Self::Chunked, _) => {
                "transfer-encoding: chunked\r\n".to_owned()
            }
        }
    }

    pub(super) fn sends_body(self) -> bool {
        self != Self::Bodiless
    }

    pub(super) fn wrap(self, bytes: &[u8]) -> Vec<u8> {
        if self == Self::Chunked {
            http1::chunk(bytes)
        } else {
            bytes.to_vec()
        }
    }
}

fn states(answer: &Answer, name: &str) -> bool {
    answer
        .headers
        .iter()
        .any(|(own, _)| own.eq_ignore_ascii_case(name))
}

/// The usual phrase; only the statuses that a page might show.
fn reason(status: u16) -> &'static str {
    match status {
        101 => "Switching Protocols",
        200 => "OK",
        201 => "Created",
        204 => "No Content",
        206 => "Partial Content",
        301 => "Moved Permanently",
        302 => "Found",
        304 => "Not Modified",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        _ => "Status",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{Act, Then};

    #[test]
    fn an_answer_states_how_its_body_ends() {
        check(
            "GET",
            r#"{"body": "four"}"#,
            "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n",
        );
        check(
            "GET",
            r#"{}"#,
            "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
        );
        check(
            "GET",
            r#"{"chunks": []}"#,
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
        );
        check(
            "GET",
            r#"{"body": "a", "fail": "reset"}"#,
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
        );
        check(
            "HEAD",
            r#"{"body": "four"}"#,
            "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n",
        );
        check(
            "GET",
            r#"{"status": 204}"#,
            "HTTP/1.1 204 No Content\r\n\r\n",
        );
        check(
            "GET",
            r#"{"status": 304, "body": "a"}"#,
            "HTTP/1.1 304 Not Modified\r\n\r\n",
        );
    }

    #[test]
    fn headers_go_out_as_scripted() {
        check(
            "HEAD",
            r#"{"status": 404, "headers": [["Content-Length", "1234"], ["x-a", ""], ["x-a", "\u00e9"]]}"#,
            "HTTP/1.1 404 Not Found\r\nContent-Length: 1234\r\nx-a: \r\nx-a: \u{e9}\r\n\r\n",
        );
    }

    #[track_caller]
    fn check(method: &str, then: &str, expected: &str) {
        let Then {
            act: Act::Answer(answer),
            ..
        } = serde_json::from_str(then).unwrap()
        else {
            panic!("an answer")
        };
        let request = UpstreamRequest {
            method: method.to_owned(),
            ..UpstreamRequest::default()
        };
        let head = head(&request, &answer, Framing::of(&request, &answer));
        assert_eq!(String::from_utf8(head).unwrap(), expected, "{then}");
    }
}
