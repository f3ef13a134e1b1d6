//! Addresses and CIDR ranges, of both families.
//!
//! An IPv4 address written as an IPv6 one (`::ffff:203.0.113.9`) is the IPv4 address, in rules as well as in visitors:
//! otherwise a second spelling of an address would be a way round every rule about it.

use crate::order;
use std::{net::IpAddr, ops::RangeInclusive, str::FromStr};

/// A set of addresses, compiled for lookup.
///
/// ```
/// use jouska::net::ip::{IpSet, parse_address};
///
/// let office: IpSet = ["203.0.113.0/24", "2001:db8:5::/48"]
///     .into_iter()
///     .map(|range| range.parse().unwrap())
///     .collect();
/// assert!(office.contains(parse_address("203.0.113.77").unwrap()));
/// assert!(office.contains(parse_address("::ffff:203.0.113.77").unwrap()));
/// assert!(!office.contains(parse_address("2001:db8:6::1").unwrap()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IpSet {
    /// Sorted, and no two of them touch or overlap.
    v4: Vec<RangeInclusive<u128>>,
    v6: Vec<RangeInclusive<u128>>,
}

/// Addresses that share their leading bits. Bits behind the prefix are ignored: `203.0.113.7/24` is `203.0.113.0/24`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cidr {
    address: IpAddr,
    /// At most 32, or 128.
    prefix: u8,
}

/// Why a text is no address and no range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidCidr {
    /// What stands before the slash is no address.
    #[error(
        "expected an IPv4 or IPv6 address, or a range in CIDR notation such as \"203.0.113.0/24\" or \"2001:db8::/32\"; found {0:?}"
    )]
    Address(String),
    /// What stands behind the slash is no prefix length.
    #[error("expected a prefix length from 0 to {longest} behind the slash; found {found:?}")]
    Prefix {
        /// The longest one of the address's family.
        longest: u8,
        /// What stands there.
        found: String,
    },
}

/// The address a text stands for, an IPv4 one in IPv6 form as the IPv4 one; `None` where it is none.
pub fn parse_address(text: &str) -> Option<IpAddr> {
    text.parse::<IpAddr>()
        .ok()
        .map(|address| address.to_canonical())
}

impl IpSet {
    /// Whether an address, as [`parse_address`] gives it, is in the set.
    pub fn contains(&self, address: IpAddr) -> bool {
        let (ranges, bits) = match address {
            IpAddr::V4(address) => (&self.v4, u128::from(address.to_bits())),
            IpAddr::V6(address) => (&self.v6, address.to_bits()),
        };
        let first = ranges.partition_point(|range| *range.end() < bits);
        ranges.get(first).is_some_and(|range| range.contains(&bits))
    }

    /// Whether no address is in the set.
    pub fn is_empty(&self) -> bool {
        self.v4.is_empty() && self.v6.is_empty()
    }
}

impl FromIterator<Cidr> for IpSet {
    fn from_iter<T: IntoIterator<Item = Cidr>>(ranges: T) -> Self {
        let mut set = Self::default();
        for cidr in ranges {
            match cidr.address {
                IpAddr::V4(address) => {
                    set.v4
                        .push(span(address.to_bits().into(), 32 - cidr.prefix));
                }
                IpAddr::V6(address) => set.v6.push(span(address.to_bits(), 128 - cidr.prefix)),
            }
        }
        merge(&mut set.v4);
        merge(&mut set.v6);
        set
    }
}

impl FromStr for Cidr {
    type Err = InvalidCidr;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let address: IpAddr = address
            .parse()
            .map_err(|_| InvalidCidr::Address(text.to_owned()))?;
        let longest = if address.is_ipv4() { 32 } else { 128 };
        let prefix = match prefix {
            None => longest,
            Some(digits) => digits
                .parse()
                .ok()
                .filter(|prefix| *prefix <= longest && digits.bytes().all(|b| b.is_ascii_digit()))
                .ok_or_else(|| InvalidCidr::Prefix {
                    longest,
                    found: digits.to_owned(),
                })?,
        };
        Ok(match (address.to_canonical(), address, prefix) {
            (mapped @ IpAddr::V4(_), IpAddr::V6(_), MAPPED_PREFIX..) => Self {
                address: mapped,
                prefix: prefix - MAPPED_PREFIX,
            },
            _ => Self { address, prefix },
        })
    }
}

/// All numbers that equal `bits` but for the last `free` ones.
fn span(bits: u128, free: u8) -> RangeInclusive<u128> {
    let mask = 1_u128
        .checked_shl(free.into())
        .map_or(u128::MAX, |size| size - 1);
    bits & !mask..=bits | mask
}

/// Sorts, and joins what touches or overlaps.
fn merge(ranges: &mut Vec<RangeInclusive<u128>>) {
    order::sort_by(ranges, |one, other| one.start() < other.start());
    ranges.dedup_by(|next, before| {
        let joins = *next.start() <= before.end().saturating_add(1);
        if joins {
            *before = *before.start()..=*before.end().max(next.end());
        }
        joins
    });
}

/// Length of the prefix `::ffff:0:0/96`, below which IPv6 addresses stand for IPv4 ones (RFC 4291 section 2.5.5.2).
const MAPPED_PREFIX: u8 = 96;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(ranges: &[&str], address: &str, expected: bool) {
        let set: IpSet = ranges
            .iter()
            .map(|range| range.parse::<Cidr>().expect(range))
            .collect();
        let parsed = parse_address(address).expect(address);
        assert_eq!(set.contains(parsed), expected, "{address} in {ranges:?}");
    }

    #[test]
    fn a_prefix_is_honoured_to_the_bit() {
        let ranges = ["198.51.100.64/27", "203.0.113.8/30", "192.0.2.7"];
        for (address, expected) in [
            ("198.51.100.63", false),
            ("198.51.100.64", true),
            ("198.51.100.95", true),
            ("198.51.100.96", false),
            ("203.0.113.11", true),
            ("203.0.113.12", false),
            ("192.0.2.7", true),
            ("192.0.2.8", false),
        ] {
            check(&ranges, address, expected);
        }
        let ranges = ["2001:db8:5::/48", "2001:db8:f:8000::/49", "2001:db8::7"];
        for (address, expected) in [
            ("2001:db8:5:ffff::9", true),
            ("2001:db8:6::9", false),
            ("2001:db8:f:8001::1", true),
            ("2001:db8:f:7fff::1", false),
            ("2001:0DB8::0:7", true),
        ] {
            check(&ranges, address, expected);
        }
    }

    #[test]
    fn bits_behind_the_prefix_are_ignored() {
        check(&["203.0.113.7/24"], "203.0.113.200", true);
        check(&["2001:db8::ff/32"], "2001:db8:1::", true);
    }

    #[test]
    fn the_whole_of_a_family_is_a_range_of_its_own() {
        check(&["0.0.0.0/0"], "255.255.255.255", true);
        check(&["0.0.0.0/0"], "::1", false);
        check(&["::/0"], "ffff::", true);
        check(&["::/0"], "192.0.2.1", false);
        check(&[], "192.0.2.1", false);
    }

    #[test]
    fn an_ipv4_address_in_ipv6_form_is_the_ipv4_address() {
        check(&["203.0.113.0/24"], "::ffff:203.0.113.9", true);
        check(&["203.0.113.0/24"], "::ffff:cb00:7109", true);
        check(&["::ffff:203.0.113.0/120"], "203.0.113.9", true);
        check(&["::ffff:203.0.113.0/120"], "203.0.114.9", false);
        check(&["::ffff:203.0.113.9"], "::ffff:203.0.113.9", true);
    }

    #[test]
    fn what_is_no_range_is_refused_with_the_reason() {
        for (text, expected) in [
            ("", "found \"\""),
            ("localhost", "IPv4 or IPv6 address"),
            ("203.0.113", "CIDR"),
            ("203.0.113.256", "CIDR"),
            ("010.0.0.1", "CIDR"),
            (" 203.0.113.1", "CIDR"),
            ("[::1]", "CIDR"),
            ("fe80::1%eth0", "CIDR"),
            ("10.0.0.0/33", "from 0 to 32 behind the slash; found \"33\""),
            ("10.0.0.0/", "found \"\""),
            ("10.0.0.0/+8", "found \"+8\""),
            ("10.0.0.0/255.0.0.0", "found \"255.0.0.0\""),
            ("10.0.0.0/8/8", "found \"8/8\""),
            ("2001:db8::/129", "from 0 to 128"),
        ] {
            let error = text.parse::<Cidr>().expect_err(text).to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn a_set_holds_what_any_of_its_ranges_holds(
            ranges in prop::collection::vec((any::<u32>(), 0_u8..=32), 0..12),
            elsewhere in any::<u32>(),
        ) {
            let set: IpSet = ranges
                .iter()
                .map(|(bits, prefix)| Cidr { address: IpAddr::V4((*bits).into()), prefix: *prefix })
                .collect();
            let near = ranges.iter().flat_map(|(bits, _)| [*bits, bits.wrapping_sub(1), bits ^ 0xff]);
            for bits in near.chain([elsewhere]) {
                let expected = ranges
                    .iter()
                    .any(|(base, prefix)| u64::from(base ^ bits) >> (32 - prefix) == 0);
                prop_assert_eq!(set.contains(IpAddr::V4(bits.into())), expected);
            }
        }
    }
}
