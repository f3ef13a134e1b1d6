//! Which pages may embed what a route serves. Any client but a browser can write the header, so this is a fence against
//! other sites, not a lock.

use http::{HeaderMap, StatusCode, header::REFERER};
use url::Url;

use super::fields;
use crate::{
    config::{Code, Issues, Path, Reported, document::Referer},
    headers::combined,
    net::HostPattern,
    outcome::Refusal,
};

/// Compiled `referer`.
#[derive(Debug, Clone)]
pub(super) struct Policy {
    allow: Vec<HostPattern>,
    allow_empty: bool,
    status: StatusCode,
}

/// What a request says about the page it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Claim {
    /// Nothing: a typed address, a bookmark, a page that withholds it.
    None,
    /// A page on this host.
    Host(String),
    /// Something that names no host: no entry of a list could be meant by it.
    Unattributable,
}

impl Policy {
    pub(super) fn compile(
        document: &Referer,
        at: &Path<'_>,
        issues: &mut Issues,
    ) -> Result<Self, Reported> {
        let Referer {
            allow,
            allow_empty,
            on_refuse,
        } = document;
        let hosts = allow.as_deref().unwrap_or_default();
        let allow = fields::each(hosts, &at.key("allow"), issues, host);
        let status = match on_refuse {
            None | Some(403) => Ok(StatusCode::FORBIDDEN),
            Some(404) => Ok(StatusCode::NOT_FOUND),
            Some(other) => Err(issues.report(
                &at.key("onRefuse"),
                Code::Value,
                format!("expected 403, or 404 to hide that there is something; found {other}"),
            )),
        };
        Ok(Self {
            allow: allow?,
            allow_empty: allow_empty.unwrap_or(true),
            status: status?,
        })
    }

    pub(super) fn admit(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let admitted = match claim(headers) {
            Claim::None => self.allow_empty,
            Claim::Host(host) => self.allow.iter().any(|pattern| pattern.matches(&host)),
            Claim::Unattributable => false,
        };
        match admitted {
            true => Ok(()),
            false => Err(Refusal::Referer {
                status: self.status,
            }),
        }
    }
}

fn claim(headers: &HeaderMap) -> Claim {
    let text = combined(headers, &REFERER).unwrap_or_default();
    let text = text.trim_ascii();
    if text.is_empty() {
        return Claim::None;
    }
    // Only the host is looked at, and a host with replaced characters is on no list.
    match Url::parse(&String::from_utf8_lossy(text)) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => url
            .host_str()
            .map_or(Claim::Unattributable, |host| Claim::Host(host.to_owned())),
        _ => Claim::Unattributable,
    }
}

fn host(text: &str, at: &Path<'_>, issues: &mut Issues) -> Result<HostPattern, Reported> {
    text.parse()
        .map_err(|error: crate::net::host::InvalidHostPattern| {
            issues.report(at, Code::Value, error.to_string())
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guards::fake::{complaints, headers};

    #[track_caller]
    fn check(allow: &[&str], allow_empty: bool, referers: &[&str], expected: bool) {
        let document = Referer {
            allow: Some(allow.iter().map(ToString::to_string).collect()),
            allow_empty: Some(allow_empty),
            on_refuse: Some(404),
        };
        let mut issues = Issues::default();
        let policy = Policy::compile(&document, &Path::root(), &mut issues).expect("compiles");
        let lines: Vec<_> = referers.iter().map(|value| ("referer", *value)).collect();
        let verdict = match expected {
            true => Ok(()),
            false => Err(Refusal::Referer {
                status: StatusCode::NOT_FOUND,
            }),
        };
        assert_eq!(policy.admit(&headers(&lines)), verdict, "{referers:?}");
    }

    #[test]
    fn a_page_counts_by_its_host_whatever_its_port_and_path() {
        for (referer, expected) in [
            ("https://example.com/gallery", true),
            ("http://EXAMPLE.com:8080/x?y#z", true),
            ("https://user@example.com/", true),
            ("https://example.com@elsewhere.test/", false),
            ("https://elsewhere.test/https://example.com/", false),
            ("https://a.example.com/", false),
            ("https://evilexample.com/", false),
            ("https://example.com.evil.test/", false),
        ] {
            check(&["example.com"], true, &[referer], expected);
        }
    }

    #[test]
    fn a_wildcard_admits_what_is_below_and_not_the_apex() {
        for (referer, expected) in [
            ("https://a.example.com/", true),
            ("https://b.a.example.com/", true),
            ("https://example.com/", false),
            ("https://evilexample.com/", false),
            ("https://c.example.com.evil.test/", false),
        ] {
            check(&["*.example.com"], true, &[referer], expected);
        }
    }

    #[test]
    fn no_claim_is_judged_by_allow_empty_alone() {
        for referers in [&[][..], &[""], &["  "]] {
            check(&["example.com"], true, referers, true);
            check(&["example.com"], false, referers, false);
        }
    }

    #[test]
    fn a_claim_that_names_no_host_is_refused_whatever_allow_empty_says() {
        for referer in [
            "blocked",
            "about:blank",
            "https://",
            "example.com",
            "ftp://example.com/",
            "data:text/html,https://example.com/",
            "//example.com/",
            "\u{fffd}",
        ] {
            check(&["example.com"], true, &[referer], false);
        }
    }

    #[test]
    fn repeated_headers_are_one_text() {
        check(
            &["example.com"],
            true,
            &["https://elsewhere.test/", "https://example.com/"],
            false,
        );
        check(
            &["example.com"],
            true,
            &["blocked", "https://example.com/"],
            false,
        );
    }

    #[test]
    fn what_makes_no_sense_is_reported_where_it_stands() {
        for (allow, on_refuse, expected) in [
            (None, None, vec!["referer.allow"]),
            (
                Some(vec![]),
                Some(401),
                vec!["referer.allow", "referer.onRefuse"],
            ),
            (
                Some(vec!["example.com".to_owned(), "*example.com".to_owned()]),
                Some(404),
                vec!["referer.allow[1]"],
            ),
        ] {
            let document = Referer {
                allow,
                allow_empty: None,
                on_refuse,
            };
            let found = complaints("referer", |at, issues| {
                Policy::compile(&document, at, issues)
            });
            assert_eq!(found, expected);
        }
    }
}
