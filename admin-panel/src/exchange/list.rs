//! Query strings, and which part of a list is asked for.

use url::form_urlencoded;

/// The parameters behind the question mark. Of one that is repeated the first counts.
#[derive(Debug, Clone, Default)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    pub(crate) fn parse(query: Option<&str>) -> Self {
        Self(
            form_urlencoded::parse(query.unwrap_or_default().as_bytes())
                .into_owned()
                .collect(),
        )
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(given, _)| given == name)
            .map(|(_, value)| value.as_str())
    }

    /// Which part of a list is asked for. What makes no sense is read as not being there.
    pub(crate) fn window(&self) -> Window {
        Window {
            limit: self
                .get("limit")
                .and_then(digits)
                .filter(|limit| *limit > 0)
                .map_or(Window::USUAL, |limit| limit.min(Window::MOST)),
            offset: self.get("offset").and_then(digits).unwrap_or(0),
        }
    }
}

/// Part of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) limit: u64,
    pub(crate) offset: u64,
}

impl Window {
    /// How many entries are given where nothing else is asked for.
    pub(crate) const USUAL: u64 = 50;
    /// How many are given at the most.
    pub(crate) const MOST: u64 = 200;
}

/// A number of digits and nothing else. One that is larger than SQLite counts is as good as the largest.
pub(crate) fn digits(text: &str) -> Option<u64> {
    let sound = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    sound.then(|| text.parse().unwrap_or(LARGEST).min(LARGEST))
}

/// The largest whole number that survives being a JavaScript number.
const LARGEST: u64 = (1 << 53) - 1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_no_sense_is_the_default() {
        for (query, limit, offset) in [
            ("", 50, 0),
            ("limit=7&offset=3", 7, 3),
            ("limit=200", 200, 0),
            ("limit=201", 200, 0),
            ("limit=99999999999999999999999", 200, 0),
            ("limit=0", 50, 0),
            ("limit=-1&offset=-1", 50, 0),
            ("limit=1.5&offset=1.5", 50, 0),
            ("limit=x&offset=x", 50, 0),
            ("limit=+5", 50, 0),
            ("limit=1e2", 50, 0),
            ("limit=&offset=", 50, 0),
            ("limit=5&limit=6", 5, 0),
        ] {
            let window = Query::parse(Some(query)).window();
            assert_eq!(window, Window { limit, offset }, "{query}");
        }
    }
}
