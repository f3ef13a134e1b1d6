//! Running the program.

use std::{
    io::Write,
    process::{Command, Stdio},
};

/// Runs the program in the folder of fixtures and returns everything it said, with its status.
pub(crate) fn jouska(arguments: &[&str]) -> String {
    jouska_reading("", arguments)
}

/// The same with something to read.
pub(crate) fn jouska_reading(input: &str, arguments: &[&str]) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_jouska"))
        .args(arguments)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that does not read its input may have ended already.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    format!(
        "{}{}[status {}]\n",
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
        output.status.code().unwrap(),
    )
}

/// Checks how the program ends and that its answer contains all of `expected`.
#[track_caller]
pub(crate) fn check(said: &str, status: u8, expected: &[&str]) {
    assert!(said.ends_with(&format!("[status {status}]\n")), "{said}");
    for part in expected {
        assert!(said.contains(part), "{part}\n{said}");
    }
}
