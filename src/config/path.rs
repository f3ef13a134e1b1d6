//! Where in a document something stands: `routes[0].requestHeaders.set.host`.

use std::fmt;

/// A place in a document, as a list of segments that lives on the stack: naming a place costs nothing until an issue
/// is reported there.
///
/// ```
/// use jouska::config::Path;
///
/// let root = Path::root();
/// let routes = root.key("routes");
/// let route = routes.index(0);
/// let matching = route.key("match");
/// assert_eq!(matching.key("host").to_string(), "routes[0].match.host");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    segment: Segment<'a>,
}

#[derive(Debug, Clone, Copy)]
enum Segment<'a> {
    Root,
    Key(&'a str),
    Index(usize),
}

impl<'a> Path<'a> {
    /// The document itself.
    pub const fn root() -> Self {
        Self {
            parent: None,
            segment: Segment::Root,
        }
    }

    /// The member `key` of this object.
    pub const fn key(&'a self, key: &'a str) -> Self {
        Self {
            parent: Some(self),
            segment: Segment::Key(key),
        }
    }

    /// The element `index` of this list.
    pub const fn index(&'a self, index: usize) -> Self {
        Self {
            parent: Some(self),
            segment: Segment::Index(index),
        }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            parent.fmt(f)?;
        }
        match self.segment {
            Segment::Root => Ok(()),
            Segment::Key(key) if self.parent.is_some_and(Path::is_root) => f.write_str(key),
            Segment::Key(key) => write!(f, ".{key}"),
            Segment::Index(index) => write!(f, "[{index}]"),
        }
    }
}

impl Path<'_> {
    /// Whether the document itself is meant.
    pub const fn is_root(&self) -> bool {
        matches!(self.segment, Segment::Root)
    }
}
