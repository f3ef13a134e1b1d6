//! The provision window: for a time after a deployment that has no admin, the next person Access lets in becomes one.

use serde_json::Value;

/// Whether the window is open that this setting describes. One that is further away than any deployment writes is a
/// mistake, and a mistake must not leave the door open for years.
pub(super) fn is_open(setting: Option<&str>, now: u64) -> bool {
    let deadline = setting
        .and_then(|text| serde_json::from_str::<Value>(text).ok())
        .and_then(|window| window.as_object()?.get("deadline")?.as_f64());
    // Seconds are far below where a float loses whole numbers.
    let now = now as f64;
    deadline.is_some_and(|deadline| deadline > now && deadline <= now + LONGEST)
}

/// 30 days, in seconds.
const LONGEST: f64 = 30.0 * 24.0 * 3600.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_open_until_its_deadline_and_only_if_that_is_near() {
        let now = 1_000_000;
        for (setting, open) in [
            (None, false),
            (Some(r#"{"deadline":1000001}"#), true),
            (Some(r#"{"deadline":1000000.5}"#), true),
            (Some(r#"{"deadline":3592000}"#), true),
            (Some(r#"{"deadline":3592001}"#), false),
            (Some(r#"{"deadline":1000000}"#), false),
            (Some(r#"{"deadline":999999}"#), false),
            (Some(r#"{"deadline":"1000001"}"#), false),
            (Some(r#"{"deadline":null}"#), false),
            (Some(r#"{"deadline":1e999}"#), false),
            (Some("{}"), false),
            (Some("[1000001]"), false),
            (Some("1000001"), false),
            (Some("{"), false),
            (Some(""), false),
        ] {
            assert_eq!(is_open(setting, now), open, "{setting:?}");
        }
    }
}
