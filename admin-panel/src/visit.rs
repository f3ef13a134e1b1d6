//! One request, with everything a handler may ask about it.

use std::rc::Rc;

use jouska::{Unread, message::RequestHead};

use crate::{
    config::Config,
    exchange::{ErrorCode, Input, Refused, object},
    isolate::Isolate,
    outside::Door,
};

/// One request.
pub(crate) struct Visit {
    pub(crate) head: RequestHead,
    pub(crate) config: Config,
    /// Seconds since 1970, as it was when the request came.
    pub(crate) now: u64,
    pub(crate) outside: Door,
    pub(crate) isolate: Rc<Isolate>,
}

impl Visit {
    pub(crate) fn new(head: RequestHead, outside: Door, isolate: Rc<Isolate>) -> Self {
        Self {
            head,
            config: Config::read(&*outside),
            now: outside.now().as_secs(),
            outside,
            isolate,
        }
    }

    /// The header `name` as text; one that is no text is as good as none.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.headers.get(name)?.to_str().ok()
    }

    /// The body, whole.
    pub(crate) async fn body(&self, limit: usize) -> Result<Vec<u8>, Refused> {
        if !self.head.has_body {
            return Ok(Vec::new());
        }
        let declared = self
            .header("content-length")
            .and_then(|length| length.parse::<usize>().ok());
        let too_large = || {
            Refused::because(
                ErrorCode::RequestTooLarge,
                format!("expected a body of at most {limit} bytes; found a larger one"),
            )
        };
        if declared.is_some_and(|declared| declared > limit) {
            return Err(too_large());
        }
        self.outside
            .read(limit)
            .await
            .map_err(|unread| match unread {
                Unread::TooLarge => too_large(),
                Unread::Broken => Refused::invalid("the body broke off"),
            })
    }

    /// The members of the body.
    pub(crate) async fn input(&self, limit: usize) -> Result<Input, Refused> {
        self.body(limit).await.map(|body| Input::new(object(&body)))
    }
}

impl std::fmt::Debug for Visit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Visit")
            .field("head", &self.head)
            .finish_non_exhaustive()
    }
}
