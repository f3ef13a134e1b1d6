//! The router as a [`tower_layer::Layer`], so that an axum application stands behind a route table.
//!
//! It takes the runtime's own request, not an `http` one: what a route takes stays native, body and all, and only what no
//! route takes is converted for the service behind.

use std::{
    fmt,
    future::poll_fn,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body::Body;
use tower_layer::Layer;
use tower_service::Service;

use super::{Handled, Router, glue, head};
use crate::sources::TableError;

/// Puts a [`Router`] in front of a service, for one request. Made by [`Router::layer`].
#[derive(Clone)]
pub struct RouterLayer {
    router: Router,
    env: Rc<worker::Env>,
    context: Rc<worker::Context>,
}

/// A service with a [`Router`] in front of it.
///
/// It answers what a route takes, and asks the service behind for everything else.
#[derive(Clone)]
pub struct Routed<S> {
    layer: RouterLayer,
    behind: S,
}

/// A request could not be answered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RoutedError<E> {
    /// There is no table, and never was one in this isolate.
    #[error(transparent)]
    Table(TableError),
    /// The service behind failed.
    #[error("the service behind the router failed")]
    Service(#[source] E),
    /// The message could not be converted between the runtime's form and that of `http`.
    #[error("the message could not be converted: {0}")]
    Message(String),
}

impl Router {
    /// This router in front of a service that takes what falls through, such as an `axum::Router`.
    ///
    /// The layer holds what the runtime handed over for one request, so it is made in the fetch handler. Services that
    /// need `env` or `context` themselves share them by [`Rc`].
    pub fn layer(
        &self,
        env: impl Into<Rc<worker::Env>>,
        context: impl Into<Rc<worker::Context>>,
    ) -> RouterLayer {
        RouterLayer {
            router: self.clone(),
            env: env.into(),
            context: context.into(),
        }
    }
}

impl<S> Layer<S> for RouterLayer {
    type Service = Routed<S>;

    fn layer(&self, behind: S) -> Self::Service {
        Routed {
            layer: self.clone(),
            behind,
        }
    }
}

impl<S, B> Service<web_sys::Request> for Routed<S>
where
    S: Service<http::Request<worker::Body>, Response = http::Response<B>> + Clone + 'static,
    B: Body<Data = Bytes> + 'static,
{
    type Response = web_sys::Response;
    type Error = RoutedError<S::Error>;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>>>>;

    /// Always ready: most requests never get to the service behind, which is asked when one does.
    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: web_sys::Request) -> Self::Future {
        let RouterLayer {
            router,
            env,
            context,
        } = self.layer.clone();
        let mut behind = self.behind.clone();
        Box::pin(async move {
            let handled = router.handle(request, &env, &context).await;
            let request = match handled.map_err(RoutedError::Table)? {
                Handled::Answered(response) => return Ok(response),
                Handled::FellThrough(request) => converted(&request)?,
            };
            poll_fn(|context| behind.poll_ready(context))
                .await
                .map_err(RoutedError::Service)?;
            let response = behind.call(request).await.map_err(RoutedError::Service)?;
            worker::response_to_wasm(response)
                .map_err(|error| RoutedError::Message(error.to_string()))
        })
    }
}

/// The runtime's request as one of `http`. The conversion that `worker` has is not used: it gives up on a header that is
/// not ASCII, and panics where the runtime names a version of HTTP that it does not know.
fn converted<E>(request: &web_sys::Request) -> Result<http::Request<worker::Body>, RoutedError<E>> {
    let refused = |what: String| RoutedError::Message(what);
    let head = head::request(glue::read_request(request))
        .ok_or_else(|| refused("its URL is no http or https URL".to_owned()))?;
    let uri = request
        .url()
        .parse()
        .map_err(|error: http::uri::InvalidUri| refused(error.to_string()))?;
    let body = request
        .body()
        .map_or_else(worker::Body::empty, worker::Body::new);
    let mut converted = http::Request::new(body);
    *converted.method_mut() = head.method;
    *converted.uri_mut() = uri;
    *converted.headers_mut() = head.headers;
    Ok(converted)
}

impl fmt::Debug for RouterLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RouterLayer").finish_non_exhaustive()
    }
}

impl<S> fmt::Debug for Routed<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Routed").finish_non_exhaustive()
    }
}
