//! Names no route may touch, each with the reason, because a rule that cannot take effect should say so.

use super::hop_by_hop::HOP_BY_HOP;

/// Why `name` (lower case) may be neither written to nor removed from a request; `None` where it may.
pub fn request(name: &str) -> Option<&'static str> {
    match name {
        "host" | "x-forwarded-host" | "x-forwarded-proto" | "x-forwarded-for" => {
            Some("the proxy derives it from the request itself")
        }
        "x-request-id" => Some("the proxy writes the request's id into it"),
        "x-jouska-mirror" => Some("it marks mirrored copies, and only the proxy may mark one"),
        "content-length" => Some("the runtime computes it from the body that is sent"),
        "accept-encoding" => Some("it is removed so that bodies arrive readable for rewriting"),
        "upgrade" => Some("\"websocket\" decides about upgrades"),
        _ if name.starts_with("sec-websocket-") => Some("\"websocket\" decides about upgrades"),
        _ => hop_by_hop(name),
    }
}

/// Why `name` (lower case) may be neither written to nor removed from a response; `None` where it may.
pub fn response(name: &str) -> Option<&'static str> {
    match name {
        "content-length" | "content-encoding" => {
            Some("the runtime computes it for the bytes that leave")
        }
        "set-cookie" => Some("writing one cookie would discard all of the upstream's"),
        _ => hop_by_hop(name),
    }
}

/// Why `name` (lower case) may not be removed from a response, although it may be written; `None` where it may.
pub fn response_removal(name: &str) -> Option<&'static str> {
    match name {
        "location" | "content-location" | "refresh" => {
            Some("without it a redirect vanishes; write another value instead")
        }
        _ => response(name),
    }
}

fn hop_by_hop(name: &str) -> Option<&'static str> {
    HOP_BY_HOP
        .iter()
        .any(|hop| hop.as_str() == name)
        .then_some("it describes one connection and never travels beyond it")
}
