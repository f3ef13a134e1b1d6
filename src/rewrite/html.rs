//! HTML, rewritten as it passes.
//!
//! The parser only says where things stand; what changes is put into the bytes as they came. So an untouched tag is
//! identical to the last byte, and a changed one keeps its quotes, its spacing and its other attributes. Text is never
//! looked at, except for styles and for the markup in `<noscript>` and `<noframes>`.

use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
    fmt,
    rc::Rc,
};

use lol_html::{
    DocumentContentHandlers, ElementContentHandlers, HtmlRewriter, MemorySettings, OutputSink,
    Selector, Settings,
    html_content::{Doctype, Element, EndTag},
};

use super::{edit::Edit, inject::Anchors, links::Mapping};
use crate::{
    body::{Settle, Transform},
    outcome::RewriteOutcome,
};

mod page;

use page::Page;

/// What is rewritten in a document.
#[derive(Debug, Clone)]
pub(super) struct Rules {
    /// Where links lead.
    pub(super) mapping: Rc<Mapping>,
    /// Whether links are rewritten at all.
    pub(super) links: bool,
    /// Whether styles, refreshes and framed documents are, too.
    pub(super) styles: bool,
    /// Whether the document was turned into UTF-8, so that what it says of its charset no longer holds.
    pub(super) transcoded: bool,
    /// Whether `/path` leads to the upstream. A `<base>` elsewhere ends that.
    pub(super) rooted: bool,
    /// How many documents this one is inside of.
    pub(super) depth: usize,
}

/// Rewrites a document.
pub(super) struct Html {
    /// Gone once the parser has given up; the rest passes through.
    parser: Option<Parser>,
    page: Rc<RefCell<Page>>,
    outcome: Option<Settle<RewriteOutcome>>,
}

type Parser = HtmlRewriter<'static, Progress>;

impl Html {
    /// `anchors` are where markup is placed, if any is; `outcome` hears how far the rewriting went.
    pub(super) fn new(
        rules: Rules,
        anchors: Option<Anchors>,
        outcome: Option<Settle<RewriteOutcome>>,
    ) -> Self {
        let progress = Progress(Rc::default());
        let page = Page::new(rules, anchors, Rc::clone(&progress.0));
        let page = Rc::new(RefCell::new(page));
        Self {
            parser: parser(&page, progress),
            page,
            outcome,
        }
    }

    fn settle(&mut self, how: RewriteOutcome) {
        if let Some(outcome) = self.outcome.take() {
            outcome.settle(how);
        }
    }
}

impl Transform for Html {
    fn push(&mut self, chunk: &[u8], out: &mut Vec<u8>) {
        let Some(parser) = &mut self.parser else {
            out.extend_from_slice(chunk);
            return;
        };
        self.page.borrow_mut().read(chunk);
        if parser.write(chunk).is_err() {
            self.parser = None;
            self.page.borrow_mut().give_up();
            self.settle(RewriteOutcome::OutOfMemory);
        }
        self.page.borrow_mut().flush(out);
    }

    fn finish(mut self: Box<Self>, out: &mut Vec<u8>) {
        let Some(parser) = self.parser.take() else {
            return;
        };
        let how = match parser.end() {
            Ok(()) => {
                self.page.borrow_mut().close_region();
                RewriteOutcome::Complete
            }
            Err(_) => RewriteOutcome::OutOfMemory,
        };
        self.settle(how);
        let mut page = self.page.borrow_mut();
        page.give_up();
        page.flush(out);
    }
}

/// Adds the edits of a document that is there as a whole, inside another.
pub(super) fn document(text: &[u8], rules: &Rules, edits: &mut Vec<Edit>) {
    if rules.depth >= DEEPEST {
        return;
    }
    let rules = Rules {
        depth: rules.depth + 1,
        ..rules.clone()
    };
    let Html { parser, page, .. } = Html::new(rules, None, None);
    page.borrow_mut().read(text);
    if let Some(mut parser) = parser {
        let parsed = parser.write(text).and_then(|()| parser.end());
        if parsed.is_ok() {
            page.borrow_mut().close_region();
        }
    }
    edits.append(page.borrow_mut().edits());
}

/// Counts what the parser lets go of. Nothing is ever changed in the parser, so what comes out of it is what went in.
struct Progress(Rc<Cell<usize>>);

impl OutputSink for Progress {
    fn handle_chunk(&mut self, chunk: &[u8]) {
        self.0.set(self.0.get() + chunk.len());
    }
}

fn parser(page: &Rc<RefCell<Page>>, progress: Progress) -> Option<Parser> {
    let links = page.borrow().rules().links;
    let of_anchors = "head, body, meta, template";
    let selector: Selector = if links { "*" } else { of_anchors }.parse().ok()?;
    let page = Rc::clone(page);
    let handler = move |element: &mut Element<'_, '_>| {
        let opened = page.borrow_mut().start_tag(element);
        if let Some(opened) = opened
            && let Some(handlers) = element.end_tag_handlers()
        {
            let page = Rc::clone(&page);
            handlers.push(Box::new(move |tag: &mut EndTag<'_>| {
                page.borrow_mut().end_tag(opened, tag);
                Ok(())
            }));
        }
        Ok(())
    };
    let memory = MemorySettings::new()
        .with_max_allowed_memory_usage(MEMORY)
        .with_graceful_bail_out_on_memory_limit_exceeded(true);
    let mut settings = Settings::new()
        .with_strict(false)
        .with_memory_settings(memory)
        .append_element_content_handler((
            Cow::Owned(selector),
            ElementContentHandlers::default().element(handler),
        ));
    if links {
        // Every start tag is wanted. Without something else to look for, the parser looks for each twice: for its name
        // first, and then from its beginning again for its attributes.
        let handlers = DocumentContentHandlers::default().doctype(|_: &mut Doctype<'_>| Ok(()));
        settings = settings.append_document_content_handler(handlers);
    }
    Some(HtmlRewriter::new(settings, progress))
}

impl fmt::Debug for Html {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Html").finish_non_exhaustive()
    }
}

/// How much memory the parser may take for one document, in bytes: for a tag that arrives in pieces, data URLs
/// included, and for the elements that are open. Past it the rest of the document passes through.
const MEMORY: usize = 8 << 20;

/// How deep documents are rewritten within documents.
const DEEPEST: usize = 4;

#[cfg(test)]
mod tests;
