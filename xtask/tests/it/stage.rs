//! A checkout and an account to play with: wrangler files in a folder of their own, and stubs that record their calls.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder with a checkout in `root`, the stubs' answers in `answers` and their records beside them. It is gone when this is.
pub(crate) struct Stage {
    pub(crate) folder: PathBuf,
}

impl Stage {
    /// A checkout of the templates, and an account in which everything works and nothing exists yet.
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "xtask-stage-{}-{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        );
        let stage = Self {
            folder: std::env::temp_dir().join(name),
        };
        for folder in ["answers", "tree/admin-panel", "tree/xtask"] {
            fs::create_dir_all(stage.folder.join(folder)).unwrap();
        }
        stage.write("calls", "");
        for (file, text) in templates() {
            stage.write(&format!("tree/{file}"), &text);
        }
        let (database, namespace) = (database_id(), namespace_id());
        for (key, answer) in [
            ("d1-list", "banner [1]\n[]".to_owned()),
            (
                "d1-list.then",
                format!(r#"[{{"uuid":"{database}","name":"jouska-admin"}}]"#),
            ),
            ("kv-list", "[]".to_owned()),
            (
                "kv-list.then",
                format!(r#"[{{"id":"{namespace}","title":"CONFIG_KV"}}]"#),
            ),
            (
                "deploy-panel",
                "Uploaded jouska-admin-panel\n  https://jouska-admin-panel.acme.workers.dev\n"
                    .to_owned(),
            ),
            (
                "deploy-proxy",
                "  https://jouska.acme.workers.dev\n".to_owned(),
            ),
            ("curl", "{\"ok\":true,\"build\":\"v1.0.0\"}\n200".to_owned()),
            ("count-admins", counted(0)),
            ("count-users", counted(0)),
            ("count-tokens", counted(3)),
            (
                "list-users",
                rows(
                    r#"{"subject":"ann@example.com","role":"admin","disabled":0},{"subject":"bob@example.com","role":"viewer","disabled":1}"#,
                ),
            ),
            ("open-window", rows("")),
            ("close-window", rows("")),
            ("remove", rows("")),
            ("audit", rows("")),
        ] {
            stage.answer(key, &answer);
        }
        stage
    }

    /// What the stub says to a call.
    pub(crate) fn answer(&self, key: &str, text: &str) {
        self.write(&format!("answers/{key}"), text);
    }

    /// Makes a call fail.
    pub(crate) fn fail(&self, key: &str) {
        self.answer(&format!("{key}.status"), "1");
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.join(name), text).unwrap();
    }

    /// The text of a file on the stage; nothing where there is none.
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.join(name)).unwrap_or_default()
    }

    /// The calls of all stubs so far, in order.
    pub(crate) fn calls(&self) -> Vec<String> {
        self.read("calls").lines().map(str::to_owned).collect()
    }

    /// The calls that begin like this.
    pub(crate) fn calls_of(&self, start: &str) -> Vec<String> {
        let mut calls = self.calls();
        calls.retain(|call| call.starts_with(start));
        calls
    }

    /// Both wrangler files as they stand.
    pub(crate) fn files(&self) -> [String; 2] {
        FILES.map(|file| self.read(&format!("tree/{file}")))
    }

    /// Runs `cargo xtask` with `words` on this stage.
    pub(crate) fn xtask(&self, words: &[&str], variables: &[(&str, &str)]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        self.dress(&mut command, variables);
        Ran::new(command.args(words).output().unwrap())
    }

    /// Gives a command this stage's environment and no other.
    pub(crate) fn dress(&self, command: &mut Command, variables: &[(&str, &str)]) {
        let stubs = stubs();
        let path = std::env::var("PATH").unwrap();
        command
            .env_clear()
            .env("PATH", format!("{}:{path}", stubs.display()))
            .env("HOME", &self.folder)
            .env("STAGE", &self.folder)
            .env("XTASK", env!("CARGO_BIN_EXE_xtask"))
            .env("CARGO_MANIFEST_DIR", self.folder.join("tree/xtask"))
            .env("JOUSKA_WRANGLER", stubs.join("wrangler"))
            .env("JOUSKA_CURL", stubs.join("curl"))
            .envs(variables.iter().copied())
            .current_dir(self.folder.join("tree"));
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// How a program ended, and all it printed.
pub(crate) struct Ran {
    pub(crate) succeeded: bool,
    pub(crate) said: String,
}

impl Ran {
    pub(crate) fn new(output: Output) -> Self {
        Self {
            succeeded: output.status.success(),
            said: [output.stdout, output.stderr]
                .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
                .join("\n"),
        }
    }
}

/// An answer of the database with these rows.
pub(crate) fn rows(rows: &str) -> String {
    format!(r#"[{{"results":[{rows}],"success":true,"meta":{{}}}}]"#)
}

/// An answer of the database with a count.
pub(crate) fn counted(count: u64) -> String {
    rows(&format!(r#"{{"count":{count}}}"#))
}

// Made here, because nothing in the repository may look like an id of an account.

/// The id of the database on the stage.
pub(crate) fn database_id() -> String {
    [
        "d1".repeat(4),
        "d1".repeat(2),
        "4444".into(),
        "8888".into(),
        "d1".repeat(6),
    ]
    .join("-")
}

/// The id of the namespace on the stage.
pub(crate) fn namespace_id() -> String {
    "c0ffee00".repeat(4)
}

/// The wrangler files, as they are committed.
pub(crate) fn templates() -> [(&'static str, String); 2] {
    FILES.map(|file| (file, fs::read_to_string(repository().join(file)).unwrap()))
}

/// The root of the repository.
pub(crate) fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn stubs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/stubs")
}

const FILES: [&str; 2] = ["admin-panel/wrangler.toml", "wrangler.toml"];
