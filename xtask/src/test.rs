//! Every test there is, in order: `cargo xtask test`.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::account::deploy;
use crate::bundle;
use crate::check;
use crate::conformance;
use crate::failure::Failure;
use crate::process;
use crate::steps::{self, Step};
use crate::tools::{Tools, mdbook, system};
use crate::worker::{self, Profile};
use crate::workspace::Workspace;

/// A test program in JavaScript. It ends with a status other than 0 if anything in it failed.
struct Suite {
    name: &'static str,
    /// The program, relative to the root.
    script: &'static str,
    arguments: &'static [&'static str],
    /// The Worker crate it drives, with a feature if need be: its build is handed over as `--worker DIR`.
    worker: &'static str,
    /// The proxy that reads what that Worker writes, if it is needed: handed over as `--proxy DIR`.
    proxy: Option<&'static str>,
    /// Whether it needs nginx.
    nginx: bool,
    /// Whether it needs Chromium.
    chromium: bool,
}

/// The suites in JavaScript. A new one is a line here.
const SUITES: &[Suite] = &[
    Suite {
        name: "a real site, crawled through the proxy",
        script: "tests/crawl/crawl.mjs",
        arguments: &[],
        worker: "examples/reverse-proxy",
        proxy: None,
        nginx: true,
        chromium: false,
    },
    Suite {
        name: "events that stream token by token",
        script: "tests/streams/sse.mjs",
        arguments: &["--seconds", "10"],
        worker: "tests/worker",
        proxy: None,
        nginx: false,
        chromium: false,
    },
    Suite {
        name: "large bodies, many at once and copied",
        script: "tests/streams/bodies.mjs",
        arguments: &[],
        worker: "tests/worker",
        proxy: None,
        nginx: false,
        chromium: false,
    },
    Suite {
        name: "WebSockets, both ways",
        script: "tests/streams/websocket.mjs",
        arguments: &[],
        worker: "examples/reverse-proxy",
        proxy: None,
        nginx: false,
        chromium: false,
    },
    Suite {
        name: "a long mixed load on one isolate",
        script: "tests/streams/soak.mjs",
        arguments: &["--requests", "5000"],
        worker: "tests/worker",
        proxy: None,
        nginx: false,
        chromium: false,
    },
    Suite {
        name: "the same site elsewhere, with markup added and words replaced",
        script: "tests/crawl/crawl.mjs",
        arguments: &[
            "--pages",
            "150",
            "--prefix",
            "/docs",
            "--base",
            "/base",
            "--inject",
            "--replace",
        ],
        worker: "examples/reverse-proxy",
        proxy: None,
        nginx: true,
        chromium: false,
    },
    Suite {
        name: "the demo shop, walked by a browser",
        script: "tests/browser/demo.mjs",
        arguments: &[],
        worker: "examples/reverse-proxy",
        proxy: None,
        nginx: false,
        chromium: true,
    },
    Suite {
        name: "an axum application behind a route table",
        script: "tests/embedding/axum.mjs",
        arguments: &[],
        worker: "examples/axum",
        proxy: None,
        nginx: false,
        chromium: false,
    },
    Suite {
        name: "the published HTTP cache tests",
        script: "tests/cache/suite.mjs",
        arguments: &[],
        worker: "examples/reverse-proxy",
        proxy: None,
        nginx: false,
        chromium: false,
    },
    Suite {
        name: "many visitors, one cache",
        script: "tests/cache/visitors.mjs",
        arguments: &["--rounds", "500"],
        worker: "examples/reverse-proxy",
        proxy: None,
        nginx: false,
        chromium: false,
    },
    Suite {
        name: "stored answers in memory",
        script: "tests/cache/memory.mjs",
        arguments: &[],
        worker: "examples/reverse-proxy",
        proxy: None,
        nginx: false,
        chromium: false,
    },
    Suite {
        name: "what the reference Worker tells about itself",
        script: "tests/status/suite.mjs",
        arguments: &[],
        worker: "examples/reverse-proxy",
        proxy: None,
        nginx: false,
        chromium: false,
    },
    Suite {
        name: "the tenant edge, before an origin that dies",
        script: "tests/tenant/suite.mjs",
        arguments: &[],
        worker: "examples/tenant-edge",
        proxy: None,
        nginx: false,
        chromium: false,
    },
    Suite {
        name: "the tenant edge, with domains in PostgreSQL",
        script: "tests/tenant/postgres.mjs",
        arguments: &[],
        worker: "examples/tenant-edge:hyperdrive",
        proxy: None,
        nginx: false,
        chromium: false,
    },
    Suite {
        name: "the tenant edge, with a route table per tenant",
        script: "tests/tenant/tables.mjs",
        arguments: &[],
        worker: "examples/tenant-edge:tables",
        proxy: None,
        nginx: false,
        chromium: false,
    },
    Suite {
        name: "the admin panel's interface",
        script: "tests/panel/suite.mjs",
        arguments: &[],
        worker: "admin-panel",
        proxy: Some("examples/reverse-proxy"),
        nginx: false,
        chromium: false,
    },
    Suite {
        name: "the admin panel's screens, used by a browser",
        script: "tests/panel-ui/suite.mjs",
        arguments: &[],
        worker: "admin-panel",
        proxy: Some("examples/reverse-proxy"),
        nginx: false,
        chromium: true,
    },
];

/// Runs every step, or those whose names contain `only`.
///
/// # Errors
/// If the set-up fails, or any step after it, or if there is no such step.
pub(crate) fn run(workspace: &Workspace, only: Option<&str>) -> Result<(), Failure> {
    println!("== set-up");
    let tools = Tools::install(workspace)?;
    // Asked now: a step that compiles puts another file in the place of this one.
    let this = env::current_exe()
        .map_err(|error| Failure::new(format!("this program's own path is unknown: {error}")))?;

    let mut all = check::steps(workspace, &tools);
    all.push(Step::new("the book", || {
        process::run(
            Command::new(mdbook::install(workspace)?)
                .arg("build")
                .current_dir(&workspace.root),
        )
    }));
    all.push(Step::new("the Workers' upload, played", || {
        deploy::build(workspace)
    }));
    for runtime in ["host", "workerd"] {
        all.push(Step::new(format!("conformance on {runtime}"), move || {
            conformance::run(workspace, &["--runtime".into(), runtime.into()])
        }));
    }
    all.push(Step::new(
        "the panel's accounts, on a local database",
        || accounts(workspace, &tools, &this),
    ));
    all.push(Step::new("the proxy on plain workerd", || {
        on_plain_workerd(workspace, &tools)
    }));
    all.extend(
        SUITES
            .iter()
            .map(|suite| Step::new(suite.name, || run_suite(workspace, &tools, suite))),
    );
    steps::run_all(steps::matching(all, only)?)
}

/// Plays the steps that change the panel's database, with this very program.
fn accounts(workspace: &Workspace, tools: &Tools, this: &Path) -> Result<(), Failure> {
    process::run(
        tools
            .node()
            .arg(workspace.root.join("tests/deployment/accounts.mjs"))
            .arg("--xtask")
            .arg(this)
            .current_dir(&workspace.root),
    )
}

/// Makes a bundle and visits it.
fn on_plain_workerd(workspace: &Workspace, tools: &Tools) -> Result<(), Failure> {
    let folder = workspace.root.join("build/bundle");
    // What an earlier run left there would be kept as an operator's own.
    let _ = fs::remove_dir_all(&folder);
    bundle::run(workspace, &folder)?;
    process::run(
        tools
            .node()
            .arg(workspace.root.join("tests/embedding/workerd.mjs"))
            .arg("--bundle")
            .arg(&folder)
            .current_dir(&workspace.root),
    )
}

fn run_suite(workspace: &Workspace, tools: &Tools, suite: &Suite) -> Result<(), Failure> {
    if suite.nginx {
        system::NGINX.install(workspace)?;
    }
    if suite.chromium {
        system::CHROMIUM.install(workspace)?;
    }
    let mut program = tools.node();
    program.arg(workspace.root.join(suite.script));
    for (option, crate_dir) in [("--worker", Some(suite.worker)), ("--proxy", suite.proxy)] {
        if let Some(crate_dir) = crate_dir {
            let built = worker::build(workspace, tools, crate_dir, Profile::Release)?;
            program.arg(option).arg(built);
        }
    }
    process::run(program.args(suite.arguments).current_dir(&workspace.root))
}
