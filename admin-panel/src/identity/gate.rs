//! The gate: from what a request proves to a caller, or to the reason why there is none.

use super::{Caller, Evidence, ProvisionPolicy, Step, evidence, next_step};
use crate::{
    exchange::{ErrorCode, Refused},
    store::users,
    visit::Visit,
};

/// What the gate says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Admission {
    /// Come in.
    Admitted(Caller),
    /// The deployment has no Access wiring, so that nobody is let in.
    NotConfigured,
    /// Nobody can tell who this is.
    Anonymous,
    /// A person with a token for another application.
    OtherApplication,
    /// It cannot be told who this is.
    Unavailable,
    /// Access knows the address, the panel does not.
    Unknown(String),
    /// The panel knows the address and keeps it out.
    Disabled,
}

/// Asks the gate. Where the panel does not know the person yet, a row may be made.
pub(crate) async fn admit(visit: &Visit) -> Result<Admission, Refused> {
    let outside = &*visit.outside;
    let subject = match evidence(&visit.config, &visit.head.headers, outside).await {
        Evidence::NotConfigured => return Ok(Admission::NotConfigured),
        Evidence::None => return Ok(Admission::Anonymous),
        Evidence::OtherApplication => return Ok(Admission::OtherApplication),
        Evidence::Unavailable => return Ok(Admission::Unavailable),
        Evidence::Email(email) => email,
    };
    let mut standing = users::standing(outside, &subject).await?;
    let mut tried = None;
    loop {
        match next_step(
            &subject,
            &standing,
            &visit.config.provision,
            tried,
            visit.now,
        ) {
            Step::Admit(caller) => {
                // A note beside the answer, which must not fail it.
                let noted = users::saw(outside, &caller, standing.last_seen, visit.now).await;
                if let Err(error) = noted {
                    outside.complain(&error.to_string());
                }
                return Ok(Admission::Admitted(caller));
            }
            Step::Disabled => return Ok(Admission::Disabled),
            Step::Refuse => {
                if let ProvisionPolicy::Unknown(text) = &visit.config.provision {
                    outside.complain(&format!(
                        "ACCESS_PROVISION_ROLE is {text:?}, which is neither \"admin\" nor \"viewer\": people the panel does not know are refused"
                    ));
                }
                return Ok(Admission::Unknown(subject));
            }
            Step::Make(grant) => {
                let window = standing.provision_window.as_deref();
                standing = users::provision(outside, &subject, grant, window, visit.now).await?;
                tried = Some(grant);
            }
        }
    }
}

impl Admission {
    /// The caller, or what everybody else is answered.
    pub(crate) fn or_refuse(self) -> Result<Caller, Refused> {
        let refused = |code, detail| Err(Refused::because(code, detail));
        match self {
            Self::Admitted(caller) => Ok(caller),
            Self::NotConfigured => refused(
                ErrorCode::Unauthenticated,
                "Cloudflare Access is not set up for this panel; set ACCESS_TEAM and ACCESS_AUD and deploy again",
            ),
            Self::Anonymous => refused(
                ErrorCode::Unauthenticated,
                "the request carries no valid token of Cloudflare Access",
            ),
            Self::OtherApplication => refused(
                ErrorCode::Forbidden,
                "the token was made for another Access application; ACCESS_AUD has to be the audience tag of this one",
            ),
            Self::Unavailable => refused(
                ErrorCode::AccessUnavailable,
                "the keys of the Access team cannot be had, so nobody can be recognised; check ACCESS_TEAM, and try again in a minute",
            ),
            Self::Unknown(email) => Err(Refused::because(
                ErrorCode::NoPanelAccount,
                "Cloudflare Access knows this address, and the panel does not; ask an admin to add it",
            )
            .with("accessEmail", email)),
            Self::Disabled => refused(
                ErrorCode::AccountDisabled,
                "this account is disabled; ask an admin to enable it",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::Role;

    #[test]
    fn everybody_who_is_kept_out_is_told_why_by_a_code_of_their_own() {
        for (admission, status, code) in [
            (Admission::NotConfigured, 401, "unauthenticated"),
            (Admission::Anonymous, 401, "unauthenticated"),
            (Admission::OtherApplication, 403, "forbidden"),
            (Admission::Unavailable, 503, "access_unavailable"),
            (Admission::Disabled, 403, "account_disabled"),
            (
                Admission::Unknown("a@b.c".to_owned()),
                403,
                "no_panel_account",
            ),
        ] {
            let refused = admission.clone().or_refuse().unwrap_err();
            assert_eq!(refused.body()["error"], code, "{admission:?}");
            assert_eq!(refused.reply().status, status, "{admission:?}");
        }
        let unknown = Admission::Unknown("a@b.c".to_owned()).or_refuse();
        assert_eq!(unknown.unwrap_err().body()["accessEmail"], "a@b.c");
        let caller = Caller {
            id: 1,
            subject: "a@b.c".to_owned(),
            role: Role::Viewer,
        };
        assert_eq!(Admission::Admitted(caller.clone()).or_refuse(), Ok(caller));
    }
}
