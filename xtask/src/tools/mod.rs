//! Set-up: everything that building, testing and running the Workers needs beyond a Rust toolchain, npm and the network.
//!
//! Each tool has a file, and each is kept in the cache under its version, so a set-up that finds everything there only looks at a few paths.
//! A tool is prepared under a temporary name and renamed when it is whole: what an interrupted set-up leaves behind is never taken for a tool.

mod apt;
mod cargo_install;
pub(crate) mod mdbook;
mod node_modules;
pub(crate) mod reference_runtime;
pub(crate) mod system;
mod wasm_bindgen;
mod wasm_std;
mod worker_build;

use std::env;
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crate::failure::Failure;
use crate::workspace::Workspace;
use wasm_std::WasmRust;

/// What a finished set-up provides.
#[derive(Debug)]
pub(crate) struct Tools {
    rust: WasmRust,
    worker_build: PathBuf,
    wasm_bindgen: PathBuf,
    node_modules: PathBuf,
    /// PATH with the JavaScript tools in front.
    node_path: OsString,
    /// PATH with the Rust that can compile to WebAssembly in front of those.
    wasm_path: OsString,
}

impl Tools {
    /// Brings the cache up to date and says what it has. Safe to run from several checkouts at once.
    ///
    /// # Errors
    /// If a tool is missing and could not be installed.
    pub(crate) fn install(workspace: &Workspace) -> Result<Self, Failure> {
        let _lock = Lock::of_set_up(workspace)?;

        let rust = wasm_std::install(workspace)?;
        let node_modules = node_modules::install(workspace)?;
        let worker_build = worker_build::install(workspace)?;
        let wasm_bindgen = wasm_bindgen::install(workspace)?;
        cargo_install::remove_leftovers(workspace);

        let bin = node_modules.join(".bin");
        let node_path = path_with(&[&bin])?;
        let wasm_path = match rust.bin() {
            Some(rust) => path_with(&[rust, &bin])?,
            None => node_path.clone(),
        };
        Ok(Self {
            rust,
            worker_build,
            wasm_bindgen,
            node_modules,
            node_path,
            wasm_path,
        })
    }

    /// Cargo with a compiler that has the WebAssembly standard library.
    pub(crate) fn wasm_cargo(&self) -> Command {
        self.with_wasm_rust(Command::new("cargo"))
    }

    /// worker-build, told where its helpers are so that it downloads none.
    pub(crate) fn worker_build(&self) -> Command {
        let mut command = self.with_wasm_rust(Command::new(&self.worker_build));
        command
            .env("WASM_BINDGEN_BIN", &self.wasm_bindgen)
            .env("WASM_OPT_BIN", self.node_modules.join(".bin/wasm-opt"))
            .env("ESBUILD_BIN", self.node_modules.join(".bin/esbuild"));
        command
    }

    /// A Node that the runtime's tools accept, with those tools on PATH.
    pub(crate) fn node(&self) -> Command {
        let mut command = Command::new("node");
        command.env("PATH", &self.node_path);
        command
    }

    /// What tells one set of tools from another: their paths carry their versions.
    pub(crate) fn identity(&self) -> impl std::hash::Hash + '_ {
        (&self.worker_build, &self.wasm_bindgen, &self.node_modules)
    }

    fn with_wasm_rust(&self, mut command: Command) -> Command {
        // Cargo hands its own path down in CARGO; a nested call has to use the one that belongs to the compiler chosen here.
        command.env_remove("CARGO").env("PATH", &self.wasm_path);
        if let Some(bin) = self.rust.bin() {
            command
                .env_remove("RUSTUP_TOOLCHAIN")
                .env("RUSTC", bin.join("rustc"));
        }
        command
    }
}

/// Keeps other processes out of a part of the cache for as long as it lives. The system lets go of it when the process ends, however it ends.
#[derive(Debug)]
pub(crate) struct Lock(
    #[expect(dead_code, reason = "held for its drop, which releases the lock")] File,
);

impl Lock {
    /// Makes the cache, and keeps other set-ups out of it.
    fn of_set_up(workspace: &Workspace) -> Result<Self, Failure> {
        fs::create_dir_all(&workspace.cache).map_err(|error| {
            Failure::new(format!(
                "cannot create the cache {}: {error}",
                workspace.cache.display()
            ))
        })?;
        Self::acquire(
            &workspace.cache.join("set-up.lock"),
            "another set-up of the same cache",
        )
    }

    /// Waits for the lock at `path`, saying so if `holder` has it.
    ///
    /// # Errors
    /// If the lock file cannot be made or locked.
    pub(crate) fn acquire(path: &Path, holder: &str) -> Result<Self, Failure> {
        let fail = |error| Failure::new(format!("cannot lock {}: {error}", path.display()));
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path)
            .map_err(fail)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                println!("  waiting for {holder} ({})", path.display());
                file.lock().map_err(fail)?;
            }
            Err(TryLockError::Error(error)) => return Err(fail(error)),
        }
        Ok(Self(file))
    }
}

/// PATH with `folders` in front of what is on it.
fn path_with(folders: &[&Path]) -> Result<OsString, Failure> {
    let own = env::var_os("PATH").unwrap_or_default();
    let rest = env::split_paths(&own);
    env::join_paths(folders.iter().map(PathBuf::from).chain(rest))
        .map_err(|error| Failure::new(format!("PATH cannot hold the tools' folders: {error}")))
}

/// PATH with the JavaScript tools in front, for a command that needs no other.
///
/// # Errors
/// If they are missing and could not be installed.
pub(crate) fn node_path(workspace: &Workspace) -> Result<OsString, Failure> {
    let _lock = Lock::of_set_up(workspace)?;
    path_with(&[&node_modules::install(workspace)?.join(".bin")])
}

/// Says something about a tool.
fn say(tool: &str, what: &str) {
    println!("  {tool}: {what}");
}

/// Runs a step that takes long enough to be announced: what it does and how long it may take, then how long it took.
fn step<T>(
    tool: &str,
    action: &str,
    run: impl FnOnce() -> Result<T, Failure>,
) -> Result<T, Failure> {
    say(tool, action);
    let started = Instant::now();
    let done = run()?;
    say(tool, &format!("done in {} s", started.elapsed().as_secs()));
    Ok(done)
}

/// Prepares `place` by filling a folder beside it and renaming that folder when `fill` has succeeded.
fn fill_then_rename(
    place: &Path,
    fill: impl FnOnce(&Path) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut name = place.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let part = place.with_file_name(name);
    let fail =
        |what: &str, error| Failure::new(format!("cannot {what} {}: {error}", part.display()));

    for leftover in [&part, place] {
        if leftover.symlink_metadata().is_ok() {
            fs::remove_dir_all(leftover).map_err(|error| fail("clear", error))?;
        }
    }
    fs::create_dir_all(&part).map_err(|error| fail("create", error))?;
    fill(&part)?;
    fs::rename(&part, place).map_err(|error| fail("put in place", error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_fails_leaves_nothing_that_looks_finished() {
        let folder = scratch("half");
        let place = folder.join("tool-1.0");

        assert!(fill_then_rename(&place, |_| Err(Failure::new("interrupted"))).is_err());
        assert!(!place.exists());

        let write = |part: &Path| {
            fs::write(part.join("bin"), "x").map_err(|error| Failure::new(error.to_string()))
        };
        fill_then_rename(&place, write).unwrap();
        assert!(place.join("bin").exists() && !folder.join("tool-1.0.part").exists());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_lock_is_released_when_it_goes() {
        let folder = scratch("lock");
        let path = folder.join("lock");
        drop(Lock::acquire(&path, "nobody").unwrap());

        let held = Lock::acquire(&path, "nobody").unwrap();
        let second = File::options().write(true).open(&path).unwrap();
        assert!(matches!(second.try_lock(), Err(TryLockError::WouldBlock)));
        drop(held);
        assert!(second.try_lock().is_ok());
        fs::remove_dir_all(folder).unwrap();
    }

    fn scratch(name: &str) -> PathBuf {
        let folder = env::temp_dir().join(format!("xtask-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }
}
