//! Host patterns: `shop.example.com`, or `*.example.com` for everything below it. Routes and referer rules share them.

use std::{fmt, str::FromStr};

/// A host a rule names, folded to lower case.
///
/// ```
/// use jouska::net::HostPattern;
///
/// let below: HostPattern = "*.Example.com".parse().unwrap();
/// assert!(below.matches("a.b.example.com"));
/// assert!(!below.matches("example.com"), "the apex is a host of its own");
/// assert!(!below.matches("evilexample.com"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum HostPattern {
    /// This host alone.
    Exact(String),
    /// Every host that ends with this text, which starts with a dot, and has at least one label before it.
    Below(String),
}

/// A text is no host pattern. The message says what one looks like.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a host name such as \"shop.example.com\" or \"*.example.com\", without scheme, port or path; found {0:?}"
)]
pub struct InvalidHostPattern(String);

impl HostPattern {
    /// Whether `hostname`, in lower case and without a port, is meant.
    pub fn matches(&self, hostname: &str) -> bool {
        match self {
            Self::Exact(host) => host == hostname,
            Self::Below(suffix) => hostname
                .strip_suffix(suffix.as_str())
                .is_some_and(|labels| {
                    !labels.is_empty() && labels.split('.').all(|label| !label.is_empty())
                }),
        }
    }
}

impl FromStr for HostPattern {
    type Err = InvalidHostPattern;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let host = text.to_ascii_lowercase();
        match host.strip_prefix("*.") {
            Some(rest) if is_hostname(rest) => Ok(Self::Below(format!(".{rest}"))),
            None if is_hostname(&host) => Ok(Self::Exact(host)),
            _ => Err(InvalidHostPattern(text.to_owned())),
        }
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(host) => f.write_str(host),
            Self::Below(suffix) => write!(f, "*{suffix}"),
        }
    }
}

/// Whether `text` consists of labels of ASCII letters, digits and inner hyphens, at most 63 characters each and 253
/// together (RFC 1123 section 2.1).
pub fn is_hostname(text: &str) -> bool {
    text.len() <= 253
        && text.split('.').all(|label| {
            (1..=63).contains(&label.len())
                && label
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
                && !label.starts_with('-')
                && !label.ends_with('-')
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_host_is_refused() {
        for text in [
            "",
            "*",
            "*.",
            "a.*.b",
            "https://a.b",
            "a.b:80",
            "a.b/",
            "-a.b",
            "a..b",
            "*.*.b",
            "a b",
            "[::1]",
            "a_b.c",
        ] {
            assert!(text.parse::<HostPattern>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_star_stands_for_whole_labels() {
        let pattern: HostPattern = "*.b.c".parse().unwrap();
        for (host, expected) in [
            ("a.b.c", true),
            ("x.a.b.c", true),
            ("b.c", false),
            (".b.c", false),
            ("x..b.c", false),
            ("ab.c", false),
            ("a.b.c.d", false),
        ] {
            assert_eq!(pattern.matches(host), expected, "{host}");
        }
    }
}
