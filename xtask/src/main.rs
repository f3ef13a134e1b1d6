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

mod failure;
mod process;
mod tools;
mod worker;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::Failure;
use tools::Tools;
use worker::Profile;
use workspace::Workspace;

/// The commands of the jouska workspace.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Install the tools that the other commands need; they also do it themselves.
    SetupTools {
        /// Install nginx too, which only some suites need, and print where it is.
        #[arg(long)]
        nginx: bool,
    },
    /// Build the Workers: all of them, or the ones whose folders are named.
    Build {
        /// Compile quickly, without optimisation.
        #[arg(long)]
        dev: bool,
        /// Folders of Worker crates, relative to the root.
        crates: Vec<String>,
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
        Action::SetupTools { nginx } => {
            Tools::install(&workspace)?;
            if nginx {
                println!("{}", tools::nginx::install(&workspace)?.display());
            }
            Ok(())
        }
        Action::Build { dev, crates } => {
            let tools = Tools::install(&workspace)?;
            let profile = if dev { Profile::Dev } else { Profile::Release };
            let all = worker::CRATES.map(str::to_owned);
            for crate_dir in if crates.is_empty() {
                all.as_slice()
            } else {
                &crates
            } {
                let built = worker::build(&workspace, &tools, crate_dir, profile)?;
                println!("{}", built.display());
            }
            Ok(())
        }
    }
}
