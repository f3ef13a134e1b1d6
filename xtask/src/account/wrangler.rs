//! Calling wrangler.

use std::env;
use std::io::Write;
use std::process::{Command, Stdio};

use crate::failure::Failure;
use crate::process;
use crate::tools;
use crate::workspace::Workspace;

/// The wrangler of this checkout, or whatever stands in for it.
#[derive(Debug)]
pub(super) struct Wrangler<'a> {
    workspace: &'a Workspace,
    base: Base,
    /// Texts that no log may show, because they are secrets of the pipeline.
    hidden: Vec<String>,
}

#[derive(Debug)]
enum Base {
    /// The pinned one among the JavaScript tools, with the PATH it needs.
    Installed(std::ffi::OsString),
    /// The program that `JOUSKA_WRANGLER` names.
    Named(std::ffi::OsString),
}

/// What a call printed, and whether it succeeded.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) succeeded: bool,
    /// Standard output.
    pub(super) out: String,
    /// Standard error.
    pub(super) err: String,
}

impl<'a> Wrangler<'a> {
    /// Finds wrangler, installing the pinned one unless `JOUSKA_WRANGLER` names another program.
    ///
    /// # Errors
    /// If it is missing and cannot be installed.
    pub(super) fn find(workspace: &'a Workspace) -> Result<Self, Failure> {
        let base = match env::var_os(PROGRAM_VARIABLE).filter(|program| !program.is_empty()) {
            Some(program) => Base::Named(program),
            None => Base::Installed(tools::node_path(workspace)?),
        };
        let hidden = HIDDEN_VARIABLES
            .iter()
            .filter_map(|name| env::var(name).ok())
            .map(|value| value.trim().to_owned())
            .filter(|value| !value.is_empty())
            .collect();
        Ok(Self {
            workspace,
            base,
            hidden,
        })
    }

    /// Calls wrangler in the root of the workspace and waits for what it says. It is never asked anything back: a question would hang.
    ///
    /// # Errors
    /// If it cannot be started. How it ended is in what is returned.
    pub(super) fn call(&self, arguments: &[&str]) -> Result<Said, Failure> {
        let ended = process::finished(&mut self.command(arguments))?;
        Ok(Said {
            succeeded: ended.status.success(),
            out: String::from_utf8_lossy(&ended.stdout).into_owned(),
            err: String::from_utf8_lossy(&ended.stderr).into_owned(),
        })
    }

    /// As [`Wrangler::call`], where only success will do.
    ///
    /// # Errors
    /// If it cannot be started or fails; what it said is the message.
    pub(super) fn ask(&self, arguments: &[&str]) -> Result<Said, Failure> {
        let said = self.call(arguments)?;
        if said.succeeded {
            return Ok(said);
        }
        let words = [said.out.trim(), said.err.trim()].join("\n");
        Err(Failure::new(format!(
            "`wrangler {}` failed:\n{}",
            arguments.join(" "),
            self.redacted(words.trim())
        )))
    }

    /// Calls wrangler with `input` on its standard input, and lets nobody see what it prints.
    ///
    /// # Errors
    /// If it cannot be started or fails. What it said is left out, because it may repeat the input.
    pub(super) fn feed(&self, arguments: &[&str], input: &str) -> Result<(), Failure> {
        let mut command = self.command(arguments);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| process::not_started(&command, &error))?;
        if let Some(mut pipe) = child.stdin.take() {
            // A program that ends without reading breaks the pipe; its status then says what matters.
            let _ = pipe.write_all(input.as_bytes());
        }
        let line = arguments.join(" ");
        match child.wait() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(Failure::new(format!(
                "`wrangler {line}` ended with {status}"
            ))),
            Err(error) => Err(Failure::new(format!("lost `wrangler {line}`: {error}"))),
        }
    }

    /// `text` without the secrets of the pipeline, should wrangler have repeated any.
    pub(super) fn redacted(&self, text: &str) -> String {
        redacted(text, &self.hidden)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = match &self.base {
            Base::Installed(path) => {
                let mut command = Command::new("wrangler");
                command.env("PATH", path);
                command
            }
            Base::Named(program) => Command::new(program),
        };
        command
            .args(arguments)
            .env("WRANGLER_SEND_METRICS", "false")
            .current_dir(&self.workspace.root);
        command
    }
}

fn redacted(text: &str, hidden: &[String]) -> String {
    hidden.iter().fold(text.to_owned(), |text, value| {
        text.replace(value.as_str(), "***")
    })
}

/// Names another program to call instead of wrangler.
const PROGRAM_VARIABLE: &str = "JOUSKA_WRANGLER";
/// The pipeline's secrets, as the deployment documents them.
const HIDDEN_VARIABLES: [&str; 5] = [
    "CLOUDFLARE_API_TOKEN",
    "CLOUDFLARE_ACCOUNT_ID",
    "ACCESS_TEAM",
    "ACCESS_AUD",
    "PANEL_API_TOKEN",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_is_not_repeated() {
        let hidden = ["s3cret".to_owned(), "acme".to_owned()];
        assert_eq!(
            redacted("token s3cret of acme, s3cret", &hidden),
            "token *** of ***, ***"
        );
        assert_eq!(redacted("nothing", &[]), "nothing");
    }
}
