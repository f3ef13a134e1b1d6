//! `jouska explain`.

use crate::program::{check, jouska};

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
