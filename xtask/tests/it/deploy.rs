//! The deploy workflow, played step by step.

use std::process::Command;

use crate::stage::{Stage, counted, database_id, repository};
use crate::workflow::{Played, Workflow};

const SECRETS: [(&str, &str); 4] = [
    ("secrets.CLOUDFLARE_API_TOKEN", "the-deploy-token"),
    ("secrets.CLOUDFLARE_ACCOUNT_ID", "the-account"),
    ("secrets.ACCESS_TEAM", "the-team"),
    ("secrets.ACCESS_AUD", "the-audience"),
];

/// A stage whose checkout is a Git repository with a tag.
fn tagged() -> Stage {
    let stage = Stage::new();
    let made = Command::new("bash")
        .args(["-ec", "git init -q && git add . && git -c user.name=n -c user.email=e@example.com commit -qm first && git tag v1.0.0"])
        .current_dir(stage.folder.join("tree"))
        .status();
    assert!(made.unwrap().success());
    stage
}

fn play(stage: &Stage) -> Played {
    play_with(stage, &SECRETS)
}

fn play_with(stage: &Stage, secrets: &[(&str, &str)]) -> Played {
    Workflow::load("deploy.yml").play("deploy", stage, secrets)
}

/// A deployment that has to end at the step `at`; what comes after must not have run.
#[track_caller]
fn stops(stage: &Stage, at: &str, never: &[&str]) -> Played {
    let played = play(stage);
    assert_eq!(played.failed_at(), Some(at), "{}", played.log);
    for call in never {
        assert!(
            stage.calls_of(call).is_empty(),
            "{call} in {:?}",
            stage.calls()
        );
    }
    played
}

#[test]
fn a_first_deployment_takes_its_steps_in_order() {
    let stage = tagged();
    let played = play(&stage);
    assert!(played.succeeded, "{}", played.log);
    assert!(!played.log.contains("::warning::"), "{}", played.log);

    let starts = [
        "cargo xtask deploy build-id",
        "cargo xtask check",
        "cargo xtask deploy build",
        "cargo xtask setup",
        "wrangler whoami",
        "wrangler d1 list",
        "wrangler kv namespace list",
        "wrangler d1 create",
        "wrangler d1 list",
        "wrangler kv namespace create",
        "wrangler kv namespace list",
        "cargo xtask deploy migrate",
        "wrangler d1 migrations apply jouska-admin --remote",
        "cargo xtask deploy panel",
        "wrangler deploy --config admin-panel/wrangler.deploy.toml",
        "cargo xtask deploy probe",
        "curl --silent --show-error --max-time 10 ",
        "cargo xtask deploy window",
        "wrangler d1 execute jouska-admin --remote",
        "wrangler d1 execute jouska-admin --remote",
        "cargo xtask deploy secret",
        "wrangler secret put CF_API_TOKEN",
        "cargo xtask deploy proxy",
        "wrangler deploy --config wrangler.deploy.toml",
    ];
    let calls = stage.calls();
    assert_eq!(calls.len(), starts.len(), "{calls:#?}");
    for (call, start) in calls.iter().zip(starts) {
        assert!(call.starts_with(start), "{call} where {start} was expected");
    }
    assert!(
        calls
            .iter()
            .any(|call| call.ends_with("https://jouska-admin-panel.acme.workers.dev/api/health"))
    );

    let panel = stage.read("deployed-panel");
    for line in [
        "BUILD_ID = \"v1.0.0\"",
        "CF_ACCOUNT_ID = \"the-account\"",
        "ACCESS_TEAM = \"the-team\"",
        "ACCESS_AUD = \"the-audience\"",
        &format!("database_id = \"{}\"", database_id()),
    ] {
        assert!(panel.contains(line), "{line} in {panel}");
    }
    let proxy = stage.read("deployed-proxy");
    assert!(
        proxy.contains("BUILD_ID = \"v1.0.0\"") && !proxy.contains("the-account"),
        "{proxy}"
    );
    assert_eq!(stage.read("secret"), "the-deploy-token");
}

#[test]
fn no_secret_is_in_the_log_a_command_line_or_a_file_that_stays() {
    let stage = tagged();
    // wrangler repeats what it was given.
    let chatty = "the-deploy-token of the-account";
    stage.answer(
        "deploy-panel",
        &format!(
            "{chatty}, the-team and the-audience\nhttps://jouska-admin-panel.acme.workers.dev"
        ),
    );
    stage.answer("migrate", chatty);
    stage.answer("deploy-proxy", chatty);
    stage.fail("deploy-proxy");
    let played = play(&stage);
    assert_eq!(played.failed_at(), Some("Deploy the proxy"));

    let files = stage.files().concat();
    for (_, secret) in SECRETS {
        assert!(
            !played.log.contains(secret),
            "{secret} in the log: {}",
            played.log
        );
        assert!(
            stage.calls().iter().all(|call| !call.contains(secret)),
            "{secret} on a command line"
        );
        assert!(!files.contains(secret), "{secret} in a tracked file");
        assert!(
            !stage.read("environment").contains(secret),
            "{secret} while building"
        );
    }
    for file in [
        "tree/admin-panel/wrangler.deploy.toml",
        "tree/wrangler.deploy.toml",
    ] {
        assert!(!stage.folder.join(file).exists(), "{file} stayed behind");
    }
}

#[test]
fn what_must_work_stops_the_rest() {
    let after_setup = ["wrangler d1 migrations", "wrangler deploy"];
    for (key, at, never) in [
        ("check", "Check what pull requests check", &["wrangler"][..]),
        ("deploy", "Build both Workers", &["wrangler"]),
        ("whoami", "Find or make the resources", &after_setup),
        ("migrate", "Migrate the database", &["wrangler deploy"]),
        (
            "deploy-panel",
            "Deploy the panel",
            &["curl", "wrangler deploy --config wrangler"],
        ),
        ("deploy-proxy", "Deploy the proxy", &[]),
    ] {
        let stage = tagged();
        stage.fail(key);
        stops(&stage, at, never);
    }
}

#[test]
fn the_probe_decides_whether_the_proxy_follows() {
    for (answer, passes) in [
        ("\n302", true),
        ("no\n401", true),
        ("no\n403", true),
        ("{\"ok\":false}\n200", false),
        ("<html>\n200", false),
        ("{\"ok\":true}\n500", false),
        ("\n000", false),
    ] {
        let stage = tagged();
        stage.answer("curl", answer);
        if passes {
            let played = play(&stage);
            assert!(played.succeeded, "{answer}: {}", played.log);
            assert!(
                played.log.contains("::notice::") && played.log.contains("signed-in browser"),
                "{}",
                played.log
            );
            assert_eq!(stage.calls_of("curl").len(), 1);
        } else {
            stops(
                &stage,
                "Ask the panel whether it is well",
                &[
                    "wrangler d1 execute",
                    "wrangler secret",
                    "wrangler deploy --config wrangler",
                ],
            );
            assert_eq!(stage.calls_of("curl").len(), 6);
        }
    }
}

#[test]
fn a_panel_without_an_address_fails_its_probe() {
    let stage = tagged();
    stage.answer("deploy-panel", "Deployed to panel.example.com");
    let played = stops(&stage, "Ask the panel whether it is well", &["curl"]);
    assert!(
        played.log.contains("no workers.dev address"),
        "{}",
        played.log
    );
}

#[test]
fn the_window_goes_by_the_administrators_there_are() {
    let sql = |stage: &Stage| -> Vec<String> {
        let calls = stage.calls_of("wrangler d1 execute");
        calls
            .iter()
            .map(|call| call.split(" --command ").nth(1).unwrap().to_owned())
            .collect()
    };

    let stage = tagged();
    let played = play(&stage);
    assert!(
        played.log.contains("::notice::") && played.log.contains("within 7 days"),
        "{}",
        played.log
    );
    assert!(sql(&stage)[1].starts_with("INSERT INTO settings"));
    assert!(played.succeeded);

    let stage = tagged();
    stage.answer("count-admins", &counted(2));
    let played = play(&stage);
    assert_eq!(
        sql(&stage)[1],
        "DELETE FROM settings WHERE key = 'provision_window'"
    );
    assert!(
        played.succeeded && !played.log.contains("::warning::"),
        "{}",
        played.log
    );
}

#[test]
fn a_window_that_cannot_be_judged_or_written_only_warns() {
    for (key, answer, fails, calls) in [
        ("count-admins", "the database is away", true, 1),
        (
            "count-admins",
            "[{\"results\":[],\"success\":true}]",
            false,
            1,
        ),
        ("count-admins", "no JSON", false, 1),
        ("open-window", "the database is away", true, 2),
        ("open-window", "[{\"success\":false}]", false, 2),
    ] {
        let stage = tagged();
        stage.answer(key, answer);
        if fails {
            stage.fail(key);
        }
        let played = play(&stage);
        assert!(played.succeeded, "{}", played.log);
        let step = played
            .steps
            .iter()
            .find(|(name, _)| name == "Let the first administrator in");
        assert!(step.unwrap().1, "the step itself ends well");
        assert!(played.log.contains("::warning::"), "{}", played.log);
        assert_eq!(stage.calls_of("wrangler d1 execute").len(), calls);
        let points_at_the_reset = played.log.contains("Reset admin panel accounts");
        assert_eq!(points_at_the_reset, key == "open-window", "{}", played.log);
    }
}

#[test]
fn a_panel_without_access_is_deployed_with_a_warning() {
    for missing in ["ACCESS_TEAM", "ACCESS_AUD"] {
        let stage = tagged();
        let secrets: Vec<_> = SECRETS
            .into_iter()
            .filter(|(name, _)| !name.ends_with(missing))
            .collect();
        let played = play_with(&stage, &secrets);
        assert!(played.succeeded, "{}", played.log);
        assert!(
            played
                .log
                .contains(&format!("::warning::{missing} is not set")),
            "{}",
            played.log
        );
        assert!(
            !stage
                .read("deployed-panel")
                .contains(&format!("\n{missing} ="))
        );
    }
}

#[test]
fn the_panels_token_may_be_another_and_may_fail() {
    let stage = tagged();
    let mut secrets = SECRETS.to_vec();
    secrets.push(("secrets.PANEL_API_TOKEN", "the-reading-token"));
    assert!(play_with(&stage, &secrets).succeeded);
    assert_eq!(stage.read("secret"), "the-reading-token");

    let stage = tagged();
    stage.fail("secret");
    let played = play(&stage);
    assert!(played.succeeded, "{}", played.log);
    assert!(
        played.log.contains("::warning::") && played.log.contains("Domains screen"),
        "{}",
        played.log
    );
    assert_eq!(stage.calls_of("wrangler deploy").len(), 2);
}

/// The flags are curl's own: the real program, a real answer.
#[test]
fn the_probe_asks_with_curl() {
    use std::io::{Read, Write};

    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let mut seen = Vec::new();
        for answer in [
            "HTTP/1.1 500 Oops\r\nContent-Length: 4\r\nConnection: close\r\n\r\noops",
            "HTTP/1.1 302 Found\r\nLocation: https://acme.example/login\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        ] {
            let (mut socket, _) = listener.accept().unwrap();
            let mut request = [0; 1024];
            let length = socket.read(&mut request).unwrap();
            socket.write_all(answer.as_bytes()).unwrap();
            seen.push(String::from_utf8_lossy(&request[..length]).into_owned());
        }
        seen
    });
    let stage = Stage::new();
    let path = std::env::var("PATH").unwrap();
    let ran = stage.xtask(
        &["deploy", "probe", &address, "--pause", "0"],
        &[
            ("JOUSKA_CURL", "curl"),
            ("PATH", &path),
            ("GITHUB_ACTIONS", "true"),
        ],
    );
    assert!(ran.succeeded, "{}", ran.said);
    assert!(
        ran.said.contains("attempt 1 of 6: 500 oops") && ran.said.contains("::notice::"),
        "{}",
        ran.said
    );
    let seen = server.join().unwrap();
    assert!(
        seen.iter()
            .all(|request| request.starts_with("GET /api/health ")),
        "{seen:?}"
    );
}

/// A deployment by hand reads its guide; the warning above names it.
#[test]
fn the_guide_is_there() {
    assert!(repository().join("docs/deployment.md").is_file());
}
