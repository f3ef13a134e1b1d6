//! What is written into a document about its publication.

use serde_json::Value;

use crate::exchange::Body;

/// The text the proxy reads: the document, and who published it when.
pub(super) fn stamped(
    document: &Value,
    revision: u64,
    actor: &str,
    note: Option<&str>,
    now: u64,
) -> String {
    let meta = Body::default()
        .with("updatedAt", rfc3339(now))
        .with("updatedBy", actor)
        .with("revision", revision)
        .with_some("note", note);
    Value::from(Body::of(document.clone()).with("meta", meta)).to_string()
}

/// A moment as RFC 3339 writes it, in UTC.
fn rfc3339(seconds: u64) -> String {
    let (days, of_day) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        of_day / 3600,
        of_day / 60 % 60,
        of_day % 60
    )
}

/// The date of the Gregorian calendar so many days after 1970-01-01. Years begin in March here, which puts the leap day
/// last.
fn date(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_based = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march_based + 2) / 5 + 1;
    let month = if march_based < 10 {
        march_based + 3
    } else {
        march_based - 9
    };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn moments_are_dates() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_796_002_861, "2026-11-30T01:41:01Z"),
            (4_107_542_399, "2100-02-28T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(rfc3339(seconds), expected);
        }
    }

    #[test]
    fn a_published_document_says_who_published_it() {
        let text = stamped(&json!({ "routes": [] }), 7, "a@b.c", Some("why"), 0);
        let stamped: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            stamped["meta"],
            json!({ "updatedAt": "1970-01-01T00:00:00Z", "updatedBy": "a@b.c", "revision": 7, "note": "why" })
        );
        assert_eq!(stamped["routes"], json!([]));
    }
}
