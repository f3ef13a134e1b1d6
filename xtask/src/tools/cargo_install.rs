//! Programs that come as crates: compiled once into the cache.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{fill_then_rename, step};
use crate::failure::Failure;
use crate::process;
use crate::workspace::Workspace;

/// A crate whose program we need.
#[derive(Debug, Clone, Copy)]
pub(super) struct Program<'a> {
    /// The crate's name.
    pub(super) package: &'a str,
    /// The program in it.
    pub(super) binary: &'a str,
    /// The exact version.
    pub(super) version: &'a str,
    /// Further flags for `cargo install`.
    pub(super) flags: &'a [&'a str],
    /// How long compiling takes on two cores, in words.
    pub(super) duration: &'a str,
}

/// The path of the program, compiled if the cache does not have it.
pub(super) fn install(workspace: &Workspace, program: Program<'_>) -> Result<PathBuf, Failure> {
    let Program {
        package,
        binary,
        version,
        flags,
        duration,
    } = program;
    let place = workspace.cache.join(format!("{package}-{version}"));
    let path = place.join("bin").join(binary);
    if path.exists() {
        return Ok(path);
    }

    // The crates share dependencies, and a compilation that was interrupted goes on where it stopped.
    let build = workspace.cache.join("target-tools");
    let name = format!("{package} {version}");
    step(&name, &format!("compiling it, about {duration}"), || {
        fill_then_rename(&place, |part| {
            process::run(&mut compile(package, binary, version, flags, part, &build))
        })
        .map_err(|failure| {
            failure.during(&name).mend(format!(
                "cargo install {package} --version ={version}; if that lacks OpenSSL, install pkg-config and libssl-dev first"
            ))
        })
    })?;
    Ok(path)
}

/// Removes what compiling the programs left behind, once all of them are installed.
pub(super) fn remove_leftovers(workspace: &Workspace) {
    // Only disk space is at stake, so a failure is no reason to stop.
    let _ = fs::remove_dir_all(workspace.cache.join("target-tools"));
}

fn compile(
    package: &str,
    binary: &str,
    version: &str,
    flags: &[&str],
    part: &Path,
    build: &Path,
) -> Command {
    let mut command = Command::new("cargo");
    command
        .args(["install", package, "--bin", binary, "--version"])
        .arg(format!("={version}"))
        .args(flags)
        .args(["--no-track", "--root"])
        .arg(part)
        .arg("--target-dir")
        .arg(build)
        // These programs run for a second at a time: without optimisation they take a second more, and half as long to compile.
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0")
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16");
    command
}
