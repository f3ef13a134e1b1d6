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
mod tests;
