//! What a request proves about its sender, before the panel's own accounts are asked.

use http::HeaderMap;
use jouska::guards::access::jwt::{HEADER, Rejection};

use crate::{config::Config, outside::Outside};

/// What a request proves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// Access is off, so that nobody can prove anything.
    NotConfigured,
    /// Nothing, or nothing that holds.
    None,
    /// That the sender may use another application of the team.
    OtherApplication,
    /// It cannot be told, because there is nothing to verify with.
    Unavailable,
    /// That this address is the sender's; in lower case.
    Email(String),
}

/// Looks at the token in the request, or where there is none at the identity that the runtime vouches for.
pub(crate) async fn evidence(
    config: &Config,
    headers: &HeaderMap,
    outside: &dyn Outside,
) -> Evidence {
    let Some(access) = &config.access else {
        return Evidence::NotConfigured;
    };
    let Some(token) = headers.get(HEADER) else {
        // Local development: the runtime puts nothing here for requests from elsewhere.
        return email(outside.context_email().await);
    };
    let Some(token) = token.to_str().ok().filter(|token| !token.is_empty()) else {
        return Evidence::None;
    };
    if token.len() > LONGEST_TOKEN {
        return Evidence::None;
    }
    let application = match access.application() {
        Ok(application) => application,
        Err(error) => {
            outside.complain(&format!("ACCESS_TEAM: {error}"));
            return Evidence::Unavailable;
        }
    };
    match outside.verify(token, &application).await {
        Ok(identity) => email(identity.email),
        Err(rejection) => {
            if rejection == Rejection::KeysUnavailable {
                outside
                    .complain("the keys of the Access team cannot be had, so nobody can be let in");
            }
            rejected(rejection)
        }
    }
}

/// What a token proves that is not accepted. One of another application is a person at the wrong door, who should hear
/// so; everything else is nobody.
fn rejected(rejection: Rejection) -> Evidence {
    match rejection {
        Rejection::KeysUnavailable => Evidence::Unavailable,
        Rejection::Audience => Evidence::OtherApplication,
        _ => Evidence::None,
    }
}

fn email(email: Option<String>) -> Evidence {
    match email.map(|email| email.trim().to_ascii_lowercase()) {
        Some(email) if !email.is_empty() => Evidence::Email(email),
        _ => Evidence::None,
    }
}

/// As long as the verifier reads, in bytes. Asked here as well, so that a token nobody would read is refused as such
/// even where there is no team to ask.
const LONGEST_TOKEN: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_that_does_not_hold_proves_nothing_but_the_wrong_door_is_told() {
        for (rejection, expected) in [
            (Rejection::TooLong, Evidence::None),
            (Rejection::Malformed, Evidence::None),
            (Rejection::Algorithm, Evidence::None),
            (Rejection::UnknownKey, Evidence::None),
            (Rejection::Signature, Evidence::None),
            (Rejection::Expired, Evidence::None),
            (Rejection::NotYetValid, Evidence::None),
            (Rejection::Audience, Evidence::OtherApplication),
            (Rejection::KeysUnavailable, Evidence::Unavailable),
        ] {
            assert_eq!(rejected(rejection), expected, "{rejection:?}");
        }
    }

    #[test]
    fn addresses_have_no_case() {
        assert_eq!(
            email(Some("Ops@Example.COM".to_owned())),
            Evidence::Email("ops@example.com".to_owned())
        );
        for nothing in [None, Some(String::new()), Some(" ".to_owned())] {
            assert_eq!(email(nothing), Evidence::None);
        }
    }
}
