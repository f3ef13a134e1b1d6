//! Edits of the draft, whoever makes them: a person through the API or an agent through a tool. Traffic does not change
//! by them.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::{
    exchange::{ErrorCode, Refused},
    limits,
    store::{
        Actor,
        routes::{self, Deleted, RouteEntry, Row, Write, Written},
        settings,
    },
    visit::Visit,
};

/// Writes a route. What is in the definition is not checked: a draft may be half finished.
pub(crate) async fn put_route(
    visit: &Visit,
    actor: &Actor,
    write: &Write<'_>,
) -> Result<Row, Refused> {
    check_id(write.id)?;
    check_size("definition", write.definition)?;
    match routes::put(&*visit.outside, actor, write, visit.now).await? {
        Written::Done(row) => Ok(row),
        Written::Changed(row) => Err(changed(row)),
    }
}

/// Deletes a route.
pub(crate) async fn delete_route(
    visit: &Visit,
    actor: &Actor,
    id: &str,
    expected: Option<u64>,
) -> Result<(), Refused> {
    match routes::delete(&*visit.outside, actor, id, expected, visit.now).await? {
        Deleted::Done => Ok(()),
        Deleted::NotFound => Err(Refused::not_found(format!("there is no route {id:?}"))),
        Deleted::Changed(row) => Err(changed(Some(row))),
    }
}

/// Puts all routes into another order.
pub(crate) async fn reorder(visit: &Visit, actor: &Actor, ids: &[String]) -> Result<(), Refused> {
    let rows = routes::list(&*visit.outside).await?;
    check_order(ids, rows.iter().map(|row| row.id.as_str()))?;
    if routes::reorder(&*visit.outside, actor, ids, visit.now).await? {
        Ok(())
    } else {
        Err(Refused::because(
            ErrorCode::RouteChanged,
            "a route was added or deleted meanwhile; look at the list and order it again",
        ))
    }
}

/// Replaces the defaults block.
pub(crate) async fn put_defaults(
    visit: &Visit,
    actor: &Actor,
    defaults: &Map<String, Value>,
) -> Result<(), Refused> {
    check_size("defaults", defaults)?;
    Ok(settings::put_defaults(&*visit.outside, actor, defaults, visit.now).await?)
}

/// Refuses what may not be a route's id.
pub(crate) fn check_id(id: &str) -> Result<(), Refused> {
    if limits::is_route_id(id) {
        return Ok(());
    }
    Err(Refused::because(
        ErrorCode::InvalidRouteId,
        "expected 1 to 64 letters, digits, \".\", \"_\" and \"-\", the first a letter or a digit",
    ))
}

fn changed(row: Option<Row>) -> Refused {
    Refused::because(
        ErrorCode::RouteChanged,
        "the route is no longer what was looked at; \"current\" is what it is now",
    )
    .with("current", json!(row.map(RouteEntry::from)))
}

/// Holds a definition, or the defaults, to their size.
pub(crate) fn check_size(name: &str, members: &Map<String, Value>) -> Result<(), Refused> {
    let size = json!(members).to_string().len();
    if size <= limits::DEFINITION {
        return Ok(());
    }
    Err(Refused::invalid(format!(
        "{name}: expected at most {} bytes as compact JSON; found {size}",
        limits::DEFINITION
    )))
}

/// Whether `ids` names every route once.
fn check_order<'a>(ids: &[String], all: impl Iterator<Item = &'a str>) -> Result<(), Refused> {
    let all: BTreeSet<&str> = all.collect();
    let mut named = BTreeSet::new();
    for id in ids {
        if !all.contains(id.as_str()) {
            return Err(Refused::invalid(format!("ids: there is no route {id:?}")));
        }
        if !named.insert(id.as_str()) {
            return Err(Refused::invalid(format!("ids: {id:?} is named twice")));
        }
    }
    match all.difference(&named).next() {
        Some(missing) => Err(Refused::invalid(format!(
            "ids: expected all routes, disabled ones included; {missing:?} is missing"
        ))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_names_every_route_once() {
        for (ids, sound) in [
            (&["b", "a", "c"][..], true),
            (&["a", "b"], false),
            (&["a", "b", "c", "d"], false),
            (&["a", "b", "b"], false),
            (&["a", "b", "c", "c"], false),
            (&[], false),
        ] {
            let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
            assert_eq!(
                check_order(&ids, ["a", "b", "c"].into_iter()).is_ok(),
                sound,
                "{ids:?}"
            );
        }
    }

    #[test]
    fn sizes_are_counted_as_compact_json() {
        let members = |length: usize| {
            let value = json!({ "a": "x".repeat(length) });
            value.as_object().unwrap().clone()
        };
        // {"a":""} is eight bytes.
        assert!(check_size("definition", &members(limits::DEFINITION - 8)).is_ok());
        assert!(check_size("definition", &members(limits::DEFINITION - 7)).is_err());
    }
}
