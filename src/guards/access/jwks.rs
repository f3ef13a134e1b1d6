//! The keys a team publishes, kept between requests.
//!
//! A set is good for an hour. A token that names a key outside it may mean that the team has new keys, so the set is
//! loaded again, but only once it is a minute old: otherwise whoever invents names of keys would have the team's
//! endpoint asked as often as they like. A load that failed is not repeated for a minute, and what needed it is refused.
//!
//! One request loads and the others wait for it. They look again on timers of their own and never wait for the loading
//! request's future, whose wake-up would run them in another request's context. The loading request may vanish without
//! a word, so its right to load is a lease.

use std::{cell::RefCell, collections::BTreeMap, fmt, pin::pin, rc::Rc, time::Duration};

use futures_util::future::{Either, select};
use http::Method;
use serde::Deserialize;
use serde_json::Value;

use super::jwt::Team;
use crate::{
    crypto,
    headers::HeaderEdits,
    order,
    platform::{Call, CallBody, Clock, Fetch, HeaderBase, ReadBody, Redirect, RsaKey},
    time::Timestamp,
};

/// The keys of all teams, for as long as the isolate lives.
#[derive(Default)]
pub struct Memory {
    teams: RefCell<BTreeMap<Team, Entry>>,
}

/// Why a key is not to be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoKey {
    /// The team publishes no key under that name.
    Unknown,
    /// What the team publishes could not be learned.
    Unavailable,
}

/// A team's keys by name.
type Keys = BTreeMap<String, Rc<RsaKey>>;

/// What is known of one team.
#[derive(Default)]
struct Entry {
    keys: Keys,
    loaded_at: Option<Timestamp>,
    failed_at: Option<Timestamp>,
    /// Until when somebody else is loading.
    lease: Option<Timestamp>,
}

/// What a request that needs a key does next.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Use(Rc<RsaKey>),
    Refuse(NoKey),
    /// Somebody else is loading.
    Wait,
    /// This request loads, and has until then.
    Load(Timestamp),
}

/// The right to load a team's keys, given back when it is dropped.
struct Lead<'m> {
    memory: &'m Memory,
    team: &'m Team,
    lease: Timestamp,
}

/// Finds a team's key by its name.
pub(super) async fn find<P>(
    team: &Team,
    key_id: &str,
    memory: &Memory,
    platform: &P,
) -> Result<Rc<RsaKey>, NoKey>
where
    P: Clock + Fetch + ReadBody,
{
    let started = platform.now();
    loop {
        let now = platform.now();
        match memory.next_step(team, key_id, now) {
            Step::Use(key) => return Ok(key),
            Step::Refuse(missing) => return Err(missing),
            // Two leaders in a row have vanished; the visitor has waited long enough.
            Step::Wait if now.since(started) > DEADLINE * 2 => return Err(NoKey::Unavailable),
            Step::Wait => platform.sleep(POLL).await,
            Step::Load(lease) => {
                let lead = Lead {
                    memory,
                    team,
                    lease,
                };
                let keys = match select(pin!(load(team, platform)), pin!(platform.sleep(DEADLINE)))
                    .await
                {
                    Either::Left((keys, _)) => keys,
                    Either::Right(_) => None,
                };
                lead.settle(keys, platform.now());
            }
        }
    }
}

impl Memory {
    fn next_step(&self, team: &Team, key_id: &str, now: Timestamp) -> Step {
        let mut teams = self.teams.borrow_mut();
        if let Some(entry) = teams.get_mut(team) {
            return entry.next_step(key_id, now);
        }
        if teams.len() >= MOST_TEAMS {
            teams.pop_first();
        }
        let entry = teams.entry(team.clone()).or_default();
        entry.next_step(key_id, now)
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory")
            .field("teams", &self.teams.try_borrow().map(|teams| teams.len()))
            .finish()
    }
}

impl Entry {
    fn next_step(&mut self, key_id: &str, now: Timestamp) -> Step {
        if let Some(age) = self
            .loaded_at
            .map(|at| now.since(at))
            .filter(|age| *age < GOOD_FOR)
        {
            if let Some(key) = self.keys.get(key_id) {
                return Step::Use(Rc::clone(key));
            }
            if age <= LOAD_AGAIN_AFTER {
                return Step::Refuse(NoKey::Unknown);
            }
        }
        if self
            .failed_at
            .is_some_and(|at| now.since(at) < REMEMBER_FAILURE)
        {
            return Step::Refuse(NoKey::Unavailable);
        }
        if self.lease.is_some_and(|until| now < until) {
            return Step::Wait;
        }
        let until = now + DEADLINE;
        self.lease = Some(until);
        Step::Load(until)
    }
}

impl Lead<'_> {
    /// Keeps what was loaded, or that nothing was.
    fn settle(self, keys: Option<Keys>, now: Timestamp) {
        let mut teams = self.memory.teams.borrow_mut();
        if let Some(entry) = teams.get_mut(self.team) {
            match keys {
                Some(keys) => {
                    entry.keys = keys;
                    entry.loaded_at = Some(now);
                    entry.failed_at = None;
                }
                // Keys that are still good stay: only who needs a newer set is refused.
                None => entry.failed_at = Some(now),
            }
        }
    }
}

impl Drop for Lead<'_> {
    fn drop(&mut self) {
        if let Ok(mut teams) = self.memory.teams.try_borrow_mut()
            && let Some(entry) = teams.get_mut(self.team)
            // Another request may have taken over meanwhile.
            && entry.lease == Some(self.lease)
        {
            entry.lease = None;
        }
    }
}

/// Asks the team's endpoint; `None` for whatever is no set of keys.
async fn load<P>(team: &Team, platform: &P) -> Option<Keys>
where
    P: Fetch + ReadBody,
{
    let call = Call {
        url: team.certs_url(),
        method: Method::GET,
        base: HeaderBase::Empty,
        edits: HeaderEdits::default(),
        body: CallBody::None,
        // A redirect could name any host.
        redirect: Redirect::Manual,
        budget: DEADLINE,
        // Others wait for the keys too.
        follow_visitor: false,
    };
    let fetched = platform.fetch(call).await.ok()?;
    if !fetched.head.status.is_success() {
        platform.discard(fetched.response);
        return None;
    }
    let text = platform
        .read_text(fetched.response, MOST_BYTES, DEADLINE)
        .await?;
    keys_of(&text)
}

/// The usable keys of a set (RFC 7517 section 5). An entry of another kind does not spoil the others.
fn keys_of(text: &str) -> Option<Keys> {
    #[derive(Deserialize)]
    struct KeySet {
        keys: Vec<Value>,
    }
    let set: KeySet = serde_json::from_str(text).ok()?;
    Some(order::map(
        set.keys.iter().filter_map(named_key).take(MOST_KEYS),
    ))
}

fn named_key(entry: &Value) -> Option<(String, Rc<RsaKey>)> {
    let member = |name| entry.get(name).and_then(Value::as_str);
    let is_for_rs256 = member("kty") == Some("RSA")
        && matches!(member("alg"), None | Some("RS256"))
        && matches!(member("use"), None | Some("sig"));
    let (id, n, e) = (member("kid")?, member("n")?, member("e")?);
    let length = |number| crypto::base64url_decode(number).map_or(0, |bytes| bytes.len());
    let is_sound = MODULUS_BYTES.contains(&length(n)) && EXPONENT_BYTES.contains(&length(e));
    (is_for_rs256 && is_sound).then(|| {
        let key = RsaKey {
            n: n.to_owned(),
            e: e.to_owned(),
        };
        (id.to_owned(), Rc::new(key))
    })
}

/// How long a loaded set is good for.
const GOOD_FOR: Duration = Duration::from_secs(60 * 60);

/// How old a set must be before a key that is not in it is a reason to load again.
const LOAD_AGAIN_AFTER: Duration = Duration::from_secs(60);

/// How long a failed load is not repeated.
const REMEMBER_FAILURE: Duration = Duration::from_secs(60);

/// Longest load, from asking to the last byte, and so the longest lease.
const DEADLINE: Duration = Duration::from_secs(5);

/// How often a waiting request looks again.
const POLL: Duration = Duration::from_millis(25);

/// Access publishes two keys, each also as a certificate: about 6 KB.
const MOST_BYTES: usize = 128 * 1024;

const MOST_KEYS: usize = 64;

/// Teams come out of the table, not from visitors; the bound only keeps an odd table small.
const MOST_TEAMS: usize = 64;

/// 2,048 bits and more (RFC 7518 section 3.3), up to 8,192, with room for a leading zero.
const MODULUS_BYTES: std::ops::RangeInclusive<usize> = 256..=1025;

const EXPONENT_BYTES: std::ops::RangeInclusive<usize> = 1..=8;

#[cfg(test)]
mod tests;
