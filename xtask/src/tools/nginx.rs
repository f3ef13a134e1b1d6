//! nginx: the origin server of the suites that need a real one. Not part of the ordinary set-up, since only they use it.

use std::env;
use std::path::PathBuf;

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
    installed().ok_or_else(|| Failure::new("nginx-light is installed, but no nginx is to be found"))
}

fn installed() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain(OFF_PATH.map(PathBuf::from))
        .map(|folder| folder.join("nginx"))
        .find(|program| program.exists())
}

/// Where systems put it when only root is expected to start it.
const OFF_PATH: [&str; 2] = ["/usr/sbin", "/usr/local/sbin"];
