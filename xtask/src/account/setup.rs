//! `cargo xtask setup`: finds or makes the resources both Workers need, and writes their ids into both wrangler files.
//!
//! It can be repeated: what is there is found again, and what is wired is left alone. Everything that could contradict is compared before
//! anything is made, and both files are written only when both are known.

use std::env;
use std::fs;

use super::config::{self, PANEL_DATABASE, PANEL_NAMESPACE, PROXY_NAMESPACE, Place};
use super::listing::{self, Found, Resource};
use super::wrangler::Wrangler;
use super::{DATABASE, NAMESPACE, PANEL_FILE, PROXY_FILE};
use crate::failure::Failure;
use crate::workspace::{Workspace, read};

/// Wires this checkout to the account that wrangler is logged in to.
///
/// # Errors
/// If nobody is logged in, if it is not clear which resource is meant, if a file is wired to another one, or if wrangler fails.
pub(crate) fn run(workspace: &Workspace) -> Result<(), Failure> {
    let wrangler = Wrangler::find(workspace)?;
    log_in(&wrangler)?;

    let panel = read(&workspace.root.join(PANEL_FILE))?;
    let proxy = read(&workspace.root.join(PROXY_FILE))?;
    let script = config::script_name(PANEL_FILE, &panel)?;
    let databases = || listed(&wrangler, &["d1", "list", "--json"], "D1 databases");
    let namespaces = || listed(&wrangler, &["kv", "namespace", "list"], "KV namespaces");

    let database = listing::database(&databases()?, DATABASE)?;
    config::agrees(PANEL_FILE, &panel, PANEL_DATABASE, &database)?;
    let namespace = listing::namespace(&namespaces()?, NAMESPACE, &script)?;
    config::agrees(PANEL_FILE, &panel, PANEL_NAMESPACE, &namespace)?;
    config::agrees(PROXY_FILE, &proxy, PROXY_NAMESPACE, &namespace)?;

    let database = found_or_made(database, &format!("D1 database {DATABASE}"), || {
        wrangler.ask(&["d1", "create", DATABASE])?;
        listing::database(&databases()?, DATABASE)
    })?;
    let namespace = found_or_made(namespace, &format!("KV namespace {NAMESPACE}"), || {
        wrangler.ask(&["kv", "namespace", "create", NAMESPACE])?;
        listing::namespace(&namespaces()?, NAMESPACE, &script)
    })?;

    let files = [
        wire(
            PANEL_FILE,
            &panel,
            &[(PANEL_DATABASE, &database), (PANEL_NAMESPACE, &namespace)],
        )?,
        wire(PROXY_FILE, &proxy, &[(PROXY_NAMESPACE, &namespace)])?,
    ];
    let mut changed = Vec::new();
    for (file, text) in files {
        match text {
            None => println!("{file} is wired already"),
            Some(text) => {
                let path = workspace.root.join(file);
                fs::write(&path, text).map_err(|error| {
                    Failure::new(format!("cannot write {}: {error}", path.display()))
                })?;
                changed.push(file);
            }
        }
    }
    if !changed.is_empty() {
        println!(
            "changed {}: they now hold ids of your account, so keep them out of commits",
            changed.join(" and ")
        );
    }
    Ok(())
}

/// Makes sure that wrangler may act for somebody, before anything is touched.
fn log_in(wrangler: &Wrangler<'_>) -> Result<(), Failure> {
    let set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    if set("CLOUDFLARE_API_TOKEN") && !set("CLOUDFLARE_ACCOUNT_ID") {
        return Err(
            Failure::new("CLOUDFLARE_API_TOKEN is set and CLOUDFLARE_ACCOUNT_ID is not")
                .mend("set both; the dashboard shows the account's id beside its Workers"),
        );
    }
    // What it prints names a person, and is nobody's business.
    if wrangler.call(&["whoami", "--json"])?.succeeded {
        return Ok(());
    }
    Err(Failure::new("wrangler is not logged in to a Cloudflare account").mend(
        "npx wrangler login, or set CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID; then run this again",
    ))
}

fn listed(
    wrangler: &Wrangler<'_>,
    arguments: &[&str],
    what: &str,
) -> Result<Vec<Resource>, Failure> {
    listing::parse(&wrangler.ask(arguments)?.out, what)
}

/// The id of what was found, or else of what `make` made and then found.
fn found_or_made(
    found: Found,
    what: &str,
    make: impl FnOnce() -> Result<Found, Failure>,
) -> Result<String, Failure> {
    if let Found::Id(id) = found {
        println!("found the {what}");
        return Ok(id);
    }
    match make()? {
        Found::Id(id) => {
            println!("made the {what}");
            Ok(id)
        }
        Found::Nothing => Err(Failure::new(format!(
            "the {what} was made, but wrangler does not list it"
        ))
        .mend("run this again in a minute")),
    }
}

/// The new text of `file`, if anything in it changes.
fn wire<'f>(
    file: &'f str,
    text: &str,
    ids: &[(Place, &str)],
) -> Result<(&'f str, Option<String>), Failure> {
    let mut changed = None;
    for (place, id) in ids {
        let now = changed.as_deref().unwrap_or(text);
        if let Some(next) = config::wired(file, now, *place, id)? {
            changed = Some(next);
        }
    }
    Ok((file, changed))
}
