//! Which rule of a scripted upstream answers a request. Pure, so that every driver plays the same upstreams.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::case::{Act, Answer, AnswerBody, End, Rule, Then, When};
use crate::observed::UpstreamRequest;

/// The upstreams of one case, and how often each rule has answered.
#[derive(Clone, Debug, Default)]
pub struct Script {
    hosts: BTreeMap<String, Vec<Counted>>,
}

#[derive(Clone, Debug)]
struct Counted {
    rule: Rule,
    answered: u32,
}

/// What becomes of a request.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Reach {
    /// The host is not listed: the connection is refused and nobody saw the request.
    Nobody,
    /// The host is listed and this is what it does.
    Upstream(Then),
    /// The host is listed, but no rule of its is for this request.
    NoRule,
}

impl Script {
    /// The upstreams as the case lists them, nothing answered yet.
    #[must_use]
    pub fn new(upstreams: &BTreeMap<String, Vec<Rule>>) -> Self {
        let counted = |rules: &Vec<Rule>| {
            rules
                .iter()
                .map(|rule| Counted {
                    rule: rule.clone(),
                    answered: 0,
                })
                .collect()
        };
        Self {
            hosts: upstreams
                .iter()
                .map(|(host, rules)| (host.clone(), counted(rules)))
                .collect(),
        }
    }

    /// Takes a request in; the first rule for it answers and is counted.
    pub fn reach(&mut self, request: &UpstreamRequest) -> Reach {
        let Some(rules) = self.hosts.get_mut(&request.host) else {
            return Reach::Nobody;
        };
        let fits = |counted: &&mut Counted| {
            counted
                .rule
                .when
                .times
                .is_none_or(|times| counted.answered < times)
                && applies(&counted.rule.when, request)
        };
        match rules.iter_mut().find(fits) {
            Some(counted) => {
                counted.answered += 1;
                Reach::Upstream(counted.rule.then.clone())
            }
            None => Reach::NoRule,
        }
    }
}

fn applies(when: &When, request: &UpstreamRequest) -> bool {
    let When {
        method,
        path,
        header,
        times: _,
    } = when;
    method
        .as_ref()
        .is_none_or(|method| *method == request.method)
        && path.as_ref().is_none_or(|path| *path == request.path)
        && header.iter().all(|(name, value)| {
            request
                .headers
                .joined(name)
                .is_some_and(|joined| joined == value.as_bytes())
        })
}

/// The answer that describes a request as the upstream saw it.
#[must_use]
pub fn echo(request: &UpstreamRequest) -> Answer {
    let lines = request.headers.0.iter();
    let headers: Vec<_> = lines
        .map(|(name, value)| (name.to_ascii_lowercase(), String::from_utf8_lossy(value)))
        .collect();
    let description = serde_json::json!({
        "method": request.method,
        "url": request.url,
        "headers": headers,
        "body": String::from_utf8_lossy(&request.body),
    });
    Answer {
        status: 200,
        headers: vec![("content-type".to_owned(), "application/json".to_owned())],
        body: AnswerBody::Whole(description.to_string().into_bytes()),
        end: End::Complete,
    }
}

/// What a listed host does that has no rule for a request: the case is wrong, or the request is.
#[must_use]
pub fn no_rule() -> Then {
    let body = b"no rule of this upstream is for this request".to_vec();
    let headers = vec![("content-type".to_owned(), "text/plain".to_owned())];
    let answer = Answer {
        status: 500,
        headers,
        body: AnswerBody::Whole(body),
        end: End::Complete,
    };
    Then {
        delay: Duration::ZERO,
        act: Act::Answer(answer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Act;
    use crate::observed::Headers;

    #[test]
    fn an_echo_describes_the_request() {
        let request = UpstreamRequest {
            method: "PUT".to_owned(),
            url: "https://o.example/a".to_owned(),
            headers: Headers(vec![("X-A".to_owned(), b"1".to_vec())]),
            body: b"hi".to_vec(),
            ..UpstreamRequest::default()
        };
        let AnswerBody::Whole(body) = echo(&request).body else {
            panic!("a whole body")
        };
        let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
        let expected = serde_json::json!({
            "method": "PUT", "url": "https://o.example/a", "headers": [["x-a", "1"]], "body": "hi",
        });
        assert_eq!(body, expected);
    }

    #[test]
    fn the_first_rule_that_fits_answers() {
        let mut script = script(
            r#"[
            {"when": {"method": "POST"}, "then": {"status": 201}},
            {"when": {"path": "/a", "header": {"X-B": "1, 2"}}, "then": {"status": 202}},
            {"when": {"path": "/a"}, "then": {"status": 203}}
        ]"#,
        );
        check(&mut script, &request("POST", "/a", &[]), Some(201));
        check(
            &mut script,
            &request("GET", "/a", &[("x-b", "1"), ("x-b", "2")]),
            Some(202),
        );
        check(
            &mut script,
            &request("GET", "/a", &[("x-b", "1")]),
            Some(203),
        );
        check(&mut script, &request("GET", "/b", &[]), None);
    }

    #[test]
    fn a_rule_that_answered_its_times_steps_aside() {
        let mut script = script(
            r#"[
            {"when": {"times": 2, "path": "/a"}, "then": {"status": 201}},
            {"then": {"status": 202}}
        ]"#,
        );
        check(&mut script, &request("GET", "/b", &[]), Some(202));
        check(&mut script, &request("GET", "/a", &[]), Some(201));
        check(&mut script, &request("GET", "/a", &[]), Some(201));
        check(&mut script, &request("GET", "/a", &[]), Some(202));
    }

    #[test]
    fn a_host_with_another_port_is_another_host() {
        let mut script = script("[]");
        let other = UpstreamRequest {
            host: "origin.example:8443".to_owned(),
            ..request("GET", "/", &[])
        };
        assert_eq!(script.reach(&other), Reach::Nobody);
        assert_eq!(script.reach(&request("GET", "/", &[])), Reach::NoRule);
    }

    #[track_caller]
    fn check(script: &mut Script, request: &UpstreamRequest, status: Option<u16>) {
        let answered = match script.reach(request) {
            Reach::Upstream(Then {
                act: Act::Answer(answer),
                ..
            }) => Some(answer.status),
            _ => None,
        };
        assert_eq!(answered, status);
    }

    fn script(rules: &str) -> Script {
        Script::new(&BTreeMap::from([(
            "origin.example".to_owned(),
            serde_json::from_str(rules).unwrap(),
        )]))
    }

    fn request(method: &str, path: &str, headers: &[(&str, &str)]) -> UpstreamRequest {
        let headers = headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec()));
        UpstreamRequest {
            method: method.to_owned(),
            host: "origin.example".to_owned(),
            path: path.to_owned(),
            headers: Headers(headers.collect()),
            ..UpstreamRequest::default()
        }
    }
}
