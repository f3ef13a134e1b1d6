//! From text to documents one route at a time, for tables that have nothing wrong with them.
//!
//! Thousands of routes as documents are several megabytes, and a module's memory never shrinks: read one by one, each is
//! compiled while it is at hand and gone before the next. What is wrong with a table can only be told of the whole, so
//! this gives up at the first mistake, and the text is [read](super::read) again.

use std::{iter::Enumerate, slice::Iter};

use super::{
    Document, Issues, MAX_ROUTES, Path, Reported, RouteDocument, Warning,
    json::Json,
    parse::{check_frame, check_route},
    reader::{Findings, FromJson, Members},
    text,
};

/// What was made of a text.
pub(crate) struct ByRoute<T> {
    /// The document without its routes.
    pub(crate) frame: Document,
    /// What was made of the routes.
    pub(crate) made: T,
    /// What was written and has no effect.
    pub(crate) warnings: Vec<Warning>,
}

/// The routes of a text that have not been read yet.
pub(crate) struct Routes<'a> {
    elements: Enumerate<Iter<'a, Json<'a>>>,
    findings: &'a mut Findings,
}

/// Reads a text; `make` gets the document without its routes, and the routes to take one by one. `None` if anything is
/// wrong with it.
pub(crate) fn read_by_route<T>(
    text: &str,
    make: impl FnOnce(&Document, Routes<'_>) -> Result<T, Reported>,
) -> Option<ByRoute<T>> {
    let arena = text::arena(text);
    let mut findings = Findings::default();
    let root = Path::root();
    let tree = text::read(text, &arena, &mut findings.issues).ok()?;
    let mut members = Members::open(tree, &root, &mut findings).ok()?;
    let frame = Document::frame(&mut members);
    let (elements, inside) = members.elements("routes")?;
    check_frame(&frame, &mut inside.issues);
    if !inside.issues.is_empty() || !(1..=MAX_ROUTES).contains(&elements.len()) {
        return None;
    }
    let routes = Routes {
        elements: elements.iter().enumerate(),
        findings: inside,
    };
    let made = make(&frame, routes).ok()?;
    members.close_as::<Document>();
    let Findings { issues, warnings } = findings;
    issues.is_empty().then_some(ByRoute {
        frame,
        made,
        warnings,
    })
}

impl Routes<'_> {
    /// How many are left.
    pub(crate) fn len(&self) -> usize {
        self.elements.len()
    }

    /// Where what is wrong with the routes is reported.
    pub(crate) fn issues(&mut self) -> &mut Issues {
        &mut self.findings.issues
    }

    /// The next route and its place in the table; `None` behind the last one and as soon as anything is wrong.
    pub(crate) fn next(&mut self) -> Option<(usize, RouteDocument)> {
        let (index, element) = self.elements.next()?;
        let root = Path::root();
        let routes = root.key("routes");
        let at = routes.index(index);
        let route = RouteDocument::from_json(*element, &at, self.findings).ok()?;
        check_route(&route, &at, self.issues());
        self.issues().is_empty().then_some((index, route))
    }
}
