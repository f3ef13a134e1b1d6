//! Where the parts of a folded route were written: an issue is reported at the place a person has to edit.

use std::fmt;

/// Where each part of a route stood before `defaults` and the `upstreamHeaders` alias were folded into it.
///
/// It is kept for every route and read only where something is wrong with one, so it holds facts and no paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    place: Place,
    inherited: Vec<&'static str>,
    moved: Vec<Moved>,
}

/// Which route it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The route of this index.
    Route(usize),
    /// The defaults themselves, checked as if they were one.
    Defaults,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Route(index) => write!(f, "routes[{index}]"),
            Self::Defaults => f.write_str("defaults"),
        }
    }
}

/// A header rule that stands elsewhere than in the block it was folded into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Moved {
    /// A header to write.
    Entry {
        /// The map it stands in now: `requestHeaders.set`.
        set: &'static str,
        /// Its name.
        name: String,
        /// The map it was written in: `upstreamHeaders`.
        written: &'static str,
        /// Whether that map stands in `defaults`.
        inherited: bool,
    },
    /// A header to delete, which stands in the `remove` list of `defaults`.
    Removal {
        /// The block: `responseHeaders`.
        field: &'static str,
        /// Its index now.
        index: usize,
        /// Its index there.
        written: usize,
    },
}

impl Origin {
    /// Of a route all of whose parts still stand where they were written.
    pub(super) fn new(place: Place) -> Self {
        Self {
            place,
            inherited: Vec::new(),
            moved: Vec::new(),
        }
    }

    /// Says that the route states nothing under `field` and has the table's default.
    pub(super) fn inherit(&mut self, field: &'static str) {
        self.inherited.push(field);
    }

    /// Says that a header rule was written elsewhere.
    pub(super) fn moved(&mut self, moved: Moved) {
        self.moved.push(moved);
    }

    /// Whether the whole of `field` comes from `defaults`.
    pub fn inherits(&self, field: &str) -> bool {
        self.inherited.contains(&field)
    }

    /// The place where what stands at `path` was written.
    pub(super) fn written_at(&self, path: String) -> String {
        let place = self.place.to_string();
        let Some(inside) = path
            .strip_prefix(&place)
            .and_then(|rest| rest.strip_prefix('.'))
        else {
            return path;
        };
        if let Some(written) = self
            .moved
            .iter()
            .find_map(|moved| moved.trace(inside, &place))
        {
            return written;
        }
        let field = inside.split(['.', '[']).next().unwrap_or_default();
        if self.inherits(field) {
            return format!("defaults.{inside}");
        }
        path
    }
}

impl Moved {
    /// Where it was written, if it is what stands at `inside` in the route.
    fn trace(&self, inside: &str, place: &str) -> Option<String> {
        match self {
            Self::Entry {
                set,
                name,
                written,
                inherited,
            } => {
                // A header name may hold dots, so an entry is known by the whole of its path.
                let here = inside.strip_prefix(set)?.strip_prefix('.')? == name;
                let place = if *inherited { "defaults" } else { place };
                here.then(|| format!("{place}.{written}.{name}"))
            }
            Self::Removal {
                field,
                index,
                written,
            } => (inside == format!("{field}.remove[{index}]"))
                .then(|| format!("defaults.{field}.remove[{written}]")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_to_where_the_value_was_written() {
        let mut origin = Origin::new(Place::Route(2));
        origin.inherit("cache");
        origin.moved(Moved::Entry {
            set: "requestHeaders.set",
            name: "x-a".to_owned(),
            written: "upstreamHeaders",
            inherited: false,
        });
        origin.moved(Moved::Removal {
            field: "responseHeaders",
            index: 1,
            written: 0,
        });
        for (path, expected) in [
            ("routes[2].cache.key.query", "defaults.cache.key.query"),
            ("routes[2].cache", "defaults.cache"),
            ("routes[2].cacheable", "routes[2].cacheable"),
            ("routes[2].cors", "routes[2].cors"),
            ("routes[2]", "routes[2]"),
            ("routes[21].cache", "routes[21].cache"),
            (
                "routes[2].requestHeaders.set.x-a",
                "routes[2].upstreamHeaders.x-a",
            ),
            (
                "routes[2].requestHeaders.set.x-ab",
                "routes[2].requestHeaders.set.x-ab",
            ),
            (
                "routes[2].responseHeaders.remove[1]",
                "defaults.responseHeaders.remove[0]",
            ),
            (
                "routes[2].responseHeaders.remove[10]",
                "routes[2].responseHeaders.remove[10]",
            ),
        ] {
            assert_eq!(origin.written_at(path.to_owned()), expected, "{path}");
        }
    }
}
