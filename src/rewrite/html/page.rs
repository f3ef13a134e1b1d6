//! What the parser finds in a document, and the bytes it finds it in.

use std::{cell::Cell, ops::Range, rc::Rc};

use lol_html::html_content::{Element, EndTag};

use super::{Rules, document};
use crate::{
    order,
    outcome::InjectAnchor,
    rewrite::{
        attributes::{self, Value},
        css::Styles,
        decoded::Decoded,
        edit::{Edit, Scan, splice},
        entities,
        inject::Anchors,
    },
};

/// A document as far as it has to be kept: what the parser has not let go of yet.
pub(super) struct Page {
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
    /// How many templates are open. A parser ignores the tags of a head or body within one.
    templates: usize,
    decoded: Decoded,
}

/// Text that is looked at, from a position in the document on.
enum Region {
    Style(Box<Styles>, usize),
    Markup(usize),
}

/// An element whose end tag matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opened {
    Head,
    Body,
    Template,
    Region,
}

impl Page {
    /// `passed` is how much of the document the parser has let go of.
    pub(super) fn new(rules: Rules, anchors: Option<Anchors>, passed: Rc<Cell<usize>>) -> Self {
        Self {
            rules,
            anchors,
            source: Vec::new(),
            start: 0,
            passed,
            edits: Vec::new(),
            region: None,
            has_base: false,
            templates: 0,
            decoded: Decoded::default(),
        }
    }

    pub(super) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The edits that were not carried out yet, by positions in the document.
    pub(super) fn edits(&mut self) -> &mut Vec<Edit> {
        &mut self.edits
    }

    /// Keeps bytes that are about to be parsed.
    pub(super) fn read(&mut self, chunk: &[u8]) {
        self.source.extend_from_slice(chunk);
    }

    /// Reads a start tag. Says whether its end tag matters.
    pub(super) fn start_tag(&mut self, element: &Element<'_, '_>) -> Option<Opened> {
        // Only in foreign content do tags stand within a style.
        self.close_region();
        let tag = element.source_location().bytes();
        let is_html = || element.namespace_uri() == HTML;
        let name = self.tag_name(&tag);
        if self.rules.links && attributes::may_be_in(self.written(&tag)) {
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
            Name::Template if self.anchors.is_some() && is_html() => {
                self.templates += 1;
                return Some(Opened::Template);
            }
            Name::Head if self.templates == 0 && is_html() => {
                self.place(InjectAnchor::HeadStart, tag.end);
                return Some(Opened::Head);
            }
            Name::Body if self.templates == 0 && is_html() => {
                self.place(InjectAnchor::BodyStart, tag.end);
                return Some(Opened::Body);
            }
            _ => {}
        }
        None
    }

    /// Reads the end tag that closes an element, which need not be its own.
    pub(super) fn end_tag(&mut self, opened: Opened, tag: &EndTag<'_>) {
        let at = tag.source_location().bytes().start;
        match (opened, tag.name().as_str()) {
            (Opened::Region, _) => self.close_region(),
            (Opened::Template, _) => self.templates = self.templates.saturating_sub(1),
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
        let longest = match value {
            // What an address is, is decided at its front; the rest of a long one is the data of a data URL.
            Value::Address => LONGEST_FRONT,
            _ if range.len() > LONGEST_VALUE => return,
            _ => LONGEST_VALUE,
        };
        let from = range.start.saturating_sub(self.start);
        let to = from + range.len().min(longest);
        let written = self.source.get(from..to).unwrap_or_default();
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
        order::sort_by(edits, |one, other| one.range.start < other.range.start);
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
            8 if is("template") => Name::Template,
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
    pub(super) fn close_region(&mut self) {
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
    pub(super) fn give_up(&mut self) {
        self.region = None;
        self.passed.set(self.start + self.source.len());
    }

    /// Hands on what needs no more attention.
    pub(super) fn flush(&mut self, out: &mut Vec<u8>) {
        let settled = self.settled();
        let known = self.edits.partition_point(|edit| edit.range.end <= settled);
        let edits = self.edits.get(..known).unwrap_or_default();
        let len = (settled - self.start).min(self.source.len());
        splice(&self.source, self.start, len, edits, out);
        self.edits.drain(..known);
        self.source.drain(..len);
        self.start += len;
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

/// Elements that need more than their attributes looked at.
enum Name {
    Meta,
    Base,
    Head,
    Body,
    Style,
    Template,
    Markup,
    Other,
}

fn find_ignore_case(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len())
        .position(|window| window.eq_ignore_ascii_case(wanted))
}

const HTML: &str = "http://www.w3.org/1999/xhtml";

const LONGEST_NAME: usize = 8;

/// How much of an address is looked at: scheme, host and base path.
const LONGEST_FRONT: usize = 4096;

/// How long a style, a list of addresses or a document in an attribute may be to be rewritten.
const LONGEST_VALUE: usize = 1 << 20;

/// How much markup of a `<noscript>` or `<noframes>` is gathered.
const LONGEST_MARKUP: usize = 256 << 10;
