//! The visitor: raw HTTP/1.1 on a socket, so that a request goes out exactly as its case wrote it.

#![expect(
    clippy::disallowed_methods,
    reason = "a visitor on a socket lives in real time"
)]

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use socket2::SockRef;

use crate::case::{Piece, Request, RequestBody};
use crate::http1::{self, BodyReader, Head};
use crate::observed::{Answered, BodyEnd, Exchange, Outcome, Read};

/// Sends a request to the Worker behind a port and reads the answer to its end.
pub(super) fn visit(port: u16, request: &Request) -> Exchange {
    let start = Instant::now();
    let (outcome, total) = match TcpStream::connect((Ipv4Addr::LOCALHOST, port)) {
        Ok(stream) => converse(&stream, request, start),
        Err(error) => {
            let reason = format!("no connection to the Worker: {error}");
            (Outcome::Unanswered(reason), start.elapsed())
        }
    };
    Exchange {
        outcome,
        total,
        event: None,
    }
}

/// What was answered, and when that was over: the rest of an upload may take longer than the answer to it.
fn converse(stream: &TcpStream, request: &Request, start: Instant) -> (Outcome, Duration) {
    // Pieces of a body must leave when they are written; a failure only costs punctuality.
    let _ = stream.set_nodelay(true);
    let (hung_up, stop) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(move || {
            // A Worker that answers without reading the request may close first, which is no failure of the visitor's.
            let _ = send(stream, request, &stop);
        });
        let mut reading = Reading::new(stream, request, start);
        let outcome = reading.read_to_end();
        let total = start.elapsed();
        if reading.gave_up {
            // With no time to linger a close is a reset: the runtime does not notice a plain close while nothing is written.
            let _ = SockRef::from(stream).set_linger(Some(Duration::ZERO));
            let _ = hung_up.send(());
        }
        (outcome, total)
    })
}

fn send(mut stream: &TcpStream, request: &Request, stop: &Receiver<()>) -> io::Result<()> {
    stream.write_all(&head(request))?;
    match &request.body {
        RequestBody::Absent => Ok(()),
        RequestBody::Whole(bytes) => stream.write_all(bytes),
        RequestBody::Pieces(pieces) => {
            for Piece { after, bytes } in pieces {
                if stop.recv_timeout(*after).is_ok() {
                    return Ok(());
                }
                stream.write_all(&http1::chunk(bytes))?;
            }
            stream.write_all(http1::LAST_CHUNK)
        }
    }
}

/// The head as written; only the framing of a body and `cf` are added, because nothing else can say them.
fn head(request: &Request) -> Vec<u8> {
    let mut head = format!("{} {} HTTP/1.1\r\n", request.method, request.url);
    let mut line = |name: &str, value: &str| {
        head.push_str(name);
        head.push_str(": ");
        head.push_str(value);
        head.push_str("\r\n");
    };
    for (name, value) in &request.headers {
        line(name, value);
    }
    if let Some(cf) = &request.cf {
        line(CF_HEADER, &ascii_json(cf));
    }
    let says = |name: &str| {
        request
            .headers
            .iter()
            .any(|(own, _)| own.eq_ignore_ascii_case(name))
    };
    match &request.body {
        RequestBody::Whole(bytes) if !says("content-length") => {
            line("content-length", &bytes.len().to_string())
        }
        RequestBody::Pieces(_) if !says("transfer-encoding") => {
            line("transfer-encoding", "chunked")
        }
        RequestBody::Absent | RequestBody::Whole(_) | RequestBody::Pieces(_) => {}
    }
    head.push_str("\r\n");
    head.into_bytes()
}

/// JSON that survives a header line: whatever is not ASCII is escaped.
fn ascii_json(object: &Map<String, Value>) -> String {
    let mut escaped = String::new();
    for character in Value::Object(object.clone()).to_string().chars() {
        if character.is_ascii() {
            escaped.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    escaped
}

/// The reading half of a conversation.
struct Reading<'a> {
    stream: &'a TcpStream,
    method: &'a str,
    start: Instant,
    /// When the visitor hangs up or loses patience, counted from the start.
    until: Duration,
    aborts: bool,
    received: Vec<u8>,
    gave_up: bool,
}

/// What a read brought.
enum Came {
    Bytes,
    Close,
    Nothing,
    Failure(io::Error),
}

impl<'a> Reading<'a> {
    fn new(stream: &'a TcpStream, request: &'a Request, start: Instant) -> Self {
        Self {
            stream,
            method: &request.method,
            start,
            until: request.abort_after.unwrap_or(PATIENCE),
            aborts: request.abort_after.is_some(),
            received: Vec::new(),
            gave_up: false,
        }
    }

    fn read_to_end(&mut self) -> Outcome {
        let head = match self.head() {
            Ok(head) => head,
            Err(outcome) => return outcome,
        };
        match head.status() {
            Ok(status) => Outcome::Answered(self.body(status, head)),
            Err(error) => Outcome::Unanswered(error.to_string()),
        }
    }

    /// The head of the answer, interim ones passed over.
    fn head(&mut self) -> Result<Head, Outcome> {
        loop {
            match Head::take(&mut self.received) {
                Ok(Some(head)) if is_interim(&head) => continue,
                Ok(Some(head)) => return Ok(head),
                Ok(None) => {}
                Err(error) => return Err(Outcome::Unanswered(error.to_string())),
            }
            match self.more() {
                Came::Bytes => {}
                Came::Close => {
                    return Err(Outcome::Unanswered(
                        "the connection was closed before an answer".to_owned(),
                    ));
                }
                Came::Nothing if self.aborts => return Err(Outcome::Aborted),
                Came::Nothing => {
                    return Err(Outcome::Unanswered(format!(
                        "silence for {} s",
                        PATIENCE.as_secs()
                    )));
                }
                Came::Failure(error) => return Err(Outcome::Unanswered(error.to_string())),
            }
        }
    }

    fn body(&mut self, status: u16, head: Head) -> Answered {
        let mut reader = BodyReader::of_answer(self.method, status, &head);
        let mut answered = Answered {
            status,
            headers: head.headers,
            ..Answered::default()
        };
        loop {
            let before = answered.body.len();
            if let Err(error) = reader.read(&mut self.received, &mut answered.body) {
                answered.end = BodyEnd::Broken(error.to_string());
                return answered;
            }
            let bytes = answered.body.len() - before;
            if bytes > 0 {
                answered.reads.push(Read {
                    at: self.start.elapsed(),
                    bytes,
                });
            }
            if reader.is_done() {
                return answered;
            }
            answered.end = match self.more() {
                Came::Bytes => continue,
                Came::Close if reader.may_close() => BodyEnd::Complete,
                Came::Close => BodyEnd::Broken(
                    "the connection was closed in the middle of the body".to_owned(),
                ),
                Came::Nothing if self.aborts => BodyEnd::Aborted,
                Came::Nothing => {
                    BodyEnd::Broken(format!("no end of the body in {} s", PATIENCE.as_secs()))
                }
                Came::Failure(error) => BodyEnd::Broken(error.to_string()),
            };
            return answered;
        }
    }

    fn more(&mut self) -> Came {
        let left = self.until.saturating_sub(self.start.elapsed());
        // A timeout of zero would mean none at all.
        if left.is_zero() || self.stream.set_read_timeout(Some(left)).is_err() {
            self.gave_up = true;
            return Came::Nothing;
        }
        let mut buffer = vec![0; READ_SIZE];
        match (&mut &*self.stream).read(&mut buffer) {
            Ok(0) => Came::Close,
            Ok(count) => {
                self.received.extend(buffer.into_iter().take(count));
                Came::Bytes
            }
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
                ) =>
            {
                self.gave_up = true;
                Came::Nothing
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Came::Bytes,
            Err(error) => Came::Failure(error),
        }
    }
}

/// 1xx announces an answer, except for 101, which is one.
fn is_interim(head: &Head) -> bool {
    head.status()
        .is_ok_and(|status| (100..200).contains(&status) && status != 101)
}

/// The header in which the local runtime takes the `cf` object of a request.
const CF_HEADER: &str = "MF-CF-Blob";

/// How long an answer may take. No case asks for more than a few seconds.
const PATIENCE: Duration = Duration::from_secs(20);

/// Large enough for the runtime's largest writes, so that reads are cut where it cut its writes.
const READ_SIZE: usize = 64 * 1024;
