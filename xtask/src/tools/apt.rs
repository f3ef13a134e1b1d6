//! Debian's packages, for what only the system can provide.

use std::path::Path;
use std::process::Command;

use super::step;
use crate::failure::Failure;
use crate::process;
use crate::workspace::Workspace;

/// Installs `packages`, after bringing apt's lists up to date: old lists name versions that are gone.
///
/// # Errors
/// Where there is no apt or no right to use it, and if apt fails; the message has the command to run by hand.
pub(super) fn install(workspace: &Workspace, packages: &[&str]) -> Result<(), Failure> {
    let names = packages.join(" ");
    let by_hand =
        format!("as root: apt-get update && apt-get install --no-install-recommends {names}");
    if !Path::new("/usr/bin/apt-get").exists() {
        return Err(Failure::new(format!(
            "{names} would come from apt, which this system does not have"
        )));
    }
    if process::output(Command::new("id").arg("-u"))? != "0" {
        return Err(Failure::new(format!("{names} must be installed by root")).mend(by_hand));
    }

    let log = workspace.cache.join("apt.log");
    let apt = |arguments: &[&str]| {
        process::run_logged(
            Command::new("apt-get")
                .args(arguments)
                .env("DEBIAN_FRONTEND", "noninteractive"),
            &log,
        )
        .map_err(|failure| failure.during(&names).mend(by_hand.clone()))
    };
    // Nothing that is there may go for it: some packages replace others of the same purpose.
    let mut arguments = vec!["install", "--yes", "--no-install-recommends", "--no-remove"];
    arguments.extend(packages);
    step(&names, "installing through apt, up to a minute", || {
        apt(&["update"])?;
        apt(&arguments)
    })
}
