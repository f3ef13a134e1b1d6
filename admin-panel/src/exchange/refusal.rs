//! Refusals: a code that programs decide by, a sentence for people, and whatever helps to go on.

use http::{HeaderName, HeaderValue, StatusCode};
use serde::Serialize;
use serde_json::{Value, json};

use super::{Body, Reply};
use crate::outside::DatabaseError;

/// Why a request is refused. The name in JSON is the code that clients decide by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ErrorCode {
    AccessUnavailable,
    AccountDisabled,
    AlreadyClean,
    AlreadyLive,
    BadOrigin,
    CompileFailed,
    ConfirmationRequired,
    CrossOrigin,
    DraftChanged,
    Forbidden,
    ForbiddenOrigin,
    InternalError,
    InvalidInput,
    InvalidRouteId,
    InvalidToken,
    KvUnavailable,
    KvWriteFailed,
    LastAdmin,
    LastUser,
    MethodNotAllowed,
    MissingOrigin,
    NoPanelAccount,
    NotFound,
    NothingPublished,
    PublishConflict,
    RequestTooLarge,
    RevisionNotCompatible,
    RouteChanged,
    SnapshotCorrupt,
    SnapshotUnavailable,
    SubjectTaken,
    Unauthenticated,
    UnsupportedMediaType,
}

impl ErrorCode {
    const fn status(self) -> StatusCode {
        match self {
            Self::InvalidInput | Self::InvalidRouteId => StatusCode::BAD_REQUEST,
            Self::InvalidToken | Self::Unauthenticated => StatusCode::UNAUTHORIZED,
            Self::AccountDisabled
            | Self::BadOrigin
            | Self::CrossOrigin
            | Self::Forbidden
            | Self::ForbiddenOrigin
            | Self::MissingOrigin
            | Self::NoPanelAccount => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::AlreadyClean
            | Self::AlreadyLive
            | Self::ConfirmationRequired
            | Self::DraftChanged
            | Self::LastAdmin
            | Self::LastUser
            | Self::NothingPublished
            | Self::PublishConflict
            | Self::RouteChanged
            | Self::SnapshotCorrupt
            | Self::SnapshotUnavailable
            | Self::SubjectTaken => StatusCode::CONFLICT,
            Self::RequestTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::CompileFailed | Self::RevisionNotCompatible => StatusCode::UNPROCESSABLE_ENTITY,
            Self::InternalError => StatusCode::INTERNAL_SERVER_ERROR,
            Self::KvUnavailable | Self::KvWriteFailed => StatusCode::BAD_GATEWAY,
            Self::AccessUnavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

/// A refusal. Nothing was changed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Refused {
    pub(crate) code: ErrorCode,
    detail: Option<String>,
    fields: Body,
    headers: Vec<(HeaderName, HeaderValue)>,
    /// What went wrong, for the log alone.
    pub(crate) logged: Option<String>,
}

impl Refused {
    pub(crate) fn new(code: ErrorCode) -> Self {
        Self {
            code,
            detail: None,
            fields: Body::default(),
            headers: Vec::new(),
            logged: None,
        }
    }

    /// The same with a sentence for people.
    pub(crate) fn because(code: ErrorCode, detail: impl Into<String>) -> Self {
        Self {
            detail: Some(detail.into()),
            ..Self::new(code)
        }
    }

    /// A value that cannot be accepted, with what was expected of it.
    pub(crate) fn invalid(detail: impl Into<String>) -> Self {
        Self::because(ErrorCode::InvalidInput, detail)
    }

    pub(crate) fn not_found(detail: impl Into<String>) -> Self {
        Self::because(ErrorCode::NotFound, detail)
    }

    /// Something failed that the caller can do nothing about.
    pub(crate) fn internal(logged: impl Into<String>) -> Self {
        Self {
            logged: Some(logged.into()),
            ..Self::new(ErrorCode::InternalError)
        }
    }

    /// The same with one more member in its body.
    #[must_use]
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.fields = self.fields.with(name, value);
        self
    }

    /// The same with the members of an object in its body.
    #[must_use]
    pub(crate) fn with_all(mut self, members: impl Into<Value>) -> Self {
        self.fields = self.fields.with_all(members);
        self
    }

    /// The same with a header.
    #[must_use]
    pub(crate) fn header(mut self, name: HeaderName, value: &'static str) -> Self {
        self.headers.push((name, HeaderValue::from_static(value)));
        self
    }

    /// What programs and people read.
    pub(crate) fn body(&self) -> Value {
        let fields = self.fields.clone().with("error", json!(self.code));
        fields.with_some("detail", self.detail.clone()).into()
    }

    /// What is sent.
    pub(crate) fn reply(&self) -> Reply {
        let mut reply = Reply::json(self.code.status(), self.body());
        for (name, value) in &self.headers {
            reply.headers.append(name.clone(), value.clone());
        }
        reply
    }
}

impl From<DatabaseError> for Refused {
    fn from(error: DatabaseError) -> Self {
        Self::internal(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_has_a_code_a_sentence_and_whatever_helps() {
        let refused = Refused::because(ErrorCode::RouteChanged, "look again")
            .with("current", Value::Null)
            .with_all(json!({ "a": 1 }))
            .header(http::header::ALLOW, "POST");
        assert_eq!(
            refused.body(),
            json!({ "error": "route_changed", "detail": "look again", "current": null, "a": 1 })
        );
        let reply = refused.reply();
        assert_eq!(reply.status, StatusCode::CONFLICT);
        assert_eq!(reply.headers[http::header::ALLOW], "POST");
    }

    #[test]
    fn what_failed_inside_is_for_the_log_alone() {
        let refused = Refused::from(DatabaseError("D1_ERROR: secret detail".to_owned()));
        assert_eq!(refused.body(), json!({ "error": "internal_error" }));
        assert!(refused.logged.unwrap().contains("secret detail"));
    }

    #[test]
    fn codes_have_their_statuses() {
        for (code, name, status) in [
            (ErrorCode::InvalidRouteId, "invalid_route_id", 400),
            (ErrorCode::InvalidToken, "invalid_token", 401),
            (ErrorCode::MissingOrigin, "missing_origin", 403),
            (ErrorCode::NotFound, "not_found", 404),
            (ErrorCode::MethodNotAllowed, "method_not_allowed", 405),
            (ErrorCode::LastAdmin, "last_admin", 409),
            (ErrorCode::RequestTooLarge, "request_too_large", 413),
            (
                ErrorCode::UnsupportedMediaType,
                "unsupported_media_type",
                415,
            ),
            (ErrorCode::CompileFailed, "compile_failed", 422),
            (ErrorCode::KvWriteFailed, "kv_write_failed", 502),
            (ErrorCode::AccessUnavailable, "access_unavailable", 503),
        ] {
            assert_eq!(json!(code), name);
            assert_eq!(code.status(), status, "{name}");
        }
    }
}
