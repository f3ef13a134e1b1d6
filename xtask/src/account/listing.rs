//! What wrangler lists, and which of it is ours.

use serde_json::Value;

use crate::failure::Failure;

/// A resource of the account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Resource {
    pub(super) name: String,
    pub(super) id: String,
}

/// What to do about a resource that is needed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// It is there.
    Id(String),
    /// Nothing like it is there.
    Nothing,
}

/// The resources in what wrangler printed. Anything may stand around the list.
///
/// # Errors
/// If there is no list, or an entry in it that has a name but no id.
pub(super) fn parse(printed: &str, what: &str) -> Result<Vec<Resource>, Failure> {
    let entries = list_in(printed).ok_or_else(|| {
        Failure::new(format!(
            "wrangler's list of {what} holds no JSON list; it printed:\n{}",
            printed.trim()
        ))
    })?;
    let text = |entry: &Value, keys: &[&str]| {
        keys.iter()
            .find_map(|key| entry.get(key)?.as_str().filter(|text| !text.is_empty()))
            .map(str::to_owned)
    };
    entries
        .iter()
        .filter_map(|entry| Some((entry, text(entry, &NAMES)?)))
        .map(|(entry, name)| match text(entry, &IDS) {
            Some(id) => Ok(Resource { name, id }),
            None => Err(Failure::new(format!(
                "wrangler lists `{name}` among the {what} without an id"
            ))),
        })
        .collect()
}

/// The first JSON list in a text that other words surround.
pub(super) fn list_in(printed: &str) -> Option<Vec<Value>> {
    printed.match_indices('[').find_map(|(at, _)| {
        let rest = printed.get(at..)?;
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Vec<Value>>();
        // Colours begin with a bracket too, and a banner may hold one such as `[1]`: a list is one of objects.
        values
            .next()?
            .ok()
            .filter(|list| list.iter().all(Value::is_object))
    })
}

/// The database called `name`.
///
/// # Errors
/// If several are.
pub(super) fn database(listed: &[Resource], name: &str) -> Result<Found, Failure> {
    only_one(
        listed.iter().filter(|one| one.name == name).collect(),
        "databases",
    )
}

/// The namespace called `name`, or, as older tools named it, after the Worker `script` too.
///
/// # Errors
/// If both exist, or neither does and another title contains the name: it may be the one meant, or somebody else's.
pub(super) fn namespace(listed: &[Resource], name: &str, script: &str) -> Result<Found, Failure> {
    let older = format!("{script}-{name}");
    let exact = listed
        .iter()
        .filter(|one| one.name == name || one.name == older)
        .collect();
    let found = only_one(exact, "KV namespaces")?;
    let near: Vec<&Resource> = listed
        .iter()
        .filter(|one| one.name.contains(name))
        .collect();
    if found == Found::Nothing && !near.is_empty() {
        return Err(Failure::new(format!(
            "no KV namespace is called `{name}` or `{older}`, but these contain the name:\n{}",
            lines(&near)
        ))
        .mend(format!(
            "rename the one that is meant to `{name}` in the dashboard, or make an empty one: npx wrangler kv namespace create {name}"
        )));
    }
    Ok(found)
}

fn only_one(candidates: Vec<&Resource>, what: &str) -> Result<Found, Failure> {
    match candidates.as_slice() {
        [] => Ok(Found::Nothing),
        [one] => Ok(Found::Id(one.id.clone())),
        several => Err(Failure::new(format!(
            "several {what} could be meant:\n{}",
            lines(several)
        ))
        .mend("delete or rename all but one of them in the dashboard")),
    }
}

fn lines(resources: &[&Resource]) -> String {
    resources
        .iter()
        .map(|one| format!("    {} ({})", one.name, one.id))
        .collect::<Vec<_>>()
        .join("\n")
}

const NAMES: [&str; 2] = ["name", "title"];
const IDS: [&str; 3] = ["uuid", "database_id", "id"];

#[cfg(test)]
mod tests {
    use super::*;

    fn resources(names: &[&str]) -> Vec<Resource> {
        names
            .iter()
            .enumerate()
            .map(|(index, name)| Resource {
                name: (*name).to_owned(),
                id: format!("id-{index}"),
            })
            .collect()
    }

    #[test]
    fn a_list_is_found_among_other_words() {
        let banner = "\u{1b}[33m wrangler [1] 4.0\n-----\n";
        for (printed, expected) in [
            (r#"[{"uuid":"a","name":"one"}]"#, Some("a")),
            (r#"[{"database_id":"b","name":"one"}]"#, Some("b")),
            (r#"[{"id":"c","title":"one"}]"#, Some("c")),
            (
                &format!("{banner}[{{\"uuid\":\"a\",\"id\":\"z\",\"name\":\"one\"}}]\nDone."),
                Some("a"),
            ),
            ("[]", None),
            (&format!("{banner}[]"), None),
        ] {
            let listed = parse(printed, "things").unwrap();
            assert_eq!(
                listed.first().map(|one| one.id.as_str()),
                expected,
                "{printed}"
            );
        }
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        let failure = |printed| parse(printed, "D1 databases").unwrap_err().to_string();
        assert!(failure("nothing here").contains("nothing here"));
        assert!(failure(r#"{"error":"x"}"#).contains("no JSON list"));
        assert!(failure(r#"[{"name":"lost"}]"#).contains("`lost`"));
    }

    #[test]
    fn a_database_is_known_by_its_whole_name() {
        #[track_caller]
        fn check(names: &[&str], expected: Option<Found>) {
            assert_eq!(database(&resources(names), "shop").ok(), expected);
        }
        check(&[], Some(Found::Nothing));
        check(&["shop-old", "my-shop"], Some(Found::Nothing));
        check(&["a", "shop"], Some(Found::Id("id-1".to_owned())));
        check(&["shop", "shop"], None);
    }

    #[test]
    fn a_namespace_is_known_by_either_title_and_a_near_one_is_refused() {
        #[track_caller]
        fn check(names: &[&str], expected: Result<Found, &[&str]>) {
            match (namespace(&resources(names), "CONFIG_KV", "panel"), expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected),
                (Err(failure), Err(listed)) => {
                    let said = failure.to_string();
                    for name in listed {
                        assert!(said.contains(name), "{said}");
                    }
                }
                (found, expected) => panic!("{found:?} where {expected:?} was expected"),
            }
        }
        check(&["other"], Ok(Found::Nothing));
        check(&["other", "CONFIG_KV"], Ok(Found::Id("id-1".to_owned())));
        check(&["panel-CONFIG_KV"], Ok(Found::Id("id-0".to_owned())));
        check(
            &["CONFIG_KV", "shop-CONFIG_KV"],
            Ok(Found::Id("id-0".to_owned())),
        );
        check(
            &["CONFIG_KV", "panel-CONFIG_KV"],
            Err(&["panel-CONFIG_KV (id-1)", "CONFIG_KV (id-0)"]),
        );
        check(&["shop-CONFIG_KV"], Err(&["shop-CONFIG_KV"]));
        check(&["CONFIG_KV_preview"], Err(&["CONFIG_KV_preview"]));
    }
}
