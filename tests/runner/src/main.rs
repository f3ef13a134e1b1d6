//! `cargo run -p jouska-conformance -- --runtime workerd`

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use jouska_conformance::case::{Case, load};
use jouska_conformance::driver::Driver;
use jouska_conformance::host::Host;
use jouska_conformance::report::{Lists, Report};
use jouska_conformance::run::play_all;
use jouska_conformance::workerd::Workerd;

/// Plays the conformance cases against a running proxy.
#[derive(Debug, Parser)]
struct Arguments {
    /// What the proxy runs on.
    #[arg(long, value_enum, default_value_t = Runtime::Workerd)]
    runtime: Runtime,
    /// The folder of case files [default: tests/conformance].
    #[arg(long, value_name = "DIR")]
    cases: Option<PathBuf>,
    /// Plays only the cases of an area.
    #[arg(long, value_name = "NAME")]
    area: Option<String>,
    /// Plays only cases whose id contains this.
    #[arg(long, value_name = "ID")]
    case: Option<String>,
    /// How many cases are played at once.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_JOBS)]
    jobs: usize,
    /// Lists the cases instead of playing them.
    #[arg(long)]
    list: bool,
    /// Cases that fail for now, one id a line [default: tests/conformance/expected-failures.txt, and none for other --cases].
    #[arg(long, value_name = "FILE")]
    expected_failures: Option<PathBuf>,
    /// Writes the result of every case as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// The folder of the built Worker, for workerd [default: tests/worker/build].
    #[arg(long, value_name = "DIR")]
    worker: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Runtime {
    /// The core on its fake platform, in virtual time.
    Host,
    /// The real runtime, with the compiled Worker.
    Workerd,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            // Nothing can be done where even this cannot be written.
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::from(2)
        }
    }
}

/// Whether nothing unexpected happened.
fn run(arguments: &Arguments) -> Result<bool, Box<dyn std::error::Error>> {
    let root = repository()?;
    let own_cases = root.join("tests/conformance");
    let folder = arguments.cases.as_ref().unwrap_or(&own_cases);
    let cases = load(folder)?;
    let lists = read_lists(arguments, &own_cases, folder, &cases)?;
    let (waived, chosen): (Vec<&Case>, Vec<&Case>) = cases
        .iter()
        .filter(|case| is_chosen(arguments, case))
        .partition(|case| lists.waives(&case.id));
    if chosen.is_empty() && waived.is_empty() {
        return Err("no case is chosen: look at --list".into());
    }
    let mut out = io::stdout().lock();
    if arguments.list {
        for case in chosen {
            writeln!(out, "{}  {}", case.id, case.rule)?;
        }
        return Ok(true);
    }
    let driver: Box<dyn Driver> = match arguments.runtime {
        Runtime::Host => Box::new(Host),
        Runtime::Workerd => {
            let built = arguments
                .worker
                .clone()
                .unwrap_or_else(|| root.join("tests/worker/build"));
            Box::new(Workerd::start(&root, &built)?)
        }
    };
    let played = play_all(driver.as_ref(), &chosen, arguments.jobs);
    let report = Report::new(played, &lists, driver.name(), waived.len());
    // Whatever its ending may print comes before the count, which is the last line.
    drop(driver);
    if let Some(file) = &arguments.json {
        report.write_json(file)?;
    }
    report.print(&mut out)?;
    Ok(report.is_good())
}

/// The lists belong to the repository's own cases; another folder has only what it is given.
fn read_lists(
    arguments: &Arguments,
    own_cases: &Path,
    folder: &Path,
    cases: &[Case],
) -> Result<Lists, Box<dyn std::error::Error>> {
    if let Some(file) = arguments
        .expected_failures
        .as_ref()
        .filter(|file| !file.is_file())
    {
        return Err(format!("{}: no such list", file.display()).into());
    }
    let is_own = folder.canonicalize()? == own_cases.canonicalize()?;
    let own = |name: &str| is_own.then(|| own_cases.join(name));
    let expected_failures = arguments
        .expected_failures
        .clone()
        .or_else(|| own("expected-failures.txt"));
    Ok(Lists::read(
        expected_failures.as_deref(),
        own("waived.json").as_deref(),
        cases,
    )?)
}

fn is_chosen(arguments: &Arguments, case: &Case) -> bool {
    arguments
        .area
        .as_ref()
        .is_none_or(|area| *area == case.area)
        && arguments
            .case
            .as_ref()
            .is_none_or(|part| case.id.contains(part.as_str()))
}

/// The repository: the nearest folder upwards that holds the cases.
fn repository() -> io::Result<PathBuf> {
    let here = std::env::current_dir()?;
    here.ancestors()
        .find(|folder| folder.join("tests/conformance/FORMAT.md").is_file())
        .map(Path::to_owned)
        .ok_or_else(|| {
            io::Error::other("run this inside the repository: no tests/conformance/FORMAT.md above")
        })
}

/// Measured on two cores: a case is 80 ms of work and about twice as much waiting, so that six keep both busy.
const DEFAULT_JOBS: usize = 6;
