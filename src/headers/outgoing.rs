//! What every request to an upstream carries, as changes to the visitor's own headers.
//!
//! The order is fixed: what describes the visitor's connection goes first, then what the proxy does not pass on, then
//! the operator's rules, then what delegated authentication vouched for, and last what the proxy derives itself, so
//! that nothing written before can forge it.

use http::{HeaderName, HeaderValue, header};

use super::{
    Edit, HeaderEdits, Rules,
    alias::is_alias,
    hop_by_hop::{HOP_BY_HOP, connection_named},
    names::X_REQUEST_ID,
};
use crate::message::RequestHead;

/// A request about to be sent to one upstream.
#[derive(Debug, Clone, Copy)]
pub struct Outgoing<'a> {
    /// What the visitor asked.
    pub head: &'a RequestHead,
    /// The upstream's authority, which becomes `host`.
    pub authority: &'a str,
    /// The id that visitor, upstream and event know this request by.
    pub request_id: &'a str,
    /// The operator's `requestHeaders`.
    pub rules: &'a Rules,
    /// Headers taken over from a delegated authentication's verdict.
    pub vouched: Option<&'a HeaderEdits>,
    /// Whether a WebSocket handshake may pass. Without it, one arrives as a plain request.
    pub websocket: bool,
    /// Whether the visitor's body goes along. Without it, no length may be claimed.
    pub sends_body: bool,
}

/// The changes that turn the visitor's headers into the upstream's. Removals of what is not there are left out,
/// because each change costs the platform something.
///
/// ```
/// use http::{HeaderMap, Method};
/// use jouska::headers::{Rules, outgoing::{self, Outgoing}};
/// use jouska::message::{RequestHead, RequestUrl};
///
/// let mut headers = HeaderMap::new();
/// headers.insert("x-forwarded-for", "10.0.0.1".parse().unwrap());
/// let head = RequestHead {
///     method: Method::GET,
///     url: RequestUrl::parse("https://proxy.example.com/").unwrap(),
///     headers: headers.clone(),
///     has_body: false,
/// };
/// outgoing::edits(Outgoing {
///     head: &head,
///     authority: "origin.example.net",
///     request_id: "7",
///     rules: &Rules::default(),
///     vouched: None,
///     websocket: true,
///     sends_body: false,
/// })
/// .apply(&mut headers);
/// assert_eq!(headers["x-forwarded-host"], "proxy.example.com");
/// assert!(!headers.contains_key("x-forwarded-for"), "nobody vouches for the visitor's own claim");
/// ```
pub fn edits(outgoing: Outgoing<'_>) -> HeaderEdits {
    let Outgoing {
        head,
        authority,
        request_id,
        rules,
        vouched,
        websocket,
        sends_body,
    } = outgoing;
    let mut edits = HeaderEdits::default();
    let handshake = websocket && head.is_upgrade();

    for name in connection_named(&head.headers) {
        // A handshake always names `Upgrade` here, and is none without it.
        if !(handshake && name == header::UPGRADE) {
            withdraw(&mut edits, head, name);
        }
    }
    for name in HOP_BY_HOP {
        withdraw(&mut edits, head, name);
    }
    if !handshake {
        // An upgrade to anything but a WebSocket cannot be relayed, and one half relayed is a smuggled request.
        withdraw(&mut edits, head, header::UPGRADE);
    }
    if !websocket {
        for name in head.headers.keys() {
            if name.as_str().starts_with("sec-websocket-") {
                withdraw(&mut edits, head, name.clone());
            }
        }
    }
    // Bodies have to arrive readable for rewriting.
    withdraw(&mut edits, head, header::ACCEPT_ENCODING);
    if !sends_body {
        withdraw(&mut edits, head, header::CONTENT_LENGTH);
    }
    withdraw(&mut edits, head, MIRROR_MARK);
    for name in head.headers.keys() {
        if VOUCHED_FOR.iter().any(|vouched| is_alias(vouched, name)) {
            withdraw(&mut edits, head, name.clone());
        }
    }

    for name in &rules.remove {
        withdraw(&mut edits, head, name.clone());
    }
    for (name, value) in &rules.set {
        edits.set(name.clone(), value.clone());
    }
    if let Some(vouched) = vouched {
        edits.extend(vouched);
    }

    let derived = [
        (header::HOST, Some(authority)),
        (X_FORWARDED_HOST, Some(head.url.authority())),
        (X_FORWARDED_PROTO, Some(head.url.scheme())),
        (X_FORWARDED_FOR, head.address()),
        (X_REQUEST_ID, Some(request_id)),
    ];
    for (name, value) in derived {
        match value.and_then(|value| HeaderValue::from_str(value).ok()) {
            Some(value) => edits.set(name, value),
            None => withdraw(&mut edits, head, name),
        }
    }
    edits
}

/// Marks a mirrored copy, so that an upstream can decline to act on one.
pub const MIRROR_MARK: HeaderName = HeaderName::from_static("x-jouska-mirror");

/// Removes `name` if the visitor sent it and nothing has removed it yet.
fn withdraw(edits: &mut HeaderEdits, head: &RequestHead, name: HeaderName) {
    let removed = |edit: &Edit| matches!(edit, Edit::Remove(gone) if *gone == name);
    if head.headers.contains_key(&name) && !edits.iter().any(removed) {
        edits.remove(name);
    }
}

/// What the proxy or the platform vouches for, and no visitor may write under another spelling.
const VOUCHED_FOR: [HeaderName; 6] = [
    HeaderName::from_static("cf-connecting-ip"),
    X_FORWARDED_HOST,
    X_FORWARDED_PROTO,
    X_FORWARDED_FOR,
    X_REQUEST_ID,
    MIRROR_MARK,
];
const X_FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

#[cfg(test)]
mod tests {
    use http::{HeaderMap, Method};

    use super::*;
    use crate::message::RequestUrl;

    type Lines<'a> = &'a [(&'a str, &'a str)];

    fn head(lines: Lines<'_>) -> RequestHead {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(
                name.parse::<HeaderName>().unwrap(),
                HeaderValue::from_str(value).unwrap(),
            );
        }
        RequestHead {
            method: Method::GET,
            url: RequestUrl::parse("https://Proxy.example.com:8443/x").unwrap(),
            headers,
            has_body: false,
        }
    }

    fn plain<'a>(head: &'a RequestHead, rules: &'a Rules) -> Outgoing<'a> {
        Outgoing {
            head,
            authority: "origin.example.net:81",
            request_id: "id-7",
            rules,
            vouched: None,
            websocket: true,
            sends_body: false,
        }
    }

    /// Applies the changes and compares everything but what is derived for every request.
    #[track_caller]
    fn check(outgoing: Outgoing<'_>, expected: Lines<'_>) {
        let mut headers = outgoing.head.headers.clone();
        edits(outgoing).apply(&mut headers);
        for (name, value) in [
            ("host", "origin.example.net:81"),
            ("x-forwarded-host", "proxy.example.com:8443"),
            ("x-forwarded-proto", "https"),
            ("x-request-id", "id-7"),
        ] {
            assert_eq!(headers.get_all(name).iter().count(), 1, "{name}");
            assert_eq!(headers.remove(name).unwrap(), value, "{name}");
        }
        let mut left: Vec<_> = headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.to_str().unwrap()))
            .collect();
        left.sort_unstable();
        assert_eq!(left, expected);
    }

    #[test]
    fn what_belongs_to_the_visitors_connection_stays_there() {
        let head = head(&[
            ("connection", "close, X-Smuggled"),
            ("connection", "keep-alive, not a token"),
            ("x-smuggled", "1"),
            ("keep-alive", "timeout=5"),
            ("te", "trailers"),
            ("trailer", "x"),
            ("transfer-encoding", "chunked"),
            ("proxy-authorization", "Basic eDp5"),
            ("upgrade", "h2c"),
            ("accept-encoding", "gzip"),
            ("x-kept", "1"),
        ]);
        check(plain(&head, &Rules::default()), &[("x-kept", "1")]);
    }

    #[test]
    fn derived_headers_replace_every_claim_under_any_spelling() {
        let head = head(&[
            ("host", "proxy.example.com:8443"),
            ("x-forwarded-host", "forged.example"),
            ("x-forwarded-proto", "gopher"),
            ("x-forwarded-for", "1.1.1.1"),
            ("x-forwarded-for", "2.2.2.2"),
            ("x-request-id", "forged"),
            ("x-jouska-mirror", "1"),
            ("x_forwarded_for", "3.3.3.3"),
            ("x-forwarded_host", "forged.example"),
            ("x_request-id", "forged"),
            ("x_jouska_mirror", "1"),
            ("cf_connecting_ip", "3.3.3.3"),
            ("x_kept", "1"),
        ]);
        check(plain(&head, &Rules::default()), &[("x_kept", "1")]);
    }

    #[test]
    fn the_visitors_address_is_the_platforms_word() {
        let head = head(&[
            ("cf-connecting-ip", "203.0.113.9"),
            ("x-forwarded-for", "1.1.1.1"),
        ]);
        check(
            plain(&head, &Rules::default()),
            &[
                ("cf-connecting-ip", "203.0.113.9"),
                ("x-forwarded-for", "203.0.113.9"),
            ],
        );
    }

    #[test]
    fn a_handshake_passes_whole_or_as_a_plain_request() {
        let head = head(&[
            ("connection", "Upgrade"),
            ("upgrade", "WebSocket"),
            ("sec-websocket-key", "k"),
            ("sec-websocket-future", "f"),
        ]);
        let rules = Rules::default();
        check(
            plain(&head, &rules),
            &[
                ("sec-websocket-future", "f"),
                ("sec-websocket-key", "k"),
                ("upgrade", "WebSocket"),
            ],
        );
        check(
            Outgoing {
                websocket: false,
                ..plain(&head, &rules)
            },
            &[],
        );
    }

    #[test]
    fn rules_come_before_what_was_vouched_for_and_both_before_what_is_derived() {
        let head = head(&[("x-legacy", "1"), ("x-user", "forged")]);
        let rules = Rules {
            remove: vec![
                HeaderName::from_static("x-legacy"),
                HeaderName::from_static("x-absent"),
            ],
            set: vec![
                (
                    HeaderName::from_static("x-user"),
                    HeaderValue::from_static("rule"),
                ),
                (header::HOST, HeaderValue::from_static("forged.example")),
            ],
        };
        let mut vouched = HeaderEdits::default();
        vouched.set(
            HeaderName::from_static("x-user"),
            HeaderValue::from_static("ann"),
        );
        let outgoing = Outgoing {
            vouched: Some(&vouched),
            ..plain(&head, &rules)
        };
        check(outgoing, &[("x-user", "ann")]);
        let removed = edits(outgoing)
            .iter()
            .filter(|edit| matches!(edit, Edit::Remove(_)))
            .count();
        assert_eq!(removed, 1, "what is not there is not removed");
    }

    #[test]
    fn without_a_body_no_length_is_claimed() {
        let head = head(&[("content-length", "11")]);
        let rules = Rules::default();
        check(plain(&head, &rules), &[]);
        check(
            Outgoing {
                sends_body: true,
                ..plain(&head, &rules)
            },
            &[("content-length", "11")],
        );
    }
}
