//! One URL of the upstream to its URL on the proxy, and the path a visitor knows it under.
//!
//! A URL is judged whole and read the way browsers read it (WHATWG URL): blanks around it and line breaks inside it
//! do not count, `\` is `/`, what stands before an `@` is no host. Nothing is ever replaced because it looks like
//! the upstream's name.
//!
//! The way back is the inverse of the way out: a request to `/prefix/x` went to `/base/x`, so `/base/x` comes back as
//! `/prefix/x`. A path outside the base stays as it is. Where a route neither strips a prefix nor has a base path,
//! only scheme and host change.

use std::sync::Arc;

use super::edit::{Edit, spliced};
use crate::net::Upstream;

/// Where the answering upstream's URLs lead on the proxy.
#[derive(Debug, Clone)]
pub(super) struct Mapping {
    /// The upstream's host, in lower case and without a dot at its end.
    upstream: String,
    /// The upstream's port, where the route writes one.
    port: Option<u16>,
    /// The upstream's base path; empty where there is none.
    base: String,
    /// `https` or `http`, as the visitor asked.
    scheme: String,
    /// The proxy's host without its port, in lower case.
    hostname: String,
    /// The stripped prefix as the route writes it, without a slash at its end.
    raw_prefix: String,
    /// The same as a link carries it.
    prefix: Arc<str>,
    /// `https://proxy:8443`, and followed by the prefix.
    absolute: Placed,
    /// `//proxy:8443`, and followed by the prefix.
    protocol_relative: Placed,
    /// `proxy:8443`, and followed by the prefix.
    authority: Placed,
    /// `https://`, where user information has to stay between it and the host.
    scheme_slashes: Arc<str>,
}

/// What is written for a URL whose path lies outside the upstream's base path, or below it.
#[derive(Debug, Clone)]
struct Placed {
    outside: Arc<str>,
    below: Arc<str>,
}

impl Mapping {
    /// `scheme`, `authority` and `hostname` are the proxy's as the visitor sees them.
    pub(super) fn new(
        upstream: &Upstream,
        scheme: &str,
        authority: &str,
        hostname: &str,
        stripped_prefix: Option<&str>,
    ) -> Self {
        let raw_prefix = stripped_prefix.unwrap_or_default().trim_end_matches('/');
        let prefix = link_safe(raw_prefix);
        let authority = link_safe(authority);
        let placed = |before: &str| Placed {
            outside: format!("{before}{authority}").into(),
            below: format!("{before}{authority}{prefix}").into(),
        };
        Self {
            upstream: without_dot(upstream.hostname()).to_owned(),
            port: upstream.port(),
            base: upstream.base().to_owned(),
            scheme: scheme.to_owned(),
            hostname: hostname.to_owned(),
            raw_prefix: raw_prefix.to_owned(),
            absolute: placed(&format!("{scheme}://")),
            protocol_relative: placed("//"),
            authority: placed(""),
            scheme_slashes: format!("{scheme}://").into(),
            prefix: prefix.into(),
        }
    }

    /// Adds the edits that point `url` at the proxy; says whether there were any. With `rooted`, `/path` is mapped as
    /// well.
    pub(super) fn rewrite(&self, url: &[u8], rooted: bool, edits: &mut Vec<Edit>) -> bool {
        let is_blank = |byte: &u8| *byte <= b' ';
        let blanks = url.iter().take_while(|byte| is_blank(byte)).count();
        if !matches!(url.get(blanks), Some(b'h' | b'H' | b'/' | b'\\')) {
            return false;
        }
        let end = url.len() - url.iter().rev().take_while(|byte| is_blank(byte)).count();
        let text = url.get(blanks..end).unwrap_or_default();
        if memchr::memchr3(b'\t', b'\n', b'\r', text).is_some() {
            let (places, text): (Vec<usize>, Vec<u8>) = (blanks..)
                .zip(text.iter().copied())
                .filter(|(_, byte)| !is_ignored(*byte))
                .unzip();
            let place = |at: usize| places.get(at).copied().unwrap_or(end);
            self.judge(&text, rooted, place, edits)
        } else {
            self.judge(text, rooted, |at| at + blanks, edits)
        }
    }

    /// `url` as the proxy's; `None` where it is not the upstream's.
    pub(super) fn rewritten(&self, url: &[u8]) -> Option<Vec<u8>> {
        let mut edits = Vec::new();
        self.rewrite(url, true, &mut edits);
        spliced(url, &edits)
    }

    fn judge(
        &self,
        url: &[u8],
        rooted: bool,
        place: impl Fn(usize) -> usize,
        edits: &mut Vec<Edit>,
    ) -> bool {
        let (written, authority_start) = match self.start(url) {
            Start::Absolute(at) => (&self.absolute, at),
            Start::ProtocolRelative(at) => (&self.protocol_relative, at),
            Start::Rooted if rooted => return self.map_rooted(url, place, edits),
            Start::Rooted | Start::Other => return false,
        };
        let rest = url.get(authority_start..).unwrap_or_default();
        let authority_len = rest
            .iter()
            .position(|byte| is_authority_end(*byte))
            .unwrap_or(rest.len());
        let (authority, path) = rest.split_at(authority_len);
        let user_len = authority
            .iter()
            .rposition(|byte| *byte == b'@')
            .map_or(0, |at| at + 1);
        if !self.is_upstream(authority.get(user_len..).unwrap_or_default()) {
            return false;
        }
        let path_start = authority_start + authority_len;
        let (cut, below) = match self.below_base(path) {
            Some(base) => (path_start + base, true),
            None => (path_start, false),
        };
        let mut edit = |start: usize, end: usize, with: &Arc<str>| {
            edits.push(Edit {
                range: place(start)..place(end),
                with: with.clone(),
            });
        };
        if user_len == 0 {
            edit(0, cut, written.choose(below));
        } else {
            if matches!(url.first(), Some(b'h' | b'H')) {
                edit(0, authority_start, &self.scheme_slashes);
            }
            edit(
                authority_start + user_len,
                cut,
                self.authority.choose(below),
            );
        }
        true
    }

    /// How a URL starts, and where its authority does.
    fn start(&self, url: &[u8]) -> Start {
        let scheme = [&b"https:"[..], b"http:"].into_iter().find(|scheme| {
            url.get(..scheme.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
        });
        let scheme_len = scheme.map_or(0, <[u8]>::len);
        let slashes = url
            .iter()
            .skip(scheme_len)
            .take_while(|byte| is_slash(**byte))
            .count();
        match scheme {
            // `https:x` and `https:/x` are relative to a page of the same scheme, and absolute on any other.
            Some(scheme) if slashes >= 2 || !scheme.starts_with(self.scheme_colon()) => {
                Start::Absolute(scheme_len + slashes)
            }
            Some(_) => Start::Other,
            None if slashes >= 2 => Start::ProtocolRelative(slashes),
            None if slashes == 1 => Start::Rooted,
            None => Start::Other,
        }
    }

    fn scheme_colon(&self) -> &[u8] {
        if self.scheme == "http" {
            b"http:"
        } else {
            b"https:"
        }
    }

    fn map_rooted(
        &self,
        path: &[u8],
        place: impl Fn(usize) -> usize,
        edits: &mut Vec<Edit>,
    ) -> bool {
        if !self.maps_paths() {
            return false;
        }
        let Some(cut) = self.below_base(path) else {
            return false;
        };
        let with = match path.get(cut..).unwrap_or_default() {
            _ if !self.prefix.is_empty() => self.prefix.clone(),
            // What is left would start with two slashes and name a host.
            [a, b, ..] if is_slash(*a) && is_slash(*b) => self.absolute.outside.clone(),
            [a, ..] if is_slash(*a) => self.prefix.clone(),
            _ => "/".into(),
        };
        edits.push(Edit {
            range: place(0)..place(cut),
            with,
        });
        true
    }

    /// Whether paths change on the way back.
    pub(super) fn maps_paths(&self) -> bool {
        !self.prefix.is_empty() || !self.base.is_empty()
    }

    /// How many bytes of `path` are the base path; `None` where the path lies outside it.
    pub(super) fn below_base(&self, path: &[u8]) -> Option<usize> {
        let rest = path.strip_prefix(self.base.as_bytes())?;
        let inside =
            self.base.is_empty() || matches!(rest.first(), None | Some(b'/' | b'\\' | b'?' | b'#'));
        inside.then_some(self.base.len())
    }

    /// Whether `authority`, without user information, is the upstream or a subdomain of it.
    ///
    /// No port, a default port and the upstream's own are the same place; any other port is another service.
    pub(super) fn is_upstream(&self, authority: &[u8]) -> bool {
        let (host, port) = match authority.iter().rposition(|byte| *byte == b':') {
            Some(at) => (authority.get(..at), authority.get(at + 1..)),
            None => (Some(authority), None),
        };
        self.is_upstream_port(port.unwrap_or_default())
            && self.is_upstream_host(host.unwrap_or_default())
    }

    fn is_upstream_port(&self, port: &[u8]) -> bool {
        if port.is_empty() {
            return true;
        }
        let digits = port.iter().all(u8::is_ascii_digit);
        let port = str::from_utf8(port).ok().and_then(|port| port.parse().ok());
        digits && port.is_some_and(|port: u16| matches!(port, 80 | 443) || self.port == Some(port))
    }

    fn is_upstream_host(&self, host: &[u8]) -> bool {
        if host.iter().all(|byte| byte.is_ascii() && *byte != b'%') {
            return self.is_upstream_name(host);
        }
        // Browsers decode such a host before they ask for its address.
        let parsed = str::from_utf8(host).map(url::Host::parse);
        match parsed {
            Ok(Ok(url::Host::Domain(name))) => self.is_upstream_name(name.as_bytes()),
            _ => false,
        }
    }

    fn is_upstream_name(&self, host: &[u8]) -> bool {
        let host = host.strip_suffix(b".").unwrap_or(host);
        let Some(labels_len) = host.len().checked_sub(self.upstream.len()) else {
            return false;
        };
        let (labels, name) = host.split_at(labels_len);
        if !name.eq_ignore_ascii_case(self.upstream.as_bytes()) {
            return false;
        }
        let Some(labels) = labels.strip_suffix(b".") else {
            return labels.is_empty();
        };
        // A proxy below its upstream's own name is not one more subdomain: its links are as they should be.
        !host.eq_ignore_ascii_case(self.hostname.as_bytes())
            && labels.split(|byte| *byte == b'.').all(|label| {
                !label.is_empty()
                    && label
                        .iter()
                        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
            })
    }

    /// Whether `url`, as the base of a page, takes `/path` to another host.
    pub(super) fn leads_elsewhere(&self, url: &[u8]) -> bool {
        let (Start::Absolute(at) | Start::ProtocolRelative(at)) = self.start(url) else {
            return false;
        };
        let rest = url.get(at..).unwrap_or_default();
        let len = rest
            .iter()
            .position(|byte| is_authority_end(*byte))
            .unwrap_or(rest.len());
        let authority = rest.get(..len).unwrap_or_default();
        !self.is_upstream(authority)
            && !authority.eq_ignore_ascii_case(self.authority.outside.as_bytes())
    }

    /// What a cookie's `Domain` becomes: the proxy's host where it names the upstream or a subdomain of it, otherwise
    /// nothing, because a foreign scope can neither be kept nor claimed.
    pub(super) fn cookie_domain(&self, domain: &[u8]) -> Option<&str> {
        let domain = domain.strip_prefix(b".").unwrap_or(domain);
        (self.is_upstream_name(domain) || domain.eq_ignore_ascii_case(self.hostname.as_bytes()))
            .then_some(self.hostname.as_str())
    }

    /// What a cookie's `Path` becomes; `None` where it stays as it is.
    pub(super) fn cookie_path(&self, path: &[u8]) -> Option<Vec<u8>> {
        if !self.maps_paths() || path.first() != Some(&b'/') {
            return None;
        }
        let rest = path.get(self.below_base(path)?..).unwrap_or_default();
        // Below `/prefix/` a cookie would be missing on `/prefix`, which reaches the same page.
        let rest = if rest == b"/" { b"" } else { rest };
        let mapped = [self.raw_prefix.as_bytes(), rest].concat();
        Some(if mapped.is_empty() {
            b"/".to_vec()
        } else {
            mapped
        })
    }

    /// The upstream's host, as it is looked for in text.
    pub(super) fn upstream_host(&self) -> &str {
        &self.upstream
    }

    /// What stands for `scheme://host` and the base path, before a path below it or outside.
    pub(super) fn site(&self, below: bool) -> &Arc<str> {
        self.absolute.choose(below)
    }

    /// What stands for `host` and the base path, before a path below it or outside.
    pub(super) fn host(&self, below: bool) -> &Arc<str> {
        self.authority.choose(below)
    }

    /// The length of the base path, which has to be seen before a URL can be judged.
    pub(super) fn base_len(&self) -> usize {
        self.base.len()
    }
}

impl Placed {
    fn choose(&self, below: bool) -> &Arc<str> {
        if below { &self.below } else { &self.outside }
    }
}

enum Start {
    Absolute(usize),
    ProtocolRelative(usize),
    Rooted,
    Other,
}

fn without_dot(host: &str) -> &str {
    host.strip_suffix('.').unwrap_or(host)
}

fn is_slash(byte: u8) -> bool {
    matches!(byte, b'/' | b'\\')
}

fn is_authority_end(byte: u8) -> bool {
    matches!(byte, b'/' | b'\\' | b'?' | b'#')
}

/// URL parsers drop these wherever they stand.
fn is_ignored(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\r')
}

/// `text` with everything percent-encoded that could end a URL, an attribute, a style or a header where it is put
/// in. What matching takes for the same path is the same path.
fn link_safe(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/:@!$*+=[]%".contains(&byte) {
            safe.push(char::from(byte));
        } else {
            safe.push_str(&format!("%{byte:02X}"));
        }
    }
    safe
}

#[cfg(test)]
mod tests;
