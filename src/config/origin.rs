//! Where the parts of a folded route were written: an issue is reported at the place a person has to edit.

/// Where each part of a route stood before `defaults` and the `upstreamHeaders` alias were folded into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    place: String,
    inherited: Vec<&'static str>,
    moved: Vec<Moved>,
}

/// A header rule that stands elsewhere than in the block it was folded into.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Moved {
    /// Where it stands now, inside the route: `requestHeaders.set.x-a`.
    folded: String,
    /// Where it was written, inside the document: `defaults.upstreamHeaders.X-A`.
    written: String,
}

impl Origin {
    /// Of the route at `place`, all of whose parts still stand where they were written.
    pub(super) fn at(place: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            inherited: Vec::new(),
            moved: Vec::new(),
        }
    }

    /// Says that the route states nothing under `field` and has the table's default.
    pub(super) fn inherit(&mut self, field: &'static str) {
        self.inherited.push(field);
    }

    /// Says that what stands at `folded` in the route was written at `written`, counted from the document.
    pub(super) fn moved(&mut self, folded: impl Into<String>, written: impl Into<String>) {
        self.moved.push(Moved {
            folded: folded.into(),
            written: written.into(),
        });
    }

    /// The path of the route: `routes[3]`, or `defaults` where the defaults themselves are checked.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Whether the whole of `field` comes from `defaults`.
    pub fn inherits(&self, field: &str) -> bool {
        self.inherited.contains(&field)
    }

    /// The place where what stands at `path` was written.
    pub(super) fn written_at(&self, path: String) -> String {
        let Some(inside) = path
            .strip_prefix(self.place.as_str())
            .and_then(|rest| rest.strip_prefix('.'))
        else {
            return path;
        };
        // A header name may hold dots, so an entry is known by the whole of its path.
        if let Some(Moved { written, .. }) = self.moved.iter().find(|m| m.folded == inside) {
            return written.clone();
        }
        let field = inside.split(['.', '[']).next().unwrap_or_default();
        if self.inherits(field) {
            return format!("defaults.{inside}");
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_to_where_the_value_was_written() {
        let mut origin = Origin::at("routes[2]");
        origin.inherit("cache");
        origin.moved("requestHeaders.set.x-a", "routes[2].upstreamHeaders.X-A");
        origin.moved(
            "responseHeaders.remove[1]",
            "defaults.responseHeaders.remove[0]",
        );
        for (path, expected) in [
            ("routes[2].cache.key.query", "defaults.cache.key.query"),
            ("routes[2].cache", "defaults.cache"),
            ("routes[2].cacheable", "routes[2].cacheable"),
            ("routes[2].cors", "routes[2].cors"),
            ("routes[2]", "routes[2]"),
            ("routes[21].cache", "routes[21].cache"),
            (
                "routes[2].requestHeaders.set.x-a",
                "routes[2].upstreamHeaders.X-A",
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
