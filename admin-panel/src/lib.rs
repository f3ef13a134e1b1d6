//! The admin panel of jouska: people edit a draft route table, look at what publishing it would do, and publish it to
//! where the proxy reads it.
//!
//! * [`outside`] is the one door to the database, the key-value store, Cloudflare and the clock; [`platform`] carries it
//!   out on the runtime.
//! * [`panel`] is what every request passes, in order; [`identity`] says who is asking.
//! * [`store`] has every SQL statement; what must hold is a condition of the statement that writes.
//! * [`draft`] and [`publish`] turn a draft into a document and a document into what the proxy serves.
//! * [`api`] and [`mcp`] are the two ways in, for people and for agents.
#![allow(
    rustdoc::private_intra_doc_links,
    reason = "the crate is a Worker, and its documentation is for who works on it"
)]

mod api;
mod config;
mod domains;
mod draft;
mod edit;
mod exchange;
mod identity;
mod isolate;
mod limits;
mod mcp;
mod outside;
mod panel;
mod platform;
mod publish;
mod store;
mod visit;

use std::rc::Rc;

use jouska::guards::access::jwks;
use worker::{Context, Env, Result, event};

use crate::{
    api::{Api, router},
    exchange::{Refused, secured},
    isolate::Isolate,
    platform::Workers,
    visit::Visit,
};

thread_local! {
    // What outlives a request: the keys of the Access team, host names that were looked up, the table of handlers.
    static KEYS: Rc<jwks::Memory> = Rc::default();
    static ISOLATE: Rc<Isolate> = Rc::default();
    static API: Api = router();
}

#[event(fetch)]
async fn fetch(request: web_sys::Request, env: Env, context: Context) -> Result<web_sys::Response> {
    let workers = Workers::new(request, &env, &context, KEYS.with(Rc::clone));
    let Some(head) = workers.head() else {
        let refused = Refused::invalid("the address of this request cannot be read");
        return Ok(workers.response(secured(refused.reply())));
    };
    let door = Rc::new(workers.clone());
    let visit = Visit::new(head, door, ISOLATE.with(Rc::clone));
    let api = API.with(Api::clone);
    Ok(workers.response(panel::answer(Rc::new(visit), &api).await))
}
