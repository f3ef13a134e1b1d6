//! The program as people and programs meet it: what it prints, and the status it ends with.
//!
//! Snapshots hold the prose, so that a change of a message is read as one. `INSTA_UPDATE=always` accepts new ones.

use std::{
    io::Write,
    process::{Command, Stdio},
};

/// Runs the program in the folder of fixtures and returns everything it said, with its status.
fn jouska(arguments: &[&str]) -> String {
    jouska_reading("", arguments)
}

fn jouska_reading(input: &str, arguments: &[&str]) -> String {
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
fn check(said: &str, status: u8, expected: &[&str]) {
    assert!(said.ends_with(&format!("[status {status}]\n")), "{said}");
    for part in expected {
        assert!(said.contains(part), "{part}\n{said}");
    }
}

#[test]
fn ten_typical_mistakes_get_ten_messages() {
    insta::assert_snapshot!(jouska(&["check", "mistakes.json"]));
}

#[test]
fn a_text_that_is_no_json_is_told_where_it_breaks() {
    insta::assert_snapshot!(jouska(&["check", "comma.json"]));
}

#[test]
fn a_table_that_works_is_told_what_may_not_be_meant() {
    insta::assert_snapshot!(jouska(&["check", "careless.json"]));
}

#[test]
fn programs_are_told_the_same() {
    insta::assert_snapshot!(jouska(&["check", "careless.json", "--format", "json"]));
    let refused = jouska(&["check", "mistakes.json", "--format", "json"]);
    check(
        &refused,
        1,
        &[
            "\"verdict\": \"refused\"",
            "\"errors\": 9",
            "\"kind\": \"reserved_header\"",
        ],
    );
}

#[test]
fn warnings_are_denied_where_that_is_asked_for() {
    check(&jouska(&["check", "careless.json"]), 0, &["ok: "]);
    let denied = jouska(&["check", "careless.json", "--deny-warnings"]);
    check(&denied, 1, &["denied: careless.json could be served, but"]);
    // Dangers are no mistakes: whoever means them could not mend them.
    check(
        &jouska(&["check", "order.json", "--deny-warnings"]),
        0,
        &["danger: "],
    );
}

#[test]
fn a_table_is_read_from_standard_input() {
    let said = jouska_reading("\u{feff}{ \"routes\": [] }", &["check", "-"]);
    check(
        &said,
        1,
        &[" --> standard input:1:3 (routes)\n", "  |   ^^^^^^^^\n"],
    );
}

#[test]
fn what_cannot_be_read_is_no_verdict_on_a_table() {
    check(
        &jouska(&["check", "none.json"]),
        2,
        &["error: none.json cannot be read: "],
    );
    check(&jouska(&["check"]), 2, &["<FILE>"]);
    check(&jouska(&[]), 2, &["check", "explain"]);
}

#[test]
fn off_a_terminal_there_are_no_colours() {
    let said = jouska(&["check", "mistakes.json"]);
    assert!(!said.contains('\u{1b}'), "{said:?}");
}

#[test]
fn a_request_is_explained_route_by_route() {
    let said = [
        jouska(&[
            "explain",
            "order.json",
            "--url",
            "https://a.example.com/%61pi//x%2Fy?q=1",
        ]),
        jouska(&[
            "explain",
            "order.json",
            "--url",
            "https://shop.example.com/api/cart",
            "--method",
            "delete",
            "--header",
            "X-Canary: off",
            "--cookie",
            "beta=",
        ]),
        jouska(&["explain", "order.json", "--url", "https://old.example.com/"]),
        jouska(&[
            "explain",
            "order.json",
            "--url",
            "https://other.example.net/?lang=de",
        ]),
    ];
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn a_request_is_explained_to_programs() {
    insta::assert_snapshot!(jouska(&[
        "explain",
        "order.json",
        "--url",
        "https://shop.example.com/?lang=de-AT",
        "--format",
        "json",
    ]));
}

#[test]
fn a_table_with_errors_explains_nothing() {
    let said = jouska(&["explain", "mistakes.json", "--url", "https://a.b/"]);
    check(&said, 1, &["refused: mistakes.json cannot be served"]);
}

#[test]
fn a_request_that_cannot_be_sent_is_told() {
    for (arguments, expected) in [
        (["--url", "a.b/x"].as_slice(), "--url: expected a whole URL"),
        (
            &["--url", "https://a.b/", "--method", "G T"],
            "--method: expected a method",
        ),
        (
            &["--url", "https://a.b/", "--header", "x"],
            "--header: expected NAME:VALUE",
        ),
        (
            &["--url", "https://a.b/", "--header", "x y:1"],
            "--header: expected NAME:VALUE",
        ),
        (
            &["--url", "https://a.b/", "--cookie", "beta"],
            "--cookie: expected NAME=VALUE",
        ),
    ] {
        let said = jouska(&[&["explain", "order.json"], arguments].concat());
        check(&said, 2, &[expected]);
    }
}
