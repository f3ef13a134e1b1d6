//! "Did you mean": the known name that an unknown one was most likely meant to be.

/// The one of `known` that `unknown` resembles most, if it resembles any of them closely enough to be a slip of the
/// pen: a third of its characters may differ, letter case, hyphens and underscores not counted. On a tie the first wins.
pub(super) fn nearest<'k>(
    unknown: &str,
    known: impl IntoIterator<Item = &'k str>,
) -> Option<&'k str> {
    if unknown.len() > MAX_LENGTH {
        return None;
    }
    let unknown = fold(unknown);
    known
        .into_iter()
        .filter_map(|name| {
            let folded = fold(name);
            if folded.len().abs_diff(unknown.len()) > folded.len().max(unknown.len()).div_ceil(3) {
                return None;
            }
            let distance = distance(&unknown, &folded);
            let tolerated = unknown.len().max(folded.len()).div_ceil(3);
            (distance <= tolerated && distance < folded.len()).then_some((distance, name))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Whether two names differ in letter case, hyphens and underscores alone.
pub(super) fn same_letters(one: &str, other: &str) -> bool {
    letters(one).eq(letters(other))
}

fn fold(name: &str) -> Vec<char> {
    letters(name).collect()
}

fn letters(name: &str) -> impl Iterator<Item = char> {
    name.chars()
        .filter(|c| !matches!(c, '-' | '_' | ' '))
        .flat_map(char::to_lowercase)
}

/// How many characters have to be inserted, deleted, replaced or swapped with their neighbour to turn one into the
/// other (optimal string alignment).
fn distance(one: &[char], other: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=other.len()).collect();
    for (row, a) in one.iter().enumerate() {
        let mut current = Vec::with_capacity(above.len());
        current.push(row + 1);
        for (column, b) in other.iter().enumerate() {
            let at = |line: &[usize], index: usize| line.get(index).copied().unwrap_or(usize::MAX);
            let replaced = at(&above, column) + usize::from(a != b);
            let deleted = at(&above, column + 1) + 1;
            let inserted = at(&current, column) + 1;
            let swapped = match (row.checked_sub(1), column.checked_sub(1)) {
                (Some(r), Some(c)) if one.get(r) == Some(b) && other.get(c) == Some(a) => {
                    at(&before, c) + 1
                }
                _ => usize::MAX,
            };
            current.push(replaced.min(deleted).min(inserted).min(swapped));
        }
        before = above;
        above = current;
    }
    above.last().copied().unwrap_or_default()
}

/// Longer texts are no misspelt names, and comparing them would cost time in proportion to their length.
const MAX_LENGTH: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 12] = [
        "id",
        "match",
        "upstream",
        "upstreams",
        "stripPrefix",
        "timeoutMs",
        "totalTimeoutMs",
        "retries",
        "retryBackoffMs",
        "cors",
        "ip",
        "cache",
    ];

    #[track_caller]
    fn check(unknown: &str, expected: Option<&str>) {
        assert_eq!(nearest(unknown, NAMES), expected, "{unknown}");
    }

    #[test]
    fn a_slip_of_the_pen_is_recognised() {
        check("retrys", Some("retries"));
        check("retry", Some("retries"));
        check("upsteam", Some("upstream"));
        check("upstraem", Some("upstream"));
        check("strip_prefix", Some("stripPrefix"));
        check("STRIPPREFIX", Some("stripPrefix"));
        check("timeout", Some("timeoutMs"));
        check("totaltimeout", Some("totalTimeoutMs"));
        check("caching", Some("cache"));
    }

    #[test]
    fn what_resembles_nothing_is_left_alone() {
        check("", None);
        check("comment", None);
        check("x", None);
        check("futureSwitch", None);
        check(&"upstream".repeat(1000), None);
    }

    #[test]
    fn a_distance_counts_edits() {
        for (one, other, expected) in [
            ("", "", 0),
            ("", "ab", 2),
            ("ab", "", 2),
            ("ab", "ba", 1),
            ("kitten", "sitting", 3),
            ("ca", "abc", 3),
        ] {
            assert_eq!(
                distance(&fold(one), &fold(other)),
                expected,
                "{one} {other}"
            );
        }
    }
}
