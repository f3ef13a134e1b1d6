//! Which participant of a weighted split a caller is assigned to: by a stable hash of something the caller sent, or by
//! the cookie an earlier assignment left. Nothing but the request is read, so every assignment can be reproduced.

use std::{borrow::Cow, cell::OnceCell};

use http::{HeaderName, HeaderValue, header};

use super::ring::Ring;
use crate::{
    config::{
        Code, Issues, Path, Reported, RouteDocument, bounds,
        document::{HashBy, HashType, SplitEntry, StickyBy},
        header_rules, upstream,
    },
    hash::fnv1a,
    headers::{Edit, cookie::cookie},
    message::RequestHead,
    net::Upstream,
    outcome::{Selection, SelectionReason, SelectionScope},
};

/// A compiled `trafficSplit`, without the participants themselves.
#[derive(Debug, Clone)]
pub(super) struct Split {
    /// Joins the hashed text, so that two routes spread the same callers differently.
    route_id: String,
    key: Key,
    spread: Spread,
    sticky: bool,
}

/// How the hashed key maps onto participants.
#[derive(Debug, Clone)]
enum Spread {
    /// By remainder: the running sums of the weights.
    Modulo(Vec<u32>),
    /// By arc. The ring is made for the first caller and not while compiling, where a table of thousands of such routes
    /// would cost more than a start may take.
    Consistent {
        weights: Vec<u32>,
        ring: OnceCell<Ring>,
    },
}

/// What the hash is taken over.
#[derive(Debug, Clone)]
enum Key {
    Ip,
    Path,
    Url,
    Header(HeaderName),
    Cookie(String),
    Query(String),
}

impl Split {
    /// Compiles `trafficSplit`, `hashBy`, `hashType` and `stickyBy`; gives the participants in declared order beside it.
    pub(super) fn compile(
        route: &RouteDocument,
        entries: &[SplitEntry],
        at: &Path<'_>,
        issues: &mut Issues,
    ) -> Result<(Vec<Upstream>, Self), Reported> {
        let participants = participants(
            entries,
            upstream::allows_private(route),
            &at.key("trafficSplit"),
            issues,
        );
        let key = Key::compile(route.hash_by.as_ref(), &at.key("hashBy"), issues);
        let (participants, key) = (participants?, key?);
        let spread = match route.hash_type.unwrap_or_default() {
            HashType::Modulo => Spread::Modulo(
                participants
                    .iter()
                    .scan(0, |sum, (_, weight)| {
                        *sum += weight;
                        Some(*sum)
                    })
                    .collect(),
            ),
            HashType::Consistent => Spread::Consistent {
                weights: participants.iter().map(|(_, weight)| *weight).collect(),
                ring: OnceCell::new(),
            },
        };
        let split = Self {
            route_id: route.id.clone().unwrap_or_default(),
            key,
            spread,
            sticky: matches!(route.sticky_by, Some(StickyBy::Cookie)),
        };
        let upstreams = participants
            .into_iter()
            .map(|(upstream, _)| upstream)
            .collect();
        Ok((upstreams, split))
    }

    /// Assigns a caller.
    pub(super) fn select(&self, participants: &[Upstream], head: &RequestHead) -> Selection {
        let remembered = self
            .sticky
            .then(|| cookie(&head.headers, COOKIE_NAME))
            .flatten();
        let listed = |name: &str| participants.iter().position(|up| up.authority() == name);
        if let Some(index) = remembered.and_then(listed) {
            return Selection {
                index,
                reason: SelectionReason::Sticky,
                scope: SelectionScope::None,
            };
        }
        let (key, scope) = self.key.read(head);
        let index = match &self.spread {
            Spread::Modulo(sums) => {
                let total = sums.last().copied().unwrap_or(1).max(1);
                let remainder = fnv1a(&format!("{} {key}", self.route_id)) % total;
                sums.partition_point(|sum| *sum <= remainder)
            }
            Spread::Consistent { weights, ring } => ring
                .get_or_init(|| {
                    let authorities = participants.iter().map(Upstream::authority);
                    Ring::new(authorities.zip(weights.iter().copied()))
                })
                .owner(fnv1a(&key)),
        };
        Selection {
            index,
            reason: SelectionReason::Weighted,
            scope,
        }
    }

    /// The cookie that keeps a newly assigned caller on the upstream that answered; `None` where a cookie decided
    /// already, or none is wanted.
    pub(super) fn cookie(&self, selection: Selection, answered: &str) -> Option<Edit> {
        let wanted = self.sticky && selection.reason == SelectionReason::Weighted;
        let text = format!("{COOKIE_NAME}={answered}; Path=/; HttpOnly; SameSite=Lax");
        wanted
            .then(|| HeaderValue::from_str(&text).ok())
            .flatten()
            .map(|value| Edit::Append(header::SET_COOKIE, value))
    }
}

impl Key {
    fn compile(
        stated: Option<&HashBy>,
        at: &Path<'_>,
        issues: &mut Issues,
    ) -> Result<Self, Reported> {
        match stated {
            None | Some(HashBy::Ip) => Ok(Self::Ip),
            Some(HashBy::Path) => Ok(Self::Path),
            Some(HashBy::Url) => Ok(Self::Url),
            Some(HashBy::Header { header }) => {
                header_rules::name(header, |_| None, &at.key("header"), issues).map(Self::Header)
            }
            // A cookie's name follows the grammar of a header's (RFC 6265 section 4.1.1), its letter case apart.
            Some(HashBy::Cookie { cookie }) => {
                if HeaderName::from_bytes(cookie.as_bytes()).is_ok() {
                    return Ok(Self::Cookie(cookie.clone()));
                }
                Err(issues.report(
                    &at.key("cookie"),
                    Code::Value,
                    format!(
                        "expected a cookie name without spaces, \"=\" and \";\"; found {cookie:?}"
                    ),
                ))
            }
            Some(HashBy::Query { query }) => {
                let named = !query.is_empty()
                    && !query.contains(|c: char| c.is_whitespace() || matches!(c, '&' | '=' | '#'));
                if named {
                    return Ok(Self::Query(query.clone()));
                }
                Err(issues.report(
                    &at.key("query"),
                    Code::Value,
                    format!("expected the name of a query parameter, without spaces, \"&\", \"=\" and \"#\"; found {query:?}"),
                ))
            }
        }
    }

    /// The text to hash. Callers whose content key is missing are hashed by address instead, so that they stay
    /// spread out; an empty value is a value.
    fn read<'h>(&'h self, head: &'h RequestHead) -> (Cow<'h, str>, SelectionScope) {
        let content = match self {
            Self::Ip => None,
            Self::Path => Some((Cow::Borrowed(head.url.path()), SelectionScope::Path)),
            Self::Url => Some((Cow::Borrowed(head.url.as_str()), SelectionScope::Url)),
            Self::Header(name) => combined(head, name).map(|value| (value, SelectionScope::Header)),
            Self::Cookie(name) => cookie(&head.headers, name)
                .map(|value| (Cow::Borrowed(value), SelectionScope::Cookie)),
            Self::Query(name) => parameter(head, name).map(|value| (value, SelectionScope::Query)),
        };
        content.unwrap_or_else(|| match head.address() {
            Some(address) => (Cow::Borrowed(address), SelectionScope::Ip),
            None => (Cow::Borrowed(""), SelectionScope::None),
        })
    }
}

/// Compiles participants with their weights. An authority may appear once, because a cookie and a ring know a
/// participant by nothing else.
fn participants(
    entries: &[SplitEntry],
    allow_private: bool,
    at: &Path<'_>,
    issues: &mut Issues,
) -> Result<Vec<(Upstream, u32)>, Reported> {
    let mut failed = super::count(entries.len(), at, issues).err();
    let mut compiled: Vec<(Upstream, u32)> = Vec::new();
    for (index, SplitEntry { upstream, weight }) in entries.iter().enumerate() {
        let at = at.index(index);
        let upstream = upstream::compile(
            upstream.as_deref(),
            allow_private,
            &at.key("upstream"),
            issues,
        );
        let weight = self::weight(*weight, &at.key("weight"), issues);
        match (upstream, weight) {
            (Ok(upstream), Ok(_))
                if compiled
                    .iter()
                    .any(|(other, _)| other.authority() == upstream.authority()) =>
            {
                failed = Some(issues.report(
                    &at.key("upstream"),
                    Code::Duplicate,
                    format!(
                        "\"{}\" takes part in this split already; give it one entry with the sum of the weights",
                        upstream.authority()
                    ),
                ));
            }
            (Ok(upstream), Ok(weight)) => compiled.push((upstream, weight)),
            (Err(reported), _) | (_, Err(reported)) => failed = Some(reported),
        }
    }
    failed.map_or(Ok(compiled), Err)
}

fn weight(stated: Option<u64>, at: &Path<'_>, issues: &mut Issues) -> Result<u32, Reported> {
    if stated.is_none() {
        return Err(issues.report(
            at,
            Code::Required,
            "expected a weight, a whole number from 1 to 1000000; found none",
        ));
    }
    let weight = bounds::whole(stated, 1..=1_000_000, 1, at, issues)?;
    Ok(u32::try_from(weight).unwrap_or(u32::MAX))
}

/// A header's value as scripts see it: all lines joined. Bytes that are no UTF-8 are read as Latin-1.
fn combined<'h>(head: &'h RequestHead, name: &HeaderName) -> Option<Cow<'h, str>> {
    let mut lines = head.headers.get_all(name).iter().map(text);
    let first = lines.next()?;
    Some(lines.fold(first, |joined, line| {
        Cow::Owned(format!("{joined}, {line}"))
    }))
}

fn text(value: &HeaderValue) -> Cow<'_, str> {
    match std::str::from_utf8(value.as_bytes()) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(value.as_bytes().iter().copied().map(char::from).collect()),
    }
}

/// The first value under a query parameter, form-decoded.
fn parameter<'h>(head: &'h RequestHead, name: &str) -> Option<Cow<'h, str>> {
    url::form_urlencoded::parse(head.url.query()?.as_bytes())
        .find(|(key, _)| key == name)
        .map(|(_, value)| value)
}

const COOKIE_NAME: &str = "__jouska_upstream";

#[cfg(test)]
mod tests;
