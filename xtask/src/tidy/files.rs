//! Rules about a file as a whole.

use std::path::Path;

use super::{Finding, ids};

/// What is wrong with the text of a file.
pub(super) fn look(name: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut find = |line, message: String| {
        findings.push(Finding {
            file: name.to_owned(),
            line,
            message,
        });
    };
    if is_rust(name) && !text.starts_with("//!") {
        find(
            1,
            "open the file with `//!`, saying what is in it and why".to_owned(),
        );
    }
    // Cargo writes the registry into its lock file itself.
    if Path::new(name)
        .file_name()
        .is_some_and(|file| file == "Cargo.lock")
    {
        return findings;
    }
    for (index, line) in text.lines().enumerate() {
        for folder in MACHINE_FOLDERS {
            if has_path(line, folder) {
                find(
                    index + 1,
                    format!(
                        "`{folder}` is a path of one machine; say it relative to the repository"
                    ),
                );
            }
        }
        for id in ids::in_line(line) {
            find(
                index + 1,
                format!(
                    "`{id}` looks like the id of an account or of something in one; those are written in by `cargo xtask setup` and stay out of commits"
                ),
            );
        }
        for (name, domain) in REGISTRY_HOSTS {
            if line.contains(&format!("{name}.{domain}")) {
                find(
                    index + 1,
                    format!(
                        "`{name}.{domain}` is the host of a package registry; which one is used is each machine's own affair"
                    ),
                );
            }
        }
    }
    findings
}

/// How many lines a Rust file has, if that is more than one concern usually takes.
pub(super) fn too_long(name: &str, text: &str) -> Option<usize> {
    let lines = text.lines().count();
    (is_rust(name) && lines > LONG).then_some(lines)
}

fn is_rust(name: &str) -> bool {
    Path::new(name)
        .extension()
        .is_some_and(|extension| extension == "rs")
}

/// Whether the line names something in `folder` of the file system: a URL's path or a longer path with such a part in it does not count.
fn has_path(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let before = line.get(..at).and_then(|before| before.chars().next_back());
        let after = line
            .get(at + folder.len()..)
            .and_then(|after| after.chars().next());
        before.is_none_or(|c| !c.is_alphanumeric() && !"/._-~*}$".contains(c))
            && after.is_some_and(char::is_alphanumeric)
    })
}

const LONG: usize = 600;

// In two halves, so that this file does not break its own rules.
const MACHINE_FOLDERS: [&str; 4] = [
    concat!("/", "root/"),
    concat!("/", "home/"),
    concat!("/", "work/"),
    concat!("/", "Users/"),
];
const REGISTRY_HOSTS: [(&str, &str); 6] = [
    ("registry", "npmjs"),
    ("static", "crates.io"),
    ("index", "crates.io"),
    ("files", "pythonhosted"),
    ("deb", "debian"),
    ("security", "debian"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, text: &str, expected: &[usize]) {
        let lines: Vec<usize> = look(name, text)
            .iter()
            .map(|finding| finding.line)
            .collect();
        assert_eq!(lines, expected, "{text}");
    }

    #[test]
    fn a_rust_file_opens_with_its_purpose() {
        check("src/a.rs", "//! Says it.\n", &[]);
        check("src/a.rs", "use std::fs;\n", &[1]);
        check("src/a.rs", "// Not for the documentation.\n", &[1]);
        check("a.mjs", "import 'node:fs';\n", &[]);
    }

    #[test]
    fn a_path_of_one_machine_is_found() {
        let [root, home, ..] = MACHINE_FOLDERS;
        check("a.md", &format!("one\nsee {root}notes"), &[2]);
        check("a.md", &format!("\"{home}jo/x\""), &[1]);
        check("a.md", &format!("https://example.org{home}jo"), &[]);
        check("a.md", &format!("the prefix `{home}`"), &[]);
    }

    #[test]
    fn a_registry_host_is_found_except_in_cargos_own_file() {
        for (name, domain) in REGISTRY_HOSTS {
            check(
                "package-lock.json",
                &format!("https://{name}.{domain}.org/x"),
                &[1],
            );
            check("Cargo.lock", &format!("https://{name}.{domain}.org/x"), &[]);
        }
    }

    #[test]
    fn the_id_of_a_resource_is_found() {
        let id = ["3f9ab2c45d6e7081", "92a3b4c5d6e7f809"].concat();
        check("wrangler.toml", &format!("a = 1\nid = \"{id}\""), &[2]);
    }

    #[test]
    fn only_long_rust_files_are_noted() {
        let long = "//\n".repeat(LONG + 1);
        assert_eq!(too_long("a.rs", &long), Some(LONG + 1));
        assert_eq!(too_long("a.json", &long), None);
        assert_eq!(too_long("a.rs", "//\n"), None);
    }
}
