//! Keys that callers present. The document holds their digests, so that a leaked document is no ring of keys; a key is
//! random and long, so that its digest needs no salt.

use http::{HeaderMap, HeaderName, header::AUTHORIZATION};

use super::rfc3339;
use crate::{
    config::{
        Code, Issues, Path, Reported,
        document::{AccessKey, DescribedKey},
    },
    crypto::{self, Digest256},
    guards::fields,
    headers::combined,
    outcome::Refusal,
    time::Timestamp,
};

/// Compiled `access.keys` and `access.header`.
#[derive(Debug, Clone)]
pub(super) struct Policy {
    /// Where the key stands: in `Authorization` behind `Bearer`, in any other header raw.
    header: HeaderName,
    keys: Vec<Key>,
}

#[derive(Debug, Clone)]
struct Key {
    digest: Digest256,
    id: Option<String>,
    expires_at: Option<Timestamp>,
}

impl Policy {
    /// `at` is the `access` block.
    pub(super) fn compile(
        keys: &[AccessKey],
        header: Option<&str>,
        at: &Path<'_>,
        issues: &mut Issues,
    ) -> Result<Self, Reported> {
        let header = match header {
            None => Ok(AUTHORIZATION),
            Some(name) => HeaderName::from_bytes(name.as_bytes()).map_err(|_| {
                issues.report(
                    &at.key("header"),
                    Code::Value,
                    format!("expected a header name such as \"x-api-key\"; found {name:?}"),
                )
            }),
        };
        let keys = fields::each(keys, &at.key("keys"), issues, key);
        Ok(Self {
            header: header?,
            keys: keys?,
        })
    }

    /// The id of the key that was presented, where it has one.
    pub(super) fn admit(
        &self,
        headers: &HeaderMap,
        now: Timestamp,
    ) -> Result<Option<&str>, Refusal> {
        let value = combined(headers, &self.header).ok_or(Refusal::AccessMissing)?;
        let presented = match self.header {
            AUTHORIZATION => bearer(&value),
            _ => Some(&*value),
        };
        let presented = presented
            .filter(|key| !key.is_empty())
            .ok_or(Refusal::AccessMissing)?;
        // Before hashing, which is the work that a cap on length saves.
        if presented.len() > LONGEST_KEY {
            return Err(Refusal::AccessTooLong);
        }
        let digest = crypto::sha256(presented);
        // Every digest is looked at, so that time does not tell where in the list a key stands.
        let matching = self.keys.iter().fold(None, |found: Option<&Key>, key| {
            match crypto::constant_time_eq(&key.digest, &digest) && key.is_live(now) {
                true => found.or(Some(key)),
                false => found,
            }
        });
        matching
            .map(|key| key.id.as_deref())
            .ok_or(Refusal::AccessInvalid)
    }
}

impl Key {
    fn is_live(&self, now: Timestamp) -> bool {
        self.expires_at.is_none_or(|expiry| now < expiry)
    }
}

/// The credential of an `Authorization: Bearer` value (RFC 6750 section 2.1); the scheme's name has no letter case.
fn bearer(value: &[u8]) -> Option<&[u8]> {
    let (scheme, credential) = value.split_at_checked(BEARER.len())?;
    scheme.eq_ignore_ascii_case(BEARER).then_some(credential)
}

fn key(document: &AccessKey, at: &Path<'_>, issues: &mut Issues) -> Result<Key, Reported> {
    let DescribedKey {
        id,
        sha256,
        expires_at,
        note: _,
    } = match document {
        AccessKey::Digest(digest) => {
            return Ok(Key {
                digest: self::digest(digest, at, issues)?,
                id: None,
                expires_at: None,
            });
        }
        AccessKey::Described(key) => key,
    };
    let digest = digest(
        sha256.as_deref().unwrap_or_default(),
        &at.key("sha256"),
        issues,
    );
    let id = id
        .as_ref()
        .map(|id| fields::text(Some(id), "billing-job", &at.key("id"), issues))
        .transpose();
    let expires_at = expires_at
        .as_deref()
        .map(|text| {
            rfc3339::parse(text).ok_or_else(|| {
                issues.report(
                    &at.key("expiresAt"),
                    Code::Value,
                    format!("expected a date and time with a zone, such as \"2027-01-31T00:00:00Z\"; found {text:?}"),
                )
            })
        })
        .transpose();
    Ok(Key {
        digest: digest?,
        id: id?,
        expires_at: expires_at?,
    })
}

/// The text itself is not shown: a person may have pasted the key.
fn digest(text: &str, at: &Path<'_>, issues: &mut Issues) -> Result<Digest256, Reported> {
    crypto::digest_from_hex(text).ok_or_else(|| {
        issues.report(
            at,
            Code::Value,
            "expected the SHA-256 digest of a key, 64 hexadecimal digits in lower case; found something else. A key itself never belongs here",
        )
    })
}

const BEARER: &[u8] = b"Bearer ";

/// In bytes. No key that is worth anything is longer, and every byte more is paid for by whoever is attacked.
const LONGEST_KEY: usize = 512;

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;
    use crate::guards::fake::{complaints, headers};

    fn digest_of(key: &str) -> String {
        crypto::hex(&crypto::sha256(key.as_bytes()))
    }

    fn policy(header: Option<&str>) -> Policy {
        let keys = [
            AccessKey::Digest(digest_of("k-plain")),
            AccessKey::Described(DescribedKey {
                id: Some("old".into()),
                sha256: Some(digest_of("k-renewed")),
                expires_at: Some("1970-01-01T00:01:40Z".into()),
                note: Some("until the job moves".into()),
            }),
            AccessKey::Described(DescribedKey {
                id: Some("new".into()),
                sha256: Some(digest_of("k-renewed")),
                expires_at: Some("1970-01-01T00:03:20+00:00".into()),
                note: None,
            }),
            AccessKey::Described(DescribedKey {
                sha256: Some(digest_of(&"k".repeat(512))),
                ..DescribedKey::default()
            }),
        ];
        let mut issues = Issues::default();
        let policy = Policy::compile(&keys, header, &Path::root(), &mut issues);
        policy.expect("compiles")
    }

    #[track_caller]
    fn check(
        header: Option<&str>,
        lines: &[(&str, &str)],
        seconds: u64,
        expected: Result<Option<&str>, Refusal>,
    ) {
        let now = Timestamp::from_millis(seconds * 1000);
        let policy = policy(header);
        let verdict = policy.admit(&headers(lines), now);
        assert_eq!(verdict, expected, "{lines:?} at {seconds} s");
    }

    #[test]
    fn a_key_stands_behind_bearer_in_any_letter_case() {
        for (value, expected) in [
            ("Bearer k-plain", Ok(None)),
            ("bearer k-plain", Ok(None)),
            ("BEARER k-plain", Ok(None)),
            ("Bearer k-other", Err(Refusal::AccessInvalid)),
            ("Bearer  k-plain", Err(Refusal::AccessInvalid)),
            ("Bearer", Err(Refusal::AccessMissing)),
            ("Bearer ", Err(Refusal::AccessMissing)),
            ("k-plain", Err(Refusal::AccessMissing)),
            ("Basic k-plain", Err(Refusal::AccessMissing)),
            ("Bearer:k-plain", Err(Refusal::AccessMissing)),
            ("", Err(Refusal::AccessMissing)),
        ] {
            check(None, &[("authorization", value)], 0, expected.clone());
            check(
                Some("Authorization"),
                &[("authorization", value)],
                0,
                expected,
            );
        }
        check(None, &[], 0, Err(Refusal::AccessMissing));
        check(
            None,
            &[("x-api-key", "k-plain")],
            0,
            Err(Refusal::AccessMissing),
        );
    }

    #[test]
    fn a_header_of_the_routes_own_holds_the_raw_key() {
        let header = Some("X-Api-Key");
        check(header, &[("x-api-key", "k-plain")], 0, Ok(None));
        check(
            header,
            &[("x-api-key", "Bearer k-plain")],
            0,
            Err(Refusal::AccessInvalid),
        );
        check(
            header,
            &[("authorization", "Bearer k-plain")],
            0,
            Err(Refusal::AccessMissing),
        );
    }

    #[test]
    fn two_keys_are_no_key() {
        let lines = [
            ("authorization", "Bearer k-plain"),
            ("authorization", "Bearer k-plain"),
        ];
        check(None, &lines, 0, Err(Refusal::AccessInvalid));
    }

    #[test]
    fn a_digest_is_no_key() {
        let value = format!("Bearer {}", digest_of("k-plain"));
        check(
            None,
            &[("authorization", &value)],
            0,
            Err(Refusal::AccessInvalid),
        );
    }

    #[test]
    fn a_key_is_measured_before_it_is_hashed() {
        let value = |length| format!("Bearer {}", "k".repeat(length));
        check(None, &[("authorization", &value(512))], 0, Ok(None));
        check(
            None,
            &[("authorization", &value(511))],
            0,
            Err(Refusal::AccessInvalid),
        );
        check(
            None,
            &[("authorization", &value(513))],
            0,
            Err(Refusal::AccessTooLong),
        );
    }

    #[test]
    fn an_expired_key_is_none_and_the_event_names_the_one_that_counts() {
        let lines = [("authorization", "Bearer k-renewed")];
        for (seconds, expected) in [
            (99, Ok(Some("old"))),
            (100, Ok(Some("new"))),
            (199, Ok(Some("new"))),
            (200, Err(Refusal::AccessInvalid)),
        ] {
            check(None, &lines, seconds, expected);
        }
    }

    #[test]
    fn what_makes_no_sense_is_reported_where_it_stands() {
        let keys = [
            AccessKey::Digest("vK3x-9Qm2Lp7Rt4Wz8Yb1Nc6Hd5Jf0Gs".into()),
            AccessKey::Digest(digest_of("a").to_uppercase()),
            AccessKey::Described(DescribedKey {
                id: Some(String::new()),
                sha256: None,
                expires_at: Some("soon".into()),
                note: None,
            }),
        ];
        let found = complaints("access", |at, issues| {
            Policy::compile(&keys, Some("x api"), at, issues)
        });
        assert_eq!(
            found,
            [
                "access.header",
                "access.keys[0]",
                "access.keys[1]",
                "access.keys[2].sha256",
                "access.keys[2].id",
                "access.keys[2].expiresAt",
            ]
        );
        let found = complaints("access", |at, issues| {
            Policy::compile(&[], None, at, issues)
        });
        assert_eq!(found, ["access.keys"]);
    }

    #[test]
    fn a_key_pasted_by_mistake_is_not_repeated() {
        let keys = [AccessKey::Digest("vK3x-9Qm2Lp7Rt4Wz8Yb1Nc6Hd5Jf0Gs".into())];
        let mut issues = Issues::default();
        assert!(Policy::compile(&keys, None, &Path::root(), &mut issues).is_err());
        assert!(!issues.into_vec()[0].message.contains("vK3x"));
    }

    #[test]
    fn bytes_beyond_ascii_are_hashed_as_they_came() {
        let keys = [AccessKey::Digest(digest_of("kéy"))];
        let policy = Policy::compile(&keys, None, &Path::root(), &mut Issues::default());
        let policy = policy.expect("compiles");
        let mut lines = HeaderMap::new();
        let value = HeaderValue::from_bytes("Bearer kéy".as_bytes()).expect("a value");
        lines.insert(AUTHORIZATION, value);
        assert_eq!(policy.admit(&lines, Timestamp::default()), Ok(None));
    }
}
