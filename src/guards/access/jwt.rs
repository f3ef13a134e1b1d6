//! Tokens that Cloudflare Access hands to people it has let in, verified without asking anybody: signed by the team,
//! made for this application, valid now.
//!
//! 1. A token longer than 4,096 bytes is not looked at.
//! 2. It has three parts; its header names RS256 and a key.
//! 3. The key is one the team publishes ([`super::jwks`]).
//! 4. The signature holds. Up to here nothing in the token is believed: it is text that a stranger wrote.
//! 5. It has not expired and has begun, by this clock alone.
//! 6. It is for this audience.

use std::{fmt, str::FromStr};

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use super::jwks::{self, NoKey};
use crate::{
    crypto,
    platform::{Clock, Fetch, ReadBody, SignatureCheck},
    time::Timestamp,
};

/// The request header that Cloudflare Access puts its token into.
pub const HEADER: &str = "cf-access-jwt-assertion";

/// An application that tokens are made for.
///
/// ```
/// use jouska::guards::access::jwt::Application;
///
/// let panel = Application { team: "acme".parse().unwrap(), audience: "4f1c9be0d7a2".into() };
/// assert_eq!(panel.team.certs_url(), "https://acme.cloudflareaccess.com/cdn-cgi/access/certs");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    /// Whose keys tokens are signed with.
    pub team: Team,
    /// The application's audience tag.
    pub audience: String,
}

/// A team's name: the label before `.cloudflareaccess.com`. Its shape keeps the address of the keys on that host.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Team(String);

/// A text is no team name. The message says what one looks like.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a team name such as \"acme\", 2 to 64 small letters, digits and inner hyphens, without \".cloudflareaccess.com\"; found {0:?}"
)]
pub struct InvalidTeam(String);

/// What a verified token says of its bearer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Identity {
    /// The person's address; service tokens have none.
    pub email: Option<String>,
}

/// Why a token is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rejection {
    /// It is longer than is read.
    TooLong,
    /// It is no token: not three parts, not base64url, not the JSON that is expected.
    Malformed,
    /// It names another algorithm than RS256, or extensions that would have to be understood.
    Algorithm,
    /// It names a key that the team does not publish.
    UnknownKey,
    /// Its signature was not made with that key over this text.
    Signature,
    /// It has expired, or never does.
    Expired,
    /// It is not valid yet.
    NotYetValid,
    /// It is the team's, for another application.
    Audience,
    /// The team's keys cannot be had, so that nobody can tell.
    KeysUnavailable,
}

/// Verifies a token for an application. `memory` keeps the team's keys between requests.
pub async fn verify<P>(
    token: &str,
    application: &Application,
    memory: &jwks::Memory,
    platform: &P,
) -> Result<Identity, Rejection>
where
    P: Clock + Fetch + ReadBody + SignatureCheck,
{
    let token = Token::parse(token)?;
    let key = jwks::find(&application.team, &token.key_id, memory, platform)
        .await
        .map_err(|missing| match missing {
            NoKey::Unknown => Rejection::UnknownKey,
            NoKey::Unavailable => Rejection::KeysUnavailable,
        })?;
    if !platform
        .rs256(&key, token.signed.as_bytes(), &token.signature)
        .await
    {
        return Err(Rejection::Signature);
    }
    part::<Claims>(token.payload)?.judge(&application.audience, platform.now())
}

impl Team {
    /// Where the team publishes its keys.
    pub fn certs_url(&self) -> String {
        format!("https://{self}.cloudflareaccess.com/cdn-cgi/access/certs")
    }
}

impl FromStr for Team {
    type Err = InvalidTeam;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let label = (2..=64).contains(&text.len())
            && text
                .bytes()
                .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
            && !text.starts_with('-')
            && !text.ends_with('-');
        match label {
            true => Ok(Self(text.to_owned())),
            false => Err(InvalidTeam(text.to_owned())),
        }
    }
}

impl fmt::Display for Team {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A token taken apart (RFC 7515 section 7.1). Its claims stay text until the signature vouches for them.
#[derive(Debug, PartialEq, Eq)]
struct Token<'t> {
    key_id: String,
    /// Header and payload as they were signed.
    signed: &'t str,
    payload: &'t str,
    signature: Vec<u8>,
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    crit: Option<Value>,
}

/// The claims that are looked at (RFC 7519 section 4.1). Moments are seconds, possibly with a fraction.
#[derive(Deserialize)]
struct Claims {
    exp: Option<f64>,
    nbf: Option<f64>,
    /// A text or a list of texts.
    #[serde(default)]
    aud: Value,
    #[serde(default)]
    email: Value,
}

impl<'t> Token<'t> {
    fn parse(text: &'t str) -> Result<Self, Rejection> {
        if text.len() > LONGEST_TOKEN {
            return Err(Rejection::TooLong);
        }
        let (signed, signature) = text.rsplit_once('.').ok_or(Rejection::Malformed)?;
        let (header, payload) = signed.split_once('.').ok_or(Rejection::Malformed)?;
        if payload.contains('.') {
            return Err(Rejection::Malformed);
        }
        let Header { alg, kid, crit } = part(header)?;
        // Only here is the algorithm read out of the token, and only to refuse: what verifies is always RS256.
        // Extensions marked critical must be understood or refused (RFC 7515 section 4.1.11), and none is.
        if alg != "RS256" || crit.is_some() {
            return Err(Rejection::Algorithm);
        }
        Ok(Self {
            key_id: kid.ok_or(Rejection::Malformed)?,
            signed,
            payload,
            signature: crypto::base64url_decode(signature)
                .filter(|bytes| !bytes.is_empty())
                .ok_or(Rejection::Malformed)?,
        })
    }
}

impl Claims {
    fn judge(self, audience: &str, now: Timestamp) -> Result<Identity, Rejection> {
        let Self {
            exp,
            nbf,
            aud,
            email,
        } = self;
        let now = now.as_millis() as f64 / 1000.0;
        if exp.is_none_or(|exp| exp <= now) {
            return Err(Rejection::Expired);
        }
        if nbf.is_some_and(|nbf| nbf > now) {
            return Err(Rejection::NotYetValid);
        }
        let is_meant = match &aud {
            Value::Array(several) => several.iter().any(|one| one == audience),
            one => one == audience,
        };
        if !is_meant {
            return Err(Rejection::Audience);
        }
        Ok(Identity {
            email: email.as_str().map(str::to_owned),
        })
    }
}

/// The JSON in one part of a token.
fn part<T: DeserializeOwned>(text: &str) -> Result<T, Rejection> {
    crypto::base64url_decode(text)
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .ok_or(Rejection::Malformed)
}

/// In bytes. Access makes tokens of about a thousand.
const LONGEST_TOKEN: usize = 4096;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::guards::{
        access::test_key::{KEY_ID, key_set, sign},
        fake::{Answer, Fake, block_on},
    };

    const NOW: u64 = 1_800_000_000;

    fn application() -> Application {
        Application {
            team: "acme".parse().expect("a team"),
            audience: "aud-7".into(),
        }
    }

    fn header() -> Value {
        serde_json::json!({ "alg": "RS256", "kid": KEY_ID, "typ": "JWT" })
    }

    fn claims() -> Value {
        serde_json::json!({ "aud": ["aud-7"], "exp": NOW + 1, "nbf": NOW, "email": "ops@example.com" })
    }

    fn platform() -> Fake {
        let url = application().team.certs_url();
        Fake::default()
            .at(NOW)
            .answering(&url, vec![Answer::new(200, &[], &key_set(KEY_ID))])
    }

    /// The verdict on a token, and how many signatures were verified for it.
    fn verdict(token: &str) -> (Result<Identity, Rejection>, usize) {
        let platform = platform();
        let memory = jwks::Memory::default();
        let verdict = block_on(verify(token, &application(), &memory, &platform));
        (verdict, platform.verified())
    }

    fn ops() -> Result<Identity, Rejection> {
        Ok(Identity {
            email: Some("ops@example.com".into()),
        })
    }

    #[test]
    fn a_token_of_the_team_for_the_application_is_accepted() {
        let token = sign(&header(), &claims());
        assert_eq!(verdict(&token), (ops(), 1));
    }

    #[test]
    fn a_changed_token_is_not() {
        let token = sign(&header(), &claims());
        let other = sign(
            &header(),
            &serde_json::json!({ "aud": "aud-7", "exp": NOW + 1 }),
        );
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let (_, other_signature) = other.rsplit_once('.').unwrap();
        let mut flipped = crypto::base64url_decode(signature).unwrap();
        flipped[17] ^= 1;
        for signature in [
            other_signature.to_owned(),
            crypto::base64url_encode(&flipped),
            crypto::base64url_encode(&flipped[1..]),
            "AA".to_owned(),
        ] {
            let token = format!("{signed}.{signature}");
            assert_eq!(
                verdict(&token),
                (Err(Rejection::Signature), 1),
                "{signature}"
            );
        }
    }

    #[test]
    fn claims_are_not_believed_before_the_signature_holds() {
        let expired = sign(&header(), &serde_json::json!({ "aud": "x", "exp": 1 }));
        let (signed, _) = expired.rsplit_once('.').unwrap();
        assert_eq!(
            verdict(&format!("{signed}.AA")),
            (Err(Rejection::Signature), 1)
        );
        assert_eq!(verdict(&expired), (Err(Rejection::Expired), 1));
    }

    #[test]
    fn what_is_no_token_costs_no_signature_and_no_keys() {
        let good = sign(&header(), &claims());
        let [head, payload, signature] = [0, 1, 2].map(|part| good.split('.').nth(part).unwrap());
        let headed = |header: Value| sign(&header, &claims());
        let raw = |text: &str| {
            format!(
                "{}.{payload}.{signature}",
                crypto::base64url_encode(text.as_bytes())
            )
        };
        for (token, expected) in [
            (String::new(), Rejection::Malformed),
            ("abc".into(), Rejection::Malformed),
            ("a.b".into(), Rejection::Malformed),
            ("..".into(), Rejection::Malformed),
            ("...".into(), Rejection::Malformed),
            ("a.b.c.d".into(), Rejection::Malformed),
            ("!!.!!.!!".into(), Rejection::Malformed),
            (format!("{good}."), Rejection::Malformed),
            (format!(".{good}"), Rejection::Malformed),
            (format!("{head}.{payload}."), Rejection::Malformed),
            (format!("{head}.{payload}.é"), Rejection::Malformed),
            (raw("[]"), Rejection::Malformed),
            (raw("{\"kid\":\"k\"}"), Rejection::Malformed),
            (raw("{\"alg\":\"RS256\"}"), Rejection::Malformed),
            (
                raw("{\"alg\":\"none\",\"alg\":\"RS256\",\"kid\":\"k\"}"),
                Rejection::Malformed,
            ),
            (raw("{\"alg\":\"RS256\",\"kid\":7}"), Rejection::Malformed),
            (
                headed(serde_json::json!({ "alg": "none", "kid": KEY_ID })),
                Rejection::Algorithm,
            ),
            (
                headed(serde_json::json!({ "alg": "HS256", "kid": KEY_ID })),
                Rejection::Algorithm,
            ),
            (
                headed(serde_json::json!({ "alg": "RS512", "kid": KEY_ID })),
                Rejection::Algorithm,
            ),
            (
                headed(serde_json::json!({ "alg": "rs256", "kid": KEY_ID })),
                Rejection::Algorithm,
            ),
            (
                headed(
                    serde_json::json!({ "alg": "RS256", "kid": KEY_ID, "crit": ["b64"], "b64": false }),
                ),
                Rejection::Algorithm,
            ),
            ("a".repeat(4097), Rejection::TooLong),
            ("a".repeat(4096), Rejection::Malformed),
        ] {
            let platform = platform();
            let memory = jwks::Memory::default();
            let verdict = block_on(verify(&token, &application(), &memory, &platform));
            assert_eq!(verdict, Err(expected), "{token}");
            assert_eq!(
                (platform.verified(), platform.calls().len()),
                (0, 0),
                "{token}"
            );
        }
    }

    #[test]
    fn a_key_the_team_does_not_publish_verifies_nothing() {
        let token = sign(
            &serde_json::json!({ "alg": "RS256", "kid": "k-1999" }),
            &claims(),
        );
        assert_eq!(verdict(&token), (Err(Rejection::UnknownKey), 0));
    }

    #[test]
    fn without_keys_nobody_can_tell() {
        let platform = Fake::default().at(NOW);
        let memory = jwks::Memory::default();
        let token = sign(&header(), &claims());
        let verdict = block_on(verify(&token, &application(), &memory, &platform));
        assert_eq!(verdict, Err(Rejection::KeysUnavailable));
        platform.pass(Duration::from_secs(1));
    }

    #[track_caller]
    fn judge(claims: Value, expected: Result<Identity, Rejection>) {
        let text = claims.to_string();
        let now = Timestamp::from_millis(NOW * 1000);
        let verdict = serde_json::from_value::<Claims>(claims)
            .map_err(|_| Rejection::Malformed)
            .and_then(|claims| claims.judge("aud-7", now));
        assert_eq!(verdict, expected, "{text}");
    }

    #[test]
    fn a_token_is_valid_between_its_moments_without_any_skew() {
        let nobody = || Ok(Identity::default());
        let with =
            |exp: Value, nbf: Value| serde_json::json!({ "aud": "aud-7", "exp": exp, "nbf": nbf });
        let now = NOW as f64;
        for (exp, nbf, expected) in [
            ((NOW + 1).into(), Value::Null, nobody()),
            ((now + 0.5).into(), NOW.into(), nobody()),
            (1e300.into(), 0.into(), nobody()),
            (NOW.into(), Value::Null, Err(Rejection::Expired)),
            ((now - 0.5).into(), Value::Null, Err(Rejection::Expired)),
            ((-1).into(), Value::Null, Err(Rejection::Expired)),
            (Value::Null, Value::Null, Err(Rejection::Expired)),
            (
                (NOW + 1).into(),
                (NOW + 1).into(),
                Err(Rejection::NotYetValid),
            ),
            (
                (NOW + 1).into(),
                (now + 0.5).into(),
                Err(Rejection::NotYetValid),
            ),
            ("4102444800".into(), Value::Null, Err(Rejection::Malformed)),
            (true.into(), Value::Null, Err(Rejection::Malformed)),
            ((NOW + 1).into(), "0".into(), Err(Rejection::Malformed)),
        ] {
            judge(with(exp, nbf), expected);
        }
        judge(
            serde_json::json!({ "aud": "aud-7" }),
            Err(Rejection::Expired),
        );
    }

    #[test]
    fn the_audience_is_one_text_or_one_of_several() {
        let nobody = || Ok(Identity::default());
        for (aud, expected) in [
            (serde_json::json!("aud-7"), nobody()),
            (serde_json::json!(["x", "aud-7"]), nobody()),
            (serde_json::json!([7, "aud-7"]), nobody()),
            (serde_json::json!("aud-77"), Err(Rejection::Audience)),
            (serde_json::json!("AUD-7"), Err(Rejection::Audience)),
            (serde_json::json!(["x"]), Err(Rejection::Audience)),
            (serde_json::json!([["aud-7"]]), Err(Rejection::Audience)),
            (serde_json::json!([]), Err(Rejection::Audience)),
            (
                serde_json::json!({ "aud-7": true }),
                Err(Rejection::Audience),
            ),
            (Value::Null, Err(Rejection::Audience)),
        ] {
            judge(serde_json::json!({ "aud": aud, "exp": NOW + 1 }), expected);
        }
        judge(
            serde_json::json!({ "exp": NOW + 1 }),
            Err(Rejection::Audience),
        );
    }

    #[test]
    fn an_address_is_a_text_or_not_there() {
        for (email, expected) in [
            (serde_json::json!("a@b.c"), Some("a@b.c")),
            (serde_json::json!(["a@b.c"]), None),
            (Value::Null, None),
        ] {
            judge(
                serde_json::json!({ "aud": "aud-7", "exp": NOW + 1, "email": email }),
                Ok(Identity {
                    email: expected.map(str::to_owned),
                }),
            );
        }
    }

    #[test]
    fn a_team_is_one_label() {
        for (text, expected) in [
            ("acme", true),
            ("a-1", true),
            ("42", true),
            (&*"a".repeat(64), true),
            (&*"a".repeat(65), false),
            ("", false),
            ("a", false),
            ("-acme", false),
            ("acme-", false),
            ("Acme", false),
            ("acme.cloudflareaccess.com", false),
            ("evil.example.com/x", false),
            ("../x", false),
            ("acme@evil", false),
            ("äcme", false),
        ] {
            assert_eq!(text.parse::<Team>().is_ok(), expected, "{text}");
        }
    }
}
