//! A Rust that can compile for `wasm32-unknown-unknown`.
//!
//! The ordinary way is `rustup target add`. Where rustup's server cannot be reached, the standard library is built once from Debian's
//! packages of a current Rust, which reach such machines through apt, and kept in the cache as a sysroot of that compiler.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{apt, fill_then_rename, say, step};
use crate::failure::Failure;
use crate::process;
use crate::workspace::{Version, Workspace};

/// Which Rust compiles the Workers.
#[derive(Debug)]
pub(crate) enum WasmRust {
    /// The one on PATH has the standard library for the target.
    OnPath,
    /// A compiler of its own: the folder with its `cargo` and `rustc`, to be put first on PATH.
    Separate(PathBuf),
}

impl WasmRust {
    /// The folder to put first on PATH, if there is one.
    pub(super) fn bin(&self) -> Option<&Path> {
        match self {
            Self::OnPath => None,
            Self::Separate(bin) => Some(bin),
        }
    }
}

/// Finds a Rust for the target, or makes one.
pub(super) fn install(workspace: &Workspace) -> Result<WasmRust, Failure> {
    let sysroot = sysroot(Command::new("rustc"))?;
    if has_std(&sysroot) {
        return Ok(WasmRust::OnPath);
    }
    if let Some(bin) = debian_rust()
        .ok()
        .and_then(|rust| built(&place(workspace, &rust)))
    {
        return Ok(WasmRust::Separate(bin));
    }

    say(TARGET, "adding the target with rustup, some seconds");
    let log = workspace.cache.join("rustup.log");
    let ordinary =
        process::run_logged(Command::new("rustup").args(["target", "add", TARGET]), &log);
    if ordinary.is_ok() && has_std(&sysroot) {
        return Ok(WasmRust::OnPath);
    }
    let reason = match ordinary {
        Ok(()) => "rustup added it to another toolchain than the one on PATH".to_owned(),
        Err(_) => format!("rustup cannot fetch it ({} says why)", log.display()),
    };
    say(
        TARGET,
        &format!("{reason}; building the standard library from Debian's sources instead"),
    );
    from_debian(workspace, &sysroot)
        .map(WasmRust::Separate)
        .map_err(|failure| {
            failure
                .during("the standard library for wasm32-unknown-unknown")
                .mend("rustup target add wasm32-unknown-unknown")
        })
}

/// Debian's Rust, as it describes itself.
#[derive(Debug)]
struct DebianRust {
    /// The whole of `rustc -vV`: another compiler cannot use the library.
    description: String,
    sysroot: PathBuf,
}

impl DebianRust {
    fn field(&self, name: &str) -> Option<&str> {
        self.description
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    fn version(&self) -> Option<Version> {
        Version::parse(self.field("release")?)
    }

    fn has_sources(&self) -> bool {
        self.sysroot
            .join("lib/rustlib/src/rust/library/std/Cargo.toml")
            .exists()
    }
}

fn debian_rust() -> Result<DebianRust, Failure> {
    Ok(DebianRust {
        description: process::output(Command::new(DEBIAN_RUSTC).arg("-vV"))?,
        sysroot: sysroot(Command::new(DEBIAN_RUSTC))?,
    })
}

fn from_debian(workspace: &Workspace, rustup_sysroot: &Path) -> Result<PathBuf, Failure> {
    let oldest = workspace.rust_version()?;
    let fits = |rust: &DebianRust| {
        rust.version() >= Some(oldest) && rust.has_sources() && Path::new(DEBIAN_CARGO).exists()
    };
    let rust = match debian_rust() {
        Ok(rust) if fits(&rust) => rust,
        _ => {
            apt::install(workspace, &["rustc-web", "cargo-web", "rust-web-src"])?;
            debian_rust()?
        }
    };
    if !fits(&rust) {
        return Err(Failure::new(format!(
            "{DEBIAN_RUSTC} is Rust {}, and {oldest} with its sources is the least that will do",
            rust.field("release").unwrap_or("of an unknown version")
        )));
    }

    let place = place(workspace, &rust);
    step(
        TARGET,
        "compiling its standard library, about a minute",
        || fill_then_rename(&place, |part| fill(part, &rust, rustup_sysroot)),
    )?;
    built(&place).ok_or_else(|| {
        Failure::new(format!(
            "{} lacks its linker or its library",
            place.display()
        ))
    })
}

/// Lays out a sysroot in `part`: the library built for the target, Debian's own for the host, a linker, and the two programs.
fn fill(part: &Path, rust: &DebianRust, rustup_sysroot: &Path) -> Result<(), Failure> {
    let host = rust
        .field("host")
        .ok_or_else(|| Failure::new(format!("{DEBIAN_RUSTC} does not say its host")))?;
    let io =
        |error: std::io::Error| Failure::new(format!("cannot lay out {}: {error}", part.display()));

    let compiled =
        compile_std(part).map_err(|failure| failure.during("cargo build -Zbuild-std"))?;
    let library = part.join(LIBRARY);
    fs::create_dir_all(&library).map_err(io)?;
    for entry in fs::read_dir(&compiled).map_err(io)? {
        let path = entry.map_err(io)?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        if name.ends_with(".rlib") && !name.starts_with("libempty-") {
            fs::copy(&path, library.join(name)).map_err(io)?;
        }
    }
    fs::remove_dir_all(part.join("build")).map_err(io)?;

    let host_folder = Path::new("lib/rustlib").join(host);
    let linker = rustup_sysroot.join(&host_folder).join("bin/rust-lld");
    if !linker.exists() {
        return Err(Failure::new(format!(
            "there is no linker for WebAssembly at {}",
            linker.display()
        ))
        .mend("rustup toolchain install stable"));
    }
    fs::create_dir_all(part.join(&host_folder).join("bin")).map_err(io)?;
    symlink(linker, part.join(&host_folder).join("bin/rust-lld")).map_err(io)?;
    symlink(
        rust.sysroot.join(&host_folder).join("lib"),
        part.join(&host_folder).join("lib"),
    )
    .map_err(io)?;

    let bin = part.join("bin");
    fs::create_dir_all(&bin).map_err(io)?;
    symlink(DEBIAN_CARGO, bin.join("cargo")).map_err(io)?;
    // The script finds the sysroot beside itself, so that the folder can be renamed into its place.
    let script =
        format!("#!/bin/sh\nexec {DEBIAN_RUSTC} --sysroot \"$(dirname \"$0\")/..\" \"$@\"\n");
    fs::write(bin.join("rustc"), script).map_err(io)?;
    fs::set_permissions(bin.join("rustc"), fs::Permissions::from_mode(0o755)).map_err(io)
}

/// Compiles the standard library as the dependency of an empty crate, and returns the folder with the compiled crates.
fn compile_std(part: &Path) -> Result<PathBuf, Failure> {
    let build = part.join("build");
    let io =
        |error: std::io::Error| Failure::new(format!("cannot write {}: {error}", build.display()));
    fs::create_dir_all(build.join("src")).map_err(io)?;
    fs::write(build.join("src/lib.rs"), "").map_err(io)?;
    fs::write(build.join("Cargo.toml"), EMPTY_CRATE).map_err(io)?;
    process::run(
        Command::new(DEBIAN_CARGO)
            .args([
                "build",
                "--release",
                "--target",
                TARGET,
                "-Zbuild-std=std,panic_abort",
                "--target-dir",
                "target",
            ])
            .current_dir(&build)
            .env_remove("RUSTUP_TOOLCHAIN")
            .env("RUSTC", DEBIAN_RUSTC)
            // The library's own build needs the compiler's unstable features, on a compiler that calls itself stable.
            .env("RUSTC_BOOTSTRAP", "1")
            // Without bitcode in it, no Worker could be built with link-time optimisation.
            .env("RUSTFLAGS", "-Cembed-bitcode=yes"),
    )?;
    Ok(build.join("target").join(TARGET).join("release/deps"))
}

fn sysroot(mut rustc: Command) -> Result<PathBuf, Failure> {
    process::output(rustc.args(["--print", "sysroot"])).map(PathBuf::from)
}

fn has_std(sysroot: &Path) -> bool {
    fs::read_dir(sysroot.join(LIBRARY)).is_ok_and(|entries| {
        entries.flatten().any(|entry| {
            let name = entry.file_name();
            name.to_string_lossy().starts_with("libstd-")
                && name.to_string_lossy().ends_with(".rlib")
        })
    })
}

fn place(workspace: &Workspace, rust: &DebianRust) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    rust.description.hash(&mut hasher);
    let release = rust.field("release").unwrap_or("unknown");
    workspace
        .cache
        .join(format!("rust-{release}-{:016x}", hasher.finish()))
}

/// The sysroot's programs, if all of it is there; its linker is rustup's and may have gone with a toolchain.
fn built(place: &Path) -> Option<PathBuf> {
    let hosts = fs::read_dir(place.join("lib/rustlib")).ok()?;
    let linked = hosts
        .flatten()
        .any(|host| host.path().join("bin/rust-lld").exists());
    let bin = place.join("bin");
    (linked && has_std(place) && bin.join("rustc").exists()).then_some(bin)
}

const TARGET: &str = "wasm32-unknown-unknown";
/// The compiled library's folder in a sysroot.
const LIBRARY: &str = "lib/rustlib/wasm32-unknown-unknown/lib";
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_CARGO: &str = "/usr/bin/cargo";
const EMPTY_CRATE: &str =
    "[package]\nname = \"empty\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_is_known_by_its_description() {
        let rust = DebianRust {
            description: "rustc 1.96.0 (built from a source tarball)\nbinary: rustc\nhost: x86_64-unknown-linux-gnu\nrelease: 1.96.0\n".to_owned(),
            sysroot: PathBuf::new(),
        };
        assert_eq!(rust.field("host"), Some("x86_64-unknown-linux-gnu"));
        assert_eq!(rust.field("commit"), None);
        assert_eq!(rust.version(), Version::parse("1.96"));
        assert!(!rust.has_sources());
    }

    #[test]
    fn a_sysroot_without_library_or_linker_is_not_taken_for_one() {
        let place = std::env::temp_dir().join(format!("xtask-sysroot-{}", std::process::id()));
        let library = place.join(LIBRARY);
        let linker = place.join("lib/rustlib/some-host/bin/rust-lld");
        fs::create_dir_all(&library).unwrap();
        fs::create_dir_all(linker.parent().unwrap()).unwrap();
        fs::create_dir_all(place.join("bin")).unwrap();
        fs::write(place.join("bin/rustc"), "").unwrap();
        assert_eq!(built(&place), None);

        fs::write(library.join("libstd-0123.rlib"), "").unwrap();
        assert_eq!(built(&place), None);

        symlink(place.join("gone"), &linker).unwrap();
        assert_eq!(built(&place), None);

        fs::remove_file(&linker).unwrap();
        fs::write(&linker, "").unwrap();
        assert_eq!(built(&place), Some(place.join("bin")));
        fs::remove_dir_all(place).unwrap();
    }
}
