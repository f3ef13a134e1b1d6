//! The two stable text hashes of the proxy. Assignments of a traffic split, mirror samples and cache keys are promises
//! to operators ("why did this caller land there?"), so these may never change.

/// FNV-1a, 32 bit, over the UTF-16 code units of `text`.
///
/// Each unit is folded in whole rather than as two bytes: this is what assignments made by earlier deployments were
/// computed with, and for ASCII text it equals the usual byte-wise hash.
pub fn fnv1a(text: &str) -> u32 {
    text.encode_utf16().fold(FNV1A_START, fnv1a_step)
}

/// Bernstein's hash (`hash * 33 + unit`), 32 bit, over the UTF-16 code units of `text`.
///
/// Beside [`fnv1a`] it makes a 64-bit fingerprint out of two hashes whose collisions are unrelated.
pub fn djb2(text: &str) -> u32 {
    text.encode_utf16().fold(DJB2_START, djb2_step)
}

/// [`fnv1a`] and [`djb2`] of the same text, in one walk over it.
pub fn fnv1a_and_djb2(text: &str) -> (u32, u32) {
    text.encode_utf16()
        .fold((FNV1A_START, DJB2_START), |(fnv, djb), unit| {
            (fnv1a_step(fnv, unit), djb2_step(djb, unit))
        })
}

fn fnv1a_step(hash: u32, unit: u16) -> u32 {
    (hash ^ u32::from(unit)).wrapping_mul(0x0100_0193)
}

fn djb2_step(hash: u32, unit: u16) -> u32 {
    hash.wrapping_mul(33).wrapping_add(u32::from(unit))
}

const FNV1A_START: u32 = 0x811c_9dc5;
const DJB2_START: u32 = 5381;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_the_published_ones() {
        for (text, fnv, djb) in [
            ("", 2_166_136_261, 5381),
            ("a", 0xe40c_292c, 177_670),
            ("foobar", 0xbf9c_f968, 4_259_602_622),
        ] {
            assert_eq!(fnv1a(text), fnv, "fnv1a of {text:?}");
            assert_eq!(djb2(text), djb, "djb2 of {text:?}");
            assert_eq!(fnv1a_and_djb2(text), (fnv, djb), "both of {text:?}");
        }
    }

    #[test]
    fn characters_beyond_the_basic_plane_count_as_two_units() {
        assert_eq!(
            fnv1a("\u{1f600}"),
            [0xd83d_u32, 0xde00]
                .iter()
                .fold(0x811c_9dc5, |h: u32, u| (h ^ u).wrapping_mul(0x0100_0193))
        );
    }
}
