//! HTTP/1.1 as it is on the wire, in bytes and without opinions: both the visitor and the upstreams need to see, and to
//! say, what any proper client or server library would repair.

use crate::observed::Headers;

/// The start line and the header lines of a message.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Head {
    pub(crate) start: String,
    pub(crate) headers: Headers,
}

/// Bytes that are not HTTP/1.1.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub(crate) enum Malformed {
    #[error("a head without an end")]
    EndlessHead,
    #[error("a header line without a colon")]
    HeaderLine,
    #[error("a start line that says too little")]
    StartLine,
    #[error("a chunk without a length")]
    ChunkLength,
    #[error("a chunk longer than it said")]
    ChunkEnd,
}

impl Head {
    /// Takes a whole head off the front of `received`, or nothing while it has not arrived to its end.
    pub(crate) fn take(received: &mut Vec<u8>) -> Result<Option<Self>, Malformed> {
        let Some(end) = find(received, b"\r\n\r\n") else {
            let endless = received.len() > LONGEST_HEAD;
            return if endless {
                Err(Malformed::EndlessHead)
            } else {
                Ok(None)
            };
        };
        let rest = received.split_off(end + 4);
        let text = std::mem::replace(received, rest);
        let mut lines = text
            .split(|byte| *byte == b'\n')
            .map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let start = lines
            .next()
            .map(|line| String::from_utf8_lossy(line).into_owned())
            .unwrap_or_default();
        let headers = lines
            .filter(|line| !line.is_empty())
            .map(header_line)
            .collect::<Result<_, _>>()?;
        Ok(Some(Self {
            start,
            headers: Headers(headers),
        }))
    }

    /// The status of an answer.
    pub(crate) fn status(&self) -> Result<u16, Malformed> {
        self.start
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok())
            .ok_or(Malformed::StartLine)
    }

    /// The method and the target of a request.
    pub(crate) fn request_line(&self) -> Result<(&str, &str), Malformed> {
        let (method, rest) = self.start.split_once(' ').ok_or(Malformed::StartLine)?;
        let (target, _version) = rest.rsplit_once(' ').ok_or(Malformed::StartLine)?;
        Ok((method, target))
    }
}

fn header_line(line: &[u8]) -> Result<(String, Vec<u8>), Malformed> {
    let colon = line
        .iter()
        .position(|byte| *byte == b':')
        .ok_or(Malformed::HeaderLine)?;
    let (name, value) = line.split_at(colon);
    let value = value.strip_prefix(b":").unwrap_or(value).trim_ascii();
    Ok((String::from_utf8_lossy(name).into_owned(), value.to_vec()))
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack
        .windows(needle.len())
        .position(|window| window == needle)
}

/// Reads a body out of the bytes that follow a head.
#[derive(Clone, Debug)]
pub(crate) struct BodyReader {
    state: State,
}

#[derive(Clone, Debug)]
enum State {
    Done,
    Length(u64),
    UntilClose,
    ChunkLength(Vec<u8>),
    ChunkData(u64),
    ChunkEnd(Vec<u8>),
    Trailer(Vec<u8>),
}

impl BodyReader {
    /// The body of a request.
    pub(crate) fn of_request(head: &Head) -> Self {
        Self::framed(&head.headers, State::Done)
    }

    /// The body of the answer to a request with this method.
    pub(crate) fn of_answer(method: &str, status: u16, head: &Head) -> Self {
        if is_bodiless(method, status) {
            return Self { state: State::Done };
        }
        Self::framed(&head.headers, State::UntilClose)
    }

    fn framed(headers: &Headers, otherwise: State) -> Self {
        let chunked = headers
            .joined("transfer-encoding")
            .is_some_and(|value| value.to_ascii_lowercase().ends_with(b"chunked"));
        let length = headers
            .lines("content-length")
            .next()
            .and_then(|value| std::str::from_utf8(value).ok())
            .and_then(|value| value.parse().ok());
        let state = match (chunked, length) {
            (true, _) => State::ChunkLength(Vec::new()),
            (false, Some(0)) => State::Done,
            (false, Some(length)) => State::Length(length),
            (false, None) => otherwise,
        };
        Self { state }
    }

    pub(crate) fn is_done(&self) -> bool {
        matches!(self.state, State::Done)
    }

    /// Whether the sender may close the connection here without breaking the body.
    pub(crate) fn may_close(&self) -> bool {
        matches!(self.state, State::Done | State::UntilClose)
    }

    /// Takes what belongs to the body off the front of `received` and adds its payload to `body`.
    pub(crate) fn read(
        &mut self,
        received: &mut Vec<u8>,
        body: &mut Vec<u8>,
    ) -> Result<(), Malformed> {
        let mut rest = received.as_slice();
        let outcome = self.advance(&mut rest, body);
        let used = received.len() - rest.len();
        received.drain(..used);
        outcome
    }

    fn advance(&mut self, rest: &mut &[u8], body: &mut Vec<u8>) -> Result<(), Malformed> {
        while !rest.is_empty() {
            self.state = match std::mem::replace(&mut self.state, State::Done) {
                State::Done => return Ok(()),
                State::UntilClose => {
                    body.extend_from_slice(rest);
                    *rest = &[];
                    State::UntilClose
                }
                State::Length(left) => match take_data(left, rest, body) {
                    0 => State::Done,
                    left => State::Length(left),
                },
                State::ChunkLength(line) => match take_line(line, rest) {
                    Ok(line) => match chunk_length(&line)? {
                        0 => State::Trailer(Vec::new()),
                        length => State::ChunkData(length),
                    },
                    Err(partial) => State::ChunkLength(partial),
                },
                State::ChunkData(left) => match take_data(left, rest, body) {
                    0 => State::ChunkEnd(Vec::new()),
                    left => State::ChunkData(left),
                },
                State::ChunkEnd(line) => match take_line(line, rest) {
                    Ok(line) if line.is_empty() => State::ChunkLength(Vec::new()),
                    Ok(_) => return Err(Malformed::ChunkEnd),
                    Err(partial) => State::ChunkEnd(partial),
                },
                State::Trailer(line) => match take_line(line, rest) {
                    Ok(line) if line.is_empty() => State::Done,
                    Ok(_) => State::Trailer(Vec::new()),
                    Err(partial) => State::Trailer(partial),
                },
            };
        }
        Ok(())
    }
}

/// An answer that never has a body, whatever its headers say (RFC 9112, 6.3).
pub(crate) fn is_bodiless(method: &str, status: u16) -> bool {
    method == "HEAD" || (100..200).contains(&status) || matches!(status, 204 | 304)
}

/// Moves up to `left` bytes to the body and says how many are still to come.
fn take_data(left: u64, rest: &mut &[u8], body: &mut Vec<u8>) -> u64 {
    let count = usize::try_from(left).unwrap_or(usize::MAX).min(rest.len());
    let (data, behind) = rest.split_at(count);
    body.extend_from_slice(data);
    *rest = behind;
    left.saturating_sub(count as u64)
}

/// Completes a line, or gives back what there is of it.
fn take_line(mut line: Vec<u8>, rest: &mut &[u8]) -> Result<Vec<u8>, Vec<u8>> {
    match rest.iter().position(|byte| *byte == b'\n') {
        Some(end) => {
            let (start, behind) = rest.split_at(end);
            line.extend_from_slice(start);
            *rest = behind.strip_prefix(b"\n").unwrap_or(behind);
            if line.last() == Some(&b'\r') {
                line.pop();
            }
            Ok(line)
        }
        None => {
            line.extend_from_slice(rest);
            *rest = &[];
            Err(line)
        }
    }
}

fn chunk_length(line: &[u8]) -> Result<u64, Malformed> {
    let digits = line.split(|byte| *byte == b';').next().unwrap_or_default();
    std::str::from_utf8(digits.trim_ascii())
        .ok()
        .and_then(|digits| u64::from_str_radix(digits, 16).ok())
        .ok_or(Malformed::ChunkLength)
}

/// One piece of a body in chunked coding; an empty piece would end the body, so it is no bytes at all.
pub(crate) fn chunk(piece: &[u8]) -> Vec<u8> {
    if piece.is_empty() {
        return Vec::new();
    }
    let mut chunk = format!("{:x}\r\n", piece.len()).into_bytes();
    chunk.extend_from_slice(piece);
    chunk.extend_from_slice(b"\r\n");
    chunk
}

/// What ends a body in chunked coding.
pub(crate) const LAST_CHUNK: &[u8] = b"0\r\n\r\n";

/// Longer than any head a case or a runtime writes.
const LONGEST_HEAD: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_taken_once_it_is_whole() {
        let mut received = b"GET http://h/a b HTTP/1.1\r\nA: \xff \r\nb:\r\n\r".to_vec();
        assert_eq!(Head::take(&mut received), Ok(None));
        received.extend_from_slice(b"\nrest");
        let head = Head::take(&mut received).unwrap().unwrap();
        assert_eq!(received, b"rest");
        assert_eq!(head.request_line(), Ok(("GET", "http://h/a b")));
        assert_eq!(
            head.headers.0,
            [("A".to_owned(), vec![0xff]), ("b".to_owned(), vec![])]
        );
    }

    #[test]
    fn what_is_not_a_head_is_an_error() {
        assert_eq!(
            Head::take(&mut b"GET / HTTP/1.1\r\nno colon\r\n\r\n".to_vec()),
            Err(Malformed::HeaderLine)
        );
        assert_eq!(
            Head::take(&mut vec![b'x'; LONGEST_HEAD + 1]),
            Err(Malformed::EndlessHead)
        );
        let head = Head {
            start: "garbage".to_owned(),
            headers: Headers::default(),
        };
        assert_eq!(head.status(), Err(Malformed::StartLine));
        assert_eq!(head.request_line(), Err(Malformed::StartLine));
    }

    #[test]
    fn a_body_is_the_same_however_it_is_cut() {
        check("content-length: 5", "GET", 200, b"hello", b"hello", true);
        check("content-length: 5", "GET", 200, b"hell", b"hell", false);
        check("content-length: 0", "GET", 200, b"", b"", true);
        check(
            "transfer-encoding: chunked",
            "GET",
            200,
            b"3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\nt: 1\r\n\r\n",
            b"hello",
            true,
        );
        check(
            "transfer-encoding: chunked",
            "GET",
            200,
            b"3\r\nhel\r\n",
            b"hel",
            false,
        );
        check(
            "transfer-encoding: chunked\r\ncontent-length: 1",
            "GET",
            200,
            b"1\r\na\r\n0\r\n\r\n",
            b"a",
            true,
        );
        check("x: y", "GET", 200, b"hello", b"hello", true);
        check("content-length: 5", "HEAD", 200, b"", b"", true);
        check("content-length: 5", "GET", 304, b"", b"", true);
    }

    #[test]
    fn a_chunk_that_lies_is_an_error() {
        let head = answer("transfer-encoding: chunked");
        let outcome = |bytes: &[u8]| {
            BodyReader::of_answer("GET", 200, &head).read(&mut bytes.to_vec(), &mut Vec::new())
        };
        assert_eq!(outcome(b"zz\r\n"), Err(Malformed::ChunkLength));
        assert_eq!(outcome(b"1\r\nab\r\n"), Err(Malformed::ChunkEnd));
    }

    #[track_caller]
    fn check(headers: &str, method: &str, status: u16, wire: &[u8], body: &[u8], may_close: bool) {
        for size in 1..=wire.len().max(1) {
            let mut reader = BodyReader::of_answer(method, status, &answer(headers));
            let (mut received, mut read) = (Vec::new(), Vec::new());
            for piece in wire.chunks(size) {
                received.extend_from_slice(piece);
                reader.read(&mut received, &mut read).unwrap();
            }
            assert_eq!(
                (read.as_slice(), reader.may_close()),
                (body, may_close),
                "in pieces of {size}"
            );
        }
    }

    fn answer(headers: &str) -> Head {
        Head::take(&mut format!("HTTP/1.1 200 OK\r\n{headers}\r\n\r\n").into_bytes())
            .unwrap()
            .unwrap()
    }
}
