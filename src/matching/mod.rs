//! Which requests a route takes: host, path, method, and conditions on headers, query and cookies.
//!
//! A route is asked in the order of the table and the first that takes a request answers it. All of a route's
//! conditions must hold; "either" is spelled as two routes.

use std::borrow::Cow;

use http::{HeaderName, Method};

use crate::{
    config::{Code, Issues, Path, Reported, RouteDocument, document::Match},
    net::HostPattern,
};

mod condition;
mod index;
mod label;
mod mismatch;
mod path;
mod subject;

pub use condition::Family;
pub use index::{Index, Taken};
pub use label::label;
pub use mismatch::Mismatch;
pub use subject::Subject;

use condition::{Condition, cookie_name, header_name, parameter_name};
use path::{Prefix, in_url, on_the_wire};

/// A route's compiled `match` and `stripPrefix`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    host: Option<HostPattern>,
    prefix: Option<Prefix>,
    /// Empty where every method is taken.
    methods: Vec<Method>,
    headers: Vec<Condition<HeaderName>>,
    query: Vec<Condition<String>>,
    cookies: Vec<Condition<String>>,
    /// The prefix as it stands in a URL, where it is removed.
    stripped: Option<String>,
}

/// Whether a route takes a request, or the first reason why it does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It takes it.
    Takes {
        /// Which of [`Subject::spellings`] is below the route's path; 0 is the path as sent.
        spelling: usize,
    },
    /// The host is another.
    OtherHost,
    /// The method is not listed.
    OtherMethod,
    /// No spelling of the path is below the route's.
    OtherPath,
    /// A condition does not hold.
    ConditionFails {
        /// Which list the condition stands in.
        family: Family,
        /// Its place in the list.
        index: usize,
    },
}

impl Policy {
    /// Compiles `match` and `stripPrefix`.
    pub fn compile(
        route: &RouteDocument,
        at: &Path<'_>,
        issues: &mut Issues,
    ) -> Result<Self, Reported> {
        let at = at.key("match");
        let Some(document) = &route.r#match else {
            return Err(issues.report(
                &at,
                Code::Required,
                "a route needs a \"match\" that names a \"host\", a \"path\" or both",
            ));
        };
        let Match {
            host,
            path,
            methods,
            headers,
            query,
            cookies,
        } = document;
        let located = if host.is_none() && path.is_none() {
            Err(issues.report(
                &at,
                Code::Required,
                "expected a \"host\", a \"path\" or both; to take every request write \"path\": \"/\"",
            ))
        } else {
            Ok(())
        };
        let host = host
            .as_deref()
            .map(|host| compile_host(host, &at.key("host"), issues))
            .transpose();
        let prefix = path
            .as_deref()
            .map(|path| Prefix::compile(path, &at.key("path"), issues))
            .transpose();
        let methods = methods
            .as_deref()
            .map(|methods| compile_methods(methods, &at.key("methods"), issues))
            .transpose();
        let headers =
            Condition::compile_all(headers.as_deref(), header_name, &at.key("headers"), issues);
        let query =
            Condition::compile_all(query.as_deref(), parameter_name, &at.key("query"), issues);
        let cookies =
            Condition::compile_all(cookies.as_deref(), cookie_name, &at.key("cookies"), issues);
        located?;
        let prefix = prefix?;
        let stripped = prefix
            .as_ref()
            .filter(|prefix| route.strip_prefix.unwrap_or(false) && !prefix.is_root())
            .map(Prefix::in_url);
        Ok(Self {
            host: host?,
            prefix,
            methods: methods?.unwrap_or_default(),
            headers: headers?,
            query: query?,
            cookies: cookies?,
            stripped,
        })
    }

    /// Whether the route takes a request. What costs least to ask is asked first.
    pub fn verdict(&self, subject: &Subject<'_>) -> Verdict {
        let head = subject.head();
        if let Some(host) = &self.host
            && !host.matches(head.url.hostname())
        {
            return Verdict::OtherHost;
        }
        if !self.methods.is_empty() && !self.methods.contains(&head.method) {
            return Verdict::OtherMethod;
        }
        let Some((spelling, _)) = self.tail(subject) else {
            return Verdict::OtherPath;
        };
        if let Some(index) = first_failing(&self.headers, |name| subject.header(name)) {
            return Verdict::ConditionFails {
                family: Family::Headers,
                index,
            };
        }
        if let Some(index) = first_failing(&self.query, |name| subject.parameter(name)) {
            return Verdict::ConditionFails {
                family: Family::Query,
                index,
            };
        }
        if let Some(index) = first_failing(&self.cookies, |name| subject.cookie(name)) {
            return Verdict::ConditionFails {
                family: Family::Cookies,
                index,
            };
        }
        Verdict::Takes { spelling }
    }

    /// The hosts it takes; `None` where it takes all.
    pub fn host(&self) -> Option<&HostPattern> {
        self.host.as_ref()
    }

    /// The methods it takes; empty where it takes all.
    pub fn methods(&self) -> &[Method] {
        &self.methods
    }

    /// The prefix its paths are below, as written and without a slash at the end; empty where it takes all.
    pub fn prefix(&self) -> &str {
        self.prefix.as_ref().map_or("", Prefix::written)
    }

    /// The path that is forwarded, starting with a slash: as it was sent, or without the prefix where the route strips
    /// it. A tail cut from the path as sent is forwarded byte for byte, one cut from another spelling is that
    /// spelling's, encoded again.
    pub fn forward_path<'s>(&self, subject: &'s Subject<'_>) -> Cow<'s, str> {
        let path = subject.path();
        if self.stripped.is_none() {
            return Cow::Borrowed(path);
        }
        let tail = match self.tail(subject) {
            Some((0, tail)) => path
                .len()
                .checked_sub(tail.len())
                .and_then(|cut| path.get(cut..))
                .map(Cow::Borrowed),
            // A spelling that was only decoded may still hold dot segments, which would climb out of a base path.
            Some((_, tail)) => Some(Cow::Owned(on_the_wire(&in_url(tail)).into_owned())),
            None => None,
        };
        match tail {
            Some(tail) if tail.is_empty() => Cow::Borrowed("/"),
            Some(tail) => tail,
            None => Cow::Borrowed(path),
        }
    }

    /// The prefix that [`Policy::forward_path`] removes, as it stands in a URL, so that an upstream's own addresses can
    /// be given it back: `/docs`. `None` where nothing is removed.
    pub fn stripped_prefix(&self) -> Option<&str> {
        self.stripped.as_deref()
    }

    /// The first spelling below the route's path, and what follows the prefix in it.
    fn tail<'s>(&self, subject: &'s Subject<'_>) -> Option<(usize, &'s [u8])> {
        match &self.prefix {
            None => Some((0, subject.path().as_bytes())),
            Some(prefix) => subject
                .spellings()
                .enumerate()
                .find_map(|(index, spelling)| Some((index, prefix.tail(spelling)?))),
        }
    }
}

fn first_failing<Name, Value: AsRef<[u8]>>(
    conditions: &[Condition<Name>],
    value: impl Fn(&Name) -> Option<Value>,
) -> Option<usize> {
    conditions.iter().position(|condition| {
        let value = value(&condition.name);
        !condition.holds(value.as_ref().map(AsRef::as_ref))
    })
}

fn compile_host(text: &str, at: &Path<'_>, issues: &mut Issues) -> Result<HostPattern, Reported> {
    text.parse()
        .map_err(|error: crate::net::host::InvalidHostPattern| {
            issues.report(at, Code::Value, error.to_string())
        })
}

fn compile_methods(
    list: &[String],
    at: &Path<'_>,
    issues: &mut Issues,
) -> Result<Vec<Method>, Reported> {
    if list.is_empty() {
        return Err(issues.report(
            at,
            Code::Required,
            "expected at least one method; an empty list would take nothing. Leave \"methods\" out to take all",
        ));
    }
    let mut methods = Vec::with_capacity(list.len());
    let mut failed = None;
    for (index, text) in list.iter().enumerate() {
        let letters = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphabetic());
        match Method::from_bytes(text.to_ascii_uppercase().as_bytes()) {
            Ok(method) if letters => methods.push(method),
            _ => {
                failed = Some(issues.report(
                    &at.index(index),
                    Code::Value,
                    format!("expected a method such as \"GET\", in letters alone; found {text:?}"),
                ));
            }
        }
    }
    failed.map_or(Ok(methods), Err)
}

#[cfg(test)]
mod tests;
