//! The upstreams of one case: a raw TCP server that the runtime sends every outgoing request to, with absolute URLs.
//!
//! Each case has a server of its own, so a request needs no mark to say whose it is.

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::answer::{self, Framing};
use super::stage::Happening;
use crate::case::{Act, Answer, AnswerBody, End, Piece, Then};
use crate::http1::{self, BodyReader, Head, Malformed};
use crate::observed::{Headers, UpstreamRequest};
use crate::script::{Reach, Script, echo, no_rule};

/// The listening server; dropping it ends it.
#[derive(Debug)]
pub(super) struct Upstreams {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    closing: AtomicBool,
    record: Mutex<Record>,
    happened: Mutex<Sender<Happening>>,
}

#[derive(Debug)]
struct Record {
    script: Script,
    requests: Vec<UpstreamRequest>,
}

impl Upstreams {
    /// Listens on a port of its own. Whatever arrives is told to `happened` as well.
    pub(super) fn listen(script: Script, happened: Sender<Happening>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let record = Mutex::new(Record {
            script,
            requests: Vec::new(),
        });
        let shared = Arc::new(Shared {
            closing: AtomicBool::new(false),
            record,
            happened: Mutex::new(happened),
        });
        let accepting = Arc::clone(&shared);
        thread::spawn(move || accept(&listener, &accepting));
        Ok(Self { address, shared })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// How many requests have arrived so far.
    pub(super) fn count(&self) -> usize {
        self.shared.record().requests.len()
    }

    /// The requests that arrived after the first `count`.
    pub(super) fn since(&self, count: usize) -> Vec<UpstreamRequest> {
        self.shared
            .record()
            .requests
            .iter()
            .skip(count)
            .cloned()
            .collect()
    }
}

impl Drop for Upstreams {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::Relaxed);
        // Wakes the accepting thread, which then sees that it is over. Threads of open connections end with the runtime's
        // side of them.
        let _ = TcpStream::connect(self.address);
    }
}

impl Shared {
    fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Decides a request and writes it down unless nobody sees it. The position is where its body belongs.
    fn arrive(&self, request: UpstreamRequest) -> (Reach, Option<usize>) {
        let (reach, position) = {
            let mut record = self.record();
            let reach = record.script.reach(&request);
            let position = (reach != Reach::Nobody).then(|| {
                record.requests.push(request);
                record.requests.len() - 1
            });
            (reach, position)
        };
        self.tell();
        (reach, position)
    }

    fn add_body(&self, position: Option<usize>, bytes: &[u8]) {
        if let Some(position) = position {
            if let Some(request) = self.record().requests.get_mut(position) {
                request.body.extend_from_slice(bytes);
            }
            self.tell();
        }
    }

    fn request(&self, position: Option<usize>) -> Option<UpstreamRequest> {
        self.record().requests.get(position?).cloned()
    }

    fn tell(&self) {
        // Nobody listens any more once the case is over.
        let _ = self
            .happened
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .send(Happening::Upstream);
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.closing.load(Ordering::Relaxed) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let shared = Arc::clone(shared);
        thread::spawn(move || {
            let mut connection = Connection {
                stream,
                received: Vec::new(),
                shared,
            };
            // The runtime may go away at any moment, which is not ours to report.
            let _ = connection.serve();
        });
    }
}

/// A connection of the runtime's, on which it sends one request after the other.
struct Connection {
    stream: TcpStream,
    received: Vec<u8>,
    shared: Arc<Shared>,
}

/// What becomes of a connection after an answer.
#[derive(PartialEq)]
enum After {
    Keep,
    Close,
}

impl Connection {
    fn serve(&mut self) -> io::Result<()> {
        self.stream.set_nodelay(true)?;
        while let Some(head) = self.head()? {
            let request = received_request(&head).map_err(io::Error::other)?;
            let (reach, position) = self.shared.arrive(request);
            let Then { delay, act } = match reach {
                Reach::Nobody => return self.refuse(BodyReader::of_request(&head), position),
                Reach::Upstream(then) => then,
                Reach::NoRule => no_rule(),
            };
            if act == Act::Refuse {
                thread::sleep(delay);
                return self.refuse(BodyReader::of_request(&head), position);
            }
            self.read_body(BodyReader::of_request(&head), position)?;
            thread::sleep(delay);
            let Some(request) = self.shared.request(position) else {
                return Ok(());
            };
            let after = match act {
                Act::Refuse | Act::Hang => self.wait_for_close(),
                Act::Echo => self.answer(&request, &echo(&request)),
                Act::Answer(answer) => self.answer(&request, &answer),
            }?;
            if after == After::Close {
                return Ok(());
            }
        }
        Ok(())
    }

    fn head(&mut self) -> io::Result<Option<Head>> {
        loop {
            if let Some(head) = Head::take(&mut self.received).map_err(io::Error::other)? {
                return Ok(Some(head));
            }
            if self.more()? == 0 {
                return Ok(None);
            }
        }
    }

    fn read_body(&mut self, mut reader: BodyReader, position: Option<usize>) -> io::Result<()> {
        loop {
            let mut bytes = Vec::new();
            reader
                .read(&mut self.received, &mut bytes)
                .map_err(io::Error::other)?;
            if !bytes.is_empty() {
                self.shared.add_body(position, &bytes);
            }
            if reader.is_done() {
                return Ok(());
            }
            if self.more()? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    /// Makes the Worker's fetch reject.
    ///
    /// A closed connection will not do: on a connection it had kept alive, the runtime then tries once more, and a second
    /// request would be counted. Bytes that are no answer end the fetch at once, with the same "Network connection lost."
    /// that it gives for a refused connection.
    fn refuse(&mut self, body: BodyReader, position: Option<usize>) -> io::Result<()> {
        self.stream.write_all(b"no answer\r\n\r\n")?;
        self.read_body(body, position)?;
        self.wait_for_close().map(|_| ())
    }

    fn wait_for_close(&mut self) -> io::Result<After> {
        while self.more()? > 0 {}
        Ok(After::Close)
    }

    fn answer(&mut self, request: &UpstreamRequest, answer: &Answer) -> io::Result<After> {
        let framing = Framing::of(request, answer);
        self.stream
            .write_all(&answer::head(request, answer, framing))?;
        if framing.sends_body() {
            match &answer.body {
                AnswerBody::Whole(bytes) => self.stream.write_all(&framing.wrap(bytes))?,
                AnswerBody::Pieces(pieces) => {
                    for Piece { after, bytes } in pieces {
                        thread::sleep(*after);
                        self.stream.write_all(&framing.wrap(bytes))?;
                    }
                }
            }
        }
        match answer.end {
            // What follows the handshake is the runtime's business until it closes.
            End::Complete if answer.status == 101 => self.wait_for_close(),
            End::Complete if framing == Framing::Chunked => {
                self.stream.write_all(http1::LAST_CHUNK)?;
                Ok(After::Keep)
            }
            End::Complete => Ok(After::Keep),
            End::Stall => self.wait_for_close(),
            // Closing before the end that the framing promised breaks the body for the reader just as a reset does, but
            // loses none of the bytes before it.
            End::Reset => Ok(After::Close),
        }
    }

    fn more(&mut self) -> io::Result<usize> {
        let mut buffer = [0; 16 * 1024];
        let count = self.stream.read(&mut buffer)?;
        self.received
            .extend_from_slice(buffer.get(..count).unwrap_or_default());
        Ok(count)
    }
}

/// The request as an expectation sees it.
fn received_request(head: &Head) -> Result<UpstreamRequest, Malformed> {
    let (method, target) = head.request_line()?;
    let named = head
        .headers
        .joined("host")
        .map(|host| String::from_utf8_lossy(&host).into_owned());
    let (authority, rest) = match target.split_once("://") {
        Some((_scheme, rest)) => rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len())),
        None => (named.as_deref().unwrap_or_default(), target),
    };
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let host = authority.to_ascii_lowercase();
    let mut headers: Headers = head.headers.clone();
    if named.is_none() {
        headers
            .0
            .insert(0, ("host".to_owned(), host.clone().into_bytes()));
    }
    Ok(UpstreamRequest {
        method: method.to_owned(),
        url: target.to_owned(),
        path: if path.is_empty() {
            "/".to_owned()
        } else {
            path.to_owned()
        },
        query: query.to_owned(),
        host,
        headers,
        body: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_taken_apart_without_being_repaired() {
        check(
            "https://O.example/a/../%2e//b?x=?y",
            "o.example",
            "/a/../%2e//b",
            "x=?y",
        );
        check("http://o.example:8443", "o.example:8443", "/", "");
        check("http://o.example?q", "o.example", "/", "q");
        check("/plain?q", "named.example", "/plain", "q");
    }

    #[test]
    fn a_host_that_only_the_url_names_counts_as_a_header() {
        let text = b"GET https://o.example/ HTTP/1.1\r\nx-a: 1\r\n\r\n";
        let head = Head::take(&mut text.to_vec()).unwrap().unwrap();
        let request = received_request(&head).unwrap();
        assert_eq!(request.headers.joined("host").unwrap(), b"o.example");
    }

    #[track_caller]
    fn check(target: &str, host: &str, path: &str, query: &str) {
        let text = format!("GET {target} HTTP/1.1\r\nHost: named.example\r\n\r\n");
        let head = Head::take(&mut text.into_bytes()).unwrap().unwrap();
        let request = received_request(&head).unwrap();
        let seen = (
            request.host.as_str(),
            request.path.as_str(),
            request.query.as_str(),
        );
        assert_eq!(seen, (host, path, query), "{target}");
    }
}
