//! Links that carry a signature over their own path and an expiry.
//!
//! The signed message is the path as it stands on the request line, a newline and the expiry; nothing a URL parser
//! does to a path takes part, so what was signed and what is asked for are the same bytes or the link is refused.

use std::{borrow::Cow, time::Duration};

use url::form_urlencoded;

use super::fields;
use crate::{
    config::{Code, Issues, Path, Reported, document::SignedLink},
    crypto,
    message::RequestUrl,
    outcome::Refusal,
    platform::{Clock, Secrets},
    time::Timestamp,
};

/// Compiled `signedLink`.
#[derive(Debug, Clone)]
pub(super) struct Policy {
    secret_binding: String,
    param: String,
    expires_param: String,
}

/// Why a link does not hold. Visitors are told that it does not, and no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flaw {
    /// The signature or the expiry is not there.
    Missing,
    /// The expiry is no whole number of seconds of at most ten digits.
    Expiry,
    /// The signature is no base64url text.
    Encoding,
    /// The signature is of another path, another expiry or another secret.
    Signature,
    /// The expiry is longer ago than the grace.
    Expired,
}

impl Policy {
    pub(super) fn compile(
        document: &SignedLink,
        at: &Path<'_>,
        issues: &mut Issues,
    ) -> Result<Self, Reported> {
        let SignedLink {
            secret_binding,
            param,
            expires_param,
        } = document;
        let secret_binding = fields::text(
            secret_binding.as_ref(),
            "LINK_SECRET",
            &at.key("secretBinding"),
            issues,
        );
        let param = parameter(param.as_deref(), "sig", &at.key("param"), issues);
        let expires_param = parameter(
            expires_param.as_deref(),
            "exp",
            &at.key("expiresParam"),
            issues,
        );
        let (secret_binding, param, expires_param) = (secret_binding?, param?, expires_param?);
        if param == expires_param {
            return Err(issues.report(
                &at.key("expiresParam"),
                Code::Conflict,
                format!("expected another name than that of the signature's parameter, {param:?}: one parameter cannot hold both"),
            ));
        }
        Ok(Self {
            secret_binding,
            param,
            expires_param,
        })
    }

    pub(super) async fn admit<P>(&self, url: &RequestUrl, platform: &P) -> Result<(), Refusal>
    where
        P: Clock + Secrets,
    {
        let secret = platform
            .secret(&self.secret_binding)
            .await
            .filter(|secret| !secret.is_empty())
            .ok_or_else(|| Refusal::SignedLinkMisconfigured {
                binding: self.secret_binding.clone(),
            })?;
        self.holds(url, secret.as_bytes(), platform.now())
            .map_err(|_| Refusal::SignedLinkInvalid)
    }

    fn holds(&self, url: &RequestUrl, secret: &[u8], now: Timestamp) -> Result<(), Flaw> {
        let signature = parameter_of(url, &self.param).ok_or(Flaw::Missing)?;
        let expiry = parameter_of(url, &self.expires_param).ok_or(Flaw::Missing)?;
        let digits = (1..=10).contains(&expiry.len()) && expiry.bytes().all(|b| b.is_ascii_digit());
        let expires: u64 = expiry.parse().ok().filter(|_| digits).ok_or(Flaw::Expiry)?;
        let signature = crypto::base64url_decode(&signature).ok_or(Flaw::Encoding)?;
        let message = format!("{}\n{expiry}", url.path());
        let expected = crypto::hmac_sha256(secret, message.as_bytes());
        if !crypto::constant_time_eq(&expected, &signature) {
            return Err(Flaw::Signature);
        }
        // Only now, so that a forger is not told whether the clock would have refused it too.
        match now.as_secs() > expires + GRACE.as_secs() {
            true => Err(Flaw::Expired),
            false => Ok(()),
        }
    }
}

/// The first value under a parameter, form-decoded.
fn parameter_of<'u>(url: &'u RequestUrl, name: &str) -> Option<Cow<'u, str>> {
    form_urlencoded::parse(url.query().unwrap_or_default().as_bytes())
        .find(|(key, _)| key == name)
        .map(|(_, value)| value)
}

fn parameter(
    name: Option<&str>,
    default: &str,
    at: &Path<'_>,
    issues: &mut Issues,
) -> Result<String, Reported> {
    let name = name.unwrap_or(default);
    if name.is_empty() || name.contains(|c: char| c.is_whitespace() || "&=#".contains(c)) {
        return Err(issues.report(
            at,
            Code::Value,
            format!("expected the name of a query parameter such as {default:?}, without white space, \"&\", \"=\" and \"#\"; found {name:?}"),
        ));
    }
    Ok(name.to_owned())
}

/// How long a link still holds behind its expiry: clocks of issuers go wrong by that much. There is none before it.
const GRACE: Duration = Duration::from_secs(60);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guards::fake::{Fake, block_on, complaints};

    const SECRET: &str = "orchard-lantern-42";
    const VALID: &str = "exp=4102444800&sig=jNH0NBKGgRTNjj8tEv-x18rmMTZ12_pB7UNxPGgaRbs";

    fn sign(path: &str, expiry: &str) -> String {
        let message = format!("{path}\n{expiry}");
        crypto::base64url_encode(&crypto::hmac_sha256(SECRET.as_bytes(), message.as_bytes()))
    }

    fn policy(document: &SignedLink) -> Policy {
        let document = SignedLink {
            secret_binding: Some("LINK_SECRET".into()),
            ..document.clone()
        };
        Policy::compile(&document, &Path::root(), &mut Issues::default()).expect("compiles")
    }

    #[track_caller]
    fn check(path_and_query: &str, now: u64, expected: Result<(), Flaw>) {
        let url = RequestUrl::parse(&format!("https://a.test{path_and_query}")).expect("parses");
        let now = Timestamp::from_millis(now * 1000 + 999);
        let verdict = policy(&SignedLink::default()).holds(&url, SECRET.as_bytes(), now);
        assert_eq!(verdict, expected, "{path_and_query} at {now:?}");
    }

    #[test]
    fn a_signature_is_good_for_its_path_its_expiry_and_its_secret() {
        check(&format!("/dl/report.pdf?{VALID}"), 0, Ok(()));
        check(
            &format!("/dl/report.pdf?a=1&{VALID}&sig=x&exp=y"),
            0,
            Ok(()),
        );
        for path in [
            "/dl/other.pdf",
            "/dl/report.pdf/",
            "/dl//report.pdf",
            "/dl/%72eport.pdf",
        ] {
            check(&format!("{path}?{VALID}"), 0, Err(Flaw::Signature));
        }
        let later = VALID.replace("4102444800", "4102444801");
        check(&format!("/dl/report.pdf?{later}"), 0, Err(Flaw::Signature));
        let other = "exp=4102444800&sig=-fWSR2_47UR6Vw2tgfr5IGXRQw1-t6yHvi9e7B1bNUg";
        check(&format!("/dl/report.pdf?{other}"), 0, Err(Flaw::Signature));
        let short = VALID.strip_suffix("aRbs").unwrap();
        check(&format!("/dl/report.pdf?{short}"), 0, Err(Flaw::Signature));
    }

    #[test]
    fn the_path_is_signed_as_it_is_written() {
        for path in ["/a%20b", "/a/../b", "/%2e/b", "/a;b", "/a//b", r"/a\b"] {
            let signature = sign(path, "100");
            check(&format!("{path}?exp=100&sig={signature}"), 0, Ok(()));
        }
        let signature = sign("/a b", "100");
        check(
            &format!("/a%20b?exp=100&sig={signature}"),
            0,
            Err(Flaw::Signature),
        );
        let signature = sign("/b", "100");
        check(
            &format!("/a/../b?exp=100&sig={signature}"),
            0,
            Err(Flaw::Signature),
        );
    }

    #[test]
    fn a_link_holds_until_a_minute_behind_its_expiry() {
        let link = format!("/a?exp=1000&sig={}", sign("/a", "1000"));
        for (now, expected) in [
            (0, Ok(())),
            (1000, Ok(())),
            (1060, Ok(())),
            (1061, Err(Flaw::Expired)),
            (9_999_999_999, Err(Flaw::Expired)),
        ] {
            check(&link, now, expected);
        }
        let forged = format!("/a?exp=1000&sig={}", sign("/b", "1000"));
        check(&forged, 2000, Err(Flaw::Signature));
    }

    #[test]
    fn parts_are_checked_in_order() {
        let sig = sign("/a", "1000");
        for (query, expected) in [
            (String::new(), Err(Flaw::Missing)),
            (format!("sig={sig}"), Err(Flaw::Missing)),
            ("exp=1000".into(), Err(Flaw::Missing)),
            (format!("SIG={sig}&exp=1000"), Err(Flaw::Missing)),
            (format!("exp=&sig={sig}"), Err(Flaw::Expiry)),
            ("exp=x&sig=!".into(), Err(Flaw::Expiry)),
            (format!("exp=-1000&sig={sig}"), Err(Flaw::Expiry)),
            (format!("exp=%2b1000&sig={sig}"), Err(Flaw::Expiry)),
            (format!("exp=1000.0&sig={sig}"), Err(Flaw::Expiry)),
            (format!("exp=00000001000&sig={sig}"), Err(Flaw::Expiry)),
            (format!("exp=%D9%A1&sig={sig}"), Err(Flaw::Expiry)),
            ("exp=1000&sig=not*base64".into(), Err(Flaw::Encoding)),
            (
                format!("exp=1000&sig={}", sig.replace(['-', '_'], "+")),
                Err(Flaw::Encoding),
            ),
            ("exp=1000&sig=".into(), Err(Flaw::Signature)),
            (format!("exp=1000&sig={sig}="), Ok(())),
            (format!("exp=%31000&s%69g={sig}"), Ok(())),
        ] {
            check(&format!("/a?{query}"), 0, expected);
        }
    }

    #[test]
    fn both_parameters_may_have_other_names() {
        let document = SignedLink {
            param: Some("s".into()),
            expires_param: Some("until".into()),
            ..SignedLink::default()
        };
        let holds = |query: &str| {
            let url = RequestUrl::parse(&format!("https://a.test/a?{query}")).expect("parses");
            policy(&document).holds(&url, SECRET.as_bytes(), Timestamp::default())
        };
        let sig = sign("/a", "1000");
        assert_eq!(holds(&format!("until=1000&s={sig}&sig=x&exp=y")), Ok(()));
        assert_eq!(holds(&format!("exp=1000&sig={sig}")), Err(Flaw::Missing));
    }

    #[test]
    fn without_a_secret_nothing_can_be_checked() {
        let misconfigured = Err(Refusal::SignedLinkMisconfigured {
            binding: "LINK_SECRET".into(),
        });
        for (secret, expected) in [
            (None, misconfigured.clone()),
            (Some(""), misconfigured),
            (Some("another"), Err(Refusal::SignedLinkInvalid)),
            (Some(SECRET), Ok(())),
        ] {
            let mut platform = Fake::default();
            if let Some(secret) = secret {
                platform = platform.with_secret("LINK_SECRET", secret);
            }
            let url = RequestUrl::parse(&format!("https://a.test/dl/report.pdf?{VALID}"))
                .expect("parses");
            let verdict = block_on(policy(&SignedLink::default()).admit(&url, &platform));
            assert_eq!(verdict, expected, "{secret:?}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_reported_where_it_stands() {
        for (secret, param, expires, expected) in [
            (
                None,
                Some("a b"),
                Some(""),
                vec!["link.secretBinding", "link.param", "link.expiresParam"],
            ),
            (
                Some("S"),
                Some("a&b"),
                Some("a=b"),
                vec!["link.param", "link.expiresParam"],
            ),
            (Some("S"), Some("exp"), None, vec!["link.expiresParam"]),
            (Some("S"), Some("x"), Some("x"), vec!["link.expiresParam"]),
        ] {
            let document = SignedLink {
                secret_binding: secret.map(str::to_owned),
                param: param.map(str::to_owned),
                expires_param: expires.map(str::to_owned),
            };
            let found = complaints("link", |at, issues| Policy::compile(&document, at, issues));
            assert_eq!(found, expected);
        }
    }
}
