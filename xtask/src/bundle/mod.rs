//! `cargo xtask bundle`: the proxy as a folder that plain workerd serves, without an account.

use std::fs;
use std::path::Path;

use toml_edit::{DocumentMut, Item};

use crate::failure::Failure;
use crate::tools::Tools;
use crate::worker::{self, Profile};
use crate::workspace::{Workspace, read};

/// Fills `folder`. What is the operator's own there, the table and the runtime's configuration, stays as it is.
///
/// # Errors
/// If the Worker does not build or a file cannot be written.
pub(crate) fn run(workspace: &Workspace, folder: &Path) -> Result<(), Failure> {
    let tools = Tools::install(workspace)?;
    let built = worker::build(workspace, &tools, CRATE, Profile::Release)?;
    let settings = Settings::read(&read(&workspace.root.join("wrangler.toml"))?)?;

    fs::create_dir_all(folder)
        .map_err(|error| Failure::new(format!("cannot create {}: {error}", folder.display())))?;
    for name in worker::OUTPUTS {
        let (from, to) = (built.join(name), folder.join(name));
        fs::copy(&from, &to)
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", to.display())))?;
    }
    write(&folder.join("README.md"), README)?;
    for (name, text) in [
        ("config.capnp", settings.configuration()),
        ("table.json", settings.table),
    ] {
        let path = folder.join(name);
        if path.exists() {
            println!("{} stays as it is", path.display());
        } else {
            write(&path, &text)?;
        }
    }
    println!(
        "{} is ready: workerd serve {}",
        folder.display(),
        folder.join("config.capnp").display()
    );
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text)
        .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))
}

/// What the proxy's wrangler file says that holds here too.
#[derive(Debug, PartialEq, Eq)]
struct Settings {
    compatibility_date: String,
    compatibility_flags: Vec<String>,
    table: String,
}

impl Settings {
    fn read(text: &str) -> Result<Self, Failure> {
        let document: DocumentMut = text
            .parse()
            .map_err(|error| Failure::new(format!("wrangler.toml is no TOML: {error}")))?;
        let missing = |key: &str| Failure::new(format!("wrangler.toml states no `{key}`"));
        let text = |item: Option<&Item>, key| {
            item.and_then(Item::as_str)
                .map(str::to_owned)
                .ok_or_else(|| missing(key))
        };
        let flags = document.get("compatibility_flags").and_then(Item::as_array);
        let vars = document.get("vars");
        Ok(Self {
            compatibility_date: text(document.get("compatibility_date"), "compatibility_date")?,
            compatibility_flags: flags
                .into_iter()
                .flatten()
                .filter_map(|flag| flag.as_str().map(str::to_owned))
                .collect(),
            table: text(
                vars.and_then(|vars| vars.get("JOUSKA_CONFIG")),
                "JOUSKA_CONFIG",
            )?,
        })
    }

    /// The runtime's configuration. Rust writes these texts as Cap'n Proto does.
    fn configuration(&self) -> String {
        CONFIGURATION
            .replace(
                "{compatibility_date}",
                &format!("{:?}", self.compatibility_date),
            )
            .replace(
                "{compatibility_flags}",
                &format!("{:?}", self.compatibility_flags),
            )
    }
}

/// The Worker that is bundled.
const CRATE: &str = "examples/reverse-proxy";
const CONFIGURATION: &str = include_str!("config.capnp");
const README: &str = include_str!("README.md");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_takes_over_what_the_wrangler_file_says() {
        let text = "compatibility_date = \"2026-01-02\"\ncompatibility_flags = [\"a\", \"b\"]\n[vars]\nJOUSKA_CONFIG = '{}'\n";
        let settings = Settings::read(text).unwrap();
        assert_eq!(settings.table, "{}");
        let configuration = settings.configuration();
        assert!(configuration.contains("compatibilityDate = \"2026-01-02\","));
        assert!(configuration.contains("compatibilityFlags = [\"a\", \"b\"],"));
        assert!(!configuration.contains('{'), "{configuration}");
    }

    #[test]
    fn what_is_missing_is_named() {
        let refused = Settings::read("compatibility_date = \"2026-01-02\"\n").unwrap_err();
        assert!(refused.to_string().contains("JOUSKA_CONFIG"));
    }
}
