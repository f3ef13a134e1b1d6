//! Markup placed at anchors of the document, and the report of what was placed.

use std::sync::Arc;

use crate::{
    body::Settle,
    outcome::{InjectAnchor, InjectReport},
};

/// Compiled `bodyRewrite.inject`: what goes where, in the order of [`InjectAnchor`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Markup(Vec<(InjectAnchor, Arc<str>)>);

impl Markup {
    pub(super) fn new(markup: Vec<(InjectAnchor, Arc<str>)>) -> Self {
        Self(markup)
    }

    /// The report of a document in which no anchor was met.
    pub(super) fn all_missed(&self) -> InjectReport {
        self.report(&[])
    }

    fn report(&self, placed: &[InjectAnchor]) -> InjectReport {
        let (landed, missed) = self
            .0
            .iter()
            .map(|(anchor, _)| *anchor)
            .partition(|anchor| placed.contains(anchor));
        InjectReport { landed, missed }
    }
}

/// The anchors of one document. Whatever becomes of it, the report is settled with what was placed until then.
#[derive(Debug)]
pub(super) struct Anchors {
    markup: Arc<Markup>,
    placed: Vec<InjectAnchor>,
    report: Option<Settle<InjectReport>>,
}

impl Anchors {
    pub(super) fn new(markup: Arc<Markup>, report: Settle<InjectReport>) -> Self {
        Self {
            markup,
            placed: Vec::new(),
            report: Some(report),
        }
    }

    /// The document has come to `anchor`: what is to be placed there, the first time.
    pub(super) fn place(&mut self, anchor: InjectAnchor) -> Option<Arc<str>> {
        if self.placed.contains(&anchor) {
            return None;
        }
        let (_, markup) = self.markup.0.iter().find(|(other, _)| *other == anchor)?;
        self.placed.push(anchor);
        Some(markup.clone())
    }
}

impl Drop for Anchors {
    fn drop(&mut self) {
        if let Some(report) = self.report.take() {
            report.settle(self.markup.report(&self.placed));
        }
    }
}
