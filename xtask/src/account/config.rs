//! The wrangler files: templates without any account's ids, and what is written into them.

use toml_edit::{DocumentMut, Item, Table, value};

use super::listing::Found;
use crate::failure::Failure;

/// A place in a wrangler file where a resource's id goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// The list of bindings.
    list: &'static str,
    /// The binding in it.
    binding: &'static str,
    /// The key that takes the id.
    key: &'static str,
}

/// The panel's database.
pub(super) const PANEL_DATABASE: Place = Place {
    list: "d1_databases",
    binding: "DB",
    key: "database_id",
};
/// The namespace as the panel binds it.
pub(super) const PANEL_NAMESPACE: Place = Place {
    list: "kv_namespaces",
    binding: "CONFIG_KV",
    key: "id",
};
/// The namespace as the proxy binds it.
pub(super) const PROXY_NAMESPACE: Place = Place {
    list: "kv_namespaces",
    binding: "CONFIG",
    key: "id",
};

/// The name of the Worker that the wrangler file `text` deploys.
///
/// # Errors
/// If the file is no TOML or has no name.
pub(super) fn script_name(file: &str, text: &str) -> Result<String, Failure> {
    let document = parsed(file, text)?;
    document
        .get("name")
        .and_then(Item::as_str)
        .map(str::to_owned)
        .ok_or_else(|| Failure::new(format!("{file} states no `name`")))
}

/// Makes sure that nothing in `file` contradicts what the account has. To be asked before anything is made.
///
/// # Errors
/// If the place holds an id, and the account has another resource of that name, or none.
pub(super) fn agrees(file: &str, text: &str, place: Place, found: &Found) -> Result<(), Failure> {
    let Some(held) = held(&parsed(file, text)?, place).filter(|held| held != PLACEHOLDER) else {
        return Ok(());
    };
    match found {
        Found::Id(id) if *id == held => Ok(()),
        Found::Id(id) => Err(conflict(file, place, &held, id)),
        Found::Nothing => Err(Failure::new(format!(
            "{file} binds `{}` to {held}, and this account has nothing of the expected name",
            place.binding
        ))
        .mend(way_out(file))),
    }
}

/// `text` with `id` in its place; `None` if it stands there already.
///
/// # Errors
/// If another id stands there, or there is no such place.
pub(super) fn wired(
    file: &str,
    text: &str,
    place: Place,
    id: &str,
) -> Result<Option<String>, Failure> {
    let switched_on = switched_on(text, place);
    let mut document = parsed(file, &switched_on)?;
    match held(&document, place) {
        Some(held) if held == id => return Ok(None),
        Some(held) if held != PLACEHOLDER => return Err(conflict(file, place, &held, id)),
        _ => {}
    }
    let Some(entry) = entry_mut(&mut document, place) else {
        return Err(Failure::new(format!(
            "{file} has no `[[{}]]` with `binding = \"{}\"`, not even as a comment",
            place.list, place.binding
        ))
        .mend(way_out(file)));
    };
    // The old value's decoration keeps a comment behind it where it is.
    match entry.get_mut(place.key).and_then(Item::as_value_mut) {
        Some(old) => {
            let decor = old.decor().clone();
            *old = id.into();
            *old.decor_mut() = decor;
        }
        None => {
            entry.insert(place.key, value(id));
        }
    }
    Ok(Some(document.to_string()))
}

/// `text` with `variables` among its own.
///
/// # Errors
/// If the file is no TOML, or its `vars` is no table.
pub(super) fn with_variables(
    file: &str,
    text: &str,
    variables: &[(&str, &str)],
) -> Result<String, Failure> {
    let mut document = parsed(file, text)?;
    let table = document
        .entry("vars")
        .or_insert_with(|| Item::Table(Table::new()))
        .as_table_like_mut()
        .ok_or_else(|| Failure::new(format!("`vars` in {file} is no table")))?;
    for (name, text) in variables {
        table.insert(name, value(*text));
    }
    Ok(document.to_string())
}

fn parsed(file: &str, text: &str) -> Result<DocumentMut, Failure> {
    text.parse::<DocumentMut>()
        .map_err(|error| Failure::new(format!("{file} is no TOML: {error}")))
}

fn held(document: &DocumentMut, place: Place) -> Option<String> {
    let entries = document.get(place.list)?.as_array_of_tables()?;
    let entry = entries.iter().find(|entry| binds(entry, place))?;
    entry.get(place.key)?.as_str().map(str::to_owned)
}

fn entry_mut(document: &mut DocumentMut, place: Place) -> Option<&mut Table> {
    let entries = document.get_mut(place.list)?.as_array_of_tables_mut()?;
    entries.iter_mut().find(|entry| binds(entry, place))
}

fn binds(entry: &Table, place: Place) -> bool {
    entry.get("binding").and_then(Item::as_str) == Some(place.binding)
}

/// Takes the comment signs from a binding that is there but switched off: a run of comment lines that begins with its header.
fn switched_on(text: &str, place: Place) -> String {
    let header = format!("# [[{}]]", place.list);
    let binding = format!("# binding = \"{}\"", place.binding);
    let lines: Vec<&str> = text.lines().collect();
    let run_at = |start: usize| {
        let rest = lines.get(start..).unwrap_or_default();
        let after = rest.iter().skip(1);
        1 + after
            .take_while(|line| line.starts_with("# ") && line.contains(" = "))
            .count()
    };
    let block = lines.iter().enumerate().find_map(|(start, line)| {
        let run = start..start + run_at(start);
        let names_it = lines.get(run.clone())?.contains(&binding.as_str());
        (*line == header && names_it).then_some(run)
    });
    let Some(block) = block else {
        return text.to_owned();
    };
    let mut switched = String::with_capacity(text.len());
    for (index, line) in lines.iter().enumerate() {
        let line = match line.strip_prefix("# ") {
            Some(code) if block.contains(&index) => code,
            _ => line,
        };
        switched.push_str(line);
        switched.push('\n');
    }
    switched
}

fn conflict(file: &str, place: Place, held: &str, id: &str) -> Failure {
    Failure::new(format!(
        "{file} binds `{}` to {held}, but this account's is {id}",
        place.binding
    ))
    .mend(way_out(file))
}

fn way_out(file: &str) -> String {
    format!(
        "log in to the account that {file} is wired to, or put the template back: git checkout -- {file}"
    )
}

/// What the templates have where an id goes.
const PLACEHOLDER: &str = "set-by-cargo-xtask-setup";

#[cfg(test)]
mod tests {
    use super::*;

    const PANEL: &str = r#"name = "panel" # the script

[[d1_databases]]
binding = "DB"
database_name = "jouska-admin"
database_id = "set-by-cargo-xtask-setup" # written by the set-up

[[kv_namespaces]]
binding = "OTHER"
id = "kept"

[[kv_namespaces]]
binding = "CONFIG_KV"
id = "set-by-cargo-xtask-setup"
"#;
    const PROXY: &str = r#"name = "jouska"
# A comment = one that stays.

# [[analytics_engine_datasets]]
# binding = "ANALYTICS"

# [[kv_namespaces]]
# binding = "CONFIG"
# id = "set-by-cargo-xtask-setup"

[vars]
ACCESS_LOGS = "true"
"#;

    #[test]
    fn ids_go_where_the_template_has_their_places_and_nothing_else_moves() {
        let once = wired("f", PANEL, PANEL_DATABASE, "db-1").unwrap().unwrap();
        let twice = wired("f", &once, PANEL_NAMESPACE, "kv-1").unwrap().unwrap();
        let expected = PANEL
            .replacen(PLACEHOLDER, "db-1", 1)
            .replacen(PLACEHOLDER, "kv-1", 1);
        assert_eq!(twice, expected);
    }

    #[test]
    fn a_binding_that_is_switched_off_is_switched_on() {
        let on = wired("f", PROXY, PROXY_NAMESPACE, "kv-1").unwrap().unwrap();
        let expected = PROXY.replace(
            "# [[kv_namespaces]]\n# binding = \"CONFIG\"\n# id = \"set-by-cargo-xtask-setup\"",
            "[[kv_namespaces]]\nbinding = \"CONFIG\"\nid = \"kv-1\"",
        );
        assert_eq!(on, expected);
    }

    #[test]
    fn the_same_id_changes_nothing_and_another_is_refused() {
        let once = wired("f", PROXY, PROXY_NAMESPACE, "kv-1").unwrap().unwrap();
        assert_eq!(wired("f", &once, PROXY_NAMESPACE, "kv-1").unwrap(), None);
        let refused = wired("f", &once, PROXY_NAMESPACE, "kv-2").unwrap_err();
        let said = refused.to_string();
        assert!(said.contains("kv-1") && said.contains("kv-2"), "{said}");
    }

    #[test]
    fn a_file_may_not_contradict_the_account() {
        let wired = PANEL.replacen(PLACEHOLDER, "db-1", 1);
        let id = |id: &str| Found::Id(id.to_owned());
        for (text, found, agreed) in [
            (PANEL, id("db-1"), true),
            (PANEL, Found::Nothing, true),
            (&wired, id("db-1"), true),
            (&wired, id("db-2"), false),
            (&wired, Found::Nothing, false),
        ] {
            let outcome = agrees("f", text, PANEL_DATABASE, &found);
            assert_eq!(outcome.is_ok(), agreed, "{found:?}");
        }
        // Switched off is not wired, whatever it holds.
        assert!(agrees("f", PROXY, PROXY_NAMESPACE, &id("kv-1")).is_ok());
    }

    #[test]
    fn a_file_without_the_place_is_refused() {
        let refused = wired("f", "name = \"x\"\n", PROXY_NAMESPACE, "kv-1").unwrap_err();
        assert!(refused.to_string().contains("binding = \"CONFIG\""));
        assert!(wired("f", "name = ", PROXY_NAMESPACE, "kv-1").is_err());
    }

    #[test]
    fn variables_join_those_that_are_there() {
        let text = with_variables("f", PROXY, &[("BUILD_ID", "v1\"2")]).unwrap();
        let document = parsed("f", &text).unwrap();
        let vars = document.get("vars").unwrap();
        let text_of = |name| vars.get(name).and_then(Item::as_str);
        assert_eq!(text_of("ACCESS_LOGS"), Some("true"));
        assert_eq!(text_of("BUILD_ID"), Some("v1\"2"));
        assert!(with_variables("f", "vars = 1\n", &[("A", "b")]).is_err());
        let made = with_variables("f", "name = \"x\"\n", &[("A", "b")]).unwrap();
        assert!(made.contains("[vars]\nA = \"b\""), "{made}");
    }

    #[test]
    fn the_script_is_named_by_its_file() {
        assert_eq!(script_name("f", PANEL).unwrap(), "panel");
        assert!(script_name("f", "main = \"x\"").is_err());
    }
}
