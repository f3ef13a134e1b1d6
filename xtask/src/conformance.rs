//! Plays the conformance cases; the program that does it is the crate in `tests/runner`, which knows its own flags.

use std::ffi::OsString;
use std::process::Command;

use crate::failure::Failure;
use crate::process;
use crate::tools::Tools;
use crate::worker::{self, Profile};
use crate::workspace::Workspace;

/// Hands `arguments` to the runner, after building the Worker where the cases run on workerd.
///
/// # Errors
/// If the Worker does not build, or the runner says that a case failed.
pub(crate) fn run(workspace: &Workspace, arguments: &[OsString]) -> Result<(), Failure> {
    if runs_on_workerd(arguments) {
        let tools = Tools::install(workspace)?;
        worker::build(workspace, &tools, WORKER, Profile::Release)?;
    }
    // The folder is left as it is: a `--cases` on the command line is relative to it.
    process::run(
        Command::new("cargo")
            .args([
                "run",
                "--quiet",
                "--locked",
                "-p",
                "jouska-conformance",
                "--",
            ])
            .args(arguments),
    )
}

/// The runner takes workerd unless told otherwise, as `--runtime host` or `--runtime=host`.
fn runs_on_workerd(arguments: &[OsString]) -> bool {
    let mut words = arguments.iter().map(|argument| argument.to_string_lossy());
    while let Some(word) = words.next() {
        match word.strip_prefix("--runtime") {
            Some("") => return words.next().as_deref() != Some("host"),
            Some(value) => return value != "=host",
            None => {}
        }
    }
    true
}

/// The Worker that the cases run against.
const WORKER: &str = "tests/worker";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_host_runtime_needs_no_worker() {
        #[track_caller]
        fn check(arguments: &[&str], expected: bool) {
            let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
            assert_eq!(runs_on_workerd(&arguments), expected);
        }
        check(&[], true);
        check(&["--area", "host"], true);
        check(&["--runtime", "host"], false);
        check(&["--area", "cache", "--runtime=host"], false);
        check(&["--runtime", "workerd", "--cases", "x"], true);
        check(&["--runtime"], true);
    }
}
