//! Whether routes above a route take every request that it would.
//!
//! It is decided by asking the matcher itself about a few requests that stand for all others: the route's corners. What
//! those cannot decide is answered with no, because an alarm that is false is worse than none.

use http::Method;
use percent_encoding::percent_decode_str;

use super::{
    Witness,
    anatomy::{Anatomy, request},
};
use crate::{
    matching::{Policy, Subject, Verdict},
    message::RequestHead,
};

/// How many questions are still asked about one table. A table made to take long gets fewer answers, not more time.
#[derive(Debug)]
pub(super) struct Patience(usize);

impl Patience {
    /// Enough for any table of a thousand routes.
    pub(super) fn new() -> Self {
        Self(4_000_000)
    }

    /// Whether there is some left for one more question.
    fn suffices(&mut self) -> bool {
        let suffices = self.0 > 0;
        self.0 = self.0.saturating_sub(1);
        suffices
    }
}

/// Whether no request reaches the last of `routes`.
pub(super) fn is_unreachable(routes: &[Anatomy<'_>], fresh: &str, patience: &mut Patience) -> bool {
    let Some((later, earlier)) = routes.split_last() else {
        return false;
    };
    if !later.is_answerable() {
        return false;
    }
    let Some(methods) = methods(routes) else {
        return false;
    };
    methods.iter().all(|method| {
        corners(later, method, fresh).is_some_and(|corners| {
            earlier.iter().any(|earlier| {
                patience.suffices()
                    && !earlier.asks_more_than(later)
                    && corners
                        .iter()
                        .all(|corner| patience.suffices() && takes(earlier.policy, corner))
            })
        })
    })
}

/// Methods that stand for all that the last route takes: its own, or one that no route names.
fn methods(routes: &[Anatomy<'_>]) -> Option<Vec<Method>> {
    let own = routes.last()?.policy.methods();
    if !own.is_empty() {
        return Some(own.to_vec());
    }
    // Longer than every method that is named, so none of them.
    let longest = routes
        .iter()
        .flat_map(|route| route.policy.methods())
        .map(|method| method.as_str().len())
        .max()
        .unwrap_or_default();
    let unnamed = "X".repeat(longest + 1);
    Method::from_bytes(unnamed.as_bytes())
        .ok()
        .map(|method| vec![method])
}

/// Requests of one method that the route takes: a route that takes all of these takes whatever this one does with that
/// method. `None` where a few requests cannot stand for all.
fn corners(route: &Anatomy<'_>, method: &Method, fresh: &str) -> Option<Vec<RequestHead>> {
    // A name without a dot is below no pattern.
    let host = route.host(fresh).unwrap_or_else(|| fresh.to_owned());
    let first = route.first_answers();
    let mut requests: Vec<Witness> = paths(route.policy.prefix(), fresh)?
        .iter()
        .map(|path| request(method.as_str(), &host, path, &first))
        .collect();
    let path = format!("{}/{fresh}", route.policy.prefix());
    for (family, answers) in [&route.headers, &route.query, &route.cookies]
        .into_iter()
        .enumerate()
    {
        for (name, values) in answers {
            for value in values.iter().skip(1) {
                let mut chosen = first.clone();
                if let Some(chosen) = chosen.get_mut(family) {
                    chosen.retain(|(other, _)| other != name);
                    chosen.extend(value.as_deref().map(|value| (name.as_str(), value)));
                }
                requests.push(request(method.as_str(), &host, &path, &chosen));
            }
        }
    }
    let heads: Vec<RequestHead> = requests.iter().map(Witness::head).collect::<Option<_>>()?;
    heads
        .iter()
        .all(|head| takes(route.policy, head))
        .then_some(heads)
}

/// Paths below a prefix in each of the texts it is compared in.
fn paths(prefix: &str, fresh: &str) -> Option<Vec<String>> {
    let mut paths = vec![format!("{prefix}/{fresh}")];
    if prefix.contains('%') {
        let decoded = percent_decode_str(prefix).decode_utf8().ok()?;
        // In a URL these would be no part of the path, or decoded once more.
        if decoded.contains(['?', '#', '\\', '%']) {
            return None;
        }
        paths.push(format!("{decoded}/{fresh}"));
    }
    Some(paths)
}

/// Whether a route takes a request by its path as it was sent. By another spelling does not count: how many of those are
/// looked at is bounded, so it would not follow that every request like it is taken.
fn takes(policy: &Policy, head: &RequestHead) -> bool {
    policy.verdict(&Subject::new(head)) == Verdict::Takes { spelling: 0 }
}
