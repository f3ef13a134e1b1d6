//! Header rules are bags: gaps are filled entry by entry, and the `upstreamHeaders` alias is joined with what it stands
//! for.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    config::{
        Code, Issues, Origin, Path,
        document::HeaderRules,
        origin::{Moved, Place},
    },
    order,
};

/// A header to write.
pub(super) struct Entry {
    name: String,
    value: String,
    /// The map it was written in, as a path inside a route or inside `defaults`.
    field: &'static str,
    /// Whether that map stands in `defaults`.
    pub(super) inherited: bool,
}

/// A route's own entries, and those of the table under other names.
pub(super) fn gather(
    own: Option<BTreeMap<String, String>>,
    table: Option<&BTreeMap<String, String>>,
    field: &'static str,
) -> Vec<Entry> {
    let own = own.unwrap_or_default();
    let stated = Names::of(own.keys());
    let entry = |inherited| {
        move |(name, value): (String, String)| Entry {
            name,
            value,
            field,
            inherited,
        }
    };
    let table = table
        .into_iter()
        .flatten()
        .filter(|(name, _)| !stated.contains(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect::<Vec<_>>();
    own.into_iter()
        .map(entry(false))
        .chain(table.into_iter().map(entry(true)))
        .collect()
}

/// Header names, which have no letter case.
enum Names<'n> {
    /// Few enough to compare with each.
    Few(Vec<&'n str>),
    /// In lower case.
    Many(BTreeSet<String>),
}

impl<'n> Names<'n> {
    fn of(names: impl ExactSizeIterator<Item = &'n String>) -> Self {
        if names.len() <= 16 {
            Self::Few(names.map(String::as_str).collect())
        } else {
            Self::Many(order::set(names.map(|name| name.to_ascii_lowercase())))
        }
    }

    fn contains(&self, name: &str) -> bool {
        match self {
            Self::Few(names) => names.iter().any(|other| other.eq_ignore_ascii_case(name)),
            Self::Many(names) => names.contains(&name.to_ascii_lowercase()),
        }
    }
}

/// Everything that is written about the headers of one direction.
pub(super) struct Direction<'a> {
    pub(super) field: &'static str,
    pub(super) set: &'static str,
    pub(super) own: Option<HeaderRules>,
    pub(super) table: Option<&'a HeaderRules>,
    pub(super) alias: Vec<Entry>,
}

impl Direction<'_> {
    pub(super) fn fold(
        self,
        place: Place,
        origin: &mut Origin,
        issues: &mut Issues,
    ) -> Option<HeaderRules> {
        let Self {
            field,
            set,
            own,
            table,
            alias,
        } = self;
        if table.is_none() && alias.is_empty() {
            // Nothing is added to what the route says itself, which is nearly every time.
            return own.map(|HeaderRules { set, remove }| HeaderRules {
                set: set.filter(|set| !set.is_empty()),
                remove: remove.filter(|remove| !remove.is_empty()),
            });
        }
        let own = own.unwrap_or_default();
        let entries = gather(own.set, table.and_then(|rules| rules.set.as_ref()), set);
        let entries = join(entries, alias, place, issues);
        let inherited = origin.inherits(field);
        let mut folded = BTreeMap::new();
        for entry in entries {
            if entry.field != set || entry.inherited != inherited {
                origin.moved(Moved::Entry {
                    set,
                    name: entry.name.clone(),
                    written: entry.field,
                    inherited: entry.inherited,
                });
            }
            folded.insert(entry.name, entry.value);
        }
        let mut remove = own.remove.unwrap_or_default();
        let table = table.and_then(|rules| rules.remove.as_deref());
        let added: Vec<(usize, &String)> = {
            let stated = Names::of(remove.iter());
            let table = table.unwrap_or_default().iter().enumerate();
            table.filter(|(_, name)| !stated.contains(name)).collect()
        };
        for (written, name) in added {
            if !inherited {
                origin.moved(Moved::Removal {
                    field,
                    index: remove.len(),
                    written,
                });
            }
            remove.push(name.clone());
        }
        Some(HeaderRules {
            set: (!folded.is_empty()).then_some(folded),
            remove: (!remove.is_empty()).then_some(remove),
        })
    }
}

/// Adds the alias's entries to those of `requestHeaders.set`. The same value twice is harmless.
fn join(mut set: Vec<Entry>, alias: Vec<Entry>, place: Place, issues: &mut Issues) -> Vec<Entry> {
    if alias.is_empty() {
        return set;
    }
    let written: BTreeMap<String, usize> = order::map(
        set.iter()
            .enumerate()
            .map(|(index, entry)| (entry.name.to_ascii_lowercase(), index)),
    );
    for entry in alias {
        let index = written.get(&entry.name.to_ascii_lowercase());
        match index.and_then(|index| set.get(*index)) {
            None => set.push(entry),
            Some(same) if same.value == entry.value => {}
            Some(other) => contradict(&entry, other, place, issues),
        }
    }
    set
}

/// Reports it at the route's own entry where there is one, since that is the one that may have been written without
/// the other in sight.
fn contradict(alias: &Entry, set: &Entry, place: Place, issues: &mut Issues) {
    let root = Path::root();
    let defaults = root.key("defaults");
    let routes = root.key("routes");
    let route = match place {
        Place::Route(index) => routes.index(index),
        Place::Defaults => defaults,
    };
    let message = format!(
        "the header \"{}\" is given two values: {:?} by \"upstreamHeaders\"{} and {:?} by \"requestHeaders.set\"{}. \"upstreamHeaders\" is only another name for \"requestHeaders.set\", so keep one of the two",
        set.name,
        alias.value,
        if alias.inherited { " in defaults" } else { "" },
        set.value,
        if set.inherited { " in defaults" } else { "" },
    );
    if alias.inherited && !set.inherited {
        let at = route.key("requestHeaders");
        issues.report(&at.key("set").key(&set.name), Code::Conflict, message);
    } else {
        let at = if alias.inherited { &defaults } else { &route };
        let at = at.key("upstreamHeaders");
        issues.report(&at.key(&alias.name), Code::Conflict, message);
    }
}
