//! The benchmark: `cargo xtask bench`. Here everything is built and installed; the scripts in `bench/` measure.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;

use crate::failure::Failure;
use crate::process;
use crate::tools::{Tools, reference_runtime, system};
use crate::worker::{self, Profile};
use crate::workspace::Workspace;

/// What to measure, and where that goes.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Write what was measured to this file.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Measure these rows only, such as `P1,P3`.
    #[arg(long, value_name = "ROWS")]
    only: Option<String>,
    /// Fewer rounds, and nothing on growth: two minutes instead of ten, and wider spreads.
    #[arg(long)]
    quick: bool,
    /// So many rounds instead of fifteen, or of three: the more, the less a busy machine blurs.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rounds: Option<u32>,
    /// Folders of built Workers (`index.js` and its `.wasm`) to measure instead of the reference Worker. The first counts as
    /// ours, the others are measured beside it.
    #[arg(long, value_name = "DIR")]
    worker: Vec<PathBuf>,
    /// Instead of measuring, take a processor profile of our Worker at the work of this row, and print the functions with the
    /// most time of their own. `--json` then writes the profile, for a browser's developer tools.
    #[arg(long, value_name = "ROW")]
    profile: Option<String>,
    /// Write tables and pictures into `docs/performance.md`.
    #[arg(long)]
    docs: bool,
    /// Write those from the JSON of an earlier run, without measuring.
    #[arg(long, value_name = "FILE", exclusive = true)]
    plots: Option<PathBuf>,
    /// Measure on the workerd that everything else here runs on, instead of the one that the targets were set on.
    #[arg(long, conflicts_with = "workerd")]
    newest: bool,
    /// Measure on this workerd.
    #[arg(long, value_name = "FILE")]
    workerd: Option<PathBuf>,
}

/// Builds and installs what the measuring needs, then measures.
///
/// # Errors
/// If something does not build or install, or the measuring itself breaks down. A missed target is no error.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<(), Failure> {
    let tools = Tools::install(workspace)?;
    let mut node = tools.node();
    node.arg(workspace.root.join("bench/main.mjs"))
        .current_dir(&workspace.root);
    if let Some(file) = &options.plots {
        return process::run(node.arg("--plots").arg(absolute(file)?));
    }

    let nginx = system::NGINX.install(workspace)?;
    let wrk = system::WRK.install(workspace)?;
    let build = |crate_dir, profile| worker::build(workspace, &tools, crate_dir, profile);
    let profile = match options.profile {
        Some(_) => Profile::Named,
        None => Profile::Release,
    };

    node.arg("--nginx").arg(nginx).arg("--wrk").arg(wrk);
    node.arg("--floor").arg(build(FLOOR, Profile::Release)?);
    node.arg("--compile").arg(compile_program(workspace)?);
    if options.worker.is_empty() {
        node.arg("--worker").arg(build(REFERENCE, profile)?);
    }
    for directory in &options.worker {
        node.arg("--worker").arg(absolute(directory)?);
    }
    if !options.newest && options.workerd.is_none() {
        node.arg("--runtime")
            .arg(reference_runtime::install(workspace)?);
    }
    for (flag, given) in [("--quick", options.quick), ("--docs", options.docs)] {
        if given {
            node.arg(flag);
        }
    }
    if let Some(rounds) = options.rounds {
        node.arg("--rounds").arg(rounds.to_string());
    }
    for (flag, rows) in [("--only", &options.only), ("--profile", &options.profile)] {
        if let Some(rows) = rows {
            node.arg(flag).arg(rows);
        }
    }
    for (flag, file) in [("--json", &options.json), ("--workerd", &options.workerd)] {
        if let Some(file) = file {
            node.arg(flag).arg(absolute(file)?);
        }
    }
    process::run(&mut node)
}

/// Builds the program that times the reading of a table on this machine.
fn compile_program(workspace: &Workspace) -> Result<PathBuf, Failure> {
    let target = match env::var_os("CARGO_TARGET_DIR") {
        Some(folder) if !folder.is_empty() => absolute(Path::new(&folder))?,
        _ => workspace.root.join("target"),
    };
    process::run(
        Command::new("cargo")
            .args(["build", "--quiet", "--release", "--locked", "-p", COMPILE])
            .arg("--target-dir")
            .arg(&target)
            .current_dir(&workspace.root),
    )?;
    Ok(target.join("release").join(COMPILE))
}

/// Paths on the command line are relative to where it was typed, and the scripts run elsewhere.
fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path)
        .map_err(|error| Failure::new(format!("{} is no usable path: {error}", path.display())))
}

/// The Worker that is measured.
const REFERENCE: &str = "examples/reverse-proxy";
/// The Worker that shows what Rust costs before it does anything.
const FLOOR: &str = "bench/workers/floor";
/// The program that times the reading of a table.
const COMPILE: &str = "jouska-bench-compile";
