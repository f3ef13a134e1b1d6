//! The name a route goes by in events, rate-limit buckets and memories.

use crate::config::RouteDocument;

/// The route's id, or for a route without one what it matches and where it stands: `shop.example.com/api#3`.
///
/// The place tells routes apart that match the same host and path and differ in methods or conditions.
pub fn label(route: &RouteDocument, index: usize) -> String {
    if let Some(id) = &route.id {
        return id.clone();
    }
    let matched = route.r#match.as_ref();
    let host = matched
        .and_then(|matched| matched.host.as_deref())
        .unwrap_or("*");
    let path = matched
        .and_then(|matched| matched.path.as_deref())
        .unwrap_or("/*");
    format!("{}{path}#{index}", host.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::document::Match;

    #[test]
    fn a_route_without_id_is_named_by_what_it_matches_and_where_it_stands() {
        for (id, host, path, expected) in [
            (Some("shop"), None, Some("/shop"), "shop"),
            (None, None, Some("/shop"), "*/shop#2"),
            (None, Some("A.example.com"), None, "a.example.com/*#2"),
            (
                None,
                Some("*.example.com"),
                Some("/x/*"),
                "*.example.com/x/*#2",
            ),
        ] {
            let route = RouteDocument {
                id: id.map(str::to_owned),
                r#match: Some(Match {
                    host: host.map(str::to_owned),
                    path: path.map(str::to_owned),
                    ..Default::default()
                }),
                ..Default::default()
            };
            assert_eq!(label(&route, 2), expected);
        }
    }
}
