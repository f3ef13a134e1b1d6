//! nginx: the origin server of the suites that need a real one. Not part of the ordinary set-up, since only they use it.

use std::path::{Path, PathBuf};

use super::apt;
use crate::failure::Failure;
use crate::workspace::Workspace;

/// The path of nginx, from Debian's package where the system has none.
///
/// # Errors
/// If nginx is missing and cannot be installed here.
pub(crate) fn install(workspace: &Workspace) -> Result<PathBuf, Failure> {
    if let Some(path) = installed() {
        return Ok(path);
    }
    apt::install(workspace, &["nginx-light"])
        .map_err(|failure| failure.mend("install nginx with the system's package manager"))?;
    installed().ok_or_else(|| {
        Failure::new("nginx-light is installed, but there is no nginx in any of the usual folders")
    })
}

fn installed() -> Option<PathBuf> {
    FOLDERS
        .iter()
        .map(|folder| Path::new(folder).join("nginx"))
        .find(|path| path.exists())
}

/// Where systems put it. The first is often missing from PATH.
const FOLDERS: [&str; 4] = [
    "/usr/sbin",
    "/usr/bin",
    "/usr/local/bin",
    "/opt/homebrew/bin",
];
