//! `jouska check`.

use crate::program::{check, jouska, jouska_reading};

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
fn slips_of_the_pen_are_warnings() {
    let table = r#"{ "routes": [
        { "id": "a", "match": { "path": "/a" }, "upstream": "a.example", "bodyRewrite": { "fallbackCharset": "utf8x" } },
        { "id": "a", "match": { "path": "/b" }, "upstream": "a.example" }
    ] }"#;
    check(
        &jouska_reading(table, &["check", "-", "--deny-warnings"]),
        1,
        &[
            "warning: no charset is known by the name \"utf8x\"",
            "warning: routes[0] goes by the id \"a\" too",
            "2 warnings",
        ],
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
