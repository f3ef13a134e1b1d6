//! How a step talks to the workflow that runs it: notes on the run's page, and values for later steps.
//!
//! Outside a workflow the notes are plain lines, and the values go nowhere.

use std::env;
use std::fs::OpenOptions;
use std::io::Write;

use crate::failure::Failure;

/// Something to know.
pub(super) fn notice(text: &str) {
    note("notice", text);
}

/// Something that is not as it should be, and stops nothing.
pub(super) fn warning(text: &str) {
    note("warning", text);
}

/// Gives later steps of the job the variable `name`.
///
/// # Errors
/// If the runner's file cannot be written.
pub(super) fn set_variable(name: &str, value: &str) -> Result<(), Failure> {
    append("GITHUB_ENV", name, value)
}

/// Gives the step the output `name`.
///
/// # Errors
/// If the runner's file cannot be written.
pub(super) fn set_output(name: &str, value: &str) -> Result<(), Failure> {
    append("GITHUB_OUTPUT", name, value)
}

fn note(level: &str, text: &str) {
    if env::var_os("GITHUB_ACTIONS").is_some() {
        println!("::{level}::{}", escaped(text));
    } else {
        println!("{level}: {text}");
    }
}

/// A command of the runner ends with its line.
fn escaped(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn append(file_variable: &str, name: &str, value: &str) -> Result<(), Failure> {
    let Some(path) = env::var_os(file_variable) else {
        return Ok(());
    };
    let line = assignment(name, value)?;
    OpenOptions::new()
        .append(true)
        .create(true)
        .open(&path)
        .and_then(|mut file| file.write_all(line.as_bytes()))
        .map_err(|error| Failure::new(format!("cannot write the file in {file_variable}: {error}")))
}

/// A value with a line break could assign other names after it.
fn assignment(name: &str, value: &str) -> Result<String, Failure> {
    if value.contains(['\n', '\r']) {
        return Err(Failure::new(format!(
            "the value of {name} has a line break"
        )));
    }
    Ok(format!("{name}={value}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_one_line() {
        assert_eq!(escaped("100%\r\nsure"), "100%25%0D%0Asure");
    }

    #[test]
    fn a_value_is_one_line() {
        assert_eq!(assignment("A", "b c").unwrap(), "A=b c\n");
        assert!(assignment("A", "b\nPATH=x").is_err());
    }
}
