//! `cargo xtask setup` against a stand-in for an account.

use crate::stage::{Stage, database_id, namespace_id, templates};

#[test]
fn an_empty_account_gets_what_is_needed_and_a_second_run_changes_nothing() {
    let stage = Stage::new();
    let first = stage.xtask(&["setup"], &[]);
    assert!(first.succeeded, "{}", first.said);
    assert!(
        first
            .said
            .contains("admin-panel/wrangler.toml and wrangler.toml")
            && first.said.contains("out of commits"),
        "{}",
        first.said
    );
    assert_eq!(
        stage.calls(),
        [
            "wrangler whoami --json",
            "wrangler d1 list --json",
            "wrangler kv namespace list",
            "wrangler d1 create jouska-admin",
            "wrangler d1 list --json",
            "wrangler kv namespace create CONFIG_KV",
            "wrangler kv namespace list",
        ]
    );
    let [panel, proxy] = stage.files();
    assert!(panel.contains(&format!("\ndatabase_id = \"{}\"", database_id())));
    assert!(panel.contains(&format!("\nid = \"{}\"", namespace_id())));
    let switched_on = format!(
        "\n[[kv_namespaces]]\nbinding = \"CONFIG\"\nid = \"{}\"\n",
        namespace_id()
    );
    assert!(proxy.contains(&switched_on), "{proxy}");

    let second = stage.xtask(&["setup"], &[]);
    assert!(second.succeeded, "{}", second.said);
    assert!(second.said.contains("wired already"), "{}", second.said);
    assert!(!second.said.contains("changed"), "{}", second.said);
    assert_eq!(stage.files(), [panel, proxy]);
    assert_eq!(stage.calls_of("wrangler d1 create").len(), 1);
    assert_eq!(stage.calls_of("wrangler kv namespace create").len(), 1);
}

#[test]
fn what_is_there_already_is_taken() {
    let stage = Stage::new();
    stage.answer("d1-list", &stage.read("answers/d1-list.then"));
    let older = format!(
        r#"[{{"id":"{}","title":"jouska-admin-panel-CONFIG_KV"}}]"#,
        namespace_id()
    );
    stage.answer("kv-list", &older);
    stage.answer("kv-list.then", &older);
    let ran = stage.xtask(&["setup"], &[]);
    assert!(ran.succeeded, "{}", ran.said);
    assert!(stage.calls().iter().all(|call| !call.contains("create")));
    assert!(
        stage
            .files()
            .iter()
            .all(|file| file.contains(&namespace_id()))
    );
}

/// Runs a set-up that has to fail, and shows that it left the account and the files alone.
#[track_caller]
fn refused(stage: &Stage, variables: &[(&str, &str)], expected: &str) {
    let before = stage.files();
    let ran = stage.xtask(&["setup"], variables);
    assert!(!ran.succeeded, "{}", ran.said);
    assert!(ran.said.contains(expected), "{}", ran.said);
    assert_eq!(stage.files(), before);
    assert!(
        stage.calls().iter().all(|call| !call.contains("create")),
        "{:?}",
        stage.calls()
    );
}

#[test]
fn nobody_logged_in_changes_nothing() {
    let stage = Stage::new();
    stage.fail("whoami");
    refused(&stage, &[], "npx wrangler login");
    assert_eq!(stage.calls(), ["wrangler whoami --json"]);

    let stage = Stage::new();
    refused(
        &stage,
        &[("CLOUDFLARE_API_TOKEN", "t")],
        "CLOUDFLARE_ACCOUNT_ID",
    );
    assert!(stage.calls().is_empty());
}

#[test]
fn files_of_another_account_are_refused_before_anything_is_made() {
    for (index, place) in [
        (0, "set-by-cargo-xtask-setup"),
        (1, "set-by-cargo-xtask-setup"),
    ] {
        let stage = Stage::new();
        let (file, text) = &templates()[index];
        let other = text.replacen(place, "an-id-of-another-account", 1).replace(
            "# [[kv_namespaces]]\n# binding = \"CONFIG\"\n# id",
            "[[kv_namespaces]]\nbinding = \"CONFIG\"\nid",
        );
        stage.write(&format!("tree/{file}"), &other);
        refused(&stage, &[], "an-id-of-another-account");
    }
}

#[test]
fn what_is_ambiguous_is_listed_and_refused() {
    for (titles, expected) in [
        (
            &["CONFIG_KV", "jouska-admin-panel-CONFIG_KV"][..],
            "jouska-admin-panel-CONFIG_KV",
        ),
        (&["shop-CONFIG_KV"][..], "shop-CONFIG_KV"),
    ] {
        let stage = Stage::new();
        let entries: Vec<String> = titles
            .iter()
            .map(|title| format!(r#"{{"id":"id of {title}","title":"{title}"}}"#))
            .collect();
        stage.answer("kv-list", &format!("[{}]", entries.join(",")));
        refused(&stage, &[], expected);
    }
}

#[test]
fn what_cannot_be_read_back_is_a_failure() {
    for (key, what) in [("d1-list", "D1 database"), ("kv-list", "KV namespace")] {
        let stage = Stage::new();
        let before = stage.files();
        stage.answer(&format!("{key}.then"), "[]");
        let ran = stage.xtask(&["setup"], &[]);
        assert!(!ran.succeeded);
        assert!(
            ran.said.contains(what) && ran.said.contains("does not list it"),
            "{}",
            ran.said
        );
        assert_eq!(stage.files(), before);
    }
}

#[test]
fn a_failing_wrangler_ends_it() {
    for key in ["d1-list", "kv-list", "d1-create", "kv-create"] {
        let stage = Stage::new();
        let before = stage.files();
        stage.answer(key, "the reason");
        stage.fail(key);
        let ran = stage.xtask(&["setup"], &[]);
        assert!(
            !ran.succeeded && ran.said.contains("the reason"),
            "{key}: {}",
            ran.said
        );
        assert_eq!(stage.files(), before);
    }
}
