//! Where the pages come from.

use std::fmt;

use url::Url;

use crate::matching::Subject;

/// The address below which the origin answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin(String);

/// There is no usable origin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoOrigin {
    /// None is set.
    #[error(
        "ORIGIN_URL is not set: set it to the origin's address, such as \"https://origin.example.net\""
    )]
    Missing,
    /// It is no address.
    #[error(
        "ORIGIN_URL is {0:?}; expected an address such as \"https://origin.example.net\", without query and fragment"
    )]
    Invalid(String),
}

impl Origin {
    /// Reads an absolute http or https address, perhaps with a path.
    pub fn parse(text: Option<&str>) -> Result<Self, NoOrigin> {
        let text = match text.map(str::trim) {
            None | Some("") => return Err(NoOrigin::Missing),
            Some(text) => text,
        };
        let usable = Url::parse(text).is_ok_and(|url| {
            matches!(url.scheme(), "http" | "https")
                && url.query().is_none()
                && url.fragment().is_none()
                && url.username().is_empty()
                && url.password().is_none()
        });
        if usable {
            Ok(Self(text.trim_end_matches('/').to_owned()))
        } else {
            Err(NoOrigin::Invalid(text.to_owned()))
        }
    }

    /// The address of what a request asks for.
    ///
    /// Dot segments are resolved before the path is put behind the origin's own, so that none leads out of that.
    pub(super) fn address(&self, subject: &Subject<'_>) -> String {
        let path = subject.path();
        match subject.head().url.query() {
            Some(query) => format!("{self}{path}?{query}"),
            None => format!("{self}{path}"),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tenant::testing::get;

    #[test]
    fn path_and_query_stand_behind_the_origin() {
        for (base, target, expected) in [
            ("https://o.test/", "/p?q=1", "https://o.test/p?q=1"),
            ("https://o.test", "/p?q=1", "https://o.test/p?q=1"),
            ("https://o.test", "/", "https://o.test/"),
            ("https://o.test//", "/", "https://o.test/"),
            (
                "http://127.0.0.1:8080",
                "/a%2Fb?",
                "http://127.0.0.1:8080/a%2Fb?",
            ),
            ("https://o.test/base/", "/p", "https://o.test/base/p"),
            (
                "https://o.test/base",
                "/../p?store=t_x",
                "https://o.test/base/p?store=t_x",
            ),
            ("https://o.test/base", "/%2e%2E/p", "https://o.test/base/p"),
        ] {
            let origin = Origin::parse(Some(base)).unwrap();
            let head = get("shop.example.com", target);
            assert_eq!(
                origin.address(&Subject::new(&head)),
                expected,
                "{base} {target}"
            );
        }
    }

    #[test]
    fn what_is_no_address_is_no_origin() {
        for text in [None, Some(""), Some("  ")] {
            assert_eq!(Origin::parse(text), Err(NoOrigin::Missing));
        }
        for text in [
            "o.test",
            "/o",
            "ftp://o.test",
            "https://o.test/?x",
            "https://o.test/#x",
            "https://u:p@o.test",
            "https://",
        ] {
            assert_eq!(
                Origin::parse(Some(text)),
                Err(NoOrigin::Invalid(text.to_owned())),
                "{text}"
            );
        }
    }
}
