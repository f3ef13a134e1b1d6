//! Every test there is, in order: `cargo xtask test`.

use crate::check;
use crate::conformance;
use crate::failure::Failure;
use crate::process;
use crate::steps::{self, Step};
use crate::tools::{Tools, nginx};
use crate::worker::{self, Profile};
use crate::workspace::Workspace;

/// A test program in JavaScript. It ends with a status other than 0 if anything in it failed.
struct Suite {
    name: &'static str,
    /// The program, relative to the root.
    script: &'static str,
    arguments: &'static [&'static str],
    /// The Worker crate it drives: its build is handed over as `--worker DIR`.
    worker: &'static str,
    /// Whether it needs nginx.
    nginx: bool,
}

/// The suites in JavaScript. A new one is a line here.
const SUITES: &[Suite] = &[
    Suite {
        name: "a real site, crawled through the proxy",
        script: "tests/crawl/crawl.mjs",
        arguments: &[],
        worker: "examples/reverse-proxy",
        nginx: true,
    },
    Suite {
        name: "the published HTTP cache tests",
        script: "tests/cache/suite.mjs",
        arguments: &[],
        worker: "examples/reverse-proxy",
        nginx: false,
    },
    Suite {
        name: "many visitors, one cache",
        script: "tests/cache/visitors.mjs",
        arguments: &["--rounds", "500"],
        worker: "examples/reverse-proxy",
        nginx: false,
    },
];

/// Runs everything.
///
/// # Errors
/// If the set-up fails, or any step after it.
pub(crate) fn run(workspace: &Workspace) -> Result<(), Failure> {
    println!("== set-up");
    let tools = Tools::install(workspace)?;

    let mut all = check::steps(workspace, &tools);
    all.push(Step::new("the other crates' tests", || {
        check::cargo(workspace, "test --locked --workspace --exclude jouska")
    }));
    for runtime in ["host", "workerd"] {
        all.push(Step::new(format!("conformance on {runtime}"), move || {
            conformance::run(workspace, &["--runtime".into(), runtime.into()])
        }));
    }
    all.extend(
        SUITES
            .iter()
            .map(|suite| Step::new(suite.name, || run_suite(workspace, &tools, suite))),
    );
    steps::run_all(all)
}

fn run_suite(workspace: &Workspace, tools: &Tools, suite: &Suite) -> Result<(), Failure> {
    if suite.nginx {
        nginx::install(workspace)?;
    }
    let built = worker::build(workspace, tools, suite.worker, Profile::Release)?;
    process::run(
        tools
            .node()
            .arg(workspace.root.join(suite.script))
            .arg("--worker")
            .arg(built)
            .args(suite.arguments)
            .current_dir(&workspace.root),
    )
}
