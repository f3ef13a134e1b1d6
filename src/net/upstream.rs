//! An upstream as a route names it: `host`, `host:port` or `host/base/path`.
//!
//! Naming a loopback, private or metadata address turns a proxy into a way into somebody's network, so such hosts are
//! told apart here, on the host as the URL parser understands it: `127.1`, `2130706433` and `0x7f000001` are all
//! `127.0.0.1`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::Host;

/// A parsed upstream.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Upstream {
    authority: String,
    hostname_end: usize,
    base: String,
    private: bool,
}

/// Why a text is no upstream.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidUpstream {
    /// It starts with a scheme.
    #[error(
        "expected a host without a scheme, such as \"api.example.com\"; found {0:?}. Put the scheme into \"scheme\""
    )]
    Scheme(String),
    /// It does not follow the grammar.
    #[error(
        "expected \"host\", \"host:port\" or \"host/base/path\" without query, fragment or spaces; found {0:?}"
    )]
    Grammar(String),
    /// The port is no port.
    #[error("expected a port from 1 to 65535; found {0:?}")]
    Port(String),
}

impl Upstream {
    /// Parses `host`, `host:port` or `host/base/path`. The host is folded to lower case, the path is not; a slash at
    /// its end is dropped.
    pub fn parse(text: &str) -> Result<Self, InvalidUpstream> {
        let grammar = || InvalidUpstream::Grammar(text.to_owned());
        if text.contains("//") {
            return Err(if text.contains("://") {
                InvalidUpstream::Scheme(text.to_owned())
            } else {
                grammar()
            });
        }
        if text
            .chars()
            .any(|c| matches!(c, '?' | '#' | '@' | '\\') || c.is_whitespace() || c.is_control())
        {
            return Err(grammar());
        }
        let (authority, base) = match text.find('/') {
            Some(at) => text.split_at(at),
            None => (text, ""),
        };
        let (hostname, port) = match authority.split_once(':') {
            Some((hostname, port)) => (hostname, Some(port)),
            None => (authority, None),
        };
        if let Some(port) = port {
            let digits = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
            if !digits {
                return Err(grammar());
            }
            if !matches!(port.parse::<u16>(), Ok(1..)) {
                return Err(InvalidUpstream::Port(port.to_owned()));
            }
        }
        let labels = hostname
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'));
        // The URL standard's parser is what the runtime will read the host with; what it refuses can never be reached.
        let host = Some(hostname)
            .filter(|_| labels && !hostname.is_empty())
            .and_then(|hostname| Host::parse(hostname).ok())
            .ok_or_else(grammar)?;
        Ok(Self {
            private: is_private_host(&host),
            authority: authority.to_ascii_lowercase(),
            hostname_end: hostname.len(),
            base: base.strip_suffix('/').unwrap_or(base).to_owned(),
        })
    }

    /// Host and, where one was written, port; in lower case. Events, memories and hash rings know an upstream by it.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// The host without its port.
    pub fn hostname(&self) -> &str {
        self.authority.get(..self.hostname_end).unwrap_or_default()
    }

    /// The port, where one was written.
    pub fn port(&self) -> Option<u16> {
        self.authority
            .get(self.hostname_end + 1..)
            .and_then(|port| port.parse().ok())
    }

    /// The base path, `/base` without a slash at its end; empty where there is none.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// The URL of `path` and `query` below the base path, both as they stand.
    pub fn url(&self, scheme: &str, path: &str, query: Option<&str>) -> String {
        // Without the slash, a path such as `@elsewhere` would become part of the authority.
        let slash = if path.starts_with('/') { "" } else { "/" };
        let (mark, query) = query.map_or(("", ""), |query| ("?", query));
        let Self {
            authority, base, ..
        } = self;
        format!("{scheme}://{authority}{base}{slash}{path}{mark}{query}")
    }

    /// Whether the host is a loopback, private or metadata address, or a name for one.
    pub fn is_private(&self) -> bool {
        self.private
    }
}

/// Whether a parsed host is a loopback, private, link-local, metadata or multicast address, in any form that hides
/// one, or a name that resolves to one.
pub fn is_private_host(host: &Host<impl AsRef<str>>) -> bool {
    match host {
        Host::Domain(name) => {
            let name = name.as_ref();
            let name = name.strip_suffix('.').unwrap_or(name).as_bytes();
            PRIVATE_NAMES
                .iter()
                .any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
                || name
                    .len()
                    .checked_sub(PRIVATE_SUFFIX.len())
                    .and_then(|at| name.get(at..))
                    .is_some_and(|end| end.eq_ignore_ascii_case(PRIVATE_SUFFIX))
        }
        Host::Ipv4(address) => is_private_v4(*address),
        Host::Ipv6(address) => is_private_address(IpAddr::V6(*address)),
    }
}

/// Whether an address is loopback, private, link-local, shared, unique-local, multicast, reserved or unspecified.
/// An IPv6 address that carries an IPv4 one is judged by that.
pub fn is_private_address(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_private_v4(address),
        IpAddr::V6(address) => {
            let [a, b, c, d, e, f, ..] = address.segments();
            let carried = |high: u16, low: u16| {
                let [a, b] = high.to_be_bytes();
                let [c, d] = low.to_be_bytes();
                is_private_v4(Ipv4Addr::new(a, b, c, d))
            };
            let [.., g, h] = address.segments();
            address == Ipv6Addr::LOCALHOST
                || address.is_unspecified()
                || address.is_multicast()
                // fc00::/7 unique-local, fe80::/10 link-local, fec0::/10 site-local
                || a & 0xfe00 == 0xfc00
                || a & 0xff80 == 0xfe80
                // ::a.b.c.d (RFC 4291 2.5.5.1), ::ffff:a.b.c.d (2.5.5.2), ::ffff:0:a.b.c.d (RFC 2765)
                || ([a, b, c, d] == [0; 4] && matches!((e, f), (0, 0 | 0xffff) | (0xffff, 0)) && carried(g, h))
                // 64:ff9b::/96 (RFC 6052) and 64:ff9b:1::/48 (RFC 8215)
                || ((a, b) == (0x64, 0xff9b) && (c == 1 || ([c, d, e, f] == [0; 4] && carried(g, h))))
                // 2002::/16 (RFC 3056)
                || (a == 0x2002 && carried(b, c))
        }
    }
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    let [a, b, ..] = address.octets();
    matches!(a, 0 | 10 | 127 | 224..)
        || matches!(
            (a, b),
            (172, 16..=31) | (192, 168) | (169, 254) | (100, 64..=127)
        )
}

const PRIVATE_SUFFIX: &[u8] = b".localhost";

const PRIVATE_NAMES: [&str; 5] = [
    "localhost",
    "ip6-localhost",
    "ip6-loopback",
    "metadata.google.internal",
    "metadata.goog",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(&str, &str, Option<u16>, &str)>) {
        let parsed = Upstream::parse(text).ok();
        let seen = parsed
            .as_ref()
            .map(|up| (up.authority(), up.hostname(), up.port(), up.base()));
        assert_eq!(seen, expected, "{text}");
    }

    #[test]
    fn an_upstream_is_a_host_a_port_and_a_base_path() {
        check(
            "A.example.com",
            Some(("a.example.com", "a.example.com", None, "")),
        );
        check("a.b:8443", Some(("a.b:8443", "a.b", Some(8443), "")));
        check("a.b/Base/x/", Some(("a.b", "a.b", None, "/Base/x")));
        check("a.b:1/", Some(("a.b:1", "a.b", Some(1), "")));
        for text in [
            "",
            "/x",
            "https://a.b",
            "a.b:",
            "a.b:0",
            "a.b:65536",
            "a.b:99999999",
            "a b",
            "a.b?x",
            "a.b#x",
            "a.b//x",
            "[::1]",
            "u@a.b",
            "a.b:80:80",
            r"a.b\x",
        ] {
            check(text, None);
        }
    }

    #[test]
    fn paths_and_queries_are_put_behind_the_base_as_they_stand() {
        for (upstream, path, query, expected) in [
            ("a.b", "/", None, "https://a.b/"),
            ("a.b:81/v1/", "/", Some(""), "https://a.b:81/v1/?"),
            (
                "a.b/Base",
                "//x;y/%2f../%5c/100%/",
                Some("a=%20&?b"),
                "https://a.b/Base//x;y/%2f../%5c/100%/?a=%20&?b",
            ),
            ("a.b", "@evil.test/", None, "https://a.b/@evil.test/"),
            ("a.b", ".evil.test", None, "https://a.b/.evil.test"),
            ("a.b", r"\x", None, r"https://a.b/\x"),
        ] {
            let url = Upstream::parse(upstream).unwrap().url("https", path, query);
            assert_eq!(url, expected);
        }
    }

    #[test]
    fn private_hosts_are_seen_through_every_spelling() {
        for (text, expected) in [
            ("localhost", true),
            ("LOCALHOST.", true),
            ("x.localhost", true),
            ("127.1", true),
            ("2130706433", true),
            ("0x7f000001", true),
            ("0177.0.0.1", true),
            ("10.0.0.1:8080/x", true),
            ("172.31.0.1", true),
            ("172.32.0.1", false),
            ("169.254.169.254", true),
            ("100.64.0.1", true),
            ("224.0.0.1", true),
            ("metadata.google.internal", true),
            ("198.51.100.7", false),
            ("example.com", false),
            ("localhost.example.com", false),
        ] {
            assert_eq!(
                Upstream::parse(text).unwrap().is_private(),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn addresses_inside_other_addresses_are_seen_through() {
        for (text, expected) in [
            ("::1", true),
            ("::", true),
            ("fd00::1", true),
            ("fe80::1", true),
            ("ff02::1", true),
            ("::ffff:127.0.0.1", true),
            ("::ffff:0:10.0.0.1", true),
            ("::127.0.0.1", true),
            ("64:ff9b::10.0.0.1", true),
            ("2002:7f00:1::", true),
            ("2002:c633:6401::", false),
            ("::ffff:198.51.100.1", false),
            ("2606:4700::1111", false),
        ] {
            let address: IpAddr = text.parse().unwrap();
            assert_eq!(is_private_address(address), expected, "{text}");
        }
    }
}
