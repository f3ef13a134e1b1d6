//! A key pair that signs the tokens of tests, and nothing else.

use jsonwebtoken::{Algorithm, EncodingKey};
use serde_json::Value;

use crate::crypto::{base64url_decode, base64url_encode};

/// The name under which it is published.
pub(in crate::guards) const KEY_ID: &str = "key-1";

/// A token with this header and these claims. The signature is RS256, whatever the header says.
pub(in crate::guards) fn sign(header: &Value, claims: &Value) -> String {
    let [header, claims] =
        [header, claims].map(|part| base64url_encode(part.to_string().as_bytes()));
    let signed = format!("{header}.{claims}");
    let key = EncodingKey::from_rsa_der(&base64url_decode(PRIVATE_KEY).expect("base64url"));
    let signature = jsonwebtoken::crypto::sign(signed.as_bytes(), &key, Algorithm::RS256);
    format!("{signed}.{}", signature.expect("signs"))
}

/// A set with the public key under this name.
pub(in crate::guards) fn key_set(key_id: &str) -> String {
    serde_json::json!({
        "keys": [{ "kid": key_id, "kty": "RSA", "alg": "RS256", "use": "sig", "e": "AQAB", "n": MODULUS }]
    })
    .to_string()
}

pub(super) const MODULUS: &str = "\
    7Wbyqco2QQwbzInwIb8jrNnAWiFIgAxcWo2zHsMOeNxpPE3NiX4wNW21oyzB-CgSxP_dm-6LfqTR0H0FzKGA5JRbCJunxpVGGqb2\
    UleAnjS6qGMOAlBt6gHVBnVMFfNWJBxj5j-WZS06e3mgx6Jmifwi2xJyxF2Ak4iCyTOqZc_vO8MlVXF9AxSUkaAQJE6jisA5m7AM\
    0bshQ7PfAkaOiom6PrIcDXFj9WNYkiGlKOMokXTQZsGfjqLHV1_BTTa01J7SETKyFOc75obykqXXCTNyWgu2h5JBlm4lqq-rOeiT\
    MDHASa6LIow6XVLJMQJehK-7rOs0Hv9eruP5nVq3uw\
";

/// PKCS #1, DER, base64url.
const PRIVATE_KEY: &str = "\
    MIIEowIBAAKCAQEA7Wbyqco2QQwbzInwIb8jrNnAWiFIgAxcWo2zHsMOeNxpPE3NiX4wNW21oyzB-CgSxP_dm-6LfqTR0H0FzKGA\
    5JRbCJunxpVGGqb2UleAnjS6qGMOAlBt6gHVBnVMFfNWJBxj5j-WZS06e3mgx6Jmifwi2xJyxF2Ak4iCyTOqZc_vO8MlVXF9AxSU\
    kaAQJE6jisA5m7AM0bshQ7PfAkaOiom6PrIcDXFj9WNYkiGlKOMokXTQZsGfjqLHV1_BTTa01J7SETKyFOc75obykqXXCTNyWgu2\
    h5JBlm4lqq-rOeiTMDHASa6LIow6XVLJMQJehK-7rOs0Hv9eruP5nVq3uwIDAQABAoIBAFhJFK032f1Ot3fVREwIfQfm4rWh8whL\
    kHzMfXRPLa6cqTYX6PvcxajY59eK6YeTv4crcApxJ8ctHCnglKuI1BotYb1NxZMAKFX5CVmN2PL8wP2l-Ku7pWSE0efY7zaqi7pa\
    JHyX4SI3M6x_it8y8dcWwQ-fSLbl3s7-0URpxlCd0ANKIm-Urz30lplAhGaNAAg3kuoxffIwMOHR4a2eXMPzbi_S25NHa7hqLW0H\
    k-12vC5BqrlC5IveDh8xAr_dUPEltVCF3jydTJAzLhReaI081_Ub5w5rpQZMAkgIctAOqi-9zHceHTnFWLKun2R-UqqoGwkX6ZHb\
    --b4mXpSTaECgYEA-rPc_cM3B5GWknqXWQJ9rnlH4MNHwN-72ULS_vHmrHxPssT3fUeg6G3ELplBgQOfsegedfzw7mXSZmRfnByi\
    zVLeO-8D370UvHMtWFoEHcaxqve9GvJlE8kqXmcMigtsz6c-0uoiA75EIzPasgc9-lvK0bdnkDX_bbgTOa_X5YcCgYEA8msjT5gJ\
    JR_GJJC4Uo6UWAs2xSR-Oi0XJ-HtEKOYnu7BS-JrozQzD62KruATbpYBRZ56WaBVkV3k50JrOOLDtZvQ55P4IW6ZeHXU5M2nw6Qt\
    nADqsX2JEo4wUbRgweKhTVH-L2lv_y3NdqmqUbMufTDOVXbDxRVvjsj4qN9laS0CgYEAw2Bcvx7dyfY6BBmpzWJVlB1MWOuXBcbW\
    3HBpgun-PTn72nQJ9AZYbgrtMuuY0vSCBeHBq23eTcvodoeOw1jFv4HvU4Hn4Pu4J00Tb6FnR9VLLNQ4-cEh6JODg2KHsSVKPWI3\
    YaO5snUbINwOeWOPd4cFvv5RpV-PmnAz-2cAuA0CgYBtOQh33DCCoYZNA0eJKuR7ptHOkVquK5K7TXfaf1tMgJZm8mU860_2SGKr\
    2BnpQXzhOT43E556GKwB5lMZFlLHiKTfMjQiHArZ031QebiU1WwXVfJodf9EdPwgU_0kXk_-3mqAQilL9_8S7-7lUK4picvthc0_\
    ByF0W-htbfnrIQKBgCuqQaQGQkXrVyBX46tgTcks8cMiHdYE0ymO7sMsVLJxYDmAsTp4arja0qbCF5-BGHerF3uqQ8tXeNoCeji5\
    qVTguPSkoSZSKRAkbpLVglMYgFqUDaeNcai0COXpXBeUxAh9T731bP8acnoeEl-XV2iawCdijRQ8ZRTMiNLuJk8-\
";
