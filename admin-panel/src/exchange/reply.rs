//! Answers.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use serde_json::Value;

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Reply {
    /// 200 with this value.
    pub(crate) fn ok(value: impl Into<Value>) -> Self {
        Self::json(StatusCode::OK, value)
    }

    /// A value under another status.
    pub(crate) fn json(status: StatusCode, value: impl Into<Value>) -> Self {
        Self::text(status, "application/json", value.into().to_string())
    }

    /// Bytes of some type.
    pub(crate) fn text(
        status: StatusCode,
        content_type: &'static str,
        body: impl Into<Bytes>,
    ) -> Self {
        let content_type = HeaderValue::from_static(content_type);
        Self {
            status,
            headers: HeaderMap::from_iter([(header::CONTENT_TYPE, content_type)]),
            body: body.into(),
        }
    }

    /// A status and nothing else.
    pub(crate) fn empty(status: StatusCode) -> Self {
        Self {
            status,
            headers: HeaderMap::new(),
            body: Bytes::new(),
        }
    }

    /// The same with a header.
    #[must_use]
    pub(crate) fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }
}
