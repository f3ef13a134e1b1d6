//! The commands of the workspace: `cargo xtask --help` lists them.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "these are programs for a terminal"
)]
#![allow(
    clippy::disallowed_methods,
    reason = "they measure how long their steps really take"
)]

mod account;
mod bench;
mod bundle;
mod check;
mod conformance;
mod dev;
mod failure;
mod process;
mod steps;
mod test;
mod tidy;
mod tools;
mod worker;
mod workspace;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use account::{deploy, reset, setup};
use failure::Failure;
use tools::Tools;
use worker::Profile;
use workspace::Workspace;

/// The commands of the jouska workspace.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Run the proxy and the admin panel here, with a seeded table. Ctrl-C stops them.
    Dev {
        /// The port to listen on [default: 8787].
        #[arg(long)]
        port: Option<u16>,
        /// Leave the admin panel out.
        #[arg(long)]
        no_panel: bool,
    },
    /// Run every test: the checks, the crates' tests, the conformance cases on both runtimes, the suites in JavaScript.
    Test {
        /// Run only the steps whose names contain this.
        only: Option<String>,
    },
    /// Run what CI runs on a change: format, tidy, lints, the crates' tests, all Workers, documentation, dependencies.
    Check,
    /// Play the conformance cases, on workerd unless `--runtime host` says otherwise.
    ///
    /// All flags are the runner's: `--runtime host|workerd`, `--cases DIR`, `--area NAME` and more; `-- --help` lists them.
    Conformance {
        /// Handed to the runner as they are.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Measure the reference Worker beside others that do the same work, on workerd. It reports; it never fails for being slow.
    Bench(bench::Options),
    /// Look for what no compiler checks: broken layers, files that do not say what they are for, paths of one machine.
    Tidy,
    /// Build the Workers: all of them, or the ones whose folders are named.
    Build {
        /// Compile quickly, without optimisation.
        #[arg(long)]
        dev: bool,
        /// Folders of Worker crates, relative to the root; `folder:feature` is one with a feature.
        crates: Vec<String>,
    },
    /// Make a folder with which plain workerd runs the proxy, without an account.
    Bundle {
        /// The folder. A table and a configuration that are in it stay as they are.
        folder: PathBuf,
    },
    /// Find or make what the Workers need in a Cloudflare account, and write its ids into the wrangler files.
    Setup,
    /// One step of a deployment, as the workflow takes them.
    Deploy {
        /// Which one.
        #[command(subcommand)]
        step: deploy::Step,
    },
    /// One step of resetting the panel's accounts, as the workflow takes them.
    Reset {
        /// Which one.
        #[command(subcommand)]
        step: reset::Step,
    },
    /// Install the tools that the other commands need. They do so themselves; this is for doing it beforehand.
    SetupTools {
        /// Install nginx too, which only some suites need, and print where it is.
        #[arg(long)]
        nginx: bool,
    },
}

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(action: Action) -> Result<(), Failure> {
    let workspace = Workspace::find()?;
    match action {
        Action::Dev { port, no_panel } => dev::run(&workspace, port, !no_panel),
        Action::Test { only } => test::run(&workspace, only.as_deref()),
        Action::Check => {
            let tools = Tools::install(&workspace)?;
            steps::run_all(check::steps(&workspace, &tools))
        }
        Action::Conformance { arguments } => conformance::run(&workspace, &arguments),
        Action::Bench(options) => bench::run(&workspace, &options),
        Action::Tidy => tidy::run(&workspace),
        Action::Build { dev, crates } => build(&workspace, dev, &crates),
        Action::Bundle { folder } => bundle::run(&workspace, &folder),
        Action::Setup => setup::run(&workspace),
        Action::Deploy { step } => deploy::run(&workspace, step),
        Action::Reset { step } => reset::run(&workspace, &step),
        Action::SetupTools { nginx } => {
            Tools::install(&workspace)?;
            if nginx {
                println!("{}", tools::system::NGINX.install(&workspace)?.display());
            }
            Ok(())
        }
    }
}

fn build(workspace: &Workspace, dev: bool, crates: &[String]) -> Result<(), Failure> {
    let tools = Tools::install(workspace)?;
    let profile = if dev { Profile::Dev } else { Profile::Release };
    let all = worker::CRATES.map(str::to_owned);
    for crate_dir in if crates.is_empty() { &all } else { crates } {
        println!(
            "{}",
            worker::build(workspace, &tools, crate_dir, profile)?.display()
        );
    }
    Ok(())
}
