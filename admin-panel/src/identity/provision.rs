//! What becomes of a person whom Access lets in: the row decides where there is one, and where there is none it may be
//! made.

use serde::Deserialize;

use super::{Caller, Role, window};

/// What the deployment says about people the panel does not know.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum ProvisionPolicy {
    /// They are refused.
    #[default]
    Closed,
    /// They get this role.
    Open(Role),
    /// Something that means nothing, and counts as closed.
    Unknown(String),
}

impl ProvisionPolicy {
    pub(crate) fn read(variable: Option<String>) -> Self {
        match variable {
            None => Self::Closed,
            Some(text) => match Role::named(&text.to_ascii_lowercase()) {
                Some(role) => Self::Open(role),
                None => Self::Unknown(text),
            },
        }
    }
}

/// What the database knows about a person, and about who else there is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub(crate) struct Standing {
    pub(crate) id: Option<u64>,
    pub(crate) role: Option<Role>,
    pub(crate) disabled: Option<u64>,
    pub(crate) last_seen: Option<u64>,
    /// The setting of that name, as it is stored.
    pub(crate) provision_window: Option<String>,
    /// Whether there is any row at all.
    pub(crate) users: u64,
    /// Whether there is an admin who is not disabled.
    pub(crate) enabled_admins: u64,
}

/// What is done next about a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// The row lets the person in.
    Admit(Caller),
    /// The row keeps the person out.
    Disabled,
    /// A row is made, if what this rests on still holds while it is written.
    Make(Grant),
    /// Nothing makes a row.
    Refuse,
}

/// Why a row is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Grant {
    /// The provision window is open, and nobody could open the door from inside.
    Window,
    /// There is nobody yet.
    Founder,
    /// The deployment says so.
    Policy(Role),
}

impl Grant {
    pub(crate) const fn role(self) -> Role {
        match self {
            Self::Window | Self::Founder => Role::Admin,
            Self::Policy(role) => role,
        }
    }

    /// Its place in the order they are tried in.
    const fn rank(self) -> u8 {
        match self {
            Self::Window => 0,
            Self::Founder => 1,
            Self::Policy(_) => 2,
        }
    }

    /// How the audit log calls it.
    pub(crate) const fn via(self) -> &'static str {
        match self {
            Self::Window => "window",
            Self::Founder => "founder",
            Self::Policy(_) => "policy",
        }
    }
}

/// Decides about the person `subject`. `tried` is the last grant that was attempted in vain: somebody else was faster,
/// and what comes after it is tried.
pub(crate) fn next_step(
    subject: &str,
    standing: &Standing,
    policy: &ProvisionPolicy,
    tried: Option<Grant>,
    now: u64,
) -> Step {
    if let Some(id) = standing.id {
        return match standing.disabled {
            Some(0) => Step::Admit(Caller {
                id,
                subject: subject.to_owned(),
                role: standing.role.unwrap_or(Role::Viewer),
            }),
            _ => Step::Disabled,
        };
    }
    let is_open =
        standing.enabled_admins == 0 && window::is_open(standing.provision_window.as_deref(), now);
    let by_policy = match policy {
        ProvisionPolicy::Open(role) => Some(Grant::Policy(*role)),
        ProvisionPolicy::Closed | ProvisionPolicy::Unknown(_) => None,
    };
    [
        is_open.then_some(Grant::Window),
        (standing.users == 0).then_some(Grant::Founder),
        by_policy,
    ]
    .into_iter()
    .flatten()
    .find(|grant| tried.is_none_or(|tried| tried.rank() < grant.rank()))
    .map_or(Step::Refuse, Step::Make)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN: &str = r#"{"deadline":200}"#;

    fn standing(users: u64, enabled_admins: u64, window: Option<&str>) -> Standing {
        Standing {
            users,
            enabled_admins,
            provision_window: window.map(str::to_owned),
            ..Standing::default()
        }
    }

    fn known(role: Role, disabled: u64) -> Standing {
        Standing {
            id: Some(7),
            role: Some(role),
            disabled: Some(disabled),
            ..standing(1, 0, Some(OPEN))
        }
    }

    #[track_caller]
    fn check(standing: &Standing, policy: Option<&str>, tried: Option<Grant>, expected: &Step) {
        let policy = ProvisionPolicy::read(policy.map(str::to_owned));
        let step = next_step("a@b.c", standing, &policy, tried, 100);
        assert_eq!(step, *expected, "{standing:?} {policy:?} {tried:?}");
    }

    #[test]
    fn a_row_decides_whatever_it_says() {
        let admitted = |role| {
            Step::Admit(Caller {
                id: 7,
                subject: "a@b.c".to_owned(),
                role,
            })
        };
        check(
            &known(Role::Viewer, 0),
            Some("admin"),
            None,
            &admitted(Role::Viewer),
        );
        check(&known(Role::Admin, 0), None, None, &admitted(Role::Admin));
        check(&known(Role::Admin, 1), Some("admin"), None, &Step::Disabled);
    }

    #[test]
    fn without_a_row_the_window_comes_first_then_the_founder_then_the_policy() {
        use Grant::{Founder, Policy, Window};
        let make = Step::Make;
        check(&standing(0, 0, Some(OPEN)), None, None, &make(Window));
        check(&standing(3, 0, Some(OPEN)), None, None, &make(Window));
        check(&standing(3, 1, Some(OPEN)), None, None, &Step::Refuse);
        check(&standing(0, 0, None), Some("viewer"), None, &make(Founder));
        let viewers = Some("Viewer");
        check(
            &standing(1, 1, None),
            viewers,
            None,
            &make(Policy(Role::Viewer)),
        );
        check(&standing(1, 1, None), Some("owner"), None, &Step::Refuse);
        check(&standing(1, 1, None), None, None, &Step::Refuse);
    }

    #[test]
    fn who_comes_second_goes_on_to_the_next_grant() {
        use Grant::{Founder, Policy, Window};
        let empty = standing(0, 0, Some(OPEN));
        check(&empty, Some("admin"), Some(Window), &Step::Make(Founder));
        let policy = Step::Make(Policy(Role::Admin));
        check(&empty, Some("admin"), Some(Founder), &policy);
        check(&empty, None, Some(Founder), &Step::Refuse);
        check(
            &empty,
            Some("admin"),
            Some(Policy(Role::Admin)),
            &Step::Refuse,
        );
    }
}
