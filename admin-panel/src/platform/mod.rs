//! The panel on Cloudflare's runtime: the traits of [`crate::outside`] carried out, and no decisions.

mod glue;

use std::{rc::Rc, time::Duration};

use http::{HeaderName, Method};
use jouska::{
    Unread, WorkersPlatform,
    guards::access::{
        jwks,
        jwt::{self, Application, Identity, Rejection},
    },
    headers::HeaderEdits,
    message::Answer,
    platform::{Call, CallBody, Clock, Deliver, Fetch, HeaderBase, Random, ReadBody, Redirect},
    time::Timestamp,
};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use worker::{Context, Env};

use crate::{
    exchange::Reply,
    outside::{
        Database, DatabaseError, Identities, Pending, Proxy, Published, Rows, Statement,
        Surroundings, Upload, Web,
    },
};

/// One request's door to the runtime.
#[derive(Debug, Clone)]
pub(crate) struct Workers {
    platform: WorkersPlatform,
    env: JsValue,
    context: JsValue,
    keys: Rc<jwks::Memory>,
}

impl Workers {
    pub(crate) fn new(
        request: web_sys::Request,
        env: &Env,
        context: &Context,
        keys: Rc<jwks::Memory>,
    ) -> Self {
        Self {
            platform: WorkersPlatform::new(request, env, context),
            env: AsRef::<JsValue>::as_ref(env).clone(),
            context: JsValue::from(AsRef::<worker::worker_sys::Context>::as_ref(context)),
            keys,
        }
    }

    /// The head of the request.
    pub(crate) fn head(&self) -> Option<jouska::message::RequestHead> {
        self.platform.head()
    }

    /// The answer as the runtime sends it.
    pub(crate) fn response(&self, reply: Reply) -> web_sys::Response {
        let Reply {
            status,
            headers,
            body,
        } = reply;
        self.platform.make(Answer {
            status,
            headers,
            body,
        })
    }

    async fn text(promise: js_sys::Promise) -> Result<Option<String>, String> {
        match JsFuture::from(promise).await {
            Ok(value) => Ok(value.as_string()),
            Err(error) => Err(told(error)),
        }
    }
}

fn told(error: JsValue) -> String {
    match error.dyn_into::<js_sys::Error>() {
        Ok(error) => String::from(error.message()),
        Err(other) => format!("{other:?}"),
    }
}

impl Database for Workers {
    fn batch(&self, statements: Vec<Statement>) -> Pending<'_, Result<Vec<Rows>, DatabaseError>> {
        Box::pin(async move {
            let statements = serde_json::to_string(&statements)
                .map_err(|error| DatabaseError(error.to_string()))?;
            let rows = Self::text(glue::batch(&self.env, &statements))
                .await
                .map_err(DatabaseError)?
                .unwrap_or_default();
            serde_json::from_str(&rows).map_err(|error| DatabaseError(error.to_string()))
        })
    }
}

impl Published for Workers {
    fn published(&self) -> Pending<'_, Result<Option<String>, String>> {
        Box::pin(Self::text(glue::read_published(&self.env)))
    }

    fn publish<'a>(&'a self, text: &'a str) -> Pending<'a, Result<(), String>> {
        Box::pin(async move {
            Self::text(glue::write_published(&self.env, text))
                .await
                .map(drop)
        })
    }
}

impl Identities for Workers {
    fn verify<'a>(
        &'a self,
        token: &'a str,
        application: &'a Application,
    ) -> Pending<'a, Result<Identity, Rejection>> {
        Box::pin(jwt::verify(token, application, &self.keys, &self.platform))
    }

    fn context_email(&self) -> Pending<'_, Option<String>> {
        Box::pin(async move {
            let email = Self::text(glue::context_email(&self.context)).await;
            email.ok().flatten()
        })
    }
}

impl Web for Workers {
    fn get<'a>(&'a self, url: &'a str, token: &'a str) -> Pending<'a, Option<(u16, String)>> {
        Box::pin(async move {
            let mut edits = HeaderEdits::default();
            let bearer = http::HeaderValue::from_str(&format!("Bearer {token}")).ok()?;
            edits.set(http::header::AUTHORIZATION, bearer);
            edits.set(
                HeaderName::from_static("accept"),
                http::HeaderValue::from_static("application/json"),
            );
            let call = Call {
                url: url.to_owned(),
                method: Method::GET,
                base: HeaderBase::Empty,
                edits,
                body: CallBody::None,
                // The token must not travel to wherever a redirect points.
                redirect: Redirect::Manual,
                budget: DEADLINE,
                follow_visitor: false,
            };
            let fetched = self.platform.fetch(call).await.ok()?;
            let status = fetched.head.status.as_u16();
            let text = self
                .platform
                .read_text(fetched.response, MOST_BYTES, DEADLINE)
                .await?;
            Some((status, text))
        })
    }
}

impl Proxy for Workers {
    fn is_bound(&self) -> bool {
        glue::is_bound(&self.env, "PROXY")
    }

    fn status<'a>(&'a self, secret: &'a str) -> Pending<'a, Option<(u16, String)>> {
        Box::pin(async move {
            let answer = Self::text(glue::proxy_status(&self.env, STATUS_PATH, secret))
                .await
                .ok()??;
            let (status, text) = answer.split_once('\n')?;
            Some((status.parse().ok()?, text.to_owned()))
        })
    }
}

impl Upload for Workers {
    fn read(&self, limit: usize) -> Pending<'_, Result<Vec<u8>, Unread>> {
        Box::pin(self.platform.read_body(limit))
    }
}

impl Surroundings for Workers {
    fn now(&self) -> Timestamp {
        self.platform.now()
    }

    fn random(&self) -> [u8; 16] {
        self.platform.random()
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.platform.variable(name)
    }

    fn complain(&self, line: &str) {
        worker::console_error!("{line}");
    }

    fn behind(&self, work: Pending<'static, ()>) {
        self.platform.run_behind(work);
    }
}

/// How long Cloudflare's API may take.
const DEADLINE: Duration = Duration::from_secs(5);

/// Bytes that are read of its answers.
const MOST_BYTES: usize = 2_000_000;

/// Where the proxy tells its status.
const STATUS_PATH: &str = "/__jouska/status";
