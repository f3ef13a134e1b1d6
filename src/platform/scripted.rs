//! A platform for unit tests: it answers by script, and its clock moves only when something waits.

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    future::{Future, ready},
    rc::Rc,
    time::Duration,
};

use bytes::Bytes;
use http::{HeaderMap, StatusCode};

use super::{Call, Clock, CopyBody, Fetch, FetchError, Fetched};
use crate::{message::ResponseHead, outcome::MirrorOutcome, time::Timestamp};

/// What happens to one request: after that long, a response with this status or an error. What takes longer than the
/// call's budget times out.
pub(crate) type Act = (u64, Result<u16, FetchError>);

/// The platform; clones share everything. A response is known by the number of the call that brought it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scripted(Rc<State>);

#[derive(Debug, Default)]
struct State {
    now: Cell<u64>,
    acts: RefCell<VecDeque<Act>>,
    calls: RefCell<Vec<(u64, Call)>>,
    discarded: RefCell<Vec<usize>>,
    body: RefCell<Option<Result<Bytes, MirrorOutcome>>>,
}

impl Scripted {
    /// Follows a script; what comes after its end cannot be reached.
    pub(crate) fn new(acts: impl IntoIterator<Item = Act>) -> Self {
        let scripted = Self::default();
        scripted.0.acts.borrow_mut().extend(acts);
        scripted
    }

    /// Has the visitor send this body, or break it off.
    pub(crate) fn with_body(self, body: Result<Bytes, MirrorOutcome>) -> Self {
        *self.0.body.borrow_mut() = Some(body);
        self
    }

    /// Lets time pass.
    pub(crate) fn pass(&self, millis: u64) {
        self.0.now.set(self.0.now.get() + millis);
    }

    /// The requests sent, each with the moment it was sent at.
    pub(crate) fn calls(&self) -> Vec<(u64, Call)> {
        self.0.calls.borrow().clone()
    }

    /// The responses whose connections were ended.
    pub(crate) fn discarded(&self) -> Vec<usize> {
        self.0.discarded.borrow().clone()
    }
}

impl Clock for Scripted {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.now.get())
    }

    async fn sleep(&self, duration: Duration) {
        self.pass(duration.as_millis() as u64);
    }
}

impl Fetch for Scripted {
    type Response = usize;

    async fn fetch(&self, call: Call) -> Result<Fetched<usize>, FetchError> {
        let budget = call.budget.as_millis() as u64;
        let number = self.0.calls.borrow().len();
        self.0.calls.borrow_mut().push((self.0.now.get(), call));
        let act = self.0.acts.borrow_mut().pop_front();
        let (after, result) = act.unwrap_or((0, Err(FetchError::Unreachable)));
        if after >= budget {
            self.pass(budget);
            return Err(FetchError::TimedOut);
        }
        self.pass(after);
        Ok(Fetched {
            head: ResponseHead {
                status: StatusCode::from_u16(result?).unwrap(),
                headers: HeaderMap::new(),
            },
            has_body: true,
            response: number,
        })
    }

    fn discard(&self, response: usize) {
        self.0.discarded.borrow_mut().push(response);
    }
}

impl CopyBody for Scripted {
    fn copy_body(
        &self,
        limit: usize,
    ) -> impl Future<Output = Result<Bytes, MirrorOutcome>> + use<> + 'static {
        let body = self.0.body.borrow().clone().unwrap_or(Ok(Bytes::new()));
        ready(body.and_then(|body| {
            let fits = body.len() <= limit;
            fits.then_some(body).ok_or(MirrorOutcome::BodyOverLimit)
        }))
    }
}
