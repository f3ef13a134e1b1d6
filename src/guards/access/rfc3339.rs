//! Moments as a person writes them into a document.

use crate::time::Timestamp;

/// The moment an RFC 3339 text names, such as `2027-01-31T00:00:00Z` or `2027-01-31T01:00:00.5+01:00`; `None` where it
/// names none. What is smaller than a second is cut off, and moments before 1970 are 1970.
pub(super) fn parse(text: &str) -> Option<Timestamp> {
    let (date, rest) = text.split_at_checked(10)?;
    let time = rest.strip_prefix(['T', 't', ' '])?;
    let (time, rest) = time.split_at_checked(8)?;
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    let [hour, minute, second] = numbers(time, ':', [2, 2, 2])?;
    let zone = match rest.strip_prefix('.') {
        Some(fraction) => {
            let zone = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
            (zone.len() < fraction.len()).then_some(zone)?
        }
        None => rest,
    };
    let real = (1..=12).contains(&month)
        && (1..=days_in(month, year)).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;
    let local = ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
    let seconds = real.then_some(local)? - offset(zone)?;
    let seconds = u64::try_from(seconds).unwrap_or(0);
    Some(Timestamp::from_millis(seconds * 1000))
}

/// Seconds by which a zone's clocks are ahead of UTC.
fn offset(zone: &str) -> Option<i64> {
    let sign = match zone.split_at_checked(1)? {
        ("Z" | "z", "") => return Some(0),
        ("+", _) => 1,
        ("-", _) => -1,
        _ => return None,
    };
    let [hours, minutes] = numbers(zone.get(1..)?, ':', [2, 2])?;
    (hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes) * 60)
}

/// Numbers of exactly so many digits, and exactly so many of them.
fn numbers<const N: usize>(text: &str, separator: char, digits: [usize; N]) -> Option<[i64; N]> {
    let parts: Vec<&str> = text.split(separator).collect();
    let parts: [&str; N] = parts.try_into().ok()?;
    let sound = parts.iter().zip(digits).all(|(part, digits)| {
        part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit())
    });
    // Nine digits at most, so that every part is a number.
    sound.then(|| parts.map(|part| part.parse().unwrap_or_default()))
}

/// Days from 1970-01-01 to a date of the Gregorian calendar. Years begin in March here, which puts the leap day last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = match month {
        ..=2 => (year - 1, month + 9),
        _ => (year, month - 3),
    };
    let of_years = year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let of_months = (month * 153 + 2) / 5;
    of_years + of_months + day - 1 - 719_468
}

fn days_in(month: i64, year: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_the_same_in_every_zone() {
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", 0),
            ("1969-12-31T23:59:59Z", 0),
            ("1970-01-01T00:00:00-00:01", 60),
            ("2000-02-29T12:00:00Z", 951_825_600),
            ("2027-01-31T00:00:00Z", 1_801_353_600),
            ("2027-01-31T01:00:00+01:00", 1_801_353_600),
            ("2027-01-30t18:30:00.999999999-05:30", 1_801_353_600),
            ("2027-01-31 00:00:00z", 1_801_353_600),
            ("2100-03-01T00:00:00Z", 4_107_542_400),
            ("9999-12-31T23:59:59Z", 253_402_300_799),
        ] {
            let seconds = parse(text).map(Timestamp::as_secs);
            assert_eq!(seconds, Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_moment_is_refused() {
        for text in [
            "",
            "2027-01-31",
            "2027-01-31T00:00:00",
            "2027-01-31T00:00Z",
            "2027-1-31T00:00:00Z",
            "2027-00-31T00:00:00Z",
            "2027-13-31T00:00:00Z",
            "2027-02-29T00:00:00Z",
            "2100-02-29T00:00:00Z",
            "2027-04-31T00:00:00Z",
            "2027-01-31T24:00:00Z",
            "2027-01-31T00:60:00Z",
            "2027-01-31T00:00:60Z",
            "2027-01-31T00:00:00.Z",
            "2027-01-31T00:00:00+01",
            "2027-01-31T00:00:00+24:00",
            "2027-01-31T00:00:00ZZ",
            "+027-01-31T00:00:00Z",
            "1801353600",
            "tomorrow",
            "2027-01-31Ｔ00:00:00Z",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
