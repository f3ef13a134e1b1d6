//! URLs in texts that have no grammar here: JSON, scripts, XML, Markdown.
//!
//! A URL is what starts with `http://`, `https://` or `//`, the slashes escaped as in JSON or not, and names the
//! upstream whole. A bare host name is none, and neither is one in another URL's path or user information. `/path`
//! cannot be told from prose and stays.
//!
//! The text is searched for the upstream's name, which is rare, rather than for slashes, which are not.

use std::{rc::Rc, sync::Arc};

use super::{
    edit::{Edit, Scan},
    links::Mapping,
};

/// Finds the upstream's URLs in a text.
#[derive(Debug)]
pub(super) struct Texts {
    mapping: Rc<Mapping>,
    /// How far the search may go on after a window that ends in this byte.
    skips: Box<[u8; 256]>,
    /// The last bytes that were settled, to know what stands before a URL.
    before: Vec<u8>,
}

/// What the upstream's name turned out to be part of.
enum Found {
    Link(Edit),
    Other,
    /// Too little of the text is there to tell what starts here.
    Unknown(usize),
}

/// What stands before the upstream's name in a URL.
struct Front {
    /// Where the URL starts.
    start: usize,
    /// Where its authority starts.
    authority: usize,
    /// Where its host starts, behind user information.
    host: usize,
    /// Whether it starts with `http:` or `https:`.
    has_scheme: bool,
    slash: Slash,
}

/// How slashes are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slash {
    Plain,
    Escaped,
}

impl Texts {
    pub(super) fn new(mapping: Rc<Mapping>) -> Self {
        let name = mapping.upstream_host().as_bytes();
        let skip = |bytes: usize| u8::try_from(bytes).unwrap_or(u8::MAX);
        let mut skips = Box::new([skip(name.len()); 256]);
        for (rest, byte) in name.iter().rev().enumerate().skip(1).rev() {
            for byte in [byte.to_ascii_lowercase(), byte.to_ascii_uppercase()] {
                if let Some(slot) = skips.get_mut(usize::from(byte)) {
                    *slot = skip(rest);
                }
            }
        }
        Self {
            mapping,
            skips,
            before: Vec::new(),
        }
    }
}

impl Scan for Texts {
    fn scan(&mut self, text: &[u8], last: bool, edits: &mut Vec<Edit>) -> usize {
        let mut from = 0;
        let mut floor = 0;
        let mut settled = None;
        while let Some(at) = self.find(text, from) {
            match self.judge(text, floor, at, last) {
                Found::Link(edit) => {
                    floor = edit.range.end;
                    from = floor;
                    edits.push(edit);
                }
                Found::Other => from = at + 1,
                Found::Unknown(start) => {
                    settled = Some(start);
                    break;
                }
            }
        }
        let settled = match settled {
            _ if last => text.len(),
            Some(settled) => settled,
            None => unfinished(text).max(floor),
        };
        self.remember(text.get(..settled).unwrap_or_default());
        settled
    }
}

impl Texts {
    /// Where the upstream's name stands next, in any letter case (Horspool).
    fn find(&self, text: &[u8], from: usize) -> Option<usize> {
        let name = self.mapping.upstream_host().as_bytes();
        let mut start = from;
        while let Some(window) = text.get(start..start + name.len()) {
            if window.eq_ignore_ascii_case(name) {
                return Some(start);
            }
            let end = window.last().copied().unwrap_or_default();
            let skip = self.skips.get(usize::from(end)).copied().unwrap_or(1);
            start += usize::from(skip);
        }
        None
    }

    /// What the name at `at` is part of. What stands before `floor` belongs to something else.
    fn judge(&self, text: &[u8], floor: usize, at: usize, last: bool) -> Found {
        let Some(front) = self.front(text, floor, at) else {
            return Found::Other;
        };
        let name_end = at + self.mapping.upstream_host().len();
        let rest = text.get(name_end..).unwrap_or_default();
        let rest = rest.get(..LONGEST_AUTHORITY).unwrap_or(rest);
        let authority_len = match run(rest, is_authority) {
            len if len < rest.len() || last => len,
            LONGEST_AUTHORITY.. => return Found::Other,
            _ => return Found::Unknown(front.start),
        };
        if name_end - front.authority > LONGEST_AUTHORITY {
            return Found::Other;
        }
        let (authority, path) = rest.split_at(authority_len);
        // The name is user information, and another host follows.
        if authority.contains(&b'@') {
            return Found::Other;
        }
        let host_end = name_end + host_rest(authority, path);
        let host = text.get(front.host..host_end).unwrap_or_default();
        if !self.mapping.is_upstream(host) {
            return Found::Other;
        }
        let path = text.get(host_end..).unwrap_or_default();
        let Some(base) = self.base(path, front.slash, last) else {
            return Found::Unknown(front.start);
        };
        let (start, with) = if front.has_scheme {
            (front.start, self.mapping.site(base.below))
        } else {
            (front.host, self.mapping.host(base.below))
        };
        Found::Link(Edit {
            range: start..host_end + base.written_len,
            with: match front.slash {
                Slash::Plain => with.clone(),
                Slash::Escaped => Arc::from(with.replace('/', "\\/")),
            },
        })
    }

    fn front(&self, text: &[u8], floor: usize, at: usize) -> Option<Front> {
        let before = text.get(floor..at).unwrap_or_default();
        let authority_len = run_back(before, is_authority);
        let (before, authority) = before.split_at(before.len() - authority_len);
        let user = authority.iter().rposition(|byte| *byte == b'@');
        let (before, slash) = match before.strip_suffix(b"//") {
            Some(before) => (before, Slash::Plain),
            None => (before.strip_suffix(b"\\/\\/")?, Slash::Escaped),
        };
        let slashes = floor + before.len();
        let known = self.known(text.get(..slashes)?);
        let scheme = Scheme::before(&known)?;
        let (start, has_scheme) = match scheme {
            // User information stays where it is, and so does what stands before it.
            Scheme::Http(len) if len <= before.len() => (slashes - len, user.is_none()),
            Scheme::Http(_) => return None,
            Scheme::None | Scheme::Other => (slashes, false),
        };
        let outside = known.len() - (slashes - start);
        let starts = matches!(scheme, Scheme::Other) || can_precede(known.get(..outside)?);
        starts.then_some(Front {
            start,
            authority: at - authority_len,
            host: at - authority_len + user.map_or(0, |at| at + 1),
            has_scheme,
            slash,
        })
    }

    /// The last bytes before the end of `text`, what was settled before it included.
    fn known(&self, text: &[u8]) -> Vec<u8> {
        let mut known = self.before.clone();
        known.extend_from_slice(tail(text));
        known.drain(..known.len().saturating_sub(CONTEXT));
        known
    }

    /// What of the base path stands at the start of `path`; `None` where too little is there to tell.
    fn base(&self, path: &[u8], slash: Slash, last: bool) -> Option<Base> {
        let base_len = self.mapping.base_len();
        let mut plain = Vec::with_capacity(base_len + 1);
        let mut written_len = 0;
        let mut at = 0;
        // One byte more says whether the last segment ends there.
        while base_len > 0 && plain.len() <= base_len {
            let (byte, len) = match path.get(at..).unwrap_or_default() {
                [] | [b'\\'] if !last => return None,
                [b'\\', b'/', ..] if slash == Slash::Escaped => (b'/', 2),
                [byte, ..] if is_path(*byte) => (*byte, 1),
                _ => break,
            };
            plain.push(byte);
            at += len;
            if plain.len() == base_len {
                written_len = at;
            }
        }
        let below = self.mapping.below_base(&plain).is_some();
        Some(Base {
            below,
            written_len: if below { written_len } else { 0 },
        })
    }

    fn remember(&mut self, settled: &[u8]) {
        self.before.extend_from_slice(tail(settled));
        self.before
            .drain(..self.before.len().saturating_sub(CONTEXT));
    }
}

/// Whether a URL can start behind `text`, instead of being the rest of something longer.
fn can_precede(text: &[u8]) -> bool {
    match text {
        // A line break or another character, written as an escape: `\n`, `\u003e`.
        [.., b'\\', b'b' | b'f' | b'n' | b'r' | b't'] => true,
        [.., b'\\', b'u', a, b, c, d] if [a, b, c, d].iter().all(|x| x.is_ascii_hexdigit()) => true,
        [.., b'/' | b'@' | b'%' | b'.' | b'_'] => false,
        [.., byte] => !byte.is_ascii_alphanumeric(),
        [] => true,
    }
}

fn tail(text: &[u8]) -> &[u8] {
    text.get(text.len().saturating_sub(CONTEXT)..)
        .unwrap_or_default()
}

/// Whether a path lies below the base path, and how long that is as it is written.
struct Base {
    below: bool,
    written_len: usize,
}

/// What stands before the slashes.
enum Scheme {
    /// `http:` or `https:`, of this length.
    Http(usize),
    /// None, or only its colon, where a script puts the scheme before it.
    None,
    /// `ws:` or `wss:`, which stay as they are.
    Other,
}

impl Scheme {
    /// Reads the scheme that ends `text`; `None` where it is one under which no page is found.
    fn before(text: &[u8]) -> Option<Self> {
        let Some(rest) = text.strip_suffix(b":") else {
            return Some(Self::None);
        };
        let letters = run_back(rest, |byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
        });
        let name = rest.get(rest.len() - letters..).unwrap_or_default();
        [&b"https"[..], b"http"]
            .iter()
            // `\nhttps:` ends in a name of six letters.
            .find(|known| {
                name.len() >= known.len()
                    && name
                        .get(name.len() - known.len()..)
                        .is_some_and(|end| end.eq_ignore_ascii_case(known))
            })
            .map(|known| Self::Http(known.len() + 1))
            .or_else(|| {
                let socket = name.eq_ignore_ascii_case(b"ws") || name.eq_ignore_ascii_case(b"wss");
                if socket {
                    Some(Self::Other)
                } else {
                    name.is_empty().then_some(Self::None)
                }
            })
    }
}

/// How much of `authority`, which follows the upstream's name, still belongs to its host and port. `path` follows it.
fn host_rest(authority: &[u8], path: &[u8]) -> usize {
    let mut len = run(authority, is_host);
    match authority.get(len) {
        Some(b':') => {
            let port = authority.get(len + 1..).unwrap_or_default();
            let port_len = run(port, |byte| byte.is_ascii_alphanumeric());
            if port_len > 0 {
                return len + 1 + port_len;
            }
        }
        None if matches!(path.first(), Some(b'/' | b'\\' | b'?' | b'#')) => return len,
        _ => {}
    }
    // A dot that nothing follows ends a sentence.
    len -= run_back(authority.get(..len).unwrap_or_default(), |byte| {
        byte == b'.'
    });
    len
}

/// Where a URL starts of which `text` may hold only the front.
fn unfinished(text: &[u8]) -> usize {
    let authority_len = run_back(text, is_authority);
    if authority_len <= LONGEST_AUTHORITY {
        let before = text.get(..text.len() - authority_len).unwrap_or_default();
        let opened = OPENINGS.iter().find(|opening| ends_with(before, opening));
        if let Some(opening) = opened {
            return before.len() - opening.len();
        }
    }
    (1..LONGEST_OPENING)
        .rev()
        .filter_map(|len| text.len().checked_sub(len))
        .find(|start| {
            let end = text.get(*start..).unwrap_or_default();
            OPENINGS.iter().any(|opening| {
                let front = opening.get(..end.len());
                front.is_some_and(|front| front.eq_ignore_ascii_case(end))
            })
        })
        .unwrap_or(text.len())
}

fn ends_with(text: &[u8], end: &[u8]) -> bool {
    let start = text.len().checked_sub(end.len());
    start
        .and_then(|start| text.get(start..))
        .is_some_and(|found| found.eq_ignore_ascii_case(end))
}

fn run(text: &[u8], of: impl Fn(u8) -> bool) -> usize {
    text.iter().take_while(|byte| of(**byte)).count()
}

fn run_back(text: &[u8], of: impl Fn(u8) -> bool) -> usize {
    text.iter()
        .rev()
        .take(LONGEST_AUTHORITY + 1)
        .take_while(|byte| of(**byte))
        .count()
}

fn is_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'%') || !byte.is_ascii()
}

/// What user information, a host and a port may consist of in a text that has other uses for `&`, `;` and quotes.
fn is_authority(byte: u8) -> bool {
    is_host(byte)
        || matches!(
            byte,
            b':' | b'@' | b'~' | b'!' | b'$' | b'*' | b'+' | b'=' | b'&'
        )
}

fn is_path(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'<' | b'>' | b'`')
}

/// How a URL may start; longer ones first.
const OPENINGS: [&[u8]; 6] = [
    b"https:\\/\\/",
    b"http:\\/\\/",
    b"https://",
    b"http://",
    b"\\/\\/",
    b"//",
];

const LONGEST_OPENING: usize = 10;

/// How far an authority is read. A host name has at most 253 characters.
const LONGEST_AUTHORITY: usize = 512;

/// How much of what stands before a URL is looked at: a scheme, or an escape such as `\u003e`.
const CONTEXT: usize = 16;

#[cfg(test)]
mod tests;
