//! A store of responses that behaves as Cloudflare's Cache API does: it refuses what that refuses, forgets what has
//! expired, and does not honour `Vary`.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    time::Duration,
};

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http::{
    HeaderMap,
    header::{CACHE_CONTROL, SET_COOKIE, VARY},
};

use super::{FakePlatform, FakeResponse};
use crate::{
    headers::HeaderEdits,
    message::ResponseHead,
    platform::{Fetched, ResponseStore, Shelf},
    time::Timestamp,
};

/// How a store is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StoreCondition {
    /// It works.
    #[default]
    Sound,
    /// It finds what it has, and takes nothing new.
    ReadOnly,
    /// It finds nothing and takes nothing.
    Down,
}

#[derive(Default)]
pub(super) struct Store {
    pub(super) condition: Cell<StoreCondition>,
    entries: RefCell<BTreeMap<String, Entry>>,
    shelf: Shelf<FakeKept>,
}

/// A response whose body was read.
#[derive(Debug)]
pub struct FakeKept {
    head: ResponseHead,
    body: Bytes,
}

struct Entry {
    head: ResponseHead,
    body: Option<Bytes>,
    expires: Timestamp,
}

impl ResponseStore for FakePlatform {
    type Kept = FakeKept;

    fn shelf(&self) -> Option<&Shelf<FakeKept>> {
        Some(&self.world.inner.store.shelf)
    }

    async fn keep(&self, mut response: FakeResponse) -> Option<FakeKept> {
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await {
            body.extend_from_slice(&chunk.ok()?);
        }
        Some(FakeKept {
            head: response.head,
            body: Bytes::from(body),
        })
    }

    fn remake(&self, kept: &FakeKept) -> FakeResponse {
        FakeResponse {
            head: kept.head.clone(),
            body: Some(stream::iter([Ok(kept.body.clone())]).boxed_local()),
        }
    }

    async fn lookup(&self, key: &str) -> Option<Fetched<FakeResponse>> {
        if self.world.inner.store.condition.get() == StoreCondition::Down {
            return None;
        }
        let entries = self.world.inner.store.entries.borrow();
        let entry = entries
            .get(key)
            .filter(|entry| self.world.now() < entry.expires)?;
        let body = entry.body.clone();
        Some(Fetched {
            head: entry.head.clone(),
            has_body: body.is_some(),
            response: FakeResponse {
                head: entry.head.clone(),
                body: body.map(|body| stream::iter([Ok(body)]).boxed_local()),
            },
        })
    }

    async fn store(&self, key: &str, mut response: FakeResponse, edits: HeaderEdits) -> bool {
        if self.world.inner.store.condition.get() != StoreCondition::Sound {
            return false;
        }
        edits.apply(&mut response.head.headers);
        let mut body = Vec::new();
        let has_body = response.has_body();
        while let Some(chunk) = response.chunk().await {
            match chunk {
                Ok(chunk) => body.extend_from_slice(&chunk),
                Err(_) => return false,
            }
        }
        let Some(lifetime) = lifetime(&response.head) else {
            return false;
        };
        let entry = Entry {
            head: response.head,
            body: has_body.then(|| Bytes::from(body)),
            expires: self.world.now() + lifetime,
        };
        self.world
            .inner
            .store
            .entries
            .borrow_mut()
            .insert(key.to_owned(), entry);
        true
    }
}

fn lifetime(head: &ResponseHead) -> Option<Duration> {
    let text = |headers: &HeaderMap, name| {
        headers
            .get(name)
            .and_then(|value: &http::HeaderValue| value.to_str().ok())
            .unwrap_or_default()
            .to_ascii_lowercase()
    };
    let control = text(&head.headers, CACHE_CONTROL);
    let refused = matches!(head.status.as_u16(), 206 | 304 | 500..)
        || head.headers.contains_key(SET_COOKIE)
        || text(&head.headers, VARY).contains('*')
        || ["private", "no-store", "no-cache"]
            .iter()
            .any(|word| control.contains(word));
    if refused {
        return None;
    }
    control
        .split(',')
        .find_map(|part| part.trim().strip_prefix("max-age="))
        .and_then(|seconds| seconds.parse().ok())
        .map(Duration::from_secs)
}
