//! Hosts that lead to the proxy against hosts that routes name.

use jouska::net::HostPattern;
use serde_json::{Value, json};

use super::found::{Bound, Found};
use crate::{exchange::Body, store::routes::Row};

/// The answer: what was found, with the routes that take each host, and the routes whose host nothing leads to.
pub(super) fn told(found: &Found, script: &str, rows: &[Row]) -> Value {
    let Found {
        hosts,
        failures,
        skipped_zones,
        unlisted_zones,
    } = found;
    let routes: Vec<Route<'_>> = rows.iter().filter_map(Route::read).collect();
    let hosts_told: Vec<Value> = hosts
        .iter()
        .map(|bound| {
            let takes = |route: &&Route<'_>| {
                let host = route.host.as_deref();
                host.is_none_or(|host| meet(&bound.host, host))
            };
            let ids: Vec<&str> = routes.iter().filter(takes).map(|route| route.id).collect();
            Value::from(Body::of(json!(bound)).with("routeIds", ids))
        })
        .collect();
    let answer = Body::of(json!({
        "configured": true,
        "script": script,
        "hosts": hosts_told,
        "failures": failures,
    }));
    // With nothing to compare, every route would look wrong.
    let is_comparable = failures.is_empty() || !hosts.is_empty();
    answer
        .with_some(
            "skippedZones",
            (!skipped_zones.is_empty()).then(|| json!(skipped_zones)),
        )
        .with_some(
            "unlistedZones",
            (*unlisted_zones > 0).then_some(*unlisted_zones),
        )
        .with_some(
            "unmatchedRouteHosts",
            is_comparable.then(|| unmatched(&routes, hosts)),
        )
        .into()
}

/// A route, as far as its host goes.
struct Route<'r> {
    id: &'r str,
    enabled: bool,
    /// The host in lower case; a route without one takes every host.
    host: Option<String>,
}

impl<'r> Route<'r> {
    /// `None` where nothing can be read.
    fn read(row: &'r Row) -> Option<Self> {
        let definition: Value = serde_json::from_str(&row.definition).ok()?;
        let host = definition.pointer("/match/host").and_then(Value::as_str);
        Some(Self {
            id: &row.id,
            enabled: row.enabled,
            host: host.map(str::to_ascii_lowercase),
        })
    }
}

fn unmatched(routes: &[Route<'_>], hosts: &[Bound]) -> Value {
    routes
        .iter()
        .filter(|route| route.enabled)
        .filter_map(|route| {
            let host = route.host.as_deref()?;
            let is_led_to = hosts.iter().any(|bound| meet(&bound.host, host));
            (!is_led_to).then(|| json!({ "routeId": route.id, "host": host }))
        })
        .collect()
}

/// Whether requests that come by `bound` and requests that a route of this host takes have some in common.
fn meet(bound: &str, host: &str) -> bool {
    host == bound || covers(host, bound) || covers(bound, host) || is_end_of(bound, host)
}

/// Whether `pattern` is a wildcard and `host` stands below it.
fn covers(pattern: &str, host: &str) -> bool {
    let Ok(pattern @ HostPattern::Below(_)) = pattern.parse::<HostPattern>() else {
        return false;
    };
    pattern.matches(host)
}

/// Cloudflare knows one more wildcard than routes do: `*x.com` is `x.com` and whatever ends with it.
fn is_end_of(bound: &str, host: &str) -> bool {
    bound
        .strip_prefix('*')
        .is_some_and(|end| !end.starts_with('.') && host.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::super::found::{Failure, Kind};
    use super::*;

    fn row(id: &str, host: Option<&str>, enabled: bool) -> Row {
        let asked = host.map_or(json!({ "path": "/" }), |host| json!({ "host": host }));
        Row {
            id: id.to_owned(),
            definition: json!({ "match": asked }).to_string(),
            enabled,
            position: 0,
            version: 1,
            updated_at: 0,
            updated_by: String::new(),
        }
    }

    fn bound(host: &str) -> Bound {
        Bound {
            kind: Kind::Route,
            host: host.to_owned(),
            zone: None,
            pattern: None,
        }
    }

    #[test]
    fn wildcards_cover_real_subdomains_alone() {
        for (pattern, host, expected) in [
            ("*.x.com", "a.x.com", true),
            ("*.x.com", "a.b.x.com", true),
            ("*.x.com", "x.com", false),
            ("*.x.com", ".x.com", false),
            ("*.x.com", "a..x.com", false),
            ("*.x.com", "ax.com", false),
            ("x.com", "a.x.com", false),
        ] {
            assert_eq!(covers(pattern, host), expected, "{pattern} {host}");
        }
        for (bound, host, expected) in [
            ("*x.com", "x.com", true),
            ("*x.com", "a.x.com", true),
            ("*x.com", "*.x.com", true),
            ("*", "anything.net", true),
            ("*x.com", "y.com", false),
            ("*.a.x.com", "*.x.com", true),
        ] {
            assert_eq!(meet(bound, host), expected, "{bound} {host}");
        }
    }

    #[test]
    fn hosts_name_the_routes_that_take_them_and_routes_without_a_way_are_told() {
        let found = Found {
            hosts: vec![bound("shop.x.com"), bound("*.y.com")],
            ..Found::default()
        };
        let rows = [
            row("any", None, true),
            row("shop", Some("Shop.x.com"), true),
            row("off", Some("shop.x.com"), false),
            row("below", Some("*.x.com"), true),
            row("concrete", Some("a.y.com"), true),
            row("lost", Some("z.com"), true),
            row("lost-and-off", Some("z.com"), false),
        ];
        let told = told(&found, "jouska", &rows);
        assert_eq!(
            told["hosts"][0]["routeIds"],
            json!(["any", "shop", "off", "below"])
        );
        assert_eq!(told["hosts"][1]["routeIds"], json!(["any", "concrete"]));
        assert_eq!(
            told["unmatchedRouteHosts"],
            json!([{ "routeId": "lost", "host": "z.com" }])
        );
        assert_eq!(told.get("skippedZones"), None);
        assert_eq!(told.get("unlistedZones"), None);
    }

    #[test]
    fn with_nothing_to_compare_no_route_is_called_wrong() {
        let failed = Found {
            failures: vec![Failure {
                source: Kind::Route,
                message: String::new(),
                permission: "",
            }],
            ..Found::default()
        };
        let rows = [row("shop", Some("shop.x.com"), true)];
        assert_eq!(
            told(&failed, "jouska", &rows).get("unmatchedRouteHosts"),
            None
        );
        let nothing = told(&Found::default(), "jouska", &rows);
        assert_eq!(nothing["unmatchedRouteHosts"].as_array().unwrap().len(), 1);
    }
}
