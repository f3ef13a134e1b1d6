//! Programs that only the system can provide and only some commands need. Not part of the ordinary set-up for that reason.

use std::env;
use std::path::PathBuf;

use super::apt;
use crate::failure::Failure;
use crate::workspace::Workspace;

/// A program, and the Debian package that it comes from where the system has none.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SystemProgram {
    name: &'static str,
    package: &'static str,
}

/// The browser of the suites that need one.
pub(crate) const CHROMIUM: SystemProgram = SystemProgram {
    name: "chromium",
    package: "chromium",
};
/// The origin server of what needs a real one.
pub(crate) const NGINX: SystemProgram = SystemProgram {
    name: "nginx",
    package: "nginx-light",
};
/// The client of the benchmark.
pub(crate) const WRK: SystemProgram = SystemProgram {
    name: "wrk",
    package: "wrk",
};

impl SystemProgram {
    /// The path of the program, installed if it is missing.
    ///
    /// # Errors
    /// If it is missing and cannot be installed here.
    pub(crate) fn install(self, workspace: &Workspace) -> Result<PathBuf, Failure> {
        let Self { name, package } = self;
        if let Some(path) = self.installed() {
            return Ok(path);
        }
        apt::install(workspace, &[package]).map_err(|failure| {
            failure.mend(format!("install {name} with the system's package manager"))
        })?;
        self.installed().ok_or_else(|| {
            Failure::new(format!(
                "{package} is installed, but no {name} is to be found"
            ))
        })
    }

    fn installed(self) -> Option<PathBuf> {
        let path = env::var_os("PATH").unwrap_or_default();
        env::split_paths(&path)
            .chain(OFF_PATH.map(PathBuf::from))
            .map(|folder| folder.join(self.name))
            .find(|program| program.exists())
    }
}

/// Where systems put programs that only root is expected to start.
const OFF_PATH: [&str; 2] = ["/usr/sbin", "/usr/local/sbin"];
