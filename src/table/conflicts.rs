//! Pairs of settings that may not meet, where each of them belongs to another stage.
//!
//! A route is checked with its defaults folded in: a contradiction can be divided between the two, and neither half is
//! wrong alone. It is reported at the setting that would have no effect, in the route where the route states either
//! side, else in `defaults`.

use crate::config::{
    Code, Issues, Origin, Path,
    document::{HashBy, RouteDocument},
};

/// Reports every conflict of the route at `at`, into which defaults were folded.
///
/// A route that could not be read whole is left alone: what seems to be missing may only have been unreadable.
pub fn check(route: &RouteDocument, origin: &Origin, at: &Path<'_>, issues: &mut Issues) {
    if issues.is_unreadable_within(at) {
        return;
    }
    let mut conflicts = Conflicts { origin, at, issues };
    destination(route, &mut conflicts);
    candidates(route, &mut conflicts);
    split(route, &mut conflicts);
    deadlines(route, &mut conflicts);
    methods(route, &mut conflicts);
    caching(route, &mut conflicts);
}

/// Where a route's conflicts are filed.
struct Conflicts<'a, 'i> {
    origin: &'a Origin,
    at: &'a Path<'a>,
    issues: &'i mut Issues,
}

impl Conflicts<'_, '_> {
    /// Files a conflict between top-level fields of the route at `path`, which starts with the first of them.
    fn report(&mut self, path: &[&str], fields: &[&str], code: Code, message: impl Into<String>) {
        let root = Path::root();
        let defaults = root.key("defaults");
        let inherited =
            !fields.is_empty() && fields.iter().all(|field| self.origin.inherits(field));
        let at = if inherited { &defaults } else { self.at };
        match path {
            [] => self.issues.report(at, code, message),
            [field] => self.issues.report(&at.key(field), code, message),
            [block, field, ..] => self.issues.report(&at.key(block).key(field), code, message),
        };
    }

    /// Whether `field` has a default that could not be read.
    fn has_unreadable_default(&self, field: &str) -> bool {
        let root = Path::root();
        let defaults = root.key("defaults");
        self.issues.is_unreadable_within(&defaults.key(field))
    }

    /// Files that `field` is of no use in this route.
    fn misplaced(&mut self, field: &str, message: &str) {
        self.report(&[field], &[field], Code::Misplaced, message);
    }
}

/// A route forwards in exactly one way, or answers by itself.
fn destination(route: &RouteDocument, conflicts: &mut Conflicts<'_, '_>) {
    let named: Vec<&str> = [
        ("\"upstream\"", route.upstream.is_some()),
        ("\"upstreams\"", route.upstreams.is_some()),
        ("\"trafficSplit\"", route.traffic_split.is_some()),
    ]
    .into_iter()
    .filter_map(|(name, stated)| stated.then_some(name))
    .collect();
    match (route.respond.is_some(), named.as_slice()) {
        // A route without any has no policy, which is told where that is found out.
        (false, [] | [_]) | (true, []) => {}
        (false, several) => conflicts.report(
            &[],
            &[],
            Code::Conflict,
            format!(
                "expected one way of naming where requests go; found {}. Keep one of them",
                several.join(" and ")
            ),
        ),
        (true, several) => conflicts.report(
            &["respond"],
            &["respond"],
            Code::Conflict,
            format!(
                "a route either answers by itself or forwards; found \"respond\" beside {}. Keep one of them",
                several.join(" and ")
            ),
        ),
    }
    if route.respond.is_none() {
        return;
    }
    if route.error_pages.is_some() {
        conflicts.misplaced(
            "errorPages",
            "a route with \"respond\" asks no upstream, so there is no failure to show a page for; delete one of the two",
        );
    }
    if route.mirror.is_some() {
        conflicts.misplaced(
            "mirror",
            "a route with \"respond\" forwards no request that could be copied; delete one of the two",
        );
    }
}

/// Choosing among candidates takes several of them.
fn candidates(route: &RouteDocument, conflicts: &mut Conflicts<'_, '_>) {
    if route.upstreams.is_some() || route.traffic_split.is_some() {
        return;
    }
    for (field, stated) in [
        ("failover", route.failover.is_some()),
        ("outlier", route.outlier.is_some()),
    ] {
        if stated {
            conflicts.misplaced(
                field,
                "there is no other upstream to move to; name several with \"upstreams\" or \"trafficSplit\", or delete this",
            );
        }
    }
}

/// Dividing callers takes a split, and one rule for it.
fn split(route: &RouteDocument, conflicts: &mut Conflicts<'_, '_>) {
    if route.traffic_split.is_none() {
        for (field, stated) in [
            ("stickyBy", route.sticky_by.is_some()),
            ("hashBy", route.hash_by.is_some()),
            ("hashType", route.hash_type.is_some()),
        ] {
            if stated {
                conflicts.misplaced(
                    field,
                    "this says how \"trafficSplit\" divides callers, and the route has none; add one or delete this",
                );
            }
        }
        return;
    }
    let by_content = match route.hash_by {
        None | Some(HashBy::Ip) => false,
        Some(
            HashBy::Path
            | HashBy::Url
            | HashBy::Header { .. }
            | HashBy::Cookie { .. }
            | HashBy::Query { .. },
        ) => true,
    };
    if route.sticky_by.is_some() && by_content {
        conflicts.report(
            &["hashBy"],
            &["hashBy", "stickyBy"],
            Code::Conflict,
            "\"stickyBy\" keeps a caller on an upstream, and this sends equal requests to equal upstreams, whoever calls; keep one of the two",
        );
    }
}

/// An attempt cannot last longer than all of them together.
fn deadlines(route: &RouteDocument, conflicts: &mut Conflicts<'_, '_>) {
    let fields = [
        ("timeoutMs", route.timeout_ms, TIMEOUT_MS),
        ("totalTimeoutMs", route.total_timeout_ms, TOTAL_TIMEOUT_MS),
    ];
    if fields
        .iter()
        .any(|(field, stated, _)| stated.is_none() && conflicts.has_unreadable_default(field))
    {
        return;
    }
    let [timeout, total] = fields.map(|(_, stated, default)| stated.unwrap_or(default));
    if timeout <= total {
        return;
    }
    let [timeout_from, total_from] = fields.map(|(field, stated, _)| match stated {
        None => ", which is the default",
        Some(_) if conflicts.origin.inherits(field) => ", from defaults",
        Some(_) => "",
    });
    let message = format!(
        "one attempt may take {timeout} ms (\"timeoutMs\"{timeout_from}), but all together only {total} ms (\"totalTimeoutMs\"{total_from}); lower \"timeoutMs\" or raise \"totalTimeoutMs\""
    );
    // A field nobody wrote is nowhere; the other one says whether the mistake is the table's.
    let written: Vec<&str> = fields
        .iter()
        .filter_map(|(field, stated, _)| stated.map(|_| *field))
        .collect();
    conflicts.report(&["timeoutMs"], &written, Code::Conflict, message);
}

/// A method has to get past `match.methods` before anything else can be said about it.
fn methods(route: &RouteDocument, conflicts: &mut Conflicts<'_, '_>) {
    let matched = route.r#match.as_ref().and_then(|m| m.methods.as_deref());
    let Some(matched) = matched.filter(|methods| !methods.is_empty()) else {
        return;
    };
    let allowed = route
        .request_policy
        .as_ref()
        .and_then(|policy| policy.allowed_methods.as_deref());
    if let Some(allowed) = allowed.filter(|allowed| are_apart(allowed, matched)) {
        let message = format!(
            "the route takes {} and admits {}, so it would refuse every request; name a method that is also in \"match.methods\"",
            matched.join(", "),
            allowed.join(", ")
        );
        conflicts.report(
            &["requestPolicy", "allowedMethods"],
            &["match", "requestPolicy"],
            Code::Conflict,
            message,
        );
    }
    let cached = route.cache.as_ref().map(|cache| match &cache.methods {
        Some(methods) => methods.clone(),
        None => CACHED_METHODS.map(str::to_owned).to_vec(),
    });
    if let Some(cached) = cached.filter(|cached| are_apart(cached, matched)) {
        let message = format!(
            "the route takes {} and stores answers to {}, so it would store nothing; name a method that is also in \"match.methods\", or delete \"cache\"",
            matched.join(", "),
            cached.join(", ")
        );
        conflicts.report(
            &["cache", "methods"],
            &["match", "cache"],
            Code::Conflict,
            message,
        );
    }
}

/// A stored answer would be handed to callers nobody asked about.
fn caching(route: &RouteDocument, conflicts: &mut Conflicts<'_, '_>) {
    if route.cache.is_some() && route.forward_auth.is_some() {
        conflicts.report(
            &["cache"],
            &["cache", "forwardAuth"],
            Code::Conflict,
            "a stored answer would be given to callers whom \"forwardAuth\" was never asked about; delete one of the two",
        );
    }
}

/// Whether two lists of methods have none in common. An empty list is a mistake of its own, told elsewhere.
fn are_apart(one: &[String], other: &[String]) -> bool {
    !one.is_empty()
        && !one
            .iter()
            .any(|method| other.iter().any(|m| m.eq_ignore_ascii_case(method)))
}

/// `timeoutMs` where nothing is written.
const TIMEOUT_MS: u64 = 10_000;

/// `totalTimeoutMs` where nothing is written.
const TOTAL_TIMEOUT_MS: u64 = 30_000;

/// `cache.methods` where nothing is written.
const CACHED_METHODS: [&str; 2] = ["GET", "HEAD"];

#[cfg(test)]
mod tests;
