//! What a change has to pass before anybody runs it: form, lints, the crates' tests, every Worker, the documentation.

use std::process::Command;

use crate::failure::Failure;
use crate::process;
use crate::steps::Step;
use crate::tidy;
use crate::tools::Tools;
use crate::worker::{self, Profile};
use crate::workspace::Workspace;

/// The steps, quickest answer first.
pub(crate) fn steps<'a>(workspace: &'a Workspace, tools: &'a Tools) -> Vec<Step<'a>> {
    let cargo = |name, line| Step::new(name, move || cargo(workspace, line));
    let mut steps = vec![
        cargo("format", "fmt --all --check"),
        Step::new("tidy", || tidy::run(workspace)),
        cargo("lints", LINTS),
        cargo("lints of the core alone", LINTS_OF_THE_CORE),
        cargo("lints of the tenant edge's options", LINTS_OF_THE_OPTIONS),
        cargo("the core's tests", TESTS_OF_THE_CORE),
        cargo("the library's tests", "test --locked -p jouska"),
        cargo("the other crates' tests", TESTS_OF_THE_OTHERS),
    ];
    steps.extend(worker::CRATES.map(|crate_dir| {
        Step::new(format!("the Worker {crate_dir}"), move || {
            worker::build(workspace, tools, crate_dir, Profile::Release).map(|_| ())
        })
    }));
    steps.push(cargo("documentation", DOCUMENTATION));
    steps.push(Step::new("dependencies", || dependencies(workspace)));
    steps
}

/// Calls the host's Cargo with the words of `line`.
///
/// # Errors
/// If Cargo ends with another status than 0.
pub(crate) fn cargo(workspace: &Workspace, line: &str) -> Result<(), Failure> {
    process::run(
        Command::new("cargo")
            .args(line.split_whitespace())
            .current_dir(&workspace.root),
    )
}

/// Licences, sources and duplicates, as `deny.toml` wants them, where the tool is installed. It is large, so the set-up leaves it out: CI
/// runs it in a job of its own, with the advisories, which come over the network and change while the tree does not.
fn dependencies(workspace: &Workspace) -> Result<(), Failure> {
    if process::output(Command::new("cargo").args(["deny", "--version"])).is_err() {
        println!(
            "  cargo-deny is not installed, so deny.toml is left to CI; `cargo install cargo-deny` brings it"
        );
        return Ok(());
    }
    cargo(workspace, "deny --workspace check bans licenses sources")
}

const LINTS: &str = "clippy --locked --workspace --all-targets -- -D warnings";
const LINTS_OF_THE_CORE: &str = "clippy --locked -p jouska --no-default-features --features schema,test-util --all-targets -- -D warnings";
const LINTS_OF_THE_OPTIONS: &str = "clippy --locked -p jouska-tenant-edge --features hyperdrive,tables --all-targets -- -D warnings";
const TESTS_OF_THE_CORE: &str =
    "test --locked -p jouska --no-default-features --features schema,test-util";
const TESTS_OF_THE_OTHERS: &str = "test --locked --workspace --exclude jouska";
const DOCUMENTATION: &str =
    "doc --locked --workspace --no-deps --config build.rustdocflags=[\"-Dwarnings\"]";
