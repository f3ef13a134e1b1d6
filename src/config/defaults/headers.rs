//! Header rules are bags: gaps are filled entry by entry, and the `upstreamHeaders` alias is joined with what it stands
//! for.

use std::collections::{BTreeMap, BTreeSet};

use crate::config::{Code, Issues, Origin, Path, document::HeaderRules};

/// A header to write.
pub(super) struct Entry {
    name: String,
    value: String,
    /// The map it was written in, as a path inside a route or inside `defaults`.
    field: &'static str,
    /// Whether that map stands in `defaults`.
    pub(super) inherited: bool,
}

impl Entry {
    fn written(&self, place: &str) -> String {
        let place = if self.inherited { "defaults" } else { place };
        format!("{place}.{}.{}", self.field, self.name)
    }
}

/// A route's own entries, and those of the table under other names.
pub(super) fn gather(
    own: Option<BTreeMap<String, String>>,
    table: Option<&BTreeMap<String, String>>,
    field: &'static str,
) -> Vec<Entry> {
    let own = own.unwrap_or_default();
    let stated: BTreeSet<String> = match table {
        Some(_) => own.keys().map(|name| name.to_ascii_lowercase()).collect(),
        None => BTreeSet::new(),
    };
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
        .filter(|(name, _)| !stated.contains(&name.to_ascii_lowercase()))
        .map(|(name, value)| (name.clone(), value.clone()));
    own.into_iter()
        .map(entry(false))
        .chain(table.map(entry(true)))
        .collect()
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
        at: &Path<'_>,
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
        if own.is_none() && table.is_none() && alias.is_empty() {
            return None;
        }
        let own = own.unwrap_or_default();
        let entries = gather(own.set, table.and_then(|rules| rules.set.as_ref()), set);
        let entries = join(entries, alias, at, issues);
        let inherited = origin.inherits(field);
        let mut folded = BTreeMap::new();
        for entry in entries {
            let in_place = entry.field == set && entry.inherited == inherited;
            if !in_place {
                let written = entry.written(origin.place());
                origin.moved(format!("{set}.{}", entry.name), written);
            }
            folded.insert(entry.name, entry.value);
        }
        let mut remove = own.remove.unwrap_or_default();
        let stated: BTreeSet<String> = remove
            .iter()
            .map(|name| name.to_ascii_lowercase())
            .collect();
        let table = table.and_then(|rules| rules.remove.as_ref());
        for (index, name) in table.into_iter().flatten().enumerate() {
            if stated.contains(&name.to_ascii_lowercase()) {
                continue;
            }
            if !inherited {
                origin.moved(
                    format!("{field}.remove[{}]", remove.len()),
                    format!("defaults.{field}.remove[{index}]"),
                );
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
fn join(mut set: Vec<Entry>, alias: Vec<Entry>, at: &Path<'_>, issues: &mut Issues) -> Vec<Entry> {
    if alias.is_empty() {
        return set;
    }
    let written: BTreeMap<String, usize> = set
        .iter()
        .enumerate()
        .map(|(index, entry)| (entry.name.to_ascii_lowercase(), index))
        .collect();
    for entry in alias {
        let index = written.get(&entry.name.to_ascii_lowercase());
        match index.and_then(|index| set.get(*index)) {
            None => set.push(entry),
            Some(same) if same.value == entry.value => {}
            Some(other) => contradict(&entry, other, at, issues),
        }
    }
    set
}

/// Reports it at the route's own entry where there is one, since that is the one that may have been written without
/// the other in sight.
fn contradict(alias: &Entry, set: &Entry, route: &Path<'_>, issues: &mut Issues) {
    let root = Path::root();
    let defaults = root.key("defaults");
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
        let at = if alias.inherited { &defaults } else { route };
        let at = at.key("upstreamHeaders");
        issues.report(&at.key(&alias.name), Code::Conflict, message);
    }
}
