//! The workflow that resets the panel's accounts, played step by step.

use crate::stage::{Stage, counted};
use crate::workflow::{Played, Workflow};

const STEPS: [&str; 6] = [
    "Confirmation",
    "Find the database",
    "Say who will be removed",
    "Remove tokens and users",
    "Make sure that nobody is left",
    "Record it in the audit log",
];

fn play(stage: &Stage, confirmation: &str) -> Played {
    Workflow::load("reset-admin.yml").play(
        "reset",
        stage,
        &[
            ("secrets.CLOUDFLARE_API_TOKEN", "the-deploy-token"),
            ("secrets.CLOUDFLARE_ACCOUNT_ID", "the-account"),
            ("inputs.confirmation", confirmation),
        ],
    )
}

fn sql(stage: &Stage) -> Vec<String> {
    let calls = stage.calls_of("wrangler d1 execute jouska-admin --remote");
    calls
        .iter()
        .map(|call| call.split(" --command ").nth(1).unwrap().to_owned())
        .collect()
}

#[test]
fn accounts_go_and_are_recorded() {
    let stage = Stage::new();
    let played = play(&stage, "RESET");
    assert!(played.succeeded, "{}", played.log);
    let ran: Vec<&str> = played.steps.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(ran, STEPS);

    for line in [
        "ann@example.com (admin)",
        "bob@example.com (viewer, disabled)",
        "2 users and 3 MCP tokens",
        "Sign in at once",
    ] {
        assert!(played.log.contains(line), "{line} in {}", played.log);
    }
    assert_eq!(
        sql(&stage),
        [
            "SELECT subject, role, disabled FROM users ORDER BY id",
            "SELECT COUNT(*) AS count FROM mcp_tokens",
            "DELETE FROM mcp_tokens; DELETE FROM users",
            "SELECT COUNT(*) AS count FROM users",
            "INSERT INTO audit_log (at, actor, action, target, detail) VALUES (unixepoch(), 'workflow:admin-reset', 'users.reset', NULL, '{\"users\":2,\"tokens\":3}')",
        ]
    );
    // The empty table itself lets the next person in.
    assert!(
        stage
            .calls()
            .iter()
            .all(|call| !call.contains("provision_window"))
    );
}

#[test]
fn anything_but_the_word_stops_it_before_any_other_step() {
    for confirmation in [
        "",
        "reset",
        "RESET ",
        " RESET",
        "RESET; true",
        "$(echo RESET)",
        "\" = \"\" ] || true; #",
    ] {
        let stage = Stage::new();
        let played = play(&stage, confirmation);
        assert_eq!(played.failed_at(), Some("Confirmation"), "{confirmation}");
        assert_eq!(played.steps.len(), 1, "{confirmation}");
        assert!(
            stage.calls().is_empty(),
            "{confirmation}: {:?}",
            stage.calls()
        );
    }
}

#[test]
fn a_step_that_fails_is_the_last() {
    for (key, at) in [
        ("whoami", STEPS[1]),
        ("list-users", STEPS[2]),
        ("count-tokens", STEPS[2]),
        ("remove", STEPS[3]),
        ("count-users", STEPS[4]),
        ("audit", STEPS[5]),
    ] {
        let stage = Stage::new();
        stage.fail(key);
        let played = play(&stage, "RESET");
        assert_eq!(played.failed_at(), Some(at), "{}", played.log);
    }
}

#[test]
fn somebody_left_is_a_failure() {
    let stage = Stage::new();
    stage.answer("count-users", &counted(1));
    let played = play(&stage, "RESET");
    assert_eq!(played.failed_at(), Some(STEPS[4]));
    assert!(played.log.contains("1 users are left"), "{}", played.log);
}
