//! From a document to what the proxy reads: what is checked before anything is written, and the order of the writes.
//!
//! 1. The draft, or an old snapshot, is compiled.
//! 2. A document that is already live is not published again.
//! 3. What is dangerous has to be confirmed.
//! 4. A number is claimed: of two publishes at once one gets it.
//! 5. The document is written where the proxy reads it.
//! 6. What was published is recorded.
//!
//! A refusal changes nothing. A failure between 5 and 6 leaves the proxy with a document that the panel shows as
//! unpublished, and publishing again mends it; a failure before 5 leaves a gap in the numbers.

mod back;
mod forth;
mod meta;

pub(crate) use back::{discard, live, read as snapshot, rollback};
pub(crate) use forth::{Request, expected_digest, publish};
