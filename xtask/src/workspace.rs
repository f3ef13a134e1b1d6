//! Where things are in this checkout, and the versions its manifests fix.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// The checkout that the command runs in.
#[derive(Debug)]
pub(crate) struct Workspace {
    /// The repository's root.
    pub(crate) root: PathBuf,
    /// Where tools are kept: `.cache` at the root, or wherever `JOUSKA_CACHE_DIR` says, so that several checkouts can share one.
    pub(crate) cache: PathBuf,
}

impl Workspace {
    /// Finds the checkout through Cargo, which tells every program it runs where that program's manifest is.
    ///
    /// # Errors
    /// If the program was not started by Cargo.
    pub(crate) fn find() -> Result<Self, Failure> {
        let outside = || {
            Failure::new("the workspace's root is not known")
                .mend("start this as `cargo xtask …` inside the repository")
        };
        let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or_else(outside)?);
        let root = manifest.parent().ok_or_else(outside)?.to_path_buf();
        let cache = match env::var_os(CACHE_VARIABLE) {
            Some(folder) if !folder.is_empty() => {
                std::path::absolute(&folder).map_err(|error| {
                    Failure::new(format!("{CACHE_VARIABLE} is not a usable path: {error}"))
                })?
            }
            _ => root.join(".cache"),
        };
        Ok(Self { root, cache })
    }

    /// The version of `package` that `Cargo.lock` fixes.
    ///
    /// # Errors
    /// If there is no lock file, or no such package in it.
    pub(crate) fn locked_version(&self, package: &str) -> Result<String, Failure> {
        let lock = read(&self.root.join("Cargo.lock"))?;
        version_in_lock(&lock, package)
            .map(str::to_owned)
            .ok_or_else(|| {
                Failure::new(format!("Cargo.lock names no package `{package}`"))
                    .mend("cargo update --workspace")
            })
    }

    /// The oldest Rust that the workspace supports, as `Cargo.toml` states it.
    ///
    /// # Errors
    /// If the manifest cannot be read or states none.
    pub(crate) fn rust_version(&self) -> Result<Version, Failure> {
        let manifest = read(&self.root.join("Cargo.toml"))?;
        manifest
            .lines()
            .find_map(|line| line.strip_prefix("rust-version = \""))
            .and_then(|rest| Version::parse(rest.trim_end_matches('"')))
            .ok_or_else(|| Failure::new("Cargo.toml states no `rust-version = \"X.Y\"`"))
    }
}

/// The first two numbers of a Rust release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version {
    major: u32,
    minor: u32,
}

impl Version {
    /// Reads `1.91`, `1.96.0` or `1.97.0-nightly`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.trim().split(['.', '-']);
        Some(Self {
            major: numbers.next()?.parse().ok()?,
            minor: numbers.next()?.parse().ok()?,
        })
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// Reads a text file, naming it if that fails.
///
/// # Errors
/// If the file cannot be read as UTF-8.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())))
}

/// `Cargo.lock` writes a package's version on the line below its name.
fn version_in_lock<'lock>(lock: &'lock str, package: &str) -> Option<&'lock str> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name).skip(1);
    lines
        .next()?
        .strip_prefix("version = \"")?
        .strip_suffix('"')
}

/// The environment variable that moves the cache.
pub(crate) const CACHE_VARIABLE: &str = "JOUSKA_CACHE_DIR";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locked_version_is_found_by_whole_name() {
        let lock = "[[package]]\nname = \"worker-macros\"\nversion = \"0.8.6\"\n\n[[package]]\nname = \"worker\"\nversion = \"0.8.7\"\n";
        assert_eq!(version_in_lock(lock, "worker"), Some("0.8.7"));
        assert_eq!(version_in_lock(lock, "work"), None);
    }

    #[test]
    fn rust_versions_compare_by_number() {
        let version = |text| Version::parse(text).unwrap();
        assert!(version("1.91") <= version("1.91.1"));
        assert!(version("1.100.0") > version("1.96.0-nightly"));
        assert_eq!(Version::parse("stable"), None);
    }
}
