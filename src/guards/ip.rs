//! Which addresses: deny first, then allow.

use super::fields;
use crate::{
    config::{Code, Issues, Path, Reported, document::Ip},
    net::ip::{Cidr, IpSet, parse_address},
    outcome::Refusal,
};

/// Compiled `ip`.
#[derive(Debug, Clone)]
pub(super) struct Policy {
    deny: IpSet,
    /// `None` where every address not denied passes.
    allow: Option<IpSet>,
}

impl Policy {
    pub(super) fn compile(
        document: &Ip,
        at: &Path<'_>,
        issues: &mut Issues,
    ) -> Result<Self, Reported> {
        let Ip { allow, deny } = document;
        let ranges = |key, list: &Option<Vec<String>>, issues: &mut Issues| match list {
            Some(list) if !list.is_empty() => fields::each(list, &at.key(key), issues, range)
                .map(|ranges| Some(ranges.into_iter().collect::<IpSet>())),
            _ => Ok(None),
        };
        let deny = ranges("deny", deny, issues);
        let allow = ranges("allow", allow, issues);
        match (deny?, allow?) {
            (None, None) => Err(issues.report(
                at,
                Code::Required,
                "expected addresses or ranges under \"allow\" or \"deny\"; found none. Remove the block where every address may pass",
            )),
            (deny, allow) => Ok(Self {
                deny: deny.unwrap_or_default(),
                allow,
            }),
        }
    }

    /// An address that is missing or unreadable is on no list and passes none: a rule about addresses that an unknown
    /// one passes would be passed by whoever finds a way to hide theirs.
    pub(super) fn admit(&self, address: Option<&str>) -> Result<(), Refusal> {
        let address = address.and_then(parse_address).ok_or(Refusal::Ip)?;
        let allowed = self.allow.as_ref().is_none_or(|set| set.contains(address));
        match allowed && !self.deny.contains(address) {
            true => Ok(()),
            false => Err(Refusal::Ip),
        }
    }
}

fn range(text: &str, at: &Path<'_>, issues: &mut Issues) -> Result<Cidr, Reported> {
    text.parse().map_err(|error: crate::net::ip::InvalidCidr| {
        issues.report(at, Code::Value, error.to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guards::fake::complaints;

    fn list(ranges: &[&str]) -> Option<Vec<String>> {
        Some(ranges.iter().map(ToString::to_string).collect())
    }

    #[track_caller]
    fn check(allow: &[&str], deny: &[&str], address: Option<&str>, expected: bool) {
        let document = Ip {
            allow: list(allow),
            deny: list(deny),
        };
        let mut issues = Issues::default();
        let policy = Policy::compile(&document, &Path::root(), &mut issues).expect("compiles");
        let verdict = if expected { Ok(()) } else { Err(Refusal::Ip) };
        assert_eq!(policy.admit(address), verdict, "{document:?} {address:?}");
    }

    #[test]
    fn deny_wins_over_allow() {
        let (allow, deny) = (["203.0.113.0/24"], ["203.0.113.66"]);
        check(&allow, &deny, Some("203.0.113.65"), true);
        check(&allow, &deny, Some("203.0.113.66"), false);
        check(&allow, &deny, Some("198.51.100.1"), false);
    }

    #[test]
    fn an_address_nobody_vouches_for_passes_no_list() {
        for address in [None, Some("unknown"), Some("203.0.113.9, 198.51.100.1")] {
            check(&["0.0.0.0/0", "::/0"], &[], address, false);
            check(&[], &["198.51.100.0/24"], address, false);
        }
    }

    #[test]
    fn the_ipv6_form_of_an_ipv4_address_is_no_way_round() {
        check(&[], &["203.0.113.0/24"], Some("::ffff:203.0.113.9"), false);
        check(&[], &["203.0.113.0/24"], Some("::FFFF:198.51.100.9"), true);
    }

    #[test]
    fn what_is_no_range_is_reported_where_it_stands() {
        for (document, expected) in [
            (Ip::default(), vec!["ip"]),
            (
                Ip {
                    allow: list(&[]),
                    deny: list(&[]),
                },
                vec!["ip"],
            ),
            (
                Ip {
                    allow: list(&["10.0.0.1", "office"]),
                    deny: list(&["10.0.0.0/33"]),
                },
                vec!["ip.deny[0]", "ip.allow[1]"],
            ),
        ] {
            let found = complaints("ip", |at, issues| Policy::compile(&document, at, issues));
            assert_eq!(found, expected);
        }
    }
}
