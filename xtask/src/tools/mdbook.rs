//! mdBook: turns `docs` into pages. Not part of the ordinary set-up, since only the book's own step uses it.

use std::path::PathBuf;

use super::Lock;
use super::cargo_install::{self, Program};
use crate::failure::Failure;
use crate::workspace::Workspace;

/// The path of mdBook, without its server: reading the pages it made takes none.
///
/// # Errors
/// If it is missing and does not compile.
pub(crate) fn install(workspace: &Workspace) -> Result<PathBuf, Failure> {
    let _lock = Lock::of_set_up(workspace)?;
    let installed = cargo_install::install(
        workspace,
        Program {
            package: "mdbook",
            binary: "mdbook",
            version: VERSION,
            flags: &["--locked", "--no-default-features", "--features", "search"],
            duration: "a minute",
        },
    )?;
    cargo_install::remove_leftovers(workspace);
    Ok(installed)
}

const VERSION: &str = "0.5.4";
