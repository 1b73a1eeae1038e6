//! Sorting that is compiled once.
//!
//! The standard library's sorts are compiled for every type and comparison, 4 to 8 KB of wasm each.
//! Here one sort orders positions; each type adds only the comparison and the swaps.

use std::cmp::Ordering;

/// Sorts; equal items keep their order.
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, T::cmp);
}

/// Sorts by a key, computed at each comparison; equal items keep their order.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(items, |a, b| key(a).cmp(&key(b)));
}

/// Sorts by a comparison; equal items keep their order.
pub fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    if items.len() < 2 {
        return;
    }
    let mut origins = sorted_positions(items.len(), &|a, b| compare(&items[a], &items[b]));
    arrange(&mut origins, &mut |a, b| items.swap(a, b));
}

/// A `BTreeMap` or `BTreeSet` of these entries; of equal keys, the last value wins.
///
/// `collect` would sort the entries first, with a sort of its own for each type.
pub fn gather<C: Default + Extend<T>, T>(entries: impl IntoIterator<Item = T>) -> C {
    let mut gathered = C::default();
    gathered.extend(entries);
    gathered
}

/// For each position of the sorted list, the position its item comes from.
#[inline(never)]
fn sorted_positions(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut positions: Vec<usize> = (0..count).collect();
    positions.sort_by(|&a, &b| compare(a, b));
    positions
}

/// Moves the items to their places, one permutation cycle at a time.
#[inline(never)]
fn arrange(origins: &mut [usize], swap: &mut dyn FnMut(usize, usize)) {
    for start in 0..origins.len() {
        let mut place = start;
        loop {
            let origin = std::mem::replace(&mut origins[place], place);
            if origin == start {
                break;
            }
            swap(place, origin);
            place = origin;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::{gather, sort, sort_by, sort_by_key};
    use crate::random::Random;

    #[test]
    fn sorts_as_the_standard_library_does() {
        let mut random = Random::new(7);
        for len in 0..200_u64 {
            let items: Vec<(u64, u64)> = (0..len).map(|i| (random.below(len / 3 + 1), i)).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|(key, _)| *key);
            let mut by_key = items.clone();
            sort_by_key(&mut by_key, |(key, _)| *key);
            assert_eq!(by_key, expected);
            let mut reversed = items.clone();
            sort_by(&mut reversed, |a, b| b.0.cmp(&a.0));
            expected.sort_by_key(|(key, _)| std::cmp::Reverse(*key));
            assert_eq!(reversed, expected);
            let mut whole = items;
            sort(&mut whole);
            expected.sort_unstable();
            assert_eq!(whole, expected);
        }
    }

    #[test]
    fn the_last_of_equal_keys_counts() {
        let map: BTreeMap<&str, i32> = gather([("b", 1), ("a", 2), ("b", 3)]);
        assert_eq!(map.into_iter().collect::<Vec<_>>(), [("a", 2), ("b", 3)]);
        let set: BTreeSet<i32> = gather([3, 1, 3]);
        assert_eq!(set.into_iter().collect::<Vec<_>>(), [1, 3]);
    }
}
