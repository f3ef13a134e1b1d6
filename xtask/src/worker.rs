//! Builds a Worker crate into the module that the runtime loads.

mod finish;

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::process;
use crate::tools::{Lock, Tools};
use crate::workspace::Workspace;

/// How a Worker is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Profile {
    /// As it is deployed: optimised by the compiler and again by wasm-opt.
    Release,
    /// The same with its JavaScript left readable, so that a processor profile has names in it.
    Named,
    /// Quick to compile, with debug information.
    Dev,
}

/// Builds the crate in `crate_dir`, a path relative to the root, into its `build` folder (or the folder `named` in there) and returns that:
/// `index.js` and `index_bg.wasm`. `crate_dir:feature` is the same crate with one of its features, in `build-feature`.
///
/// Cargo knows whether there is anything to compile. The steps after it take seconds too, so they are left out when the same tools were
/// given the same WebAssembly before.
///
/// # Errors
/// If the crate does not compile or a step after it fails.
pub(crate) fn build(
    workspace: &Workspace,
    tools: &Tools,
    crate_dir: &str,
    profile: Profile,
) -> Result<PathBuf, Failure> {
    // The compiler for WebAssembly may be another than the host's, and the two would rebuild each other's work in one target folder.
    // Nor do two checkouts that share a cache share it: Cargo goes by the age of files, and would take what was built from the one's sources
    // for the other's.
    let mut root = DefaultHasher::new();
    workspace.root.hash(&mut root);
    let target = workspace
        .cache
        .join(format!("target-wasm-{:016x}", root.finish()));
    fs::create_dir_all(&target)
        .map_err(|error| Failure::new(format!("cannot create {}: {error}", target.display())))?;
    // Nobody may build between what Cargo does and the steps that read it.
    let _lock = Lock::acquire(&target.join("xtask.lock"), "another build of a Worker")?;

    let (crate_dir, feature) = match crate_dir.split_once(':') {
        Some((crate_dir, feature)) => (crate_dir, Some(feature)),
        None => (crate_dir, None),
    };
    let features = feature.map(|feature| ["--features", feature]);
    let crate_dir = workspace.root.join(crate_dir);
    let during = |failure: Failure| {
        failure.during(&format!("building the Worker in {}", crate_dir.display()))
    };
    let mut cargo = tools.wasm_cargo();
    // The same call that worker-build makes, its environment included, so that its own finds everything done.
    cargo
        .args(["build", "--lib", "--target", "wasm32-unknown-unknown"])
        .env("WASM_BINDGEN_USE_JS_SYS", "1");
    if profile != Profile::Dev {
        cargo.arg("--release");
    }
    process::run(
        cargo
            .args(features.iter().flatten())
            .current_dir(&crate_dir)
            .env("CARGO_TARGET_DIR", &target),
    )
    .map_err(during)?;

    let module = compiled_module(&crate_dir, &target, profile)?;
    let input = fingerprint(tools, profile, &module, &crate_dir)?;
    let mut folder = feature.map_or("build".to_owned(), |feature| format!("build-{feature}"));
    if profile == Profile::Named {
        folder.push_str("/named");
    }
    let out = crate_dir.join(&folder);
    let stamp = out.join(".input");
    if fs::read_to_string(&stamp).is_ok_and(|seen| seen == input)
        && OUTPUTS.iter().all(|name| out.join(name).exists())
    {
        return Ok(out);
    }

    let _ = fs::remove_file(&stamp);
    let mut worker_build = tools.worker_build();
    match profile {
        Profile::Release => worker_build.arg("--release"),
        Profile::Named => worker_build.arg("--release").env("NO_MINIFY", "1"),
        Profile::Dev => worker_build.arg("--dev"),
    };
    worker_build.args(["--out-dir", &folder]);
    if let Some(features) = features {
        worker_build.args([".", "--"]).args(features);
    }
    process::run(
        worker_build
            .current_dir(&crate_dir)
            .env("CARGO_TARGET_DIR", &target),
    )
    .map_err(during)?;
    finish::entry(&out.join("index.js")).map_err(during)?;
    if profile == Profile::Release {
        finish::strip(&out.join("index_bg.wasm")).map_err(during)?;
    }
    fs::write(&stamp, input)
        .map_err(|error| Failure::new(format!("cannot write {}: {error}", stamp.display())))?;
    Ok(out)
}

/// Where Cargo puts the module: named after the package, with underscores.
fn compiled_module(crate_dir: &Path, target: &Path, profile: Profile) -> Result<PathBuf, Failure> {
    let manifest = crate::workspace::read(&crate_dir.join("Cargo.toml"))?;
    let name = manifest
        .lines()
        .find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'))
        .ok_or_else(|| {
            Failure::new(format!(
                "{} names no package",
                crate_dir.join("Cargo.toml").display()
            ))
        })?;
    let folder = match profile {
        Profile::Release | Profile::Named => "release",
        Profile::Dev => "debug",
    };
    Ok(target
        .join("wasm32-unknown-unknown")
        .join(folder)
        .join(name.replace('-', "_"))
        .with_extension("wasm"))
}

/// Tells whether the steps after the compiler would see anything new. The manifest is among what they read: it may configure wasm-opt.
fn fingerprint(
    tools: &Tools,
    profile: Profile,
    module: &Path,
    crate_dir: &Path,
) -> Result<String, Failure> {
    let mut hasher = DefaultHasher::new();
    tools.identity().hash(&mut hasher);
    profile.hash(&mut hasher);
    finish::ENTRY.hash(&mut hasher);
    for path in [module, &crate_dir.join("Cargo.toml")] {
        fs::read(path)
            .map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())))?
            .hash(&mut hasher);
    }
    Ok(format!("{:016x}", hasher.finish()))
}

/// What a finished build has.
pub(crate) const OUTPUTS: [&str; 2] = ["index.js", "index_bg.wasm"];
/// The Worker crates of the workspace.
pub(crate) const CRATES: [&str; 4] = [
    "examples/reverse-proxy",
    "examples/tenant-edge",
    "admin-panel",
    "tests/worker",
];
