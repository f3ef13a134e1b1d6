//! `/api/health` and `/api/auth/*`: what is answered without asking who it is, or by asking only that.

use http::StatusCode;
use serde_json::json;

use crate::{
    exchange::{Body, Outcome, Reply},
    identity::{Admission, admit},
    visit::Visit,
};

/// That the Worker runs, and which build of it.
pub(crate) fn health(visit: &Visit) -> Reply {
    Reply::ok(json!({ "ok": true, "build": visit.config.build }))
}

/// Who the caller is, as the gate sees it.
pub(crate) async fn me(visit: &Visit) -> Outcome {
    let build = &visit.config.build;
    let nobody = Body::of(json!({ "user": null, "build": build }));
    match admit(visit).await? {
        Admission::Admitted(caller) => Ok(Reply::ok(json!({
            "user": { "userId": caller.id, "subject": caller.subject, "role": caller.role },
            "build": build,
        }))),
        Admission::Unknown(email) => Ok(Reply::ok(nobody.with("accessEmail", email))),
        Admission::Anonymous => Ok(Reply::ok(nobody)),
        Admission::NotConfigured => Ok(Reply::ok(nobody.with("identity", "not_configured"))),
        kept_out @ (Admission::Disabled | Admission::OtherApplication | Admission::Unavailable) => {
            match kept_out.or_refuse() {
                Err(refused) => Err(refused.with("build", build.clone())),
                // Nobody of these is let in.
                Ok(_) => Ok(Reply::empty(StatusCode::FORBIDDEN)),
            }
        }
    }
}

/// Where the browser goes to sign out. There is nothing here to be destroyed: the session is Access's own.
pub(crate) fn logout(visit: &Visit) -> Reply {
    let leave = visit
        .config
        .access
        .is_some()
        .then_some("/cdn-cgi/access/logout");
    Reply::ok(Body::of(json!({ "ok": true })).with_some("accessLogout", leave))
}
