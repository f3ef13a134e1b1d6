//! `jouska`: checks route tables and explains what they do with a request.
//!
//! Everything it knows it has from the library; what it adds is the way to a place in a file, and the form in which a
//! person or a program reads the answer.

mod check;
mod explain;
mod finding;
mod input;
mod json;
mod line;
mod place;
mod snippet;
mod style;

use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::{Parser, Subcommand, ValueEnum};

use jouska::config::schema::json_schema;

use input::{Input, Unreadable};

/// Checks route tables of jouska, and explains what they do with a request.
#[derive(Debug, Parser)]
#[command(name = "jouska", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Tell everything that is wrong with a table, or worth knowing about it.
    ///
    /// Ends with status 1 if there are errors, else with 0.
    Check(check::Arguments),
    /// Tell which route takes a request, and why each one above it does not.
    ///
    /// Ends with status 0 whether or not a route takes it, and with 1 if the table has errors.
    Explain(explain::Arguments),
    /// Print the JSON Schema of tables, with which editors complete and check while one types.
    ///
    /// A table names the file it is kept in: "$schema": "./schema.json".
    Schema,
}

/// How an answer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// Nothing is wrong with the table.
    InOrder,
    /// The table is refused.
    Refused,
}

/// Why a command could not do its work, which says nothing about the table.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    #[error("{0}")]
    Usage(String),
    #[error("the answer could not be written: {0}")]
    Output(#[from] io::Error),
}

fn main() -> ExitCode {
    // Colours are left out where nobody sees them: off a terminal, and where NO_COLOR is set.
    let mut out = anstream::AutoStream::auto(io::stdout()).lock();
    let ended = run(Arguments::parse().command, &mut out)
        .and_then(|outcome| Ok(out.flush().map(|()| outcome)?));
    match ended {
        Ok(Outcome::InOrder) => ExitCode::SUCCESS,
        Ok(Outcome::Refused) => ExitCode::from(1),
        // Whoever read the answer has seen enough of it.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(failure) => {
            let mut err = anstream::AutoStream::auto(io::stderr());
            // Nothing can be done where even this cannot be written.
            let _ = writeln!(err, "{}: {failure}", style::ERROR.on("error"));
            ExitCode::from(2)
        }
    }
}

fn run(command: Command, out: &mut impl Write) -> Result<Outcome, Failure> {
    match command {
        Command::Check(arguments) => check::run(&arguments, out),
        Command::Explain(arguments) => explain::run(&arguments, out),
        Command::Schema => {
            check::write_json(&json_schema(), out)?;
            Ok(Outcome::InOrder)
        }
    }
}

/// The file every command reads.
#[derive(Debug, clap::Args)]
struct FileArgument {
    /// The table: a JSON file, or `-` for standard input.
    file: String,
}

impl FileArgument {
    fn read(&self) -> Result<Input, Unreadable> {
        Input::read(&self.file)
    }
}
