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
            let place = target.split_once('#').map(|(_, place)| place);
            let path = match file {
                "" => root().join(&page.file),
                file => root().join(folder).join(file),
            };
            let there = match (fs::read_to_string(&path), place) {
                (Ok(text), Some(place)) => places(&text).any(|known| known == place),
                _ => path.exists(),
            };
            if !there {
                broken.push(format!("{}:{line}: {target}", page.file.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_page_is_in_the_contents() {
    let contents = pages()
        .into_iter()
        .find(|page| page.file.ends_with("SUMMARY.md"))
        .unwrap();
    let listed: Vec<&str> = links(&contents).into_iter().map(|(_, page)| page).collect();
    for page in pages() {
        let Ok(name) = page.file.strip_prefix("docs") else {
            continue;
        };
        let name = name.to_str().unwrap();
        let times = listed.iter().filter(|page| **page == name).count();
        let expected = usize::from(name != "SUMMARY.md");
        assert_eq!(times, expected, "{name} in docs/SUMMARY.md");
    }
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

/// Every word that an event can give as a reason is explained, and nothing else is: read out of the enums themselves.
#[test]
fn every_reason_is_explained() {
    let source = fs::read_to_string(root().join("src/outcome.rs")).unwrap();
    let page = fs::read_to_string(root().join("docs/reasons.md")).unwrap();
    let mut headings = page.split("\n## `").skip(1);
    let explained: Vec<(&str, Vec<&str>)> = headings
        .by_ref()
        .map(|section| {
            let (name, text) = section.split_once('`').unwrap();
            (name, words_of_first_column(text))
        })
        .collect();
    let said: Vec<(&str, Vec<String>)> = words_of_events(&source);
    assert_eq!(said.len(), REASONS.len(), "{said:?}");
    assert_eq!(explained.len(), REASONS.len());
    for (name, words) in said {
        let (_, heading) = REASONS
            .iter()
            .find(|(of, _)| *of == name)
            .unwrap_or_else(|| panic!("{name} has no section"));
        let (_, mut explained) = explained
            .iter()
            .find(|(of, _)| of == heading)
            .unwrap_or_else(|| panic!("no section explains `{heading}`"))
            .clone();
        let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
        words.sort_unstable();
        explained.sort_unstable();
        assert_eq!(explained, words, "docs/reasons.md, {heading}");
    }
}

/// What stands in code in the first column of a table.
fn words_of_first_column(text: &str) -> Vec<&str> {
    text.lines()
        .filter_map(|line| line.strip_prefix("| `")?.split(" | ").next())
        // The heads of the tables are names of fields, which stand here without their table's line.
        .filter(|cell| {
            !REASONS
                .iter()
                .any(|(_, field)| *cell == format!("{field}`"))
        })
        .flat_map(|cell| cell.split("`, `"))
        .map(|word| word.trim_matches('`'))
        .collect()
}

/// The enums in `source` that are written into events, with the words for their variants.
fn words_of_events(source: &str) -> Vec<(&str, Vec<String>)> {
    source
        .split("\n#[derive(")
        .filter_map(|item| {
            let (derived, rest) = item.split_once(")]\n")?;
            let (_, body) = rest.split_once("pub enum ")?;
            let (name, body) = body.split_once(" {\n")?;
            let (variants, _) = body.split_once("\n}")?;
            let camel = rest.contains("rename_all = \"camelCase\"");
            let words = variants
                .lines()
                .filter_map(|line| line.strip_prefix("    ")?.strip_suffix(','))
                .map(|variant| word(variant, camel));
            derived
                .contains("Serialize")
                .then(|| (name, words.collect()))
        })
        .collect()
}

/// `TheName` as `the_name`, or as `theName`.
fn word(variant: &str, camel: bool) -> String {
    let mut word = String::new();
    for (index, c) in variant.chars().enumerate() {
        if c.is_uppercase() && index > 0 {
            if camel {
                word.push(c);
                continue;
            }
            word.push('_');
        }
        word.extend(c.to_lowercase());
    }
    word
}

/// Each stands in a crate of the workspace, so it is compiled whenever that is.
#[test]
fn the_workers_on_the_pages_are_the_ones_that_are_compiled() {
    for (page, code) in [
        ("README.md", "examples/first-route/src/lib.rs"),
        ("docs/embedding.md", "examples/own-routes/src/lib.rs"),
        ("docs/embedding.md", "examples/axum/src/lib.rs"),
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

/// What a link may name behind its `#`: the headings, as sites that show Markdown spell them, and marks written out.
fn places(text: &str) -> impl Iterator<Item = String> {
    let headings = text
        .lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| {
            line.trim_start_matches('#')
                .trim()
                .to_lowercase()
                .chars()
                .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
                .map(|c| if c == ' ' { '-' } else { c })
                .collect()
        });
    let marks = text
        .split("<a id=\"")
        .skip(1)
        .filter_map(|rest| Some(rest.split_once('"')?.0.to_owned()));
    headings.chain(marks)
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

const FENCE: &str = "```";

/// The enums that events are made of, and the section of the page that explains each.
const REASONS: [(&str, &str); 12] = [
    ("Outcome", "outcome"),
    ("GuardReason", "guardReason"),
    ("CacheStatus", "cache"),
    ("CacheReason", "cacheReason"),
    ("SkipReason", "rewriteSkipped"),
    ("RewriteOutcome", "rewrite"),
    ("StreamOutcome", "stream.outcome"),
    ("MirrorOutcome", "mirror.outcome"),
    ("InjectAnchor", "inject"),
    ("LimitReason", "limitReason"),
    ("SelectionReason", "selection.reason"),
    ("SelectionScope", "selection.scope"),
];
