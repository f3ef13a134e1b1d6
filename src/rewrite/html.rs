//! HTML, rewritten as it passes.
//!
//! The parser only says where things stand; what changes is put into the bytes as they came. So an untouched tag is
//! identical to the last byte, and a changed one keeps its quotes, its spacing and its other attributes. Text is never
//! looked at, except for styles and for the markup in `<noscript>` and `<noframes>`.

use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
    fmt,
    ops::Range,
    rc::Rc,
};

use lol_html::{
    ElementContentHandlers, HtmlRewriter, MemorySettings, OutputSink, Selector, Settings,
    html_content::{Element, EndTag},
};

use super::{
    attributes::{self, Value},
    css::Styles,
    decoded::Decoded,
    edit::{Edit, Scan, splice},
    entities,
    inject::Anchors,
    links::Mapping,
};
use crate::{body::Transform, outcome::InjectAnchor};

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
}

type Parser = HtmlRewriter<'static, Progress>;

impl Html {
    /// `anchors` are where markup is placed, if any is.
    pub(super) fn new(rules: Rules, anchors: Option<Anchors>) -> Self {
        let progress = Progress(Rc::default());
        let page = Rc::new(RefCell::new(Page {
            rules,
            anchors,
            source: Vec::new(),
            start: 0,
            passed: Rc::clone(&progress.0),
            edits: Vec::new(),
            region: None,
            has_base: false,
            decoded: Decoded::default(),
        }));
        Self {
            parser: parser(&page, progress),
            page,
        }
    }
}

impl Transform for Html {
    fn push(&mut self, chunk: &[u8], out: &mut Vec<u8>) {
        let Some(parser) = &mut self.parser else {
            out.extend_from_slice(chunk);
            return;
        };
        self.page.borrow_mut().source.extend_from_slice(chunk);
        let parsed = parser.write(chunk);
        let mut page = self.page.borrow_mut();
        if parsed.is_err() {
            self.parser = None;
            page.give_up();
        }
        page.flush(out);
    }

    fn finish(mut self: Box<Self>, out: &mut Vec<u8>) {
        if let Some(parser) = self.parser.take() {
            let parsed = parser.end();
            let mut page = self.page.borrow_mut();
            if parsed.is_ok() {
                page.close_region();
            }
            page.give_up();
            page.flush(out);
        }
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
    let Html { parser, page } = Html::new(rules, None);
    page.borrow_mut().source.extend_from_slice(text);
    if let Some(mut parser) = parser {
        let parsed = parser.write(text).and_then(|()| parser.end());
        if parsed.is_ok() {
            page.borrow_mut().close_region();
        }
    }
    edits.append(&mut page.borrow_mut().edits);
}

/// A document as far as it has to be kept: what the parser has not let go of yet.
struct Page {
    rules: Rules,
    anchors: Option<Anchors>,
    source: Vec<u8>,
    /// Where in the document `source` starts.
    start: usize,
    /// How much of the document the parser has let go of.
    passed: Rc<Cell<usize>>,
    /// Edits, by positions in the document.
    edits: Vec<Edit>,
    region: Option<Region>,
    has_base: bool,
    decoded: Decoded,
}

/// Text that is looked at, from a position in the document on.
enum Region {
    Style(Box<Styles>, usize),
    Markup(usize),
}

/// An element whose end tag matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opened {
    Head,
    Body,
    Region,
}

impl Page {
    /// Reads a start tag. Says whether its end tag matters.
    fn start_tag(&mut self, element: &Element<'_, '_>) -> Option<Opened> {
        // Only in foreign content do tags stand within a style.
        self.close_region();
        let tag = element.source_location().bytes();
        let is_html = || element.namespace_uri() == HTML;
        let name = self.tag_name(&tag);
        if self.rules.links {
            for attribute in element.attributes() {
                let name = attribute.name_source_location();
                let value = attribute.value_source_location();
                if let (Some(name), Some(value)) = (name, value)
                    && let Some(kind) = attributes::value_of(self.written(&name.bytes()))
                {
                    self.rewrite(kind, value.bytes());
                }
            }
        }
        match name {
            Name::Meta => self.meta(element),
            Name::Base => self.base(element),
            Name::Style if self.rules.links && self.rules.styles => {
                let styles = Styles::new(self.rules.mapping.clone(), self.rules.rooted);
                return self.open(element, Region::Style(Box::new(styles), tag.end));
            }
            Name::Markup if self.rules.links && is_html() => {
                return self.open(element, Region::Markup(tag.end));
            }
            Name::Head if is_html() => {
                self.place(InjectAnchor::HeadStart, tag.end);
                return Some(Opened::Head);
            }
            Name::Body if is_html() => {
                self.place(InjectAnchor::BodyStart, tag.end);
                return Some(Opened::Body);
            }
            _ => {}
        }
        None
    }

    /// Reads the end tag that closes an element, which need not be its own.
    fn end_tag(&mut self, opened: Opened, tag: &EndTag<'_>) {
        let at = tag.source_location().bytes().start;
        match (opened, tag.name().as_str()) {
            (Opened::Region, _) => self.close_region(),
            (Opened::Head, "head") => self.place(InjectAnchor::HeadEnd, at),
            (Opened::Body, "body") => self.place(InjectAnchor::BodyEnd, at),
            (Opened::Head | Opened::Body, _) => {}
        }
    }

    fn place(&mut self, anchor: InjectAnchor, at: usize) {
        let placed = self
            .anchors
            .as_mut()
            .and_then(|anchors| anchors.place(anchor));
        if let Some(with) = placed {
            self.edits.push(Edit {
                range: at..at,
                with,
            });
        }
    }

    /// Rewrites the attribute value that stands at `range`.
    fn rewrite(&mut self, value: Value, range: Range<usize>) {
        let first = self.edits.len();
        let local = range.start.saturating_sub(self.start)..range.end.saturating_sub(self.start);
        let written = self.source.get(local).unwrap_or_default();
        let encoded = memchr::memchr(entities::MARK, written).is_some();
        if encoded {
            self.decoded
                .decode(written, entities::MARK, entities::reference);
            attributes::rewrite(value, self.decoded.text(), &self.rules, &mut self.edits);
        } else {
            attributes::rewrite(value, written, &self.rules, &mut self.edits);
        }
        for edit in self.edits.iter_mut().skip(first) {
            if encoded {
                self.decoded.place(edit);
            }
            edit.shift(range.start);
        }
    }

    /// `<meta http-equiv>`: a refresh leads to the proxy, and a charset is no longer what it was.
    fn meta(&mut self, element: &Element<'_, '_>) {
        let first = self.edits.len();
        let content = self.attribute(element, b"content");
        let http_equiv = self.attribute(element, b"http-equiv");
        let is = |page: &Self, known: &[u8]| {
            http_equiv
                .clone()
                .is_some_and(|range| page.decoded_value(range).eq_ignore_ascii_case(known))
        };
        if self.rules.links
            && is(self, b"refresh")
            && let Some(content) = content.clone()
        {
            self.rewrite(Value::Refresh, content);
        }
        if !self.rules.transcoded {
            return;
        }
        let declared = match self.attribute(element, b"charset") {
            Some(charset) => Some(charset),
            None if is(self, b"content-type") => content.and_then(|content| {
                let value = self.written(&content);
                let at = find_ignore_case(value, b"charset=")? + b"charset=".len();
                let len = value
                    .iter()
                    .skip(at)
                    .take_while(|byte| byte.is_ascii_alphanumeric() || b"-_:.".contains(byte))
                    .count();
                Some(content.start + at..content.start + at + len)
            }),
            None => None,
        };
        if let Some(range) = declared.filter(|range| !range.is_empty()) {
            self.edits.push(Edit {
                range,
                with: "utf-8".into(),
            });
        }
        let edits = self.edits.get_mut(first..).unwrap_or_default();
        edits.sort_by_key(|edit| edit.range.start);
    }

    /// A `<base>` that leads elsewhere takes `/path` along. Only the first one counts.
    fn base(&mut self, element: &Element<'_, '_>) {
        if let Some(href) = self.attribute(element, b"href")
            && !self.has_base
        {
            self.has_base = true;
            let href = self.decoded_value(href);
            self.rules.rooted &= !self.rules.mapping.leads_elsewhere(&href);
        }
    }

    /// Where the value of an attribute stands.
    fn attribute(&self, element: &Element<'_, '_>, name: &[u8]) -> Option<Range<usize>> {
        element
            .attributes()
            .iter()
            .find(|attribute| {
                let location = attribute.name_source_location();
                location.is_some_and(|at| self.written(&at.bytes()).eq_ignore_ascii_case(name))
            })
            .and_then(|attribute| attribute.value_source_location())
            .map(|location| location.bytes())
    }

    fn decoded_value(&self, range: Range<usize>) -> Vec<u8> {
        let mut decoded = Decoded::default();
        decoded.decode(self.written(&range), entities::MARK, entities::reference);
        decoded.text().trim_ascii().to_vec()
    }

    /// The bytes at a position in the document.
    fn written(&self, range: &Range<usize>) -> &[u8] {
        let local = range.start.saturating_sub(self.start)..range.end.saturating_sub(self.start);
        self.source.get(local).unwrap_or_default()
    }

    fn tag_name(&self, tag: &Range<usize>) -> Name {
        let name = self.written(tag).get(1..).unwrap_or_default();
        let len = name
            .iter()
            .take(LONGEST_NAME + 1)
            .take_while(|byte| byte.is_ascii_alphanumeric())
            .count();
        let name = name.get(..len).unwrap_or_default();
        let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
        match len {
            4 if is("meta") => Name::Meta,
            4 if is("base") => Name::Base,
            4 if is("head") => Name::Head,
            4 if is("body") => Name::Body,
            5 if is("style") => Name::Style,
            8 if is("noscript") || is("noframes") => Name::Markup,
            _ => Name::Other,
        }
    }

    fn open(&mut self, element: &Element<'_, '_>, region: Region) -> Option<Opened> {
        element.can_have_content().then(|| {
            self.region = Some(region);
            Opened::Region
        })
    }

    /// Looks at a region up to its end, which is as far as the parser has come.
    fn close_region(&mut self) {
        let first = self.edits.len();
        match self.region.take() {
            None => {}
            Some(Region::Style(mut styles, from)) => {
                let text = self.from(from);
                let mut edits = Vec::new();
                styles.scan(text, true, &mut edits);
                self.edits.append(&mut edits);
                self.shift_edits(first, from);
            }
            Some(Region::Markup(from)) => {
                let text = self.from(from);
                if text.len() <= LONGEST_MARKUP {
                    let mut edits = Vec::new();
                    document(text, &self.rules, &mut edits);
                    self.edits.append(&mut edits);
                    self.shift_edits(first, from);
                }
            }
        }
    }

    /// What the parser has let go of from a position in the document on.
    fn from(&self, from: usize) -> &[u8] {
        let passed = self.passed.get();
        self.written(&(from..passed.max(from)))
    }

    fn shift_edits(&mut self, first: usize, by: usize) {
        for edit in self.edits.iter_mut().skip(first) {
            edit.shift(by);
        }
    }

    /// From here on nothing is rewritten.
    fn give_up(&mut self) {
        self.region = None;
        self.passed.set(self.start + self.source.len());
    }

    /// Hands on what needs no more attention.
    fn flush(&mut self, out: &mut Vec<u8>) {
        let settled = self.settled();
        let known = self.edits.partition_point(|edit| edit.range.end <= settled);
        let edits = self.edits.get(..known).unwrap_or_default();
        let len = settled - self.start;
        splice(&self.source, self.start, len, edits, out);
        self.edits.drain(..known);
        self.source.drain(..len);
        self.start = settled;
    }

    fn settled(&mut self) -> usize {
        let passed = self.passed.get();
        let held = match self.region.take() {
            None => passed,
            Some(Region::Style(mut styles, from)) => {
                let first = self.edits.len();
                let mut edits = Vec::new();
                let len = styles.scan(self.from(from), false, &mut edits);
                self.edits.append(&mut edits);
                self.shift_edits(first, from);
                self.region = Some(Region::Style(styles, from + len));
                from + len
            }
            // Markup that long is passed on as it is.
            Some(Region::Markup(from)) if self.from(from).len() > LONGEST_MARKUP => passed,
            Some(Region::Markup(from)) => {
                self.region = Some(Region::Markup(from));
                from
            }
        };
        held.clamp(self.start, passed.max(self.start))
    }
}

/// Counts what the parser lets go of. Nothing is ever changed in the parser, so what comes out of it is what went in.
struct Progress(Rc<Cell<usize>>);

impl OutputSink for Progress {
    fn handle_chunk(&mut self, chunk: &[u8]) {
        self.0.set(self.0.get() + chunk.len());
    }
}

/// Elements that need more than their attributes looked at.
enum Name {
    Meta,
    Base,
    Head,
    Body,
    Style,
    Markup,
    Other,
}

fn parser(page: &Rc<RefCell<Page>>, progress: Progress) -> Option<Parser> {
    let links = page.borrow().rules.links;
    let selector: Selector = if links { "*" } else { "head, body, meta" }.parse().ok()?;
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
    let settings = Settings::new()
        .with_strict(false)
        .with_memory_settings(memory)
        .append_element_content_handler((
            Cow::Owned(selector),
            ElementContentHandlers::default().element(handler),
        ));
    Some(HtmlRewriter::new(settings, progress))
}

fn find_ignore_case(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len())
        .position(|window| window.eq_ignore_ascii_case(wanted))
}

impl fmt::Debug for Html {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Html").finish_non_exhaustive()
    }
}

const HTML: &str = "http://www.w3.org/1999/xhtml";

const LONGEST_NAME: usize = 8;

/// How much memory the parser may take for one document, in bytes: for a tag that arrives in pieces, data URLs
/// included, and for the elements that are open. Past it the rest of the document passes through.
const MEMORY: usize = 8 << 20;

/// How much markup of a `<noscript>` or `<noframes>` is gathered.
const LONGEST_MARKUP: usize = 256 << 10;

/// How deep documents are rewritten within documents.
const DEEPEST: usize = 4;

#[cfg(test)]
mod tests;
