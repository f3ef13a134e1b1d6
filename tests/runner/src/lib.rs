//! The conformance runner: plays the cases of `tests/conformance` against a running proxy and compares what came.
//!
//! [`case`] is what a case says, [`observed`] is what came of it, [`expect`] compares the two, and none of them knows a
//! runtime. A [`driver::Driver`] brings a proxy up for one case and plays its steps; [`workerd`] is the one for the real
//! runtime, [`host`] the one for the core alone. [`run`] puts them together and [`report`] says how it went.

pub mod case;
pub mod driver;
pub mod events;
pub mod expect;
pub mod host;
mod http1;
pub mod observed;
pub mod report;
pub mod run;
pub mod script;
pub mod workerd;
