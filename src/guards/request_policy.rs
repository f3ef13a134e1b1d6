//! What a request may be at all: its method, the size of its body, and a path that every reader reads alike.
//!
//! A body that declares no length, or a false one, is counted by the platform while it streams; see
//! [`Policy::max_body_bytes`].

use http::{
    Method,
    header::{CONTENT_LENGTH, HeaderValue},
};

use super::fields;
use crate::{
    config::{
        Issues, Path, Reported,
        document::{AmbiguousPath, RequestPolicy},
    },
    message::RequestHead,
    outcome::Refusal,
};

/// Compiled `requestPolicy`.
#[derive(Debug, Clone)]
pub(super) struct Policy {
    /// Methods that pass; `None` lets all.
    allowed_methods: Option<Vec<Method>>,
    /// Largest body in bytes, also for bodies that are counted while they stream.
    pub(super) max_body_bytes: Option<u64>,
    ambiguous_path: AmbiguousPath,
}

/// Why two readers of a path may take it for different resources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ambiguity {
    /// A `.` or `..` segment, plain, encoded (`%2e`) or with a parameter (`..;x`): some readers resolve it.
    DotSegment,
    /// `\`, `%5c` or `%2f`: some readers separate segments there.
    Separator,
    /// `%25` followed by two hexadecimal digits: readers that decode twice see another path.
    DoubleEncoding,
    /// A byte that starts an overlong spelling of an ASCII character, such as `%c0%ae` for a dot, and no valid UTF-8.
    Overlong,
}

impl Policy {
    pub(super) fn compile(
        document: &RequestPolicy,
        at: &Path<'_>,
        issues: &mut Issues,
    ) -> Result<Self, Reported> {
        let RequestPolicy {
            allowed_methods,
            max_body_bytes,
            ambiguous_path,
        } = document;
        let allowed_methods = allowed_methods
            .as_ref()
            .map(|list| fields::each(list, &at.key("allowedMethods"), issues, fields::method))
            .transpose();
        let max_body_bytes = max_body_bytes
            .map(|bytes| fields::within(bytes, 1..=LARGEST_CAP, &at.key("maxBodyBytes"), issues))
            .transpose();
        Ok(Self {
            allowed_methods: allowed_methods?,
            max_body_bytes: max_body_bytes?,
            ambiguous_path: ambiguous_path.unwrap_or_default(),
        })
    }

    pub(super) fn admit(&self, head: &RequestHead) -> Result<(), Refusal> {
        if let Some(allow) = &self.allowed_methods
            && !allow.contains(&head.method)
        {
            return Err(Refusal::MethodNotAllowed {
                allow: allow.clone(),
            });
        }
        if let Some(cap) = self.max_body_bytes
            && declared_length(head.headers.get(CONTENT_LENGTH)).is_some_and(|bytes| bytes > cap)
        {
            return Err(Refusal::PayloadTooLarge {
                max_body_bytes: cap,
            });
        }
        match self.ambiguous_path {
            AmbiguousPath::Forward => Ok(()),
            AmbiguousPath::Refuse => {
                unambiguous(head.url.path()).map_err(|_| Refusal::AmbiguousPath)
            }
        }
    }
}

/// The length a body declares. What is not all digits declares nothing, and is counted as it streams.
fn declared_length(header: Option<&HeaderValue>) -> Option<u64> {
    let digits = header?.to_str().ok()?;
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // More digits than fit are more bytes than any cap.
    Some(digits.parse().unwrap_or(u64::MAX))
}

/// Whether all readers of a path, as it stood on the request line, take it for the same resource.
fn unambiguous(path: &str) -> Result<(), Ambiguity> {
    let path = path.to_ascii_lowercase();
    if path.contains('\\') {
        return Err(Ambiguity::Separator);
    }
    for (at, _) in path.match_indices('%') {
        match path.as_bytes().get(at + 1..).unwrap_or_default() {
            [b'2', b'f', ..] | [b'5', b'c', ..] => return Err(Ambiguity::Separator),
            [b'c', b'0' | b'1', ..] => return Err(Ambiguity::Overlong),
            [b'2', b'5', high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                return Err(Ambiguity::DoubleEncoding);
            }
            _ => {}
        }
    }
    match path.split('/').any(is_dot_segment) {
        true => Err(Ambiguity::DotSegment),
        false => Ok(()),
    }
}

/// Whether a segment, in lower case, is `.` or `..` once it is decoded and its parameters are off.
fn is_dot_segment(segment: &str) -> bool {
    let decoded = segment.replace("%2e", ".").replace("%3b", ";");
    matches!(decoded.split(';').next(), Some("." | ".."))
}

/// 500 MiB, the most a plan lets through.
const LARGEST_CAP: u64 = 524_288_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guards::fake::{complaints, head};

    #[track_caller]
    fn check(document: RequestPolicy, request: &RequestHead, expected: Result<(), Refusal>) {
        let mut issues = Issues::default();
        let policy = Policy::compile(&document, &Path::root(), &mut issues).expect("compiles");
        assert_eq!(policy.admit(request), expected, "{request:?}");
    }

    #[test]
    fn a_method_outside_the_list_is_refused_with_the_list() {
        let document = RequestPolicy {
            allowed_methods: Some(vec!["get".into(), "Head".into()]),
            ..RequestPolicy::default()
        };
        let refused = Err(Refusal::MethodNotAllowed {
            allow: vec![Method::GET, Method::HEAD],
        });
        for (method, expected) in [
            ("GET", Ok(())),
            ("HEAD", Ok(())),
            ("POST", refused.clone()),
            ("OPTIONS", refused.clone()),
            ("PURGE", refused.clone()),
            ("get", refused),
        ] {
            check(document.clone(), &head(method, "/", &[]), expected);
        }
    }

    #[test]
    fn a_body_that_declares_too_much_is_refused() {
        let document = RequestPolicy {
            max_body_bytes: Some(10),
            ..RequestPolicy::default()
        };
        let refused = Err(Refusal::PayloadTooLarge { max_body_bytes: 10 });
        for (length, expected) in [
            ("10", Ok(())),
            ("11", refused.clone()),
            ("00000000000000000000000009", Ok(())),
            ("99999999999999999999999999", refused.clone()),
            ("11, 11", Ok(())),
            ("+11", Ok(())),
            ("1e9", Ok(())),
            ("", Ok(())),
        ] {
            let head = head("POST", "/", &[("content-length", length)]);
            check(document.clone(), &head, expected);
        }
        check(document, &head("POST", "/", &[]), Ok(()));
    }

    #[test]
    fn a_path_with_two_readings_is_refused_where_the_route_says_so() {
        let refuse = RequestPolicy {
            ambiguous_path: Some(AmbiguousPath::Refuse),
            ..RequestPolicy::default()
        };
        let request = head("GET", "/a/%2e%2e/b", &[]);
        check(refuse, &request, Err(Refusal::AmbiguousPath));
        check(RequestPolicy::default(), &request, Ok(()));
    }

    #[test]
    fn every_ambiguity_is_told_from_ordinary_paths() {
        use Ambiguity::*;
        for (path, expected) in [
            ("/", Ok(())),
            ("/a/b.html", Ok(())),
            ("/.well-known/x", Ok(())),
            ("/...", Ok(())),
            ("/a..b/..c", Ok(())),
            ("/100%", Ok(())),
            ("/100%25", Ok(())),
            ("/100%25/x", Ok(())),
            ("/%25zz", Ok(())),
            ("/a;v=1/b", Ok(())),
            ("//a", Ok(())),
            ("/C%23/What%3F", Ok(())),
            ("/%e2%82%ac", Ok(())),
            ("/a/../b", Err(DotSegment)),
            ("/a/.", Err(DotSegment)),
            ("/..", Err(DotSegment)),
            ("/%2e%2E/b", Err(DotSegment)),
            ("/.%2e/b", Err(DotSegment)),
            ("/..;/b", Err(DotSegment)),
            ("/..;x=1/b", Err(DotSegment)),
            ("/..%3b/b", Err(DotSegment)),
            ("/%2e;%2e/b", Err(DotSegment)),
            (r"/a\b", Err(Separator)),
            ("/a%2fb", Err(Separator)),
            ("/a%5Cb", Err(Separator)),
            ("/%252e%252e/b", Err(DoubleEncoding)),
            ("/%2541", Err(DoubleEncoding)),
            ("/%c0%ae%c0%ae/b", Err(Overlong)),
            ("/a%C0%AFb", Err(Overlong)),
        ] {
            assert_eq!(unambiguous(path), expected, "{path}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_reported_where_it_stands() {
        let document = RequestPolicy {
            allowed_methods: Some(vec!["GET".into(), "G-T".into(), String::new()]),
            max_body_bytes: Some(0),
            ambiguous_path: None,
        };
        let found = complaints("policy", |at, issues| {
            Policy::compile(&document, at, issues)
        });
        assert_eq!(
            found,
            [
                "policy.allowedMethods[1]",
                "policy.allowedMethods[2]",
                "policy.maxBodyBytes"
            ]
        );
    }
}
