//! Who is let through, decided guard by guard, cheapest first.

mod fields;
mod geo;
mod ip;
mod rate_limit;
mod referer;
mod request_policy;
mod signed_link;

#[cfg(test)]
mod fake;

use crate::message::RequestHead;

/// A request as the guards see it.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The head, as received.
    pub head: &'a RequestHead,
    /// The plainest spelling of the path (decoded, resolved, without parameters and repeated separators), so that
    /// `/login`, `//login` and `/%6cogin` spend one budget where a rate limit is kept by path.
    pub path: &'a str,
    /// The route's label: its id, or what it matches.
    pub label: &'a str,
    /// The request's id.
    pub request_id: &'a str,
}
