//! Digests, signatures and their spellings. Hashing is small enough to be compiled in; RSA is not, so that the platform
//! verifies it ([`crate::platform::SignatureCheck`]) and only a host without one does it here.

use base64::{
    Engine,
    alphabet::URL_SAFE,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

/// A SHA-256 digest or an HMAC made with it.
pub type Digest256 = [u8; 32];

/// The SHA-256 digest of `bytes` (FIPS 180-4).
pub fn sha256(bytes: &[u8]) -> Digest256 {
    Sha256::digest(bytes).into()
}

/// The HMAC-SHA256 of `message` under `key` (RFC 2104), which may be of any length.
pub fn hmac_sha256(key: &[u8], message: &[u8]) -> Digest256 {
    #[expect(
        clippy::expect_used,
        reason = "HMAC is defined for keys of every length, so there is no error to hand on"
    )]
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    mac.update(message);
    mac.finalize().into_bytes().into()
}

/// Whether two texts are equal, in a time that depends on their lengths alone: how many leading bytes of a forged
/// signature are right must not be measurable.
pub fn constant_time_eq(left: &[u8], right: &[u8]) -> bool {
    let difference = left
        .iter()
        .zip(right)
        .fold(0, |difference, (left, right)| difference | (left ^ right));
    // The optimizer could otherwise leave the loop at the first difference.
    left.len() == right.len() && std::hint::black_box(difference) == 0
}

/// The digest as 64 lower-case hexadecimal digits.
///
/// ```
/// use jouska::crypto::{hex, sha256};
///
/// let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
/// assert_eq!(hex(&sha256(b"abc")), digest);
/// ```
pub fn hex(digest: &Digest256) -> String {
    digest
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 0xf])
        .filter_map(|digit| char::from_digit(digit.into(), 16))
        .collect()
}

/// The digest that 64 lower-case hexadecimal digits stand for; `None` where the text is anything else.
pub fn digest_from_hex(text: &str) -> Option<Digest256> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let bytes = pairs
        .iter()
        .map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?))
        .collect::<Option<Vec<u8>>>()?;
    rest.is_empty().then(|| bytes.try_into().ok()).flatten()
}

/// The bytes behind base64url text (RFC 4648 section 5), padded or not; `None` where it is none.
pub fn base64url_decode(text: &str) -> Option<Vec<u8>> {
    BASE64URL.decode(text).ok()
}

/// Base64url text without padding, as tokens and links carry it.
pub fn base64url_encode(bytes: &[u8]) -> String {
    BASE64URL.encode(bytes)
}

/// Whether `signature` over `message` was made by the RSA key: RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518 section 3.3).
///
/// For hosts only: compiled to WASM this weighs more than all the rest of the proxy and is slower than the runtime's own.
#[cfg(any(test, feature = "test-util"))]
pub fn rs256(key: &crate::platform::RsaKey, message: &[u8], signature: &[u8]) -> bool {
    jsonwebtoken::DecodingKey::from_rsa_components(&key.n, &key.e)
        .and_then(|key| {
            let signature = base64url_encode(signature);
            jsonwebtoken::crypto::verify(&signature, message, &key, jsonwebtoken::Algorithm::RS256)
        })
        .unwrap_or(false)
}

const BASE64URL: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new()
        .with_encode_padding(false)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_the_standards() {
        for (message, expected) in [
            (
                "",
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            ),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            ),
        ] {
            assert_eq!(hex(&sha256(message.as_bytes())), expected, "{message}");
        }
    }

    #[test]
    fn macs_are_those_of_rfc_4231() {
        for (key, message, expected) in [
            (
                vec![0x0b; 20],
                "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            ),
            (
                b"Jefe".to_vec(),
                "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (
                vec![0xaa; 131],
                "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            ),
        ] {
            assert_eq!(
                hex(&hmac_sha256(&key, message.as_bytes())),
                expected,
                "{message}"
            );
        }
    }

    #[test]
    fn only_sixty_four_lower_case_digits_are_a_digest() {
        let digest = sha256(b"abc");
        assert_eq!(digest_from_hex(&hex(&digest)), Some(digest));
        for text in [
            String::new(),
            "ab".repeat(31),
            "ab".repeat(33),
            format!("{}a", "ab".repeat(31)),
            format!("{}abc", "ab".repeat(31)),
            "AB".repeat(32),
            "g0".repeat(32),
            "é".repeat(32),
        ] {
            assert_eq!(digest_from_hex(&text), None, "{text}");
        }
    }

    #[test]
    fn base64url_may_be_padded_and_nothing_else() {
        for (text, expected) in [
            ("", Some(&b""[..])),
            ("-_8", Some(b"\xfb\xff")),
            ("-_8=", Some(b"\xfb\xff")),
            ("Zm9vYg", Some(b"foob")),
            ("Zm9vYg==", Some(b"foob")),
            ("+/8", None),
            ("Zm9vYh", None),
            ("Z", None),
            ("Zm9v Yg", None),
            ("Zm9vYg\n", None),
            ("!!", None),
        ] {
            assert_eq!(base64url_decode(text).as_deref(), expected, "{text:?}");
        }
    }

    #[test]
    fn texts_are_equal_when_all_of_them_is() {
        for (left, right, expected) in [
            ("", "", true),
            ("abc", "abc", true),
            ("abc", "abd", false),
            ("abc", "ab", false),
            ("", "a", false),
        ] {
            assert_eq!(
                constant_time_eq(left.as_bytes(), right.as_bytes()),
                expected,
                "{left} {right}"
            );
        }
    }
}
