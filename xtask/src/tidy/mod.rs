//! What no compiler checks: that the library's layers hold, that every file says what it is for, and that nothing of one machine gets in.

mod files;
mod ids;
mod layers;
mod source;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::process;
use crate::workspace::Workspace;

/// Something that has to change.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    file: String,
    line: usize,
    message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            line,
            message,
        } = self;
        write!(f, "{file}:{line}: {message}")
    }
}

/// Looks at every file that Git knows or would add.
///
/// # Errors
/// If anything is found; all of it is printed first.
pub(crate) fn run(workspace: &Workspace) -> Result<(), Failure> {
    let mut findings = Vec::new();
    let names = process::output(
        Command::new("git")
            .args(["ls-files", "--cached", "--others", "--exclude-standard"])
            .current_dir(&workspace.root),
    )
    .map_err(|failure| failure.during("listing the files"))?;
    for name in names.lines() {
        // A file that is deleted but still listed, or that is not text, has nothing to say here.
        let Ok(text) = fs::read_to_string(workspace.root.join(name)) else {
            continue;
        };
        findings.extend(files::look(name, &text));
        if let Some(module) = name
            .strip_prefix("src/")
            .and_then(|name| name.strip_suffix(".rs"))
        {
            findings.extend(layers::look(name, &module_path(module), &text));
        }
        if let Some(lines) = files::too_long(name, &text) {
            println!("note: {name} has {lines} lines; is it one concern?");
        }
    }
    for finding in &findings {
        println!("{finding}");
    }
    match findings.len() {
        0 => Ok(()),
        count => Err(Failure::new(format!("tidy found {count} to change"))),
    }
}

/// `forward/mod` and `forward` are the module `forward`; `lib` is the root and has no name.
fn module_path(file: &str) -> Vec<String> {
    let path = PathBuf::from(file);
    let path = if path.ends_with("mod") || path == Path::new("lib") {
        path.parent().unwrap_or(&path)
    } else {
        &path
    };
    path.iter()
        .map(|part| part.to_string_lossy().into_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_the_module_of_its_path() {
        #[track_caller]
        fn check(file: &str, expected: &[&str]) {
            assert_eq!(module_path(file), expected);
        }
        check("lib", &[]);
        check("mirror", &["mirror"]);
        check("forward/mod", &["forward"]);
        check("forward/walk", &["forward", "walk"]);
        check("platform/workers/mod", &["platform", "workers"]);
    }
}
