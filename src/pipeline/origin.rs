//! Asking the upstream: the walk and the rewriting, as one errand that owns what it needs, because a cache may run it
//! behind the response.

use std::rc::Rc;

use http::{
    StatusCode,
    header::{CONTENT_ENCODING, IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_UNMODIFIED_SINCE},
};

use crate::{
    body::{Pending, Relay, StreamWatch},
    cache::{Asking, Failed, Filled},
    forward::{self, Errand, Exchange, Plan, Sent},
    headers::HeaderEdits,
    isolate::Isolate,
    message::{RequestHead, ResponseHead},
    outcome::{InjectReport, LimitReason, RewriteOutcome, SkipReason, StreamReport},
    platform::{BodyPlan, Delivery, Platform},
    request_id::RequestId,
    rewrite::{self, Delivered},
    table::{Forward, Route},
};

/// What asking takes.
pub(super) struct Origin<P: Platform> {
    pub(super) route: Rc<Route>,
    pub(super) forward: Rc<Forward>,
    pub(super) head: Rc<RequestHead>,
    pub(super) id: RequestId,
    /// The path to ask for.
    pub(super) path: String,
    pub(super) plan: Plan,
    /// What the guards change in the request.
    pub(super) admitted: HeaderEdits,
    pub(super) isolate: Rc<Isolate>,
    pub(super) platform: P,
}

/// What the event has to say about asking.
#[derive(Debug)]
pub(super) struct Account {
    /// Authority that answered, or the last one tried.
    pub(super) upstream: String,
    pub(super) attempts: u32,
    pub(super) ejected: Vec<String>,
    pub(super) limit_reason: Option<LimitReason>,
    pub(super) answer: AnswerAccount,
}

/// What the event has to say about an answer; the default is what there is to say where nobody answered.
#[derive(Debug, Default)]
pub(super) struct AnswerAccount {
    pub(super) status: StatusCode,
    /// Whether this is the 101 of a WebSocket, which is passed on as it is.
    pub(super) upgraded: bool,
    pub(super) body_rewritten: bool,
    pub(super) rewrite_skipped: Option<SkipReason>,
    pub(super) redirect_rewritten: bool,
    pub(super) stream: Option<Pending<StreamReport>>,
    pub(super) rewrite: Option<Pending<RewriteOutcome>>,
    pub(super) inject: Option<Pending<InjectReport>>,
}

impl<P: Platform> Origin<P> {
    /// Walks the candidates and says what becomes of the answer.
    pub(super) async fn ask(
        self: Rc<Self>,
        asking: Asking,
    ) -> Result<Filled<P::Response, Account>, Failed<Account>> {
        let mut auth = self.admitted.clone();
        let errand = match asking {
            Asking::Bypass | Asking::Miss => Errand::Visitor,
            Asking::Refresh => {
                // The visitor's conditions are about the visitor's copy; a 304 would be no answer to the store.
                for name in [
                    IF_MATCH,
                    IF_NONE_MATCH,
                    IF_MODIFIED_SINCE,
                    IF_UNMODIFIED_SINCE,
                ] {
                    auth.remove(name);
                }
                Errand::Refresh
            }
        };
        let request = forward::Request {
            head: &self.head,
            path: &self.path,
            label: self.route.label(),
            request_id: self.id.as_str(),
            auth: &auth,
            errand,
        };
        let Sent {
            result,
            attempts,
            upstream,
            ejected,
            limit_reason,
        } = forward::send(
            &self.forward.upstream,
            &self.plan,
            request,
            &self.isolate.forward,
            &self.platform,
        )
        .await;
        let account = Account {
            upstream,
            attempts,
            ejected,
            limit_reason,
            answer: AnswerAccount::default(),
        };
        match result {
            Ok(exchange) => Ok(self.filled(exchange, account)),
            Err(failure) => Err(Failed {
                failure,
                facts: account,
            }),
        }
    }

    fn filled(
        &self,
        exchange: Exchange<P::Response>,
        account: Account,
    ) -> Filled<P::Response, Account> {
        let Exchange {
            head,
            has_body,
            response,
            candidate,
            upgraded,
        } = exchange;
        let context = rewrite::Context {
            request: &self.head,
            upstream: &candidate,
            stripped_prefix: self.route.matching.stripped_prefix(),
        };
        let Delivered {
            mut edits,
            transform,
            body_rewritten,
            skipped,
            redirect_rewritten,
            rewrite,
            inject,
        } = rewrite::apply(&self.forward.rewrite, &context, &head, has_body);
        if self.forward.cache.is_some() {
            // What is stored is what the operator wants seen; what goes to a visitor gets the rules behind everything
            // else, which is later than here.
            self.forward.rewrite.operator_rules().write(&mut edits);
        }
        let (body, stream) = if has_body && !upgraded && !is_part_of_coded(&head) {
            let (first_chunk, idle) = self.forward.upstream.stream_deadlines();
            let (watch, stream) = StreamWatch::new(first_chunk, idle, self.platform.now());
            let relay = Relay {
                watch,
                transform,
                follow_visitor: true,
            };
            (BodyPlan::Relayed(relay), Some(stream))
        } else {
            (BodyPlan::Untouched, None)
        };
        let answer = AnswerAccount {
            status: head.status,
            upgraded,
            body_rewritten,
            rewrite_skipped: skipped,
            redirect_rewritten,
            stream,
            rewrite,
            inject,
        };
        Filled {
            upstream: head,
            delivery: Delivery {
                response,
                status: None,
                edits,
                body,
            },
            facts: Account { answer, ..account },
        }
    }
}

/// Whether a body is a range of compressed bytes. Whoever looks at a body is given it decoded, and a part of a
/// compressed body cannot be decoded, so it stays the runtime's own stream and nobody watches it.
fn is_part_of_coded(head: &ResponseHead) -> bool {
    head.status == StatusCode::PARTIAL_CONTENT
        && head
            .headers
            .get(CONTENT_ENCODING)
            .is_some_and(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity"))
}
