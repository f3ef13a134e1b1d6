//! What a change has to pass before anybody runs it: form, lints, the library's tests, every Worker, the documentation.

use std::env;
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
    let mut steps = vec![
        cargo(workspace, "format", &["fmt", "--all", "--check"], None),
        Step::new("tidy", || tidy::run(workspace)),
        cargo(
            workspace,
            "lints",
            &[
                "clippy",
                "--locked",
                "--workspace",
                "--all-targets",
                "--",
                "-D",
                "warnings",
            ],
            None,
        ),
        cargo(
            workspace,
            "lints of the core alone",
            &[
                "clippy",
                "--locked",
                "-p",
                "jouska",
                "--no-default-features",
                "--features",
                "test-util",
                "--all-targets",
                "--",
                "-D",
                "warnings",
            ],
            None,
        ),
        cargo(
            workspace,
            "the core's tests",
            &[
                "test",
                "--locked",
                "-p",
                "jouska",
                "--no-default-features",
                "--features",
                "test-util",
            ],
            None,
        ),
        cargo(
            workspace,
            "the library's tests",
            &["test", "--locked", "-p", "jouska"],
            None,
        ),
    ];
    steps.extend(worker::CRATES.map(|crate_dir| {
        Step::new(format!("the Worker {crate_dir}"), move || {
            worker::build(workspace, tools, crate_dir, Profile::Release).map(|_| ())
        })
    }));
    steps.push(cargo(
        workspace,
        "documentation",
        &["doc", "--locked", "--workspace", "--no-deps"],
        Some(("RUSTDOCFLAGS", "-D warnings")),
    ));
    steps.push(Step::new("dependencies", || dependencies(workspace)));
    steps
}

/// A step that is one call of the host's Cargo.
pub(crate) fn cargo<'a>(
    workspace: &'a Workspace,
    name: &str,
    arguments: &'static [&'static str],
    variable: Option<(&'static str, &'static str)>,
) -> Step<'a> {
    Step::new(name, move || {
        process::run(
            host_cargo()
                .args(arguments)
                .envs(variable)
                .current_dir(&workspace.root),
        )
    })
}

/// The Cargo that runs this program.
pub(crate) fn host_cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Licences, sources and duplicates, as `deny.toml` wants them, where the tool is installed. It is large, so the set-up leaves it out: CI
/// runs it in a job of its own, with the advisories, which come over the network and change while the tree does not.
fn dependencies(workspace: &Workspace) -> Result<(), Failure> {
    if process::output(host_cargo().args(["deny", "--version"])).is_err() {
        println!(
            "  cargo-deny is not installed, so deny.toml is left to CI; `cargo install cargo-deny` brings it"
        );
        return Ok(());
    }
    process::run(
        host_cargo()
            .args([
                "deny",
                "--workspace",
                "check",
                "bans",
                "licenses",
                "sources",
            ])
            .current_dir(&workspace.root),
    )
}
