//! What a route asks for, taken apart: for each thing it looks at, values that answer it.
//!
//! A route is a product of independent questions: its host, its path, its method, and one for each name its conditions
//! look under. A few values of each stand for all the others that are answered alike, so that asking about a handful of
//! requests is asking about all of them.

use std::collections::BTreeMap;

use http::header::COOKIE;

use super::{Witness, WitnessHeader};
use crate::{
    config::{
        Document,
        document::{Condition, Match},
    },
    matching::Policy,
    net::HostPattern,
};

/// What one route asks for.
#[derive(Debug)]
pub(super) struct Anatomy<'p> {
    pub(super) policy: &'p Policy,
    pub(super) headers: Answers,
    pub(super) query: Answers,
    pub(super) cookies: Answers,
}

/// By name, the values that all conditions on that name accept, one for each way in which other conditions could judge
/// them; `None` is the absent name. No values where the conditions contradict each other.
pub(super) type Answers = BTreeMap<String, Vec<Option<String>>>;

/// One value for each name.
pub(super) type Chosen<'a> = Vec<(&'a str, &'a str)>;

impl<'p> Anatomy<'p> {
    /// Takes a route apart. `fresh` is a text that stands nowhere in the table.
    pub(super) fn new(document: Option<&Match>, policy: &'p Policy, fresh: &str) -> Self {
        let under = |list: fn(&Match) -> &Option<Vec<Condition>>, folded| {
            let conditions = document.and_then(|document| list(document).as_deref());
            answers(conditions.unwrap_or_default(), folded, fresh)
        };
        Self {
            policy,
            headers: under(|document| &document.headers, true),
            query: under(|document| &document.query, false),
            cookies: under(|document| &document.cookies, false),
        }
    }

    /// Whether a request can be made that answers everything. Conditions on cookies and on the header they travel in
    /// are not taken apart: their answers are not independent.
    pub(super) fn is_answerable(&self) -> bool {
        let Self {
            policy: _,
            headers,
            query,
            cookies,
        } = self;
        let clash = !cookies.is_empty() && headers.contains_key(COOKIE.as_str());
        !clash
            && [headers, query, cookies]
                .iter()
                .all(|answers| answers.values().all(|values| !values.is_empty()))
    }

    /// Whether this route looks under names that the other one does not, which therefore may hold anything there.
    pub(super) fn asks_more_than(&self, other: &Self) -> bool {
        [
            (&self.headers, &other.headers),
            (&self.query, &other.query),
            (&self.cookies, &other.cookies),
        ]
        .iter()
        .any(|(own, others)| own.keys().any(|name| !others.contains_key(name)))
    }

    /// A host it takes: its own, or one below it. `None` where it takes all.
    pub(super) fn host(&self, fresh: &str) -> Option<String> {
        self.policy.host().map(|pattern| match pattern {
            HostPattern::Exact(host) => host.clone(),
            HostPattern::Below(end) => format!("{fresh}{end}"),
        })
    }

    /// The first answer under every name.
    pub(super) fn first_answers(&self) -> [Chosen<'_>; 3] {
        [&self.headers, &self.query, &self.cookies].map(|answers| {
            answers
                .iter()
                .filter_map(|(name, values)| Some((name.as_str(), values.first()?.as_deref()?)))
                .collect()
        })
    }
}

/// The request with this method, host and path and these answers.
pub(super) fn request(
    method: &str,
    host: &str,
    path: &str,
    [headers, query, cookies]: &[Chosen<'_>; 3],
) -> Witness {
    let mut url = format!("https://{host}{path}");
    if !query.is_empty() {
        url.push('?');
        url.push_str(
            &url::form_urlencoded::Serializer::new(String::new())
                .extend_pairs(query)
                .finish(),
        );
    }
    let header = |(name, value): &(&str, &str)| WitnessHeader {
        name: (*name).to_owned(),
        value: (*value).to_owned(),
    };
    let mut headers: Vec<WitnessHeader> = headers.iter().map(header).collect();
    if !cookies.is_empty() {
        let pairs: Vec<String> = cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        headers.push(WitnessHeader {
            name: COOKIE.as_str().to_owned(),
            value: pairs.join("; "),
        });
    }
    Witness {
        method: method.to_owned(),
        url,
        headers,
    }
}

/// A text that stands nowhere in what the routes ask for. `None` where the table seems to be made so that there is none.
pub(super) fn fresh_text(document: &Document) -> Option<String> {
    let asked: Vec<String> = document
        .routes
        .iter()
        .filter_map(|route| route.r#match.as_ref())
        .map(|asked| format!("{asked:?}").to_ascii_lowercase())
        .filter(|asked| asked.contains(PROBE))
        .collect();
    std::iter::once(PROBE.to_owned())
        .chain((1..MOST_TRIES).map(|number| format!("{PROBE}-{number}")))
        .find(|text| !asked.iter().any(|asked| asked.contains(text.as_str())))
}

fn answers(conditions: &[Condition], folded: bool, fresh: &str) -> Answers {
    let mut by_name: BTreeMap<String, Vec<&Condition>> = BTreeMap::new();
    for condition in conditions {
        let name = condition.name.as_deref().unwrap_or_default();
        let name = if folded {
            name.to_ascii_lowercase()
        } else {
            name.to_owned()
        };
        by_name.entry(name).or_default().push(condition);
    }
    by_name
        .into_iter()
        .map(|(name, conditions)| {
            let mut values: Vec<Option<String>> = conditions
                .iter()
                .flat_map(|condition| corners(condition, fresh))
                .collect();
            values.retain(|value| {
                conditions
                    .iter()
                    .all(|condition| accepts(condition, value.as_deref()))
            });
            (name, values)
        })
        .collect()
}

/// Values that a condition accepts: any other condition that accepts all of these accepts whatever this one does.
fn corners(condition: &Condition, fresh: &str) -> Vec<Option<String>> {
    let Condition {
        name: _,
        equals,
        prefix,
        present,
    } = condition;
    match (equals, prefix, present) {
        (Some(value), _, _) => vec![Some(value.clone())],
        (_, Some(prefix), _) => vec![Some(format!("{prefix}{fresh}")), Some(prefix.clone())],
        (_, _, Some(false)) => vec![None],
        (None, None, Some(true) | None) => vec![Some(fresh.to_owned()), Some(String::new())],
    }
}

fn accepts(condition: &Condition, value: Option<&str>) -> bool {
    let Condition {
        name: _,
        equals,
        prefix,
        present,
    } = condition;
    equals.as_deref().is_none_or(|equals| value == Some(equals))
        && prefix
            .as_deref()
            .is_none_or(|prefix| value.is_some_and(|value| value.starts_with(prefix)))
        && present.is_none_or(|present| value.is_some() == present)
}

/// What a fresh text is, where no table has it.
const PROBE: &str = "shadow-probe";

const MOST_TRIES: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    fn condition(equals: Option<&str>, prefix: Option<&str>, present: Option<bool>) -> Condition {
        Condition {
            name: Some("X".to_owned()),
            equals: equals.map(str::to_owned),
            prefix: prefix.map(str::to_owned),
            present,
        }
    }

    #[track_caller]
    fn check(conditions: &[Condition], expected: &[Option<&str>]) {
        let answers = answers(conditions, true, "fresh");
        let values: Vec<Option<&str>> = answers["x"].iter().map(Option::as_deref).collect();
        assert_eq!(values, expected, "{conditions:?}");
    }

    #[test]
    fn a_few_values_stand_for_all() {
        let equals = |value| condition(Some(value), None, None);
        let prefix = |value| condition(None, Some(value), None);
        let present = |present| condition(None, None, Some(present));
        check(&[equals("a")], &[Some("a")]);
        check(&[prefix("a")], &[Some("afresh"), Some("a")]);
        check(&[present(true)], &[Some("fresh"), Some("")]);
        check(&[present(false)], &[None]);
        check(&[present(true), equals("")], &[Some(""), Some("")]);
        check(&[prefix("a"), prefix("ab")], &[Some("abfresh"), Some("ab")]);
        check(&[equals("a"), equals("b")], &[]);
        check(&[present(true), present(false)], &[]);
    }

    #[test]
    fn a_fresh_text_stands_nowhere_in_the_table() {
        let table = |path: &str| Document {
            routes: vec![crate::config::RouteDocument {
                r#match: Some(Match {
                    path: Some(path.to_owned()),
                    ..Match::default()
                }),
                ..Default::default()
            }],
            ..Document::default()
        };
        assert_eq!(fresh_text(&table("/x")).as_deref(), Some("shadow-probe"));
        assert_eq!(
            fresh_text(&table("/Shadow-Probe-1/x")).as_deref(),
            Some("shadow-probe-2")
        );
        let all: Vec<String> = (1..20).map(|n| format!("shadow-probe-{n}")).collect();
        assert_eq!(fresh_text(&table(&all.join("/"))), None);
    }
}
