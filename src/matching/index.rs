//! Finds the first route that takes a request without asking all of them.
//!
//! A route can take a request only if the request's host and path are below the route's. The index files every route
//! under these two; what it finds under a request's own hosts and paths is asked in the order of the table. It leaves
//! out only routes whose answer is known, so it finds what asking every route in turn would find.

use std::collections::HashMap;

use super::{Policy, Subject, Verdict};
use crate::net::HostPattern;

/// Where in a table the routes stand that may take a request.
#[derive(Debug, Clone, Default)]
pub struct Index {
    any_host: Paths,
    exact: HashMap<String, Paths>,
    /// By the host's end, which starts with a dot.
    below: HashMap<String, Paths>,
    /// Most slashes in a prefix: no more of a path need be looked up.
    deepest: usize,
}

/// The first route that takes a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taken {
    /// Its place in the table.
    pub position: usize,
    /// Which of [`Subject::spellings`] is below its path.
    pub spelling: usize,
}

/// Places of routes by prefix, each list ascending.
#[derive(Debug, Clone, Default)]
struct Paths {
    any: Vec<usize>,
    under: HashMap<Vec<u8>, Vec<usize>>,
}

impl Index {
    /// Files the policies of a table, in its order.
    pub fn new<'p>(policies: impl IntoIterator<Item = &'p Policy>) -> Self {
        let mut index = Self::default();
        for (position, policy) in policies.into_iter().enumerate() {
            let paths = match &policy.host {
                None => &mut index.any_host,
                Some(HostPattern::Exact(host)) => index.exact.entry(host.clone()).or_default(),
                Some(HostPattern::Below(end)) => index.below.entry(end.clone()).or_default(),
            };
            match &policy.prefix {
                Some(prefix) if !prefix.is_root() => {
                    for text in prefix.texts() {
                        index.deepest = index.deepest.max(slashes(text).count());
                        paths.under.entry(text.to_vec()).or_default().push(position);
                    }
                }
                _ => paths.any.push(position),
            }
        }
        index
    }

    /// The first of `routes` that takes the request; `policy` reads a route's policy. The routes are those the index
    /// was made of, in the same order.
    pub fn find<R>(
        &self,
        routes: &[R],
        policy: impl Fn(&R) -> &Policy,
        subject: &Subject<'_>,
    ) -> Option<Taken> {
        let mut lists = self.lists(subject);
        loop {
            // The lists ascend, so the smallest of their heads is the next route in the order of the table.
            let position = lists
                .iter()
                .filter_map(|list| list.first())
                .min()
                .copied()?;
            for list in &mut lists {
                if let [first, rest @ ..] = list
                    && *first == position
                {
                    *list = rest;
                }
            }
            let verdict = routes
                .get(position)
                .map(|route| policy(route).verdict(subject));
            if let Some(Verdict::Takes { spelling }) = verdict {
                return Some(Taken { position, spelling });
            }
        }
    }

    /// The places of all routes that may take the request, as ascending lists.
    fn lists(&self, subject: &Subject<'_>) -> Vec<&[usize]> {
        let host = subject.head().url.hostname();
        let hosts: Vec<&Paths> = std::iter::once(&self.any_host)
            .chain(self.exact.get(host))
            .chain(
                host.match_indices('.')
                    .filter_map(|(dot, _)| self.below.get(host.get(dot..)?)),
            )
            .collect();
        let mut lists: Vec<&[usize]> = hosts.iter().map(|paths| paths.any.as_slice()).collect();
        if self.deepest > 0 {
            for spelling in subject.spellings() {
                for prefix in prefixes(spelling).take(self.deepest) {
                    lists.extend(
                        hosts
                            .iter()
                            .filter_map(|paths| paths.under.get(prefix))
                            .map(Vec::as_slice),
                    );
                }
            }
        }
        lists.retain(|list| !list.is_empty());
        lists
    }
}

/// What a path is below: for `/a/b` these are `/a` and `/a/b`.
fn prefixes(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    slashes(path)
        .skip(1)
        .chain(std::iter::once(path.len()))
        .filter_map(|end| path.get(..end))
}

fn slashes(path: &[u8]) -> impl Iterator<Item = usize> {
    path.iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'/')
        .map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_below_each_of_its_own_beginnings() {
        for (path, expected) in [
            ("/", vec!["/"]),
            ("/a", vec!["/a"]),
            ("/a/b/", vec!["/a", "/a/b", "/a/b/"]),
            ("//a", vec!["/", "//a"]),
        ] {
            let found: Vec<&[u8]> = prefixes(path.as_bytes()).collect();
            let expected: Vec<&[u8]> = expected.into_iter().map(str::as_bytes).collect();
            assert_eq!(found, expected, "{path}");
        }
    }
}
