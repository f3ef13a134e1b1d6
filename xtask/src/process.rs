//! Running other programs: streamed, watched in silence, or asked for their output.
//!
//! No child reads the terminal's input: a command that stops to ask a question would hang a build.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::failure::Failure;

/// Runs `command` with its output on the terminal.
///
/// # Errors
/// If the program cannot be started or does not exit with 0.
pub(crate) fn run(command: &mut Command) -> Result<(), Failure> {
    let status = command
        .stdin(Stdio::null())
        .status()
        .map_err(|error| not_started(command, &error))?;
    if status.success() {
        Ok(())
    } else {
        Err(Failure::new(format!(
            "`{}` ended with {status}",
            shown(command)
        )))
    }
}

/// Runs `command` with its output in the file `log`, and a line on the terminal every few seconds so that nobody takes it for hung.
///
/// # Errors
/// As [`run`]; the end of the log is part of the message.
pub(crate) fn run_logged(command: &mut Command, log: &Path) -> Result<(), Failure> {
    let file = File::create(log)
        .map_err(|error| Failure::new(format!("cannot write {}: {error}", log.display())))?;
    let same = file
        .try_clone()
        .map_err(|error| Failure::new(format!("cannot share {}: {error}", log.display())))?;
    let mut child = command
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(same)
        .spawn()
        .map_err(|error| not_started(command, &error))?;

    let started = Instant::now();
    let mut next_tick = TICK;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) => thread::sleep(POLL),
            Err(error) => return Err(Failure::new(format!("lost `{}`: {error}", shown(command)))),
        }
        if started.elapsed() >= next_tick {
            println!("    still at it after {} s", started.elapsed().as_secs());
            next_tick += TICK;
        }
    };
    if status.success() {
        return Ok(());
    }
    let text = fs::read_to_string(log).unwrap_or_default();
    Err(Failure::new(format!(
        "`{}` ended with {status}; the end of {}:\n{}",
        shown(command),
        log.display(),
        last_lines(&text, LOG_LINES_SHOWN)
    )))
}

/// Runs `command` and returns what it printed on standard output, without the last line break.
///
/// # Errors
/// If the program cannot be started or does not exit with 0; what it said on standard error is part of the message.
pub(crate) fn output(command: &mut Command) -> Result<String, Failure> {
    let Output {
        status,
        stdout,
        stderr,
    } = finished(command)?;
    if status.success() {
        Ok(String::from_utf8_lossy(&stdout).trim_end().to_owned())
    } else {
        Err(Failure::new(format!(
            "`{}` ended with {status}: {}",
            shown(command),
            String::from_utf8_lossy(&stderr).trim()
        )))
    }
}

/// Runs `command` and returns how it ended, with all that it printed.
///
/// # Errors
/// If the program cannot be started.
pub(crate) fn finished(command: &mut Command) -> Result<Output, Failure> {
    command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| not_started(command, &error))
}

/// The command as a person would type it, for messages.
fn shown(command: &Command) -> String {
    let mut line = command.get_program().to_string_lossy().into_owned();
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&argument.to_string_lossy());
    }
    line
}

/// The failure of a program that could not even be started.
pub(crate) fn not_started(command: &Command, error: &io::Error) -> Failure {
    let program = command.get_program().to_string_lossy();
    if error.kind() == io::ErrorKind::NotFound {
        Failure::new(format!("`{program}` is not installed, or not on PATH"))
    } else {
        Failure::new(format!("cannot start `{program}`: {error}"))
    }
}

fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let shown = lines
        .get(lines.len().saturating_sub(count)..)
        .unwrap_or_default();
    shown.join("\n")
}

/// How often a silent program is said to be still running.
const TICK: Duration = Duration::from_secs(10);
/// How often a silent program is looked at.
const POLL: Duration = Duration::from_millis(50);
/// How much of a failed program's log is worth repeating.
const LOG_LINES_SHOWN: usize = 30;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_log_is_its_last_lines() {
        assert_eq!(last_lines("a\nb\nc\n", 2), "b\nc");
        assert_eq!(last_lines("a", 2), "a");
        assert_eq!(last_lines("", 2), "");
    }

    #[test]
    fn a_missing_program_is_named() {
        let failure = run(&mut Command::new("no-such-program-here"))
            .unwrap_err()
            .to_string();
        assert!(
            failure.contains("`no-such-program-here` is not installed"),
            "{failure}"
        );
    }

    #[test]
    fn a_failing_program_is_shown_as_typed() {
        let failure = output(Command::new("sh").args(["-c", "echo why >&2; exit 3"]))
            .unwrap_err()
            .to_string();
        assert!(
            failure.contains("sh -c") && failure.contains("why") && failure.contains('3'),
            "{failure}"
        );
    }
}
