//! The consistent ring of a split: many points per participant, each owning the arc before it, so that removing a
//! participant moves only the callers on its own arcs.

use crate::{hash::fnv1a, order};

/// A ring of participants, by index.
///
/// Only the last point of a run with one owner can decide anything, so runs are stored as one point: a lopsided
/// split needs little memory however many points it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ring {
    points: Box<[u32]>,
    owners: Box<[u8]>,
}

impl Ring {
    /// A ring of participants given by authority and weight, in declared order; at most 64.
    pub(super) fn new<'a>(participants: impl Iterator<Item = (&'a str, u32)> + Clone) -> Self {
        let total: u64 = participants
            .clone()
            .map(|(_, weight)| u64::from(weight))
            .sum();
        let mut points: Vec<(u32, u8)> = Vec::new();
        for (owner, (authority, weight)) in (0..=u8::MAX).zip(participants) {
            for index in 0..share(weight, total) {
                let inner = fnv1a(&format!("{authority}:{index}"));
                points.push((fnv1a(&inner.to_string()), owner));
            }
        }
        // Where two points coincide, the participant declared first owns the place.
        order::sort(&mut points);
        points.dedup_by_key(|(point, _)| *point);
        let lasts = points
            .iter()
            .zip(points.iter().skip(1).map(Some).chain([None]))
            .filter(|((_, owner), next)| next.is_none_or(|(_, following)| following != owner))
            .map(|(point, _)| *point);
        let (points, owners): (Vec<_>, Vec<_>) = lasts.unzip();
        Self {
            points: points.into(),
            owners: owners.into(),
        }
    }

    /// The participant a hash belongs to: the owner of the first point at or behind it, and past the last point, of
    /// the first one.
    pub(super) fn owner(&self, hash: u32) -> usize {
        let at = self.points.partition_point(|point| *point < hash);
        self.owners
            .get(at)
            .or(self.owners.first())
            .map_or(0, |owner| usize::from(*owner))
    }
}

/// How many points a weight is given. Beyond the bound all are scaled down together, as far as one point each.
fn share(weight: u32, total: u64) -> u64 {
    let weight = u64::from(weight);
    if total * POINTS_PER_WEIGHT <= MOST_POINTS {
        weight * POINTS_PER_WEIGHT
    } else {
        (weight * MOST_POINTS / total).max(1)
    }
}

const POINTS_PER_WEIGHT: u64 = 160;
const MOST_POINTS: u64 = 65_536;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Every point of the ring, in order.
    fn points_by_definition(participants: &[(&str, u32)]) -> Vec<(u32, usize)> {
        let total = participants
            .iter()
            .map(|(_, weight)| u64::from(*weight))
            .sum();
        let mut points: Vec<(u32, usize)> = participants
            .iter()
            .enumerate()
            .flat_map(|(owner, (authority, weight))| {
                (0..share(*weight, total)).map(move |index| {
                    let inner = fnv1a(&format!("{authority}:{index}"));
                    (fnv1a(&inner.to_string()), owner)
                })
            })
            .collect();
        points.sort_by_key(|(point, _)| *point);
        points
    }

    fn owner_by_definition(points: &[(u32, usize)], hash: u32) -> usize {
        let found = points.iter().find(|(point, _)| *point >= hash);
        found.unwrap_or(&points[0]).1
    }

    #[test]
    fn past_the_last_point_the_first_one_owns() {
        let participants = [("n0.test", 1), ("n4.test", 1)];
        let ring = Ring::new(participants.into_iter());
        for (key, expected) in [("198.51.100.7240", 1), ("198.51.100.7239", 0)] {
            assert_eq!(ring.owner(fnv1a(key)), expected, "{key}");
        }
    }

    #[test]
    fn weights_in_the_millions_stay_within_the_bound() {
        let ring =
            Ring::new([("a.test", 1_000_000), ("b.test", 1_000_000), ("c.test", 1)].into_iter());
        assert!(ring.points.len() as u64 <= MOST_POINTS);
        assert!(ring.owners.contains(&2), "the smallest has a point");
        assert_eq!(
            share(1, 409),
            160,
            "409 is the largest sum within the bound"
        );
        assert_eq!(share(1, 410), 159);
    }

    #[test]
    fn a_ring_of_one_takes_every_hash() {
        let ring = Ring::new([("a.test", 1_000_000)].into_iter());
        assert_eq!(ring.points.len(), 1);
        for hash in [0, 1, u32::MAX] {
            assert_eq!(ring.owner(hash), 0);
        }
    }

    fn names() -> impl Strategy<Value = Vec<(String, u32)>> {
        proptest::collection::btree_map("[a-d]{1,3}\\.test(:[1-9][0-9]{0,3})?", 1_u32..4, 2..6)
            .prop_map(|map| map.into_iter().collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn storing_runs_as_one_point_changes_no_assignment(
            participants in names(),
            hashes in proptest::collection::vec(any::<u32>(), 64),
        ) {
            let participants: Vec<_> = participants.iter().map(|(name, weight)| (name.as_str(), *weight)).collect();
            let ring = Ring::new(participants.iter().copied());
            let points = points_by_definition(&participants);
            for hash in hashes {
                prop_assert_eq!(ring.owner(hash), owner_by_definition(&points, hash));
            }
        }

        #[test]
        fn removing_a_participant_moves_only_its_own_keys(
            participants in names(),
            removed in any::<proptest::sample::Index>(),
            hashes in proptest::collection::vec(any::<u32>(), 64),
        ) {
            let removed = removed.index(participants.len());
            let all = Ring::new(participants.iter().map(|(name, weight)| (name.as_str(), *weight)));
            let left: Vec<_> = participants
                .iter()
                .enumerate()
                .filter(|(index, _)| *index != removed)
                .map(|(_, participant)| participant.clone())
                .collect();
            let fewer = Ring::new(left.iter().map(|(name, weight)| (name.as_str(), *weight)));
            for hash in hashes {
                let before = all.owner(hash);
                if before != removed {
                    prop_assert_eq!(&participants[before], &left[fewer.owner(hash)]);
                }
            }
        }
    }
}
