//! Small stored responses that are asked for again and again, in the isolate's own memory for a few seconds.
//!
//! Asking a store is a request of its own, milliseconds away, and most hits fall on a few keys. So a small copy that is
//! asked for twice within [`KEPT`] is kept so long, and served from here while it is fresh. What is done to the store
//! from outside, a purge for instance, is seen [`KEPT`] later; what this isolate stores itself, at once.

use std::{
    cell::RefCell,
    collections::{HashMap, HashSet},
    fmt,
    rc::Rc,
    time::Duration,
};

use http::{
    Method,
    header::{CONTENT_ENCODING, CONTENT_LENGTH},
};

use crate::{hash::fnv1a_and_djb2, message::ResponseHead, time::Timestamp};

/// How long a copy is kept, and how soon it has to be asked for again to be.
const KEPT: Duration = Duration::from_secs(5);

/// The largest body that is kept, in bytes.
const LARGEST: u64 = 64 * 1024;

/// So many bytes are kept at most, heads not counted.
const ROOM: u64 = 4 * 1024 * 1024;

/// So many copies are kept at most, so that looking through them stays quick.
const COPIES: usize = 256;

/// So many keys are remembered to have been asked for.
const ASKED: usize = 1024;

/// A place for copies whose bodies the platform keeps as a `T`.
pub struct Shelf<T> {
    inner: RefCell<Inner<T>>,
}

struct Inner<T> {
    copies: HashMap<String, Kept<T>>,
    bytes: u64,
    /// Keys that were asked for since `asked_since`, shortened: two that fall together cost a place and mix up nothing.
    asked: HashSet<(u32, u32)>,
    asked_since: Timestamp,
}

struct Kept<T> {
    copy: Rc<Copy<T>>,
    until: Timestamp,
}

/// One copy.
pub(crate) struct Copy<T> {
    /// What the store said of it.
    pub(crate) head: ResponseHead,
    /// When it was stored.
    pub(crate) stored_at: Timestamp,
    /// Bytes of its body.
    pub(crate) length: u64,
    /// Its body.
    pub(crate) body: T,
}

/// The length of a body that is small enough to be kept.
pub(crate) fn keepable(method: &Method, head: &ResponseHead, has_body: bool) -> Option<u64> {
    // A body that is encoded would have to be decoded first, and a HEAD has none.
    if *method != Method::GET || !has_body || head.headers.contains_key(CONTENT_ENCODING) {
        return None;
    }
    let length = head.headers.get(CONTENT_LENGTH)?.to_str().ok()?;
    length.parse().ok().filter(|length| *length <= LARGEST)
}

impl<T> Shelf<T> {
    /// The copy under `key`.
    pub(crate) fn copy(&self, key: &str, now: Timestamp) -> Option<Rc<Copy<T>>> {
        let inner = self.inner.borrow();
        let kept = inner.copies.get(key)?;
        (now < kept.until).then(|| Rc::clone(&kept.copy))
    }

    /// Notes that `key` was asked for, and says whether a copy of `length` bytes is to be kept under it: it was asked for
    /// a moment ago, and there is room.
    pub(crate) fn takes(&self, key: &str, length: u64, now: Timestamp) -> bool {
        self.inner
            .borrow_mut()
            .takes(fnv1a_and_djb2(key), length, now)
    }

    /// Keeps a copy under `key`.
    pub(crate) fn put(&self, key: &str, copy: Rc<Copy<T>>, now: Timestamp) {
        let mut inner = self.inner.borrow_mut();
        inner.remove(key);
        inner.bytes += copy.length;
        let until = now + KEPT;
        inner.copies.insert(key.to_owned(), Kept { copy, until });
    }

    /// Takes the copy under `key` away: there is a newer one in the store.
    pub(crate) fn clear(&self, key: &str) {
        self.inner.borrow_mut().remove(key);
    }
}

impl<T> Inner<T> {
    fn takes(&mut self, slot: (u32, u32), length: u64, now: Timestamp) -> bool {
        if now.since(self.asked_since) >= KEPT || self.asked.len() >= ASKED {
            self.asked.clear();
            self.asked_since = now;
        }
        if self.asked.insert(slot) {
            return false;
        }
        if !self.has_room(length) {
            self.copies.retain(|_, kept| now < kept.until);
            self.bytes = self.copies.values().map(|kept| kept.copy.length).sum();
        }
        self.has_room(length)
    }

    fn has_room(&self, length: u64) -> bool {
        self.copies.len() < COPIES && self.bytes + length <= ROOM
    }

    fn remove(&mut self, key: &str) {
        if let Some(kept) = self.copies.remove(key) {
            self.bytes -= kept.copy.length;
        }
    }
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self {
            inner: RefCell::new(Inner {
                copies: HashMap::new(),
                bytes: 0,
                asked: HashSet::new(),
                asked_since: Timestamp::from_millis(0),
            }),
        }
    }
}

impl<T> fmt::Debug for Shelf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = self.inner.borrow();
        f.debug_struct("Shelf")
            .field("copies", &inner.copies.len())
            .field("bytes", &inner.bytes)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue, StatusCode};

    use super::*;

    const fn at(millis: u64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn head(headers: &[(&'static str, &'static str)]) -> ResponseHead {
        let headers = headers.iter().map(|(name, value)| {
            (
                name.parse().expect("a name"),
                HeaderValue::from_static(value),
            )
        });
        ResponseHead {
            status: StatusCode::OK,
            headers: HeaderMap::from_iter(headers),
        }
    }

    fn copy(length: u64) -> Rc<Copy<()>> {
        Rc::new(Copy {
            head: head(&[]),
            stored_at: at(0),
            length,
            body: (),
        })
    }

    /// Asks for `key` as a request does that finds a copy in the store.
    fn ask(shelf: &Shelf<()>, key: &str, length: u64, now: u64) -> bool {
        let takes = shelf.takes(key, length, at(now));
        if takes {
            shelf.put(key, copy(length), at(now));
        }
        takes
    }

    #[test]
    fn what_is_asked_for_twice_in_a_moment_is_kept_for_a_moment() {
        let shelf = Shelf::default();
        assert!(!ask(&shelf, "a", 1, 10_000));
        assert!(shelf.copy("a", at(10_000)).is_none());
        assert!(!ask(&shelf, "b", 1, 11_000));
        assert!(ask(&shelf, "a", 1, 14_999));
        assert!(shelf.copy("a", at(14_999)).is_some());
        assert!(shelf.copy("b", at(14_999)).is_none());
        assert!(shelf.copy("a", at(19_998)).is_some());
        assert!(shelf.copy("a", at(19_999)).is_none());
    }

    #[test]
    fn what_is_asked_for_twice_with_a_long_time_between_is_not() {
        let shelf = Shelf::default();
        assert!(!ask(&shelf, "a", 1, 0));
        assert!(!ask(&shelf, "a", 1, 5000));
        assert!(ask(&shelf, "a", 1, 9999));
    }

    #[test]
    fn what_was_stored_anew_is_not_served_from_memory() {
        let shelf = Shelf::default();
        assert!(!ask(&shelf, "a", 1, 0));
        assert!(ask(&shelf, "a", 1, 1));
        shelf.clear("a");
        assert!(shelf.copy("a", at(1)).is_none());
    }

    #[test]
    fn there_is_an_end_to_what_is_kept() {
        let shelf = Shelf::default();
        let keys: Vec<_> = (0..200).map(|number| format!("key {number}")).collect();
        let taken = |length: u64, from: u64| {
            let each = |key: &String| {
                ask(&shelf, key, length, from);
                ask(&shelf, key, length, from)
            };
            keys.iter().filter(|key| each(key)).count()
        };
        assert_eq!(taken(LARGEST, 0), 64, "4 MB");
        assert_eq!(taken(LARGEST, 4999), 0, "all of them are still kept");
        assert_eq!(taken(LARGEST, 10_000), 64, "as much again");
    }

    #[test]
    fn many_small_ones_have_an_end_too() {
        let shelf = Shelf::default();
        for number in 0..2000 {
            let key = format!("key {number}");
            ask(&shelf, &key, 0, 0);
            ask(&shelf, &key, 0, 0);
        }
        let inner = shelf.inner.borrow();
        assert_eq!(inner.copies.len(), COPIES);
        assert!(inner.asked.len() <= ASKED);
    }

    #[test]
    fn only_small_bodies_of_known_length_are_kept() {
        let keepable =
            |method, headers: &[_], has_body| keepable(&method, &head(headers), has_body);
        assert_eq!(
            keepable(Method::GET, &[("content-length", "65536")], true),
            Some(65_536)
        );
        for (method, headers, has_body) in [
            (Method::GET, &[("content-length", "65537")][..], true),
            (Method::GET, &[("content-length", "-1")], true),
            (Method::GET, &[], true),
            (
                Method::GET,
                &[("content-length", "9"), ("content-encoding", "br")],
                true,
            ),
            (Method::GET, &[("content-length", "9")], false),
            (Method::HEAD, &[("content-length", "9")], true),
        ] {
            assert_eq!(
                keepable(method, headers, has_body),
                None,
                "{headers:?} {has_body}"
            );
        }
    }
}
