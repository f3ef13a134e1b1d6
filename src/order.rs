//! Order in few bytes of WebAssembly.
//!
//! The standard library's sorts are quicker on long lists, and each type they are used with adds five to nine kilobytes
//! to a module that is loaded wherever a request arrives; `collect` into a map uses one too. What is put in order here
//! is short, or is so once for each table.

use std::collections::{BTreeMap, BTreeSet};

/// Sorts in place. Equal items may change places.
pub(crate) fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, |one, other| one < other);
}

/// Sorts in place by a comparison. Items of which neither is less may change places.
///
/// A heapsort: n log n comparisons whatever the order was.
pub(crate) fn sort_by<T>(items: &mut [T], less: impl Fn(&T, &T) -> bool) {
    let mut end = items.len();
    for root in (0..end / 2).rev() {
        sink(items, root, end, &less);
    }
    while end > 1 {
        end -= 1;
        items.swap(0, end);
        sink(items, 0, end, &less);
    }
}

/// Lets the item at `root` sink until neither item below it, before `end`, is greater.
fn sink<T>(items: &mut [T], mut root: usize, end: usize, less: &impl Fn(&T, &T) -> bool) {
    let is_less = |items: &[T], one: usize, other: usize| match (items.get(one), items.get(other)) {
        (Some(one), Some(other)) => less(one, other),
        _ => false,
    };
    loop {
        let mut child = 2 * root + 1;
        if child >= end {
            return;
        }
        if child + 1 < end && is_less(items, child, child + 1) {
            child += 1;
        }
        if !is_less(items, root, child) {
            return;
        }
        items.swap(root, child);
        root = child;
    }
}

/// Gathers entries in a map. Of equal keys the last counts, as with `collect`.
pub(crate) fn map<K: Ord, V>(entries: impl IntoIterator<Item = (K, V)>) -> BTreeMap<K, V> {
    let mut map = BTreeMap::new();
    for (key, value) in entries {
        map.insert(key, value);
    }
    map
}

/// Gathers items in a set.
pub(crate) fn set<T: Ord>(items: impl IntoIterator<Item = T>) -> BTreeSet<T> {
    let mut set = BTreeSet::new();
    for item in items {
        set.insert(item);
    }
    set
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_the_order_that_the_standard_library_makes(items: Vec<(u8, u16)>) {
            let (mut ours, mut expected) = (items.clone(), items.clone());
            sort(&mut ours);
            expected.sort_unstable();
            prop_assert_eq!(ours, expected);
            prop_assert_eq!(map(items.clone()), items.iter().copied().collect());
            prop_assert_eq!(set(items.clone()), items.into_iter().collect());
        }
    }

    #[test]
    fn a_comparison_may_look_at_a_part() {
        let mut items = [(3, "c"), (1, "a"), (2, "b")];
        sort_by(&mut items, |one, other| one.0 < other.0);
        assert_eq!(items.map(|(_, name)| name), ["a", "b", "c"]);
    }
}
