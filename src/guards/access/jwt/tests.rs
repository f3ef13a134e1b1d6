//! Which tokens are accepted, and what the others are refused for.

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
