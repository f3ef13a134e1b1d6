//! The head of a response on its way back: what never travels, what leads to the upstream, what described the body
//! the upstream sent.
//!
//! The order is fixed. Behind these edits a caller writes the request's id and the cache's mark, and last of all the
//! operator's own rules.

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

use super::{edit::spliced, links::Mapping, refresh};
use crate::{
    headers::{
        HeaderEdits,
        hop_by_hop::{HOP_BY_HOP, connection_named},
    },
    message::ResponseHead,
};

/// Drops what describes one connection.
///
/// Two names stay whoever declares them the connection's own: what an untouched body is encoded with, without which
/// nobody could read it, and the upgrade of a handshake.
pub(super) fn drop_hop_by_hop(head: &ResponseHead, edits: &mut HeaderEdits) {
    let kept = |name: &HeaderName| {
        *name == header::CONTENT_ENCODING
            || (*name == header::UPGRADE && head.status == StatusCode::SWITCHING_PROTOCOLS)
    };
    for name in connection_named(&head.headers).filter(|name| !kept(name)) {
        drop_present(name, &head.headers, edits);
    }
    for name in HOP_BY_HOP {
        drop_present(name, &head.headers, edits);
    }
}

/// Points at the proxy what leads to the upstream. Says whether `Location` changed.
pub(super) fn point_at_proxy<'a>(
    headers: &HeaderMap,
    mapping: impl Fn() -> &'a Mapping,
    edits: &mut HeaderEdits,
) -> bool {
    let mut rewrite = |name: HeaderName, value: &dyn Fn(&[u8]) -> Option<Vec<u8>>| {
        rewrite_lines(&name, headers, value, edits)
    };
    let redirected = rewrite(header::LOCATION, &|url| mapping().rewritten(url));
    rewrite(header::CONTENT_LOCATION, &|url| mapping().rewritten(url));
    rewrite(header::LINK, &|value| linked(value, mapping()));
    rewrite(header::REFRESH, &|value| refreshed(value, mapping()));
    rewrite(header::SET_COOKIE, &|cookie| rescoped(cookie, mapping()));
    redirected
}

/// Drops what described the body as the upstream sent it.
///
/// A validator that stayed would bring a 304 next time, and with it the body as it was before; a policy that stayed
/// would forbid the page its own, rewritten, addresses.
pub(super) fn drop_descriptions(headers: &HeaderMap, edits: &mut HeaderEdits) {
    for name in DESCRIPTIONS {
        drop_present(name, headers, edits);
    }
}

fn drop_present(name: HeaderName, headers: &HeaderMap, edits: &mut HeaderEdits) {
    if headers.contains_key(&name) {
        edits.remove(name);
    }
}

/// Rewrites every line under `name`, keeping them apart and in order; says whether one changed.
fn rewrite_lines(
    name: &HeaderName,
    headers: &HeaderMap,
    rewritten: &dyn Fn(&[u8]) -> Option<Vec<u8>>,
    edits: &mut HeaderEdits,
) -> bool {
    let mut changed = false;
    let lines: Vec<HeaderValue> = headers
        .get_all(name)
        .iter()
        .map(|line| {
            let rewritten = rewritten(line.as_bytes())
                .and_then(|rewritten| HeaderValue::from_maybe_shared(rewritten).ok());
            changed |= rewritten.is_some();
            rewritten.unwrap_or_else(|| line.clone())
        })
        .collect();
    if !changed {
        return false;
    }
    edits.remove(name.clone());
    for line in lines {
        edits.append(name.clone(), line);
    }
    true
}

fn refreshed(value: &[u8], mapping: &Mapping) -> Option<Vec<u8>> {
    let target = refresh::target(value);
    let rewritten = mapping.rewritten(value.get(target.clone())?)?;
    let (before, after) = (value.get(..target.start)?, value.get(target.end..)?);
    Some([before, &rewritten, after].concat())
}

/// The targets of `Link` stand in angle brackets (RFC 8288); a browser fetches some of them before it has read a byte
/// of the page.
fn linked(value: &[u8], mapping: &Mapping) -> Option<Vec<u8>> {
    let mut edits = Vec::new();
    let mut at = 0;
    while let Some(byte) = value.get(at) {
        let closing = match byte {
            b'<' => b'>',
            b'"' => b'"',
            _ => {
                at += 1;
                continue;
            }
        };
        let start = at + 1;
        let rest = value.get(start..).unwrap_or_default();
        let len = memchr::memchr(closing, rest)?;
        if closing == b'>' {
            let first = edits.len();
            mapping.rewrite(rest.get(..len)?, true, &mut edits);
            edits
                .iter_mut()
                .skip(first)
                .for_each(|edit| edit.shift(start));
        }
        at = start + len + 1;
    }
    spliced(value, &edits)
}

/// A cookie scoped to the proxy; `None` where nothing changes. A `__Host-` cookie has neither a domain nor another path
/// than `/`, so it is passed on as it is.
fn rescoped(cookie: &[u8], mapping: &Mapping) -> Option<Vec<u8>> {
    let mut parts = cookie.split(|byte| *byte == b';');
    let pair = parts.next()?;
    let is_host_only = pair
        .trim_ascii_start()
        .get(..HOST_PREFIX.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(HOST_PREFIX));
    if is_host_only {
        return None;
    }
    let mut rescoped = pair.to_vec();
    for part in parts {
        match attribute(part, mapping) {
            Attribute::Kept => rescoped.extend([b";", part].concat()),
            Attribute::Written(name, value) => {
                let blanks = part.len() - part.trim_ascii_start().len();
                let blanks = part.get(..blanks).unwrap_or_default();
                rescoped.extend([b";", blanks, name, b"=", &value].concat());
            }
            Attribute::Dropped => {}
        }
    }
    (rescoped != cookie).then_some(rescoped)
}

/// What becomes of a cookie's attribute.
enum Attribute<'a> {
    Kept,
    Written(&'a [u8], Vec<u8>),
    Dropped,
}

fn attribute<'a>(part: &'a [u8], mapping: &Mapping) -> Attribute<'a> {
    let Some(equals) = part.iter().position(|byte| *byte == b'=') else {
        return Attribute::Kept;
    };
    let (name, value) = part.split_at(equals);
    let name = name.trim_ascii();
    let value = value.get(1..).unwrap_or_default().trim_ascii();
    if name.eq_ignore_ascii_case(b"domain") {
        match mapping.cookie_domain(value) {
            Some(domain) => Attribute::Written(b"Domain", domain.as_bytes().to_vec()),
            None => Attribute::Dropped,
        }
    } else if name.eq_ignore_ascii_case(b"path") {
        match mapping.cookie_path(value) {
            Some(path) => Attribute::Written(name, path),
            None => Attribute::Kept,
        }
    } else {
        Attribute::Kept
    }
}

const HOST_PREFIX: &[u8] = b"__Host-";

/// What describes a body or says what its page may do.
const DESCRIPTIONS: [HeaderName; 10] = [
    header::CONTENT_ENCODING,
    header::CONTENT_LENGTH,
    header::ETAG,
    header::LAST_MODIFIED,
    HeaderName::from_static("digest"),
    HeaderName::from_static("content-digest"),
    HeaderName::from_static("repr-digest"),
    HeaderName::from_static("content-md5"),
    header::CONTENT_SECURITY_POLICY,
    header::CONTENT_SECURITY_POLICY_REPORT_ONLY,
];

#[cfg(test)]
mod tests;
