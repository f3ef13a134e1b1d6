//! A request as matching reads it.

use std::{borrow::Cow, cell::OnceCell};

use http::HeaderName;

use super::path::{further_spellings, on_the_wire, plainest};
use crate::{
    headers::{combined, cookie::cookie},
    message::RequestHead,
};

/// A request as matching reads it: made once per request and asked by every route, so what takes work is worked out
/// when the first route asks and kept.
#[derive(Debug)]
pub struct Subject<'a> {
    head: &'a RequestHead,
    path: Cow<'a, str>,
    further: OnceCell<Vec<Vec<u8>>>,
    query: OnceCell<Vec<(Cow<'a, str>, Cow<'a, str>)>>,
}

impl<'a> Subject<'a> {
    /// The request as matching reads it.
    pub fn new(head: &'a RequestHead) -> Self {
        Self {
            head,
            path: on_the_wire(head.url.path()),
            further: OnceCell::new(),
            query: OnceCell::new(),
        }
    }

    /// The request itself.
    pub fn head(&self) -> &'a RequestHead {
        self.head
    }

    /// The path as it is sent on: what the visitor wrote, with backslashes and dot segments resolved as any URL parser
    /// would on the way out.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The plainest of its spellings: decoded, resolved, without parameters and repeated separators.
    pub fn plainest(&self) -> Cow<'_, str> {
        plainest(&self.path)
    }

    /// How the path can be spelled: first [`Subject::path`], then what servers may take it for.
    pub fn spellings(&self) -> impl Iterator<Item = &[u8]> {
        std::iter::once(self.path.as_bytes()).chain(
            // The closure puts the work off until a route asks for more than the first.
            std::iter::once_with(|| self.further.get_or_init(|| further_spellings(&self.path)))
                .flatten()
                .map(Vec::as_slice),
        )
    }

    /// The value of a header, several lines joined; `None` where there is none.
    pub(super) fn header(&self, name: &HeaderName) -> Option<Cow<'a, [u8]>> {
        combined(&self.head.headers, name)
    }

    /// The first value of a query parameter after form decoding, in which `+` is a space; `None` where there is none.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.query
            .get_or_init(|| {
                let query = self.head.url.query().unwrap_or_default();
                url::form_urlencoded::parse(query.as_bytes()).collect()
            })
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_ref())
    }

    /// The value of the first cookie of that name; `None` where there is none.
    pub(super) fn cookie(&self, name: &str) -> Option<&'a str> {
        cookie(&self.head.headers, name)
    }
}
