//! The provision window: whether the next person whom Access admits becomes an administrator. It goes by what the database holds, not by
//! what was deployed.

use std::time::{SystemTime, UNIX_EPOCH};

use super::database;
use super::github;
use super::wrangler::Wrangler;
use crate::failure::Failure;
use crate::workspace::Workspace;

/// What is to be done about the window.
#[derive(Debug, PartialEq, Eq)]
enum Decision {
    /// Somebody can sign in, so none may stay open.
    Close,
    /// Nobody can: open one that ends at this second.
    Open {
        /// Seconds since 1970.
        deadline: u64,
    },
}

/// Opens or closes the window. Nothing that goes wrong here stops a deployment; it is said.
///
/// # Errors
/// If wrangler is not there at all.
pub(crate) fn run(workspace: &Workspace) -> Result<(), Failure> {
    let wrangler = Wrangler::find(workspace)?;
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs();
    let decision = match database::count(&wrangler, COUNT_ADMINS) {
        Ok(admins) => decide(admins, now),
        Err(failure) => {
            github::warning(&format!(
                "how many administrators there are cannot be read, so the provision window stays as it is: {failure}"
            ));
            return Ok(());
        }
    };
    match (database::query(&wrangler, &decision.sql()), &decision) {
        (Ok(_), Decision::Close) => {
            github::notice("there is an administrator, so no provision window is open");
        }
        (Ok(_), Decision::Open { .. }) => github::notice(&format!(
            "there is no administrator: the next person whom Access admits within {DAYS} days becomes one, and the window closes behind them. Sign in now."
        )),
        (Err(failure), _) => github::warning(&format!(
            "the provision window could not be written: {failure}. If nobody can sign in, run the workflow \"Reset admin panel accounts\"."
        )),
    }
    Ok(())
}

fn decide(admins: u64, now: u64) -> Decision {
    if admins > 0 {
        Decision::Close
    } else {
        Decision::Open {
            deadline: now.saturating_add(DAYS * 24 * 60 * 60),
        }
    }
}

impl Decision {
    /// Only a number that was computed here goes into the text.
    fn sql(&self) -> String {
        match self {
            Self::Close => "DELETE FROM settings WHERE key = 'provision_window'".to_owned(),
            Self::Open { deadline } => format!(
                "INSERT INTO settings (key, value) VALUES ('provision_window', '{{\"deadline\":{deadline}}}') \
                 ON CONFLICT (key) DO UPDATE SET value = excluded.value"
            ),
        }
    }
}

const COUNT_ADMINS: &str =
    "SELECT COUNT(*) AS count FROM users WHERE role = 'admin' AND disabled = 0";
const DAYS: u64 = 7;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_for_a_panel_without_administrators() {
        for (admins, now, expected) in [
            (0, 1_000, Decision::Open { deadline: 605_800 }),
            (0, u64::MAX, Decision::Open { deadline: u64::MAX }),
            (1, 1_000, Decision::Close),
            (7, 1_000, Decision::Close),
        ] {
            assert_eq!(decide(admins, now), expected, "{admins} {now}");
        }
    }

    #[test]
    fn the_deadline_is_json_in_the_setting() {
        let sql = Decision::Open { deadline: 605_800 }.sql();
        assert!(sql.contains(r#"'{"deadline":605800}'"#), "{sql}");
        assert!(sql.contains("ON CONFLICT (key) DO UPDATE"), "{sql}");
    }
}
