//! The steps of a deployment: `cargo xtask deploy`. The workflow calls one after the other; so may a person.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use clap::Subcommand;

use super::config;
use super::github;
use super::wrangler::{Said, Wrangler};
use super::{DATABASE, PANEL_FILE, PROXY_FILE, probe, window};
use crate::failure::Failure;
use crate::process;
use crate::tools::Tools;
use crate::worker::{self, Profile};
use crate::workspace::{Workspace, read};

/// A step of a deployment.
#[derive(Debug, Subcommand)]
pub(crate) enum Step {
    /// Name this build after the commit, for both Workers.
    BuildId,
    /// Build both Workers, and see that they are not too large to upload. Needs no account.
    Build,
    /// Bring the remote database's tables up to date.
    Migrate,
    /// Deploy the panel.
    Panel,
    /// Ask the panel whether it is well.
    Probe {
        /// Where it is; PANEL_ADDRESS where this is left out.
        address: Option<String>,
        /// Seconds between two attempts.
        #[arg(long, default_value_t = 5)]
        pause: u64,
    },
    /// Let the next person in where the panel has no administrator.
    Window,
    /// Give the panel the token by which it looks up host names.
    Secret,
    /// Deploy the proxy.
    Proxy,
}

/// Carries out one step.
///
/// # Errors
/// If it fails and the deployment may not go on.
pub(crate) fn run(workspace: &Workspace, step: Step) -> Result<(), Failure> {
    match step {
        Step::BuildId => {
            let id = build_id(workspace)?;
            println!("{id}");
            github::set_variable(BUILD_ID, &id)
        }
        Step::Build => build(workspace),
        Step::Migrate => {
            let wrangler = Wrangler::find(workspace)?;
            let said = wrangler.ask(&[
                "d1",
                "migrations",
                "apply",
                DATABASE,
                "--remote",
                "--config",
                PANEL_FILE,
            ])?;
            println!("{}", wrangler.redacted(said.out.trim()));
            Ok(())
        }
        Step::Panel => panel(workspace),
        Step::Probe { address, pause } => {
            let address = address
                .or_else(|| env::var("PANEL_ADDRESS").ok())
                .unwrap_or_default();
            probe::run(&address, Duration::from_secs(pause))
        }
        Step::Window => window::run(workspace),
        Step::Secret => {
            secret(workspace);
            Ok(())
        }
        Step::Proxy => proxy(workspace),
    }
}

/// The variable `name`, which has to be set.
///
/// # Errors
/// If it is not, or is blank.
pub(super) fn variable(name: &str) -> Result<String, Failure> {
    optional(name).ok_or_else(|| Failure::new(format!("the variable {name} is not set")))
}

fn optional(name: &str) -> Option<String> {
    let value = env::var(name).ok()?.trim().to_owned();
    (!value.is_empty()).then_some(value)
}

fn build_id(workspace: &Workspace) -> Result<String, Failure> {
    process::output(
        Command::new("git")
            .args(["describe", "--tags", "--always", "--dirty"])
            .current_dir(&workspace.root),
    )
}

/// The build's name as an earlier step set it, or else as this step would.
fn build_id_or_own(workspace: &Workspace) -> Result<String, Failure> {
    optional(BUILD_ID).map_or_else(|| build_id(workspace), Ok)
}

/// Compiles both Workers and plays their upload without sending anything.
///
/// # Errors
/// If one does not build, or is larger than the free plan takes.
pub(crate) fn build(workspace: &Workspace) -> Result<(), Failure> {
    let tools = Tools::install(workspace)?;
    let wrangler = Wrangler::find(workspace)?;
    for (file, crate_dir) in WORKERS {
        worker::build(workspace, &tools, crate_dir, Profile::Release)?;
        let said = wrangler.ask(&["deploy", "--dry-run", "--config", file])?;
        let kibibytes = compressed_size(&said.out).ok_or_else(|| {
            Failure::new(format!("wrangler states no size for {file}:\n{}", said.out))
        })?;
        println!("{file}: {kibibytes:.0} KiB compressed");
        if kibibytes > SIZE_LIMIT_KIB {
            return Err(Failure::new(format!(
                "{crate_dir} is {kibibytes:.0} KiB compressed, and the free plan takes {SIZE_LIMIT_KIB:.0}"
            )));
        }
    }
    Ok(())
}

/// From the line `Total Upload: 2100.50 KiB / gzip: 800.20 KiB`.
fn compressed_size(printed: &str) -> Option<f64> {
    let (_, after) = printed.split_once("gzip: ")?;
    after.split_once(" KiB")?.0.trim().parse().ok()
}

/// Access is on only with both variables, and a panel without it lets nobody in.
fn panel(workspace: &Workspace) -> Result<(), Failure> {
    let build_id = build_id_or_own(workspace)?;
    let account = variable("CLOUDFLARE_ACCOUNT_ID")?;
    let mut variables = vec![(BUILD_ID, build_id), ("CF_ACCOUNT_ID", account)];
    for name in ["ACCESS_TEAM", "ACCESS_AUD"] {
        match optional(name) {
            Some(value) => variables.push((name, value)),
            None => github::warning(&format!(
                "{name} is not set, so the panel will refuse everybody until it is. The guide is docs/deployment.md."
            )),
        }
    }
    let (script, printed) = deploy(workspace, PANEL_FILE, &variables)?;
    match workers_dev_address(&printed, &script) {
        Some(address) => github::set_output("address", address),
        None => Ok(()),
    }
}

fn proxy(workspace: &Workspace) -> Result<(), Failure> {
    let build_id = build_id_or_own(workspace)?;
    deploy(workspace, PROXY_FILE, &[(BUILD_ID, build_id)]).map(|_| ())
}

/// Deploys the Worker of `file` with `variables` beside its own, and returns its name and what wrangler printed.
///
/// The variables go in by a file of their own, which Git ignores: what stands on a command line is there for every process to read.
fn deploy(
    workspace: &Workspace,
    file: &str,
    variables: &[(&str, String)],
) -> Result<(String, String), Failure> {
    let wrangler = Wrangler::find(workspace)?;
    let text = read(&workspace.root.join(file))?;
    let script = config::script_name(file, &text)?;
    let variables: Vec<(&str, &str)> = variables
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    let own = file.replace(".toml", ".deploy.toml");
    let passing = PassingFile::write(
        workspace.root.join(&own),
        &config::with_variables(file, &text, &variables)?,
    )?;
    let said = wrangler.ask(&["deploy", "--config", &own]);
    drop(passing);
    let Said { out, err, .. } = said?;
    println!("{}", wrangler.redacted(out.trim()));
    eprintln!("{}", wrangler.redacted(err.trim()));
    Ok((script, out))
}

/// A file that is gone when this is.
struct PassingFile(PathBuf);

impl PassingFile {
    fn write(path: PathBuf, text: &str) -> Result<Self, Failure> {
        fs::write(&path, text)
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))?;
        Ok(Self(path))
    }
}

impl Drop for PassingFile {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.0) {
            eprintln!("{} stays behind: {error}", self.0.display());
        }
    }
}

/// The first address in what wrangler printed that is the Worker's own on workers.dev.
fn workers_dev_address<'p>(printed: &'p str, script: &str) -> Option<&'p str> {
    let own = format!("{script}.");
    printed.split_whitespace().find(|word| {
        word.strip_prefix("https://")
            .is_some_and(|host| host.starts_with(&own) && host.ends_with(".workers.dev"))
    })
}

/// Without the token the panel only lacks its screen of host names, so nothing stops here.
fn secret(workspace: &Workspace) {
    let outcome = optional("PANEL_API_TOKEN")
        .map_or_else(|| variable("CLOUDFLARE_API_TOKEN"), Ok)
        .and_then(|token| {
            Wrangler::find(workspace)?.feed(
                &["secret", "put", "CF_API_TOKEN", "--config", PANEL_FILE],
                &token,
            )
        });
    match outcome {
        Ok(()) => println!("the panel has its token"),
        Err(failure) => github::warning(&format!(
            "the panel has no token of its own, and its Domains screen will say so: {failure}"
        )),
    }
}

const BUILD_ID: &str = "BUILD_ID";
/// The Workers that are deployed: the wrangler file, and the crate it uploads.
const WORKERS: [(&str, &str); 2] = [
    (PANEL_FILE, "admin-panel"),
    (PROXY_FILE, "examples/reverse-proxy"),
];
/// What the free plan takes, compressed: 3 MB.
const SIZE_LIMIT_KIB: f64 = 3.0 * 1024.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_the_workers_own() {
        let printed = "Deployed panel triggers (1 sec)\n  https://other.acme.workers.dev\n  https://panel.acme.workers.dev\nCurrent Version ID: x";
        assert_eq!(
            workers_dev_address(printed, "panel"),
            Some("https://panel.acme.workers.dev")
        );
        for printed in [
            "",
            "panel.example.com (custom domain)",
            "https://panel.acme.workers.dev.example.com",
            "https://<VERSION_PREFIX>-panel.acme.workers.dev",
        ] {
            assert_eq!(workers_dev_address(printed, "panel"), None, "{printed}");
        }
    }

    #[test]
    fn the_compressed_size_is_read() {
        let line = "Total Upload: 2100.50 KiB / gzip: 800.25 KiB";
        assert_eq!(compressed_size(line), Some(800.25));
        assert_eq!(compressed_size("Total Upload: 2 KiB"), None);
    }
}
