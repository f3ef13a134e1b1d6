//! Who: a key, an identity vouched for by Cloudflare Access, or both.
//!
//! [`jwt`] and the memory it needs are public: the admin panel's door is the same verifier.

mod api_key;
pub mod jwks;
pub mod jwt;
mod rfc3339;

#[cfg(test)]
pub(super) mod test_key;

use http::{HeaderMap, HeaderName};

use self::jwt::{Application, Identity, Rejection, Team};
use super::fields;
use crate::{
    config::{
        Code, Issues, Path, Reported,
        document::{Access, CloudflareAccess},
    },
    headers::combined,
    outcome::Refusal,
    platform::{Clock, Fetch, ReadBody, SignatureCheck},
};

/// Compiled `access`. Where both mechanisms are given both must pass, the cheaper first: who has no key costs no fetch.
#[derive(Debug, Clone)]
pub(super) struct Policy {
    keys: Option<api_key::Policy>,
    cloudflare: Option<Cloudflare>,
}

/// Compiled `access.cloudflare`.
#[derive(Debug, Clone)]
struct Cloudflare {
    application: Application,
    /// Who is let in; `None` lets everybody in whom Access lets in.
    emails: Option<Vec<String>>,
}

impl Policy {
    pub(super) fn compile(
        document: &Access,
        at: &Path<'_>,
        issues: &mut Issues,
    ) -> Result<Self, Reported> {
        let Access {
            cloudflare,
            keys,
            header,
        } = document;
        if cloudflare.is_none() && keys.is_none() {
            return Err(issues.report(
                at,
                Code::Required,
                "expected \"keys\", \"cloudflare\" or both; found neither. Remove the block where everybody may come",
            ));
        }
        let keys = keys
            .as_ref()
            .map(|keys| api_key::Policy::compile(keys, header.as_deref(), at, issues))
            .transpose();
        let cloudflare = cloudflare
            .as_ref()
            .map(|block| Cloudflare::compile(block, &at.key("cloudflare"), issues))
            .transpose();
        Ok(Self {
            keys: keys?,
            cloudflare: cloudflare?,
        })
    }

    /// The id of the key that was presented, where it has one.
    pub(super) async fn admit<P>(
        &self,
        headers: &HeaderMap,
        memory: &jwks::Memory,
        platform: &P,
    ) -> Result<Option<String>, Refusal>
    where
        P: Clock + Fetch + ReadBody + SignatureCheck,
    {
        let key_id = match &self.keys {
            Some(keys) => keys.admit(headers, platform.now())?,
            None => None,
        };
        if let Some(cloudflare) = &self.cloudflare {
            let token = combined(headers, &TOKEN_HEADER).ok_or(Refusal::AccessMissing)?;
            // What is no text is no token, and is refused as one that cannot be read.
            let token = String::from_utf8_lossy(&token);
            let identity = jwt::verify(&token, &cloudflare.application, memory, platform).await?;
            cloudflare.admit(&identity)?;
        }
        Ok(key_id.map(str::to_owned))
    }
}

impl Cloudflare {
    fn compile(
        document: &CloudflareAccess,
        at: &Path<'_>,
        issues: &mut Issues,
    ) -> Result<Self, Reported> {
        let CloudflareAccess {
            team,
            audience,
            emails,
        } = document;
        let team = fields::text(team.as_ref(), "acme", &at.key("team"), issues).and_then(|text| {
            text.parse::<Team>()
                .map_err(|error| issues.report(&at.key("team"), Code::Value, error.to_string()))
        });
        let audience = fields::text(
            audience.as_ref(),
            "4f1c9be0d7a2",
            &at.key("audience"),
            issues,
        );
        let emails = emails
            .as_ref()
            .map(|list| fields::each(list, &at.key("emails"), issues, email))
            .transpose();
        Ok(Self {
            application: Application {
                team: team?,
                audience: audience?,
            },
            emails: emails?,
        })
    }

    fn admit(&self, identity: &Identity) -> Result<(), Refusal> {
        let is_listed = self.emails.as_ref().is_none_or(|emails| {
            identity
                .email
                .as_ref()
                .is_some_and(|email| emails.contains(email))
        });
        match is_listed {
            true => Ok(()),
            false => Err(Refusal::AccessForbidden),
        }
    }
}

impl From<Rejection> for Refusal {
    fn from(rejection: Rejection) -> Self {
        match rejection {
            Rejection::TooLong => Self::AccessTooLong,
            Rejection::Malformed
            | Rejection::Algorithm
            | Rejection::UnknownKey
            | Rejection::Signature
            | Rejection::Expired
            | Rejection::NotYetValid => Self::AccessInvalid,
            Rejection::Audience => Self::AccessForbidden,
            Rejection::KeysUnavailable => Self::AccessJwksUnavailable,
        }
    }
}

fn email(text: &str, at: &Path<'_>, issues: &mut Issues) -> Result<String, Reported> {
    let is_address = !text.contains(char::is_whitespace)
        && text.split_once('@').is_some_and(|(name, host)| {
            !name.is_empty() && !host.is_empty() && !host.contains('@')
        });
    match is_address {
        true => Ok(text.to_owned()),
        false => Err(issues.report(
            at,
            Code::Value,
            format!("expected an address such as \"ops@example.com\"; found {text:?}"),
        )),
    }
}

const TOKEN_HEADER: HeaderName = HeaderName::from_static(jwt::HEADER);

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        config::document::AccessKey,
        crypto,
        guards::fake::{Answer, Fake, block_on, complaints, headers},
    };

    const NOW: u64 = 1_800_000_000;

    fn cloudflare(emails: Option<&[&str]>) -> CloudflareAccess {
        CloudflareAccess {
            team: Some("acme".into()),
            audience: Some("aud-7".into()),
            emails: emails.map(|list| list.iter().map(ToString::to_string).collect()),
        }
    }

    fn keys() -> Vec<AccessKey> {
        vec![AccessKey::Digest(crypto::hex(&crypto::sha256(b"k-one")))]
    }

    fn token(email: &str) -> String {
        test_key::sign(
            &json!({ "alg": "RS256", "kid": test_key::KEY_ID }),
            &json!({ "aud": "aud-7", "exp": NOW + 60, "email": email }),
        )
    }

    fn platform() -> Fake {
        let url = "https://acme.cloudflareaccess.com/cdn-cgi/access/certs";
        let keys = Answer::new(200, &[], &test_key::key_set(test_key::KEY_ID));
        Fake::default().at(NOW).answering(url, vec![keys])
    }

    #[track_caller]
    fn check(
        document: &Access,
        lines: &[(&str, &str)],
        expected: Result<(), Refusal>,
        calls: usize,
    ) {
        let platform = platform();
        let policy = Policy::compile(document, &Path::root(), &mut Issues::default());
        let memory = jwks::Memory::default();
        let verdict = block_on(policy.expect("compiles").admit(
            &headers(lines),
            &memory,
            &platform,
        ));
        assert_eq!(verdict.map(|_| ()), expected, "{lines:?}");
        assert_eq!(platform.calls().len(), calls, "{lines:?}");
    }

    #[test]
    fn both_mechanisms_must_pass_and_the_key_comes_first() {
        let both = Access {
            cloudflare: Some(cloudflare(None)),
            keys: Some(keys()),
            header: None,
        };
        let (good, bad) = (
            ("authorization", "Bearer k-one"),
            ("authorization", "Bearer k-two"),
        );
        let token = token("ops@example.com");
        let token = (jwt::HEADER, token.as_str());
        check(&both, &[good, token], Ok(()), 1);
        check(&both, &[good], Err(Refusal::AccessMissing), 0);
        check(
            &both,
            &[good, (jwt::HEADER, "a.b.c")],
            Err(Refusal::AccessInvalid),
            0,
        );
        check(&both, &[token], Err(Refusal::AccessMissing), 0);
        check(&both, &[bad, token], Err(Refusal::AccessInvalid), 0);
    }

    #[test]
    fn with_a_list_of_addresses_only_these_are_let_in() {
        let (ops, dev) = (token("ops@example.com"), token("dev@example.com"));
        let (ops, dev) = ((jwt::HEADER, ops.as_str()), (jwt::HEADER, dev.as_str()));
        for (emails, ops_passes) in [
            (None, true),
            (Some(&["a@b.c", "ops@example.com"][..]), true),
            (Some(&["OPS@example.com"][..]), false),
        ] {
            let document = Access {
                cloudflare: Some(cloudflare(emails)),
                ..Access::default()
            };
            let verdict = |passes| {
                if passes {
                    Ok(())
                } else {
                    Err(Refusal::AccessForbidden)
                }
            };
            check(&document, &[ops], verdict(ops_passes), 1);
            check(&document, &[dev], verdict(emails.is_none()), 1);
        }
    }

    #[test]
    fn tokens_are_refused_for_what_is_wrong_with_them() {
        let document = Access {
            cloudflare: Some(cloudflare(None)),
            ..Access::default()
        };
        let long = "a".repeat(4097);
        check(&document, &[], Err(Refusal::AccessMissing), 0);
        check(
            &document,
            &[(jwt::HEADER, "")],
            Err(Refusal::AccessInvalid),
            0,
        );
        check(
            &document,
            &[(jwt::HEADER, "é.é.é")],
            Err(Refusal::AccessInvalid),
            0,
        );
        check(
            &document,
            &[(jwt::HEADER, &long)],
            Err(Refusal::AccessTooLong),
            0,
        );
        let cookie = format!("CF_Authorization={}", token("ops@example.com"));
        check(
            &document,
            &[("cookie", &cookie)],
            Err(Refusal::AccessMissing),
            0,
        );
    }

    #[test]
    fn what_makes_no_sense_is_reported_where_it_stands() {
        for (document, expected) in [
            (Access::default(), vec!["access"]),
            (
                Access {
                    header: Some("x-api-key".into()),
                    ..Access::default()
                },
                vec!["access"],
            ),
            (
                Access {
                    cloudflare: Some(CloudflareAccess {
                        team: Some("../x".into()),
                        audience: None,
                        emails: Some(vec!["ops@example.com".into(), "ops".into()]),
                    }),
                    keys: Some(Vec::new()),
                    header: None,
                },
                vec![
                    "access.keys",
                    "access.cloudflare.team",
                    "access.cloudflare.audience",
                    "access.cloudflare.emails[1]",
                ],
            ),
        ] {
            let found = complaints("access", |at, issues| {
                Policy::compile(&document, at, issues)
            });
            assert_eq!(found, expected);
        }
    }
}
