//! worker-build: turns a Worker crate into the JavaScript module and the WebAssembly that the runtime loads.

use std::path::PathBuf;

use super::cargo_install::{self, Program};
use crate::failure::Failure;
use crate::workspace::Workspace;

/// The path of worker-build. It is released together with the `worker` crate, so that crate's locked version is the one to take.
pub(super) fn install(workspace: &Workspace) -> Result<PathBuf, Failure> {
    let version = workspace.locked_version("worker")?;
    cargo_install::install(
        workspace,
        Program {
            package: "worker-build",
            binary: "worker-build",
            version: &version,
            flags: &["--locked"],
            duration: "2 minutes",
        },
    )
}
