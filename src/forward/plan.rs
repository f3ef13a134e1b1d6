//! Which candidates a request may be sent to, and in which order.

use super::{Policy, outlier::Outliers, request::is_replayable, upgrade};
use crate::{message::RequestHead, net::Upstream, outcome::Selection, time::Timestamp};

/// Where a request would go, decided from the request alone. It is made before the guards, because a refused request
/// is reported under the upstream it was meant for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    winner: usize,
    selection: Option<Selection>,
}

/// Plans a request.
///
/// ```
/// use http::{HeaderMap, HeaderValue, Method};
/// use jouska::{
///     config::{Issues, Path, RouteDocument, document::SplitEntry},
///     forward,
///     message::{RequestHead, RequestUrl},
/// };
///
/// let entry = |upstream: &str| SplitEntry { upstream: Some(upstream.to_owned()), weight: Some(1) };
/// let route = RouteDocument {
///     id: Some("shop".to_owned()),
///     traffic_split: Some(vec![entry("one.example.net"), entry("two.example.org")]),
///     ..RouteDocument::default()
/// };
/// let policy = forward::Policy::compile(&route, &Path::root(), &mut Issues::default())
///     .unwrap()
///     .unwrap();
///
/// let mut headers = HeaderMap::new();
/// headers.insert("cf-connecting-ip", HeaderValue::from_static("203.0.113.2"));
/// let head = RequestHead {
///     method: Method::GET,
///     url: RequestUrl::parse("https://proxy.example.com/a").unwrap(),
///     headers,
///     has_body: false,
/// };
/// let plan = forward::plan(&policy, &head);
/// assert_eq!(plan.authority(&policy), "two.example.org", "today and on any other day");
/// ```
pub fn plan(policy: &Policy, head: &RequestHead) -> Plan {
    let selection = policy
        .split
        .as_ref()
        .map(|split| split.select(&policy.candidates, head));
    Plan {
        winner: selection.map_or(0, |selection| selection.index),
        selection,
    }
}

impl Plan {
    /// How a split picked; `None` on routes without one.
    pub fn selection(&self) -> Option<Selection> {
        self.selection
    }

    /// The authority the request would go to, everybody being well.
    pub fn authority<'p>(&self, policy: &'p Policy) -> &'p str {
        policy
            .candidates
            .get(self.winner)
            .map_or("", Upstream::authority)
    }

    /// Candidates in walk order: the winner, then the others as declared, as many as `maxAttempts` allows.
    pub(super) fn order(self, policy: &Policy) -> impl Iterator<Item = &Upstream> {
        let others = policy
            .candidates
            .iter()
            .enumerate()
            .filter(move |(index, _)| *index != self.winner)
            .map(|(_, candidate)| candidate);
        policy
            .candidates
            .get(self.winner)
            .into_iter()
            .chain(others)
            .take(policy.failover.max_attempts)
    }
}

/// A plan in the light of what is known of the candidates.
#[derive(Debug)]
pub(super) struct Itinerary<'p> {
    /// One for each attempt.
    pub(super) stops: Vec<&'p Upstream>,
    /// Authorities that were passed over because they failed lately.
    pub(super) ejected: Vec<String>,
    /// Whether the request may be sent more than once.
    pub(super) replayable: bool,
}

impl<'p> Itinerary<'p> {
    pub(super) fn new(
        policy: &'p Policy,
        plan: Plan,
        head: &RequestHead,
        route: &str,
        outliers: &Outliers,
        now: Timestamp,
    ) -> Self {
        let replayable = is_replayable(head, upgrade::is_handshake(policy.shape.websocket, head));
        if let [only] = policy.candidates.as_slice() {
            let attempts = if replayable {
                policy.pace.retries + 1
            } else {
                1
            };
            return Self {
                stops: vec![only; attempts],
                ejected: Vec::new(),
                replayable,
            };
        }
        let mut stops = Vec::new();
        let mut out = Vec::new();
        for candidate in plan.order(policy) {
            if outliers.is_out(route, candidate.authority(), now) {
                out.push(candidate);
                continue;
            }
            stops.push(candidate);
            if !replayable {
                // Those behind it would not have been tried anyway.
                break;
            }
        }
        if stops.is_empty() {
            // Ejection makes no route unreachable: with everybody out the first is tried all the same.
            stops.extend(plan.order(policy).next());
        }
        let mut ejected: Vec<String> = Vec::new();
        for candidate in out {
            let tried = stops
                .iter()
                .any(|stop| stop.authority() == candidate.authority());
            let listed = ejected.iter().any(|name| name == candidate.authority());
            if !tried && !listed {
                ejected.push(candidate.authority().to_owned());
            }
        }
        Self {
            stops,
            ejected,
            replayable,
        }
    }
}
