//! The documentation against the code: every route table in it compiles, every link in it leads somewhere, and the signature it
//! shows is the right one.

use std::{
    fs,
    path::{Path, PathBuf},
};

use jouska::{
    crypto::{base64url_encode, hex, hmac_sha256, sha256},
    table,
};

#[test]
fn every_route_table_compiles() {
    let mut tables = 0;
    let mut wrong = Vec::new();
    for page in pages() {
        for block in blocks(&page, "json").filter(|block| block.text.contains("\"routes\"")) {
            tables += 1;
            let place = format!("{}:{}", page.file.display(), block.line);
            let said: Vec<String> = match table::compile_text(&block.text) {
                Ok(compiled) => compiled.warnings.iter().map(ToString::to_string).collect(),
                Err(refused) => refused.issues.iter().map(ToString::to_string).collect(),
            };
            wrong.extend(said.iter().map(|what| format!("{place}: {what}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(tables > 0, "no page holds a table any more");
}

#[test]
fn every_link_between_pages_leads_to_a_file() {
    let mut broken = Vec::new();
    for page in pages() {
        for (line, target) in links(&page) {
            let file = target.split('#').next().unwrap_or_default();
            let folder = page.file.parent().unwrap_or(Path::new(""));
            let there = file.is_empty() || root().join(folder).join(file).exists();
            if !there {
                broken.push(format!("{}:{line}: {target}", page.file.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn the_examples_of_signatures_and_digests_are_right() {
    let signature = hmac_sha256(b"not-a-real-secret", b"/dl/report%202026.pdf\n1900000000");
    let link = format!(
        "/dl/report%202026.pdf?exp=1900000000&sig={}",
        base64url_encode(&signature)
    );
    check_contains("docs/guards/signed-links.md", &link);
    let digest = hex(&sha256(b"example-key-do-not-use"));
    check_contains("docs/guards/access-keys.md", &digest);
}

/// Each stands in a crate of the workspace, so it is compiled whenever that is.
#[test]
fn the_workers_on_the_pages_are_the_ones_that_are_compiled() {
    for (page, code) in [
        ("README.md", "examples/first-route/src/lib.rs"),
        ("docs/tenant-edge.md", "examples/tenant-edge/src/tables.rs"),
    ] {
        let file = fs::read_to_string(root().join(code)).unwrap();
        let (_, code) = file.split_once("\n\n").unwrap();
        check_contains(page, &format!("```rust\n{code}```"));
    }
}

#[track_caller]
fn check_contains(file: &str, expected: &str) {
    let text = fs::read_to_string(root().join(file)).unwrap();
    assert!(text.contains(expected), "{file} does not show {expected}");
}

/// A page of the documentation.
struct Page {
    /// Relative to the root of the repository.
    file: PathBuf,
    text: String,
}

/// A fenced block of code.
struct Block {
    /// The line of its first line of code.
    line: usize,
    text: String,
}

/// The readme and everything below `docs`.
fn pages() -> Vec<Page> {
    let mut files = vec![PathBuf::from("README.md")];
    markdown_below(Path::new("docs"), &mut files);
    files.sort();
    files
        .into_iter()
        .map(|file| Page {
            text: fs::read_to_string(root().join(&file)).unwrap(),
            file,
        })
        .collect()
}

fn markdown_below(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(root().join(folder)).unwrap() {
        let entry = entry.unwrap();
        let path = folder.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            markdown_below(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            files.push(path);
        }
    }
}

/// The blocks of one language.
fn blocks<'p>(page: &'p Page, language: &str) -> impl Iterator<Item = Block> + 'p {
    let opening = format!("{FENCE}{language}");
    let mut lines = page.text.lines().enumerate();
    std::iter::from_fn(move || {
        let (opened, _) = lines.find(|(_, line)| line.trim() == opening)?;
        let code: Vec<&str> = lines
            .by_ref()
            .map(|(_, line)| line)
            .take_while(|line| line.trim() != FENCE)
            .collect();
        Some(Block {
            line: opened + 2,
            text: code.join("\n"),
        })
    })
}

/// The targets of links that stay within the repository, with their lines.
fn links(page: &Page) -> Vec<(usize, &str)> {
    let mut code = false;
    let mut found = Vec::new();
    for (index, line) in page.text.lines().enumerate() {
        if line.trim_start().starts_with(FENCE) {
            code = !code;
        }
        if code {
            continue;
        }
        let targets = line
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next());
        found.extend(
            targets
                .filter(|target| !target.contains("://"))
                .map(|target| (index + 1, target)),
        );
    }
    found
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

const FENCE: &str = "```";
