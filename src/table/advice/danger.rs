//! Switches that do harm where they are not meant. None of them is forbidden: publishing asks for a confirmation.
//!
//! The rules read a route, or the defaults, as it was written, not as it was compiled: a panel shows them while a
//! person types, when the route may be half finished.

use serde::Serialize;
use serde_json::Value;

/// A switch, when it is dangerous, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Rule {
    /// Its name: the switch as a path inside a route, or that path and ` (absent)` where it is dangerous to leave it
    /// out.
    pub path: &'static str,
    /// How much harm it does.
    pub level: Level,
    /// What comes of it.
    pub reason: &'static str,
    #[serde(skip)]
    fires: Fires,
}

/// How much harm a switch does where it is not meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Somebody notices: a page breaks, the wrong people are kept out.
    Medium,
    /// Nobody notices until it is abused, or traffic is gone.
    High,
}

/// When a rule fires. A `null` counts as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fires {
    /// The switch is written.
    Written,
    /// Its value is `true`.
    True,
    /// Its value is this text.
    Text(&'static str),
    /// Its value is a list of at least one entry.
    Listed,
    /// Its value is a list with a method that changes something.
    ChangingMethod,
    /// Its value is an address in clear text.
    ClearText,
    /// The block at this place is written and the switch is not.
    AbsentFrom(&'static str),
}

/// The rules that fire on the definition of a route, or on the defaults block.
///
/// ```
/// use jouska::table::advice::dangers;
///
/// let route = serde_json::json!({ "upstream": "a.example.com", "scheme": "http", "cors": {} });
/// let fired: Vec<&str> = dangers(&route).iter().map(|rule| rule.path).collect();
/// assert_eq!(fired, ["scheme", "cors.origins (absent)"]);
/// ```
pub fn dangers(definition: &Value) -> Vec<&'static Rule> {
    RULES.iter().filter(|rule| rule.fires(definition)).collect()
}

impl Rule {
    /// What it is about that is written, as a path inside a route.
    pub fn place(&self) -> &'static str {
        match self.fires {
            Fires::AbsentFrom(block) => block,
            _ => self.path,
        }
    }

    fn fires(&self, definition: &Value) -> bool {
        let Some(value) = at(definition, self.place()) else {
            return false;
        };
        match self.fires {
            Fires::Written => true,
            Fires::True => *value == Value::Bool(true),
            Fires::Text(text) => value.as_str() == Some(text),
            Fires::Listed => value.as_array().is_some_and(|entries| !entries.is_empty()),
            Fires::ChangingMethod => value.as_array().into_iter().flatten().any(|method| {
                method.as_str().is_some_and(|method| {
                    !SAFE_METHODS.iter().any(|m| m.eq_ignore_ascii_case(method))
                })
            }),
            Fires::ClearText => value.as_str().is_some_and(|url| {
                url.get(..CLEAR_TEXT.len())
                    .is_some_and(|scheme| scheme.eq_ignore_ascii_case(CLEAR_TEXT))
            }),
            Fires::AbsentFrom(block) => {
                let inside = self.path.strip_suffix(ABSENT).unwrap_or(self.path);
                let name = inside
                    .strip_prefix(block)
                    .and_then(|rest| rest.strip_prefix('.'));
                name.is_some_and(|name| at(value, name).is_none())
            }
        }
    }
}

/// What is written at a path; lists are not walked into.
fn at<'v>(definition: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('.')
        .try_fold(definition, |value, key| value.as_object()?.get(key))
}

/// Every rule there is, in the order of a route's fields as people read them.
pub const RULES: &[Rule] = &[
    high(
        "allowPrivateUpstream",
        Fires::Written,
        "this route may reach loopback, private and metadata addresses, so whoever can edit it can turn the proxy on the network behind it",
    ),
    high(
        "upstreamHeaders",
        Fires::Written,
        "these values are sent to the upstream as they stand here, where everybody who can read the table sees them; a secret among them is no longer one",
    ),
    high(
        "requestHeaders.set",
        Fires::Written,
        "these values are sent to the upstream as they stand here, where everybody who can read the table sees them; a secret among them is no longer one",
    ),
    high(
        "bodyRewrite.inject",
        Fires::Written,
        "this markup runs in the page of every visitor, and the upstream's content security policy, which might have stopped it, is removed",
    ),
    high(
        "bodyRewrite.replace",
        Fires::Listed,
        "replacements can put markup and scripts into the page of every visitor, and the upstream's content security policy, which might have stopped them, is removed",
    ),
    high(
        "respond",
        Fires::Written,
        "this route answers by itself and forwards nothing; a maintenance page that is forgotten here keeps the site offline",
    ),
    high(
        "respond.redirect.allowExternal",
        Fires::True,
        "visitors are sent to another site; if the address is ever mistyped or tampered with, they follow it all the same",
    ),
    high(
        "mirror.methods",
        Fires::ChangingMethod,
        "the copy of a request that changes something makes the change a second time: two orders, two payments",
    ),
    high(
        "mirror.includeBody",
        Fires::True,
        "what visitors send, passwords included, reaches a second host, and every copied body takes up memory while it is sent",
    ),
    high(
        "forwardAuth.failOpen",
        Fires::Written,
        "while the authentication service cannot be reached, everybody is let in",
    ),
    medium(
        "forwardAuth.url",
        Fires::ClearText,
        "visitors' credentials travel to the authentication service unencrypted; use an https address",
    ),
    medium(
        "scheme",
        Fires::Text("http"),
        "requests and answers travel between the proxy and the upstream unencrypted",
    ),
    medium(
        "cors.origins (absent)",
        Fires::AbsentFrom("cors"),
        "without \"origins\" every site's scripts may read the answers, with the visitor's cookies where \"credentials\" is on; list the sites that are meant",
    ),
    medium(
        "requestHeaders.remove",
        Fires::Written,
        "the upstream no longer sees these headers; without cookie or authorization nobody can stay logged in, and no error says why",
    ),
    medium(
        "responseHeaders.set",
        Fires::Written,
        "these are written last, over everything the proxy has done: a location, a content security policy or an etag written here undoes the rewriting",
    ),
    medium(
        "cache.contentTypes",
        Fires::Written,
        "if a listed type holds pages that differ by visitor, one visitor's page can be shown to another",
    ),
    medium(
        "cache.key.headers",
        Fires::Listed,
        "every distinct value of these headers has stored answers of its own; a header with many values means that hardly any request finds one",
    ),
    medium(
        "bodyRewrite.contentTypes",
        Fires::Written,
        "a type that is no text, caught by too wide a list, is damaged by rewriting",
    ),
    medium(
        "bodyRewrite.fallbackCharset",
        Fires::Written,
        "if pages without a declared charset are in another one, their letters are garbled",
    ),
    medium(
        "ip.allow",
        Fires::Written,
        "only these addresses are let in; a typing mistake shuts the right callers out",
    ),
    medium(
        "ip.deny",
        Fires::Written,
        "a typing mistake here shuts the wrong callers out and lets the right ones in",
    ),
    medium(
        "access.keys",
        Fires::Written,
        "these are digests of keys: a key pasted here by mistake lets nobody in, its owner least of all",
    ),
];

const fn high(path: &'static str, fires: Fires, reason: &'static str) -> Rule {
    Rule {
        path,
        level: Level::High,
        reason,
        fires,
    }
}

const fn medium(path: &'static str, fires: Fires, reason: &'static str) -> Rule {
    Rule {
        path,
        level: Level::Medium,
        reason,
        fires,
    }
}

/// Methods that change nothing (RFC 9110 section 9.2.1).
const SAFE_METHODS: [&str; 4] = ["GET", "HEAD", "OPTIONS", "TRACE"];

const CLEAR_TEXT: &str = "http://";

/// How the name of a rule ends that is about what is not written.
const ABSENT: &str = " (absent)";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(definition: &Value, expected: &[&str]) {
        let fired: Vec<&str> = dangers(definition).iter().map(|rule| rule.path).collect();
        assert_eq!(fired, expected, "{definition}");
    }

    #[test]
    fn each_rule_fires_on_its_switch_alone() {
        for (rule, definition) in [
            (
                "allowPrivateUpstream",
                json!({ "allowPrivateUpstream": true }),
            ),
            (
                "upstreamHeaders",
                json!({ "upstreamHeaders": { "x-a": "1" } }),
            ),
            (
                "requestHeaders.set",
                json!({ "requestHeaders": { "set": { "x-a": "1" } } }),
            ),
            (
                "bodyRewrite.inject",
                json!({ "bodyRewrite": { "inject": { "headEnd": "<a>" } } }),
            ),
            (
                "bodyRewrite.replace",
                json!({ "bodyRewrite": { "replace": [{ "from": "a", "to": "b" }] } }),
            ),
            ("respond", json!({ "respond": { "status": 503 } })),
            (
                "mirror.methods",
                json!({ "mirror": { "upstream": "a", "methods": ["get", "Post"] } }),
            ),
            (
                "mirror.includeBody",
                json!({ "mirror": { "includeBody": true } }),
            ),
            (
                "forwardAuth.failOpen",
                json!({ "forwardAuth": { "failOpen": true } }),
            ),
            (
                "forwardAuth.url",
                json!({ "forwardAuth": { "url": "HTTP://sso.example.com/" } }),
            ),
            ("scheme", json!({ "scheme": "http" })),
            (
                "cors.origins (absent)",
                json!({ "cors": { "credentials": true } }),
            ),
            (
                "requestHeaders.remove",
                json!({ "requestHeaders": { "remove": ["cookie"] } }),
            ),
            (
                "responseHeaders.set",
                json!({ "responseHeaders": { "set": { "x-a": "1" } } }),
            ),
            (
                "cache.contentTypes",
                json!({ "cache": { "contentTypes": ["text/html"] } }),
            ),
            (
                "cache.key.headers",
                json!({ "cache": { "key": { "headers": ["accept"] } } }),
            ),
            (
                "bodyRewrite.contentTypes",
                json!({ "bodyRewrite": { "contentTypes": ["text/"] } }),
            ),
            (
                "bodyRewrite.fallbackCharset",
                json!({ "bodyRewrite": { "fallbackCharset": "gbk" } }),
            ),
            ("ip.allow", json!({ "ip": { "allow": ["198.51.100.1"] } })),
            ("ip.deny", json!({ "ip": { "deny": ["198.51.100.1"] } })),
            ("access.keys", json!({ "access": { "keys": ["a"] } })),
        ] {
            check(&definition, &[rule]);
        }
        let external =
            json!({ "respond": { "redirect": { "to": "https://a/", "allowExternal": true } } });
        check(&external, &["respond", "respond.redirect.allowExternal"]);
    }

    #[test]
    fn what_only_spells_out_a_default_or_is_safe_raises_nothing() {
        for definition in [
            json!({ "match": { "path": "/" }, "upstream": "a.example.com" }),
            json!({ "scheme": "https" }),
            json!({ "mirror": { "upstream": "a", "includeBody": false } }),
            json!({ "mirror": { "methods": ["GET", "head", "OPTIONS", "trace"] } }),
            json!({ "cache": { "key": { "headers": [] } } }),
            json!({ "bodyRewrite": { "replace": [] } }),
            json!({ "forwardAuth": { "url": "https://sso.example.com/?next=http://a" } }),
            json!({ "cors": { "origins": ["https://app.example.com"] } }),
            json!({ "responseHeaders": { "remove": ["server"] } }),
            json!({ "ip": {}, "access": { "header": "x-key" } }),
        ] {
            check(&definition, &[]);
        }
        check(
            &json!({ "respond": { "redirect": { "allowExternal": false } } }),
            &["respond"],
        );
    }

    #[test]
    fn half_finished_routes_are_read_as_far_as_they_go() {
        check(&json!({ "respond": null }), &["respond"]);
        check(&json!({ "cors": { "origins": null } }), &[]);
        check(&json!({ "cors": null }), &["cors.origins (absent)"]);
        check(&json!({ "mirror": { "methods": "POST" } }), &[]);
        check(&json!({ "bodyRewrite": [{ "inject": {} }] }), &[]);
        check(&json!([{ "respond": {} }]), &[]);
        check(
            &json!({ "respond.redirect": 1, "forwardAuth": "http://a" }),
            &[],
        );
    }

    #[test]
    fn rules_are_told_by_their_paths() {
        let mut paths: Vec<&str> = RULES.iter().map(|rule| rule.path).collect();
        paths.sort_unstable();
        paths.dedup();
        assert_eq!(paths.len(), RULES.len());
        assert_eq!(
            serde_json::to_value(RULES[11]).unwrap(),
            json!({ "path": "scheme", "level": "medium", "reason": RULES[11].reason })
        );
    }
}
