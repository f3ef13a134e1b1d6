//! One condition on a header, a query parameter or a cookie: a name and what must be under it.

use http::HeaderName;
use serde::Serialize;

use crate::config::{Code, Issues, Path, Reported, document};

/// Which part of a request a condition reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// `match.headers`.
    Headers,
    /// `match.query`.
    Query,
    /// `match.cookies`.
    Cookies,
}

/// A compiled condition; header names are `HeaderName`s, all others texts in their own case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Condition<Name> {
    pub(super) name: Name,
    test: Test,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Test {
    Equals(String),
    Prefix(String),
    Present,
    Absent,
}

impl<Name> Condition<Name> {
    /// Whether the condition holds for what stands under its name: `None` where the name is absent, which an empty
    /// value is not.
    pub(super) fn holds(&self, value: Option<&[u8]>) -> bool {
        match (&self.test, value) {
            (Test::Equals(expected), Some(value)) => value == expected.as_bytes(),
            (Test::Prefix(expected), Some(value)) => value.starts_with(expected.as_bytes()),
            (Test::Present, Some(_)) | (Test::Absent, None) => true,
            (Test::Equals(_) | Test::Prefix(_) | Test::Present, None) | (Test::Absent, Some(_)) => {
                false
            }
        }
    }

    /// What must be under the name, as the end of a sentence that begins with it: `equals "on"`.
    pub(super) fn asked(&self) -> String {
        match &self.test {
            Test::Equals(value) => format!("equals {value:?}"),
            Test::Prefix(value) => format!("starts with {value:?}"),
            Test::Present => "is present".to_owned(),
            Test::Absent => "is absent".to_owned(),
        }
    }

    /// Compiles a list of conditions; `name` reads a name of the list's family.
    pub(super) fn compile_all(
        list: Option<&[document::Condition]>,
        name: impl Fn(&str) -> Result<Name, &'static str>,
        at: &Path<'_>,
        issues: &mut Issues,
    ) -> Result<Vec<Self>, Reported> {
        let list = list.unwrap_or_default();
        if list.len() > MOST_CONDITIONS {
            return Err(issues.report(
                at,
                Code::TooLarge,
                format!(
                    "expected at most {MOST_CONDITIONS} conditions; found {}",
                    list.len()
                ),
            ));
        }
        let mut compiled = Vec::with_capacity(list.len());
        let mut failed = None;
        for (index, condition) in list.iter().enumerate() {
            match Self::compile(condition, &name, &at.index(index), issues) {
                Ok(condition) => compiled.push(condition),
                Err(reported) => failed = Some(reported),
            }
        }
        failed.map_or(Ok(compiled), Err)
    }

    fn compile(
        condition: &document::Condition,
        name: impl Fn(&str) -> Result<Name, &'static str>,
        at: &Path<'_>,
        issues: &mut Issues,
    ) -> Result<Self, Reported> {
        let document::Condition {
            name: text,
            equals,
            prefix,
            present,
        } = condition;
        let name = match text {
            None => Err(issues.report(
                &at.key("name"),
                Code::Required,
                "a condition needs the \"name\" it looks under",
            )),
            Some(text) => name(text).map_err(|expected| {
                issues.report(
                    &at.key("name"),
                    Code::Value,
                    format!("expected {expected}; found {text:?}"),
                )
            }),
        };
        let test = match (equals, prefix, present) {
            (Some(value), None, None) => Ok(Test::Equals(value.clone())),
            (None, Some(value), None) if value.is_empty() => Err(issues.report(
                &at.key("prefix"),
                Code::Required,
                "every value starts with an empty prefix; to ask for the name alone write \"present\": true",
            )),
            (None, Some(value), None) => Ok(Test::Prefix(value.clone())),
            (None, None, Some(true)) => Ok(Test::Present),
            (None, None, Some(false)) => Ok(Test::Absent),
            (None, None, None) => Err(issues.report(
                at,
                Code::Required,
                "a condition says what it asks for by exactly one of \"equals\", \"prefix\" and \"present\"; found none",
            )),
            _ => Err(issues.report(
                at,
                Code::Conflict,
                "a condition says what it asks for by exactly one of \"equals\", \"prefix\" and \"present\"; found several, which two conditions would express",
            )),
        };
        Ok(Self {
            name: name?,
            test: test?,
        })
    }
}

/// Reads the name of a header, which has no case.
pub(super) fn header_name(text: &str) -> Result<HeaderName, &'static str> {
    HeaderName::from_bytes(text.as_bytes())
        .map_err(|_| "a header name (letters, digits and hyphens, such as \"x-canary\")")
}

/// Reads the name of a query parameter, as it stands after decoding.
pub(super) fn parameter_name(text: &str) -> Result<String, &'static str> {
    let outside = |c: char| c.is_whitespace() || matches!(c, '&' | '=' | '#');
    if text.is_empty() || text.contains(outside) {
        Err("a parameter name without spaces, \"&\", \"=\" and \"#\"")
    } else {
        Ok(text.to_owned())
    }
}

/// Reads the name of a cookie, which has case.
pub(super) fn cookie_name(text: &str) -> Result<String, &'static str> {
    match HeaderName::from_bytes(text.as_bytes()) {
        Ok(_) => Ok(text.to_owned()),
        Err(_) => Err("a cookie name (letters, digits and hyphens, such as \"beta\")"),
    }
}

const MOST_CONDITIONS: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn compile(condition: document::Condition) -> Result<Condition<String>, String> {
        let mut issues = Issues::default();
        Condition::compile(
            &condition,
            parameter_name,
            &Path::root().key("c"),
            &mut issues,
        )
        .map_err(|_| {
            issues
                .into_vec()
                .into_iter()
                .map(|issue| issue.path)
                .collect::<Vec<_>>()
                .join(" ")
        })
    }

    fn named(name: &str) -> document::Condition {
        document::Condition {
            name: Some(name.to_owned()),
            ..Default::default()
        }
    }

    #[test]
    fn an_operator_holds_for_exactly_its_values() {
        let equals = |value: &str| document::Condition {
            equals: Some(value.to_owned()),
            ..named("n")
        };
        let prefix = document::Condition {
            prefix: Some("2.".to_owned()),
            ..named("n")
        };
        let present = |present| document::Condition {
            present: Some(present),
            ..named("n")
        };
        for (condition, value, expected) in [
            (equals("Prod"), Some("Prod"), true),
            (equals("Prod"), Some("prod"), false),
            (equals("Prod"), Some("Production"), false),
            (equals("Prod"), None, false),
            (equals(""), Some(""), true),
            (equals(""), None, false),
            (prefix.clone(), Some("2.1"), true),
            (prefix.clone(), Some("2."), true),
            (prefix.clone(), Some("12.1"), false),
            (prefix, None, false),
            (present(true), Some(""), true),
            (present(true), None, false),
            (present(false), None, true),
            (present(false), Some(""), false),
        ] {
            let compiled = compile(condition.clone()).unwrap();
            assert_eq!(
                compiled.holds(value.map(str::as_bytes)),
                expected,
                "{condition:?} on {value:?}"
            );
        }
    }

    #[test]
    fn a_condition_has_a_name_and_one_operator() {
        let two = document::Condition {
            equals: Some("1".to_owned()),
            present: Some(true),
            ..named("n")
        };
        let empty_prefix = document::Condition {
            prefix: Some(String::new()),
            ..named("n")
        };
        let unnamed = document::Condition {
            present: Some(true),
            ..Default::default()
        };
        for (condition, path) in [
            (named("n"), "c"),
            (two, "c"),
            (empty_prefix, "c.prefix"),
            (unnamed, "c.name"),
            (
                document::Condition {
                    present: Some(true),
                    ..named("a=b")
                },
                "c.name",
            ),
            (named("a b"), "c.name c"),
        ] {
            assert_eq!(
                compile(condition.clone()),
                Err(path.to_owned()),
                "{condition:?}"
            );
        }
    }

    #[test]
    fn each_family_has_its_own_grammar_of_names() {
        for (text, header, parameter, cookie) in [
            ("X-Env", true, true, true),
            ("x env", false, false, false),
            ("", false, false, false),
            ("a=b", false, false, false),
            ("a[b]", false, true, false),
            ("ü", false, true, false),
        ] {
            assert_eq!(header_name(text).is_ok(), header, "header {text:?}");
            assert_eq!(
                parameter_name(text).is_ok(),
                parameter,
                "parameter {text:?}"
            );
            assert_eq!(cookie_name(text).is_ok(), cookie, "cookie {text:?}");
        }
    }
}
