//! Changes to a stretch of bytes, and the transform that carries them out as the bytes pass.
//!
//! Rewriting never builds a body anew: scanners say which bytes give way to what, and everything between is copied as
//! it came. So whatever is not rewritten is identical to the last byte, in whatever charset, well-formed or not.

use std::{ops::Range, sync::Arc};

use crate::body::Transform;

/// Bytes that give way to a text. An empty range is an insertion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    /// The bytes that go.
    pub(super) range: Range<usize>,
    /// What stands in their place; shared, because most edits of a page write the same few texts.
    pub(super) with: Arc<str>,
}

impl Edit {
    /// Makes it an edit of a text that begins `by` bytes earlier.
    pub(super) fn shift(&mut self, by: usize) {
        self.range = self.range.start + by..self.range.end + by;
    }
}

/// Finds edits in a text that arrives in pieces.
///
/// Each call sees the text from the first byte that is not settled yet, so a scanner keeps no bytes of its own.
pub(super) trait Scan {
    /// Adds the edits of `text`, in order and disjoint, and says how many of its bytes are settled: their edits are
    /// all known and they need not be seen again. `last` says that no byte follows; then all must be settled.
    fn scan(&mut self, text: &[u8], last: bool, edits: &mut Vec<Edit>) -> usize;
}

/// Carries out what a [`Scan`] finds, holding back only what the scanner has not settled.
#[derive(Debug)]
pub(super) struct Splicer<S> {
    scanner: S,
    held: Vec<u8>,
    edits: Vec<Edit>,
}

impl<S: Scan> Splicer<S> {
    pub(super) fn new(scanner: S) -> Self {
        Self {
            scanner,
            held: Vec::new(),
            edits: Vec::new(),
        }
    }

    fn pass(&mut self, text: &[u8], last: bool, out: &mut Vec<u8>) -> usize {
        let settled = self.scanner.scan(text, last, &mut self.edits);
        splice(text, 0, settled, &self.edits, out);
        self.edits.clear();
        settled
    }
}

impl<S: Scan> Transform for Splicer<S> {
    fn push(&mut self, chunk: &[u8], out: &mut Vec<u8>) {
        if self.held.is_empty() {
            let settled = self.pass(chunk, false, out);
            self.held
                .extend_from_slice(chunk.get(settled..).unwrap_or_default());
        } else {
            let mut held = std::mem::take(&mut self.held);
            held.extend_from_slice(chunk);
            let settled = self.pass(&held, false, out);
            held.drain(..settled.min(held.len()));
            self.held = held;
        }
    }

    fn finish(mut self: Box<Self>, out: &mut Vec<u8>) {
        let held = std::mem::take(&mut self.held);
        self.pass(&held, true, out);
    }
}

/// Appends the first `settled` bytes of `text` to `out`, with `edits` made to them. Positions in `edits` are counted
/// from `start` bytes before `text`.
pub(super) fn splice(text: &[u8], start: usize, settled: usize, edits: &[Edit], out: &mut Vec<u8>) {
    out.reserve(settled);
    let mut from = 0;
    for edit in edits {
        let to = edit.range.start.saturating_sub(start);
        out.extend_from_slice(text.get(from..to).unwrap_or_default());
        out.extend_from_slice(edit.with.as_bytes());
        from = edit.range.end.saturating_sub(start);
    }
    out.extend_from_slice(text.get(from..settled).unwrap_or_default());
}

/// A whole text with `edits` made to it; `None` where there are none.
pub(super) fn spliced(text: &[u8], edits: &[Edit]) -> Option<Vec<u8>> {
    if edits.is_empty() {
        return None;
    }
    let mut out = Vec::with_capacity(text.len() + 64);
    splice(text, 0, text.len(), edits, &mut out);
    Some(out)
}
