//! Routes that are robbed by routes above them, each with a request that proves it: the matcher itself says that the
//! later route would take it and the earlier one does.
//!
//! Being robbed of some requests is what a table with a special case above a general one looks like, and is no mistake.
//! Being robbed of all of them is one: [`Shadow::unreachable`] says so where it is certain.

use http::Method;
use url::Url;

use super::{
    Advice, Kind, Witness,
    anatomy::{Anatomy, fresh_text, request},
    cover::{Patience, is_unreachable},
};
use crate::{
    config::Document,
    matching::{Subject, Verdict},
    table::RouteTable,
};

/// A route that is robbed by one above it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shadow {
    /// Place of the robbed route, from 0.
    pub later: usize,
    /// Place of the route that takes the witness.
    pub earlier: usize,
    /// A request that the later route would take and the earlier one takes first.
    pub witness: Witness,
    /// Whether routes above it take every request that the later route would. Where this cannot be decided from the
    /// routes alone it is false.
    pub unreachable: bool,
}

/// Every pair of routes of which a probe shows that the earlier one robs the later one, in the order of the later ones;
/// each pair once. `table` is compiled from `document`.
///
/// A route is probed at its own host, or without one at that of every earlier route and at one nobody names; at its
/// prefix and below it; with its own methods, or GET and POST; with values that its conditions ask for.
pub fn shadows(document: &Document, table: &RouteTable) -> Vec<Shadow> {
    let Some(fresh) = fresh_text(document) else {
        return Vec::new();
    };
    let routes: Vec<Anatomy<'_>> = document
        .routes
        .iter()
        .zip(table.routes())
        .map(|(written, route)| Anatomy::new(written.r#match.as_ref(), &route.matching, &fresh))
        .collect();
    let mut hosts = Vec::new();
    let mut patience = Patience::new();
    let mut shadows = Vec::new();
    for (later, route) in routes.iter().enumerate() {
        let own = route.host(&fresh);
        let probed = match &own {
            Some(own) => std::slice::from_ref(own),
            None => hosts.as_slice(),
        };
        let mut robbed = robbed(later, &probes(route, probed, &fresh), table);
        let above_and_own = routes.get(..=later).unwrap_or_default();
        if !robbed.is_empty() && is_unreachable(above_and_own, &fresh, &mut patience) {
            for shadow in &mut robbed {
                shadow.unreachable = true;
            }
        }
        shadows.append(&mut robbed);
        hosts.extend(own.filter(|own| hosts.len() < MOST_HOSTS && !hosts.contains(own)));
    }
    shadows
}

/// One piece of advice for each route that no request reaches.
pub(super) fn advise(document: &Document, table: &RouteTable) -> Vec<Advice> {
    let label = |index: usize| table.routes().get(index).map_or("", |route| route.label());
    let mut advice = Vec::new();
    let mut told = None;
    for shadow in shadows(document, table) {
        let Shadow {
            later,
            earlier,
            witness,
            unreachable,
        } = shadow;
        if !unreachable || told.replace(later) == Some(later) {
            continue;
        }
        let by = label(earlier);
        advice.push(Advice {
            path: format!("routes[{later}].match"),
            route: Some(label(later).to_owned()),
            message: format!(
                "no request reaches this route: routes above it take everything it would take, such as {witness}, which goes to \"{by}\". Move it above \"{by}\", or delete it"
            ),
            kind: Kind::Shadowed {
                by: by.to_owned(),
                witness,
            },
        });
    }
    advice
}

/// Requests that the route asks for; none where it cannot be said what it asks for.
fn probes(route: &Anatomy<'_>, hosts: &[String], fresh: &str) -> Vec<Witness> {
    if !route.is_answerable() {
        return Vec::new();
    }
    // A route that takes every host takes one that nobody names, too.
    let nobodys = route
        .policy
        .host()
        .is_none()
        .then(|| format!("{fresh}.invalid"));
    let methods: Vec<&str> = match route.policy.methods() {
        [] => vec!["GET", "POST"],
        own => own.iter().map(Method::as_str).collect(),
    };
    let answers = route.first_answers();
    let prefix = in_url(route.policy.prefix());
    let at = if prefix.is_empty() { "/" } else { &prefix };
    let below = format!("{prefix}/{fresh}");
    let mut probes = Vec::new();
    for host in nobodys.iter().chain(hosts) {
        for path in [at, &below] {
            for method in &methods {
                probes.push(request(method, host, path, &answers));
            }
        }
    }
    probes
}

/// The routes that take one of these witnesses before the later route, which would take it; each with its first.
fn robbed(later: usize, witnesses: &[Witness], table: &RouteTable) -> Vec<Shadow> {
    let mut robbed: Vec<Shadow> = Vec::new();
    for witness in witnesses {
        if let Some(earlier) = robber(later, witness, table)
            && robbed.iter().all(|shadow| shadow.earlier != earlier)
        {
            robbed.push(Shadow {
                later,
                earlier,
                witness: witness.clone(),
                unreachable: false,
            });
        }
    }
    robbed
}

fn robber(later: usize, witness: &Witness, table: &RouteTable) -> Option<usize> {
    let head = witness.head()?;
    let subject = Subject::new(&head);
    let verdict = table.routes().get(later)?.matching.verdict(&subject);
    match verdict {
        Verdict::Takes { .. } => table.position(&subject).filter(|earlier| *earlier < later),
        Verdict::OtherHost
        | Verdict::OtherMethod
        | Verdict::OtherPath
        | Verdict::ConditionFails { .. } => None,
    }
}

/// A prefix as a person would send it.
fn in_url(prefix: &str) -> String {
    match Url::parse(&format!("https://probe.invalid{prefix}")) {
        Ok(url) if !prefix.is_empty() => url.path().to_owned(),
        Ok(_) | Err(_) => prefix.to_owned(),
    }
}

/// Most hosts of earlier routes that a route without a host is probed at.
const MOST_HOSTS: usize = 16;

#[cfg(test)]
mod tests;
