//! The workerd that the targets of the benchmark were set on. Ratios move with the runtime, so it is measured there first. Not part of
//! the ordinary set-up: everything else runs on the newer one among the npm packages.

use std::path::PathBuf;
use std::process::Command;

use super::{Lock, fill_then_rename, step};
use crate::failure::Failure;
use crate::process;
use crate::workspace::Workspace;

/// The folder in which the package `workerd` is found.
///
/// # Errors
/// If it is missing and cannot be downloaded.
pub(crate) fn install(workspace: &Workspace) -> Result<PathBuf, Failure> {
    let _lock = Lock::of_set_up(workspace)?;
    let place = workspace.cache.join(format!("workerd-{VERSION}"));
    if !place.exists() {
        step(
            &format!("workerd {VERSION}"),
            "downloading 40 MB, some 10 seconds on a fast line",
            || {
                fill_then_rename(&place, |part| {
                    process::run_logged(
                        Command::new("npm")
                            .args(["install", "--ignore-scripts", "--no-save", "--no-progress"])
                            .args(["--loglevel=error", "--prefix"])
                            .arg(part)
                            .arg(format!("workerd@{VERSION}"))
                            .current_dir(part),
                        &workspace.cache.join("npm.log"),
                    )
                })
            },
        )?;
    }
    Ok(place)
}

const VERSION: &str = "1.20260426.1";
