//! wasm-bindgen's command: writes the JavaScript side of a compiled Worker.

use std::path::PathBuf;

use super::cargo_install::{self, Program};
use crate::failure::Failure;
use crate::workspace::Workspace;

/// The path of `wasm-bindgen`. It refuses to read what another version of the library wrote, so the lock file decides which one.
pub(super) fn install(workspace: &Workspace) -> Result<PathBuf, Failure> {
    let version = workspace.locked_version("wasm-bindgen")?;
    cargo_install::install(
        workspace,
        Program {
            package: "wasm-bindgen-cli",
            binary: "wasm-bindgen",
            version: &version,
            // Not `--locked`: the lock file inside the crate may name releases that were withdrawn. TLS is for a downloader that this program does not use.
            flags: &["--no-default-features"],
            duration: "1 minute",
        },
    )
}
