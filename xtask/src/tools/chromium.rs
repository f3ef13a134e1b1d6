//! Chromium: the visitor of the suites that need a browser. Not part of the ordinary set-up, since only they use it.

use std::env;
use std::path::PathBuf;

use super::apt;
use crate::failure::Failure;
use crate::workspace::Workspace;

/// The path of Chromium, from Debian's package where the system has none.
///
/// # Errors
/// If Chromium is missing and cannot be installed here.
pub(crate) fn install(workspace: &Workspace) -> Result<PathBuf, Failure> {
    if let Some(path) = installed() {
        return Ok(path);
    }
    apt::install(workspace, &["chromium"])
        .map_err(|failure| failure.mend("install chromium with the system's package manager"))?;
    installed().ok_or_else(|| Failure::new("chromium is installed, but not to be found on PATH"))
}

fn installed() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .map(|folder| folder.join("chromium"))
        .find(|program| program.exists())
}
