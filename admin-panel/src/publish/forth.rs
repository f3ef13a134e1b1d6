//! Publishing the draft, and the steps that a rollback takes too.

use jouska::config::digest;
use serde_json::{Value, json};

use super::meta::stamped;
use crate::{
    draft::{Compiled, Refusal},
    exchange::{Body, ErrorCode, Input, Refused},
    limits,
    store::{
        Actor,
        draft::{self, Draft, Reset},
        revisions::{self, Later, Record},
        settings::Live,
    },
    visit::Visit,
};

/// What a person says about a publish.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Request {
    pub(crate) note: Option<String>,
    /// That the dangers are meant. Anything but a plain `true` says nothing.
    pub(crate) confirmed: bool,
    /// The digest of what was looked at.
    pub(crate) expected: Option<String>,
}

impl Request {
    pub(crate) fn read(input: &Input) -> Result<Self, Refused> {
        Ok(Self {
            note: input.text("note", limits::NOTE)?,
            confirmed: input.get("confirm") == Some(&Value::Bool(true)),
            expected: expected_digest(input)?,
        })
    }
}

/// The digest of what was looked at, letter by letter: one that is blank is not the draft's either.
pub(crate) fn expected_digest(input: &Input) -> Result<Option<String>, Refused> {
    match input.get("expectedDigest") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(digest)) => Ok(Some(digest.clone())),
        Some(_) => Err(Refused::invalid("expectedDigest: expected a text")),
    }
}

/// Publishes the draft.
pub(crate) async fn publish(
    visit: &Visit,
    actor: &Actor,
    request: &Request,
) -> Result<Value, Refused> {
    let draft = draft::read(&*visit.outside).await?;
    let compiled = draft.compile().map_err(|Refusal { issues, empty }| {
        let refused = refused(ErrorCode::CompileFailed).with("issues", json!(issues));
        if empty {
            refused.with("empty", true)
        } else {
            refused
        }
    })?;
    if request
        .expected
        .as_ref()
        .is_some_and(|expected| *expected != compiled.digest)
    {
        return Err(refused(ErrorCode::DraftChanged).with("digest", compiled.digest));
    }
    let publication = Publication {
        draft: &draft,
        compiled: &compiled,
        rollback_of: None,
    };
    publication.check(visit, request).await?;
    let revision = publication.carry_out(visit, actor, request, None).await?;
    Ok(compiled
        .advice()
        .with("ok", true)
        .with("revision", revision)
        .with("routeCount", compiled.route_count)
        .with("digest", compiled.digest)
        .into())
}

/// A document that is to be published.
pub(super) struct Publication<'a> {
    /// The draft as it was read, for the numbers in it.
    pub(super) draft: &'a Draft,
    pub(super) compiled: &'a Compiled,
    pub(super) rollback_of: Option<u64>,
}

impl Publication<'_> {
    /// What has to be in order before anything is written.
    pub(super) async fn check(&self, visit: &Visit, request: &Request) -> Result<(), Refused> {
        let Self {
            draft, compiled, ..
        } = self;
        if let Some(live) = draft
            .settings
            .live()
            .filter(|live| live.digest == compiled.digest)
        {
            // A store that cannot be read says nothing, and what it then gets is what is meant anyway.
            let published = visit.outside.published().await.ok().flatten();
            if is_live(&live, published.as_deref()) {
                return Err(refused(ErrorCode::AlreadyLive).with("revision", live.revision));
            }
        }
        if !compiled.dangers.is_empty() && !request.confirmed {
            return Err(refused(ErrorCode::ConfirmationRequired)
                .with("digest", compiled.digest.clone())
                .with_all(compiled.advice()));
        }
        Ok(())
    }

    /// Claims a number, with `back_to` sets the draft back in the same transaction, writes the document, and records it.
    pub(super) async fn carry_out(
        &self,
        visit: &Visit,
        actor: &Actor,
        request: &Request,
        back_to: Option<&Reset<'_>>,
    ) -> Result<u64, Refused> {
        let Self {
            draft,
            compiled,
            rollback_of,
        } = self;
        let outside = &*visit.outside;
        let note = request.note.as_deref();
        let revision = draft.next_revision();
        if !revisions::claim(outside, draft, back_to, actor, visit.now).await? {
            return Err(refused(ErrorCode::PublishConflict));
        }
        let text = stamped(&compiled.document, revision, &actor.name, note, visit.now);
        if let Err(error) = outside.publish(&text).await {
            let mut refused = refused(ErrorCode::KvWriteFailed);
            refused.logged = Some(format!("revision {revision} could not be written: {error}"));
            return Err(refused);
        }
        let told = recorded(compiled)
            .with("revision", revision)
            .with("routeCount", compiled.route_count)
            .with_some("rollbackOf", *rollback_of)
            .with_some("note", note);
        let record = Record {
            revision,
            digest: &compiled.digest,
            document: &compiled.text,
            route_count: compiled.route_count,
            note,
            rollback_of: *rollback_of,
            told: told.into(),
        };
        if let Some(later) = revisions::record(outside, actor, &record, visit.now).await? {
            write_again(visit, &later).await;
        }
        Ok(revision)
    }
}

/// What the audit log keeps of the dangers and warnings. A line has to fit a row, or what is published already could
/// not be recorded; of a table with so many of them only their number is kept.
fn recorded(compiled: &Compiled) -> Body {
    let told = compiled
        .dangers
        .told()
        .with("warnings", compiled.warnings());
    let size = Value::from(told.clone()).to_string().len();
    if size <= MOST_RECORDED {
        return told;
    }
    Body::default()
        .with("dangerCount", compiled.dangers.len())
        .with("warningCount", compiled.warnings.len())
}

/// Bytes.
const MOST_RECORDED: usize = 256 * 1024;

/// Writes a document again that was published while ours was on its way: ours may have arrived last.
async fn write_again(visit: &Visit, later: &Later) {
    let Ok(document) = serde_json::from_str::<Value>(&later.document) else {
        return;
    };
    let note = later.note.as_deref();
    let text = stamped(&document, later.revision, &later.actor, note, later.at);
    if let Err(error) = visit.outside.publish(&text).await {
        visit.outside.complain(&format!(
            "revision {} could not be written again, so the proxy may read an older one until the next publish: {error}",
            later.revision
        ));
    }
}

/// Whether the text that the proxy reads is what is recorded as live. One that is missing, broken or older is not.
pub(crate) fn is_live(live: &Live, published: Option<&str>) -> bool {
    published
        .and_then(|text| serde_json::from_str::<Value>(text).ok())
        .is_some_and(|document| digest(&document) == live.digest)
}

/// A refusal to publish, with the sentence that belongs to it.
pub(super) fn refused(code: ErrorCode) -> Refused {
    let detail = match code {
        ErrorCode::CompileFailed => "the draft has mistakes; mend what is listed",
        ErrorCode::DraftChanged => "the draft is no longer what was looked at; look again",
        ErrorCode::ConfirmationRequired => {
            "the document has switches that do harm where they are not meant; confirm that they are"
        }
        ErrorCode::PublishConflict => {
            "somebody else is publishing at this moment; look at what they did and try again"
        }
        ErrorCode::KvWriteFailed => {
            "the document could not be written where the proxy reads it, which serves what it served before; try again"
        }
        ErrorCode::RevisionNotCompatible => "the revision has mistakes by today's rules",
        _ => return Refused::new(code).with("ok", false),
    };
    Refused::because(code, detail).with("ok", false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_proxy_reads_is_compared_without_meta() {
        let document = json!({ "routes": [], "version": 1 });
        let live = Live {
            revision: 3,
            digest: digest(&document),
        };
        for (published, expected) in [
            (None, false),
            (Some("{"), false),
            (Some(r#"{"routes":[]}"#), false),
            (Some(r#"{"version":1,"routes":[]}"#), true),
            (
                Some(r#"{"meta":{"revision":9},"version":1,"routes":[]}"#),
                true,
            ),
        ] {
            assert_eq!(is_live(&live, published), expected, "{published:?}");
        }
    }
}
