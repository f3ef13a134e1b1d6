//! Names no route may touch, each with the reason, because a rule that cannot take effect should say so.

use http::HeaderName;
use serde::Serialize;

use super::hop_by_hop::HOP_BY_HOP;

/// A name that no route may touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Reserved {
    /// The name in lower case; with a `*` at its end it stands for every name that begins so.
    pub name: &'static str,
    /// Why a rule could not take effect, or must not.
    pub reason: &'static str,
}

impl Reserved {
    fn is_meant_by(&self, name: &str) -> bool {
        match self.name.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => name == self.name,
        }
    }
}

/// Why `name` (lower case) may be neither written to nor removed from a request; `None` where it may.
pub fn request(name: &str) -> Option<&'static str> {
    reason(REQUEST, name).or_else(|| hop_by_hop(name))
}

/// Why `name` (lower case) may be neither written to nor removed from a response; `None` where it may.
pub fn response(name: &str) -> Option<&'static str> {
    reason(RESPONSE, name).or_else(|| hop_by_hop(name))
}

/// Why `name` (lower case) may not be removed from a response, although it may be written; `None` where it may.
pub fn response_removal(name: &str) -> Option<&'static str> {
    reason(RESPONSE_REMOVAL, name).or_else(|| response(name))
}

/// Every name that [`request`] refuses.
pub fn request_names() -> Vec<Reserved> {
    [REQUEST, &connection()].concat()
}

/// Every name that [`response`] refuses.
pub fn response_names() -> Vec<Reserved> {
    [RESPONSE, &connection()].concat()
}

/// Every name that [`response_removal`] refuses and [`response`] does not.
pub fn response_removal_names() -> Vec<Reserved> {
    RESPONSE_REMOVAL.to_vec()
}

fn reason(names: &[Reserved], name: &str) -> Option<&'static str> {
    names
        .iter()
        .find(|reserved| reserved.is_meant_by(name))
        .map(|reserved| reserved.reason)
}

fn hop_by_hop(name: &str) -> Option<&'static str> {
    HOP_BY_HOP
        .iter()
        .any(|hop| hop.as_str() == name)
        .then_some(OF_ONE_CONNECTION)
}

fn connection() -> Vec<Reserved> {
    CONNECTION_NAMES
        .iter()
        .map(|hop| reserved(hop.as_str(), OF_ONE_CONNECTION))
        .collect()
}

const fn reserved(name: &'static str, reason: &'static str) -> Reserved {
    Reserved { name, reason }
}

/// A constant lives as long as the expression it stands in, and its names no longer; these do.
static CONNECTION_NAMES: [HeaderName; 7] = HOP_BY_HOP;

const REQUEST: &[Reserved] = &[
    reserved("host", DERIVED),
    reserved("x-forwarded-host", DERIVED),
    reserved("x-forwarded-proto", DERIVED),
    reserved("x-forwarded-for", DERIVED),
    reserved("x-request-id", "the proxy writes the request's id into it"),
    reserved(
        "x-jouska-mirror",
        "it marks mirrored copies, and only the proxy may mark one",
    ),
    reserved(
        "content-length",
        "the runtime computes it from the body that is sent",
    ),
    reserved(
        "accept-encoding",
        "it is removed so that bodies arrive readable for rewriting",
    ),
    reserved("upgrade", UPGRADES),
    reserved("sec-websocket-*", UPGRADES),
];

const RESPONSE: &[Reserved] = &[
    reserved("content-length", COMPUTED),
    reserved("content-encoding", COMPUTED),
    reserved(
        "set-cookie",
        "writing one cookie would discard all of the upstream's",
    ),
];

const RESPONSE_REMOVAL: &[Reserved] = &[
    reserved("location", REDIRECTS),
    reserved("content-location", REDIRECTS),
    reserved("refresh", REDIRECTS),
];

const DERIVED: &str = "the proxy derives it from the request itself";
const UPGRADES: &str = "\"websocket\" decides about upgrades";
const COMPUTED: &str = "the runtime computes it for the bytes that leave";
const REDIRECTS: &str = "without it a redirect vanishes; write another value instead";
const OF_ONE_CONNECTION: &str = "it describes one connection and never travels beyond it";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_name_is_refused_for_the_reason_it_is_listed_with() {
        type Refuses = fn(&str) -> Option<&'static str>;
        for (names, refuses) in [
            (request_names(), request as Refuses),
            (response_names(), response),
            (response_removal_names(), response_removal),
        ] {
            for Reserved { name, reason } in names {
                let name = name.replace('*', "key");
                assert_eq!(refuses(&name), Some(reason), "{name}");
            }
        }
    }

    #[test]
    fn what_is_not_listed_may_be_touched() {
        for name in ["x-api-version", "sec-websocket", "hosts", "location"] {
            assert_eq!(request(name), None, "{name}");
        }
        assert_eq!(response("location"), None);
        assert_eq!(response("etag"), None);
    }
}
