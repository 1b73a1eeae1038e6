//! Sorts Pods for deletion exactly as Go's `sort.Sort`.
//!
//! `sort.Sort` determines which of several equal Pods is deleted first, and the order of Pods whose comparison is
//! cyclic (the first before the second by age, the second before the third by UID, the third before the first). Sorts
//! that require a total order do not accept cycles. This is the algorithm that `sort.Sort` documents,
//! pattern-defeating quicksort (Orson Peters), with the same pivots and limits: it is deterministic, and equal inputs
//! give equal results.

use std::cmp::Ordering;
use std::ops::Range;

/// Ranges up to this length are sorted by insertion.
const INSERTION: usize = 12;
/// From this length on, the pivot is the median of three medians.
const NINTHER: usize = 50;
/// The number of swaps when all comparisons of nine items swap: the range is likely reversed.
const ALL_SWAPPED: usize = 12;
/// Pairs out of order that are repaired before a range counts as unsorted.
const MENDS: usize = 5;
/// Shorter ranges are not repaired.
const WORTH_MENDING: usize = 50;

/// Sorts by any comparison, consistent or not.
pub(super) fn sort<T>(items: &mut [T], compare: &dyn Fn(&T, &T) -> Ordering) {
    let all = 0..items.len();
    let depth = usize::BITS - items.len().leading_zeros();
    Sorter { items, compare }.quick(all, depth);
}

/// What the choice of a pivot reveals about a range.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hint {
    Sorted,
    Reversed,
    Unknown,
}

struct Sorter<'a, T> {
    items: &'a mut [T],
    compare: &'a dyn Fn(&T, &T) -> Ordering,
}

impl<T> Sorter<'_, T> {
    fn less(&self, a: usize, b: usize) -> bool {
        match (self.items.get(a), self.items.get(b)) {
            (Some(a), Some(b)) => (self.compare)(a, b).is_lt(),
            _ => false,
        }
    }

    /// `depth` is the number of unbalanced partitions before heapsort takes over.
    fn quick(&mut self, mut range: Range<usize>, mut depth: u32) {
        let (mut was_balanced, mut was_partitioned) = (true, true);
        loop {
            if range.len() <= INSERTION {
                self.insert(range);
                return;
            }
            if depth == 0 {
                self.heap(range);
                return;
            }
            if !was_balanced {
                self.scatter(&range);
                depth -= 1;
            }
            let (mut pivot, mut hint) = self.choose_pivot(&range);
            if hint == Hint::Reversed {
                if let Some(part) = self.items.get_mut(range.clone()) {
                    part.reverse();
                }
                pivot = range.end - 1 - (pivot - range.start);
                hint = Hint::Sorted;
            }
            if was_balanced && was_partitioned && hint == Hint::Sorted && self.mend(&range) {
                return;
            }
            // No item is smaller than the one before the range: skip the items equal to the pivot.
            if range.start > 0 && !self.less(range.start - 1, pivot) {
                range.start = self.split_equal(&range, pivot);
                continue;
            }
            let length = range.len();
            let (middle, partitioned) = self.split(&range, pivot);
            was_partitioned = partitioned;
            let (left, right) = (range.start..middle, middle + 1..range.end);
            let smaller = left.len().min(range.end - middle);
            was_balanced = smaller >= length / 8;
            if left.len() < range.end - middle {
                self.quick(left, depth);
                range = right;
            } else {
                self.quick(right, depth);
                range = left;
            }
        }
    }

    fn insert(&mut self, range: Range<usize>) {
        for end in range.start + 1..range.end {
            let mut at = end;
            while at > range.start && self.less(at, at - 1) {
                self.items.swap(at, at - 1);
                at -= 1;
            }
        }
    }

    fn heap(&mut self, range: Range<usize>) {
        let (first, length) = (range.start, range.len());
        for root in (0..=(length - 1) / 2).rev() {
            self.sift(root, length, first);
        }
        for last in (0..length).rev() {
            self.items.swap(first, first + last);
            self.sift(0, last, first);
        }
    }

    fn sift(&mut self, mut root: usize, length: usize, first: usize) {
        loop {
            let mut child = 2 * root + 1;
            if child >= length {
                return;
            }
            if child + 1 < length && self.less(first + child, first + child + 1) {
                child += 1;
            }
            if !self.less(first + root, first + child) {
                return;
            }
            self.items.swap(first + root, first + child);
            root = child;
        }
    }

    /// Swaps three items with fixed pseudorandom others, to break patterns.
    fn scatter(&mut self, range: &Range<usize>) {
        let length = range.len();
        let mask = (1_u64 << (usize::BITS - length.leading_zeros())) - 1;
        let mut random = length as u64;
        let middle = range.start + length / 4 * 2 - 1;
        for place in middle - 1..middle + 2 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let other = usize::try_from(random & mask).unwrap_or(0);
            let other = if other >= length {
                other - length
            } else {
                other
            };
            self.items.swap(place, range.start + other);
        }
    }

    fn choose_pivot(&self, range: &Range<usize>) -> (usize, Hint) {
        let quarter = range.len() / 4;
        let mut swaps = 0;
        let mut places = [1, 2, 3].map(|part| range.start + quarter * part);
        if range.len() >= NINTHER {
            places = places.map(|place| self.median([place - 1, place, place + 1], &mut swaps));
        }
        let pivot = self.median(places, &mut swaps);
        let hint = match swaps {
            0 => Hint::Sorted,
            ALL_SWAPPED => Hint::Reversed,
            _ => Hint::Unknown,
        };
        (pivot, hint)
    }

    fn median(&self, [mut low, mut middle, high]: [usize; 3], swaps: &mut usize) -> usize {
        let mut order = |a: usize, b: usize| {
            if self.less(b, a) {
                *swaps += 1;
                (b, a)
            } else {
                (a, b)
            }
        };
        (low, middle) = order(low, middle);
        (middle, _) = order(middle, high);
        (_, middle) = order(low, middle);
        middle
    }

    /// Repairs an almost sorted range. `true` if it is sorted afterwards.
    fn mend(&mut self, range: &Range<usize>) -> bool {
        let mut at = range.start + 1;
        for _ in 0..MENDS {
            while at < range.end && !self.less(at, at - 1) {
                at += 1;
            }
            if at == range.end {
                return true;
            }
            if range.len() < WORTH_MENDING {
                return false;
            }
            self.items.swap(at, at - 1);
            if at - range.start >= 2 {
                let mut place = at - 1;
                while place >= 1 && self.less(place, place - 1) {
                    self.items.swap(place, place - 1);
                    place -= 1;
                }
            }
            if range.end - at >= 2 {
                let mut place = at + 1;
                while place < range.end && self.less(place, place - 1) {
                    self.items.swap(place, place - 1);
                    place += 1;
                }
            }
        }
        false
    }

    /// Partitions a range into items smaller than the pivot and the others. Returns the pivot's index, and whether
    /// the range was already partitioned.
    fn split(&mut self, range: &Range<usize>, pivot: usize) -> (usize, bool) {
        let first = range.start;
        self.items.swap(first, pivot);
        let (mut low, mut end) = (first + 1, range.end);
        let mut swapped = false;
        loop {
            while low < end && self.less(low, first) {
                low += 1;
            }
            while low < end && !self.less(end - 1, first) {
                end -= 1;
            }
            if low >= end {
                break;
            }
            self.items.swap(low, end - 1);
            swapped = true;
            low += 1;
            end -= 1;
        }
        self.items.swap(end - 1, first);
        (end - 1, !swapped)
    }

    /// Moves items equal to the pivot to the front. Returns the index after them.
    fn split_equal(&mut self, range: &Range<usize>, pivot: usize) -> usize {
        let first = range.start;
        self.items.swap(first, pivot);
        let (mut low, mut end) = (first + 1, range.end);
        loop {
            while low < end && !self.less(first, low) {
                low += 1;
            }
            while low < end && self.less(first, end - 1) {
                end -= 1;
            }
            if low >= end {
                return low;
            }
            self.items.swap(low, end - 1);
            low += 1;
            end -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use berth_base::random::Random;

    fn sorted(keys: &[u64]) -> Vec<(u64, usize)> {
        let mut items: Vec<(u64, usize)> = keys.iter().copied().zip(0..).collect();
        sort(&mut items, &|a, b| a.0.cmp(&b.0));
        items
    }

    #[test]
    fn any_input_is_sorted() {
        let mut random = Random::new(5);
        for len in 0..300_u64 {
            for distinct in [1, 2, 9, 1_000] {
                let mut keys: Vec<u64> = (0..len).map(|_| random.below(distinct)).collect();
                for _ in 0..3 {
                    let items = sorted(&keys);
                    assert!(items.is_sorted_by_key(|(key, _)| *key), "{keys:?}");
                    let mut places: Vec<usize> = items.iter().map(|(_, place)| *place).collect();
                    places.sort_unstable();
                    assert!(places.into_iter().eq(0..keys.len()));
                    keys.sort_unstable();
                    if distinct == 9 {
                        keys.reverse();
                    }
                    if let Some(last) = keys.last_mut() {
                        *last = 0;
                    }
                }
            }
        }
    }

    #[test]
    fn short_and_sorted_inputs_are_stable() {
        let mut random = Random::new(6);
        for len in 0..=12 {
            let keys: Vec<u64> = (0..len).map(|_| random.below(3)).collect();
            let items = sorted(&keys);
            assert!(items.is_sorted(), "{items:?}");
        }
        assert!(sorted(&[7; 200]).is_sorted());
        let rising: Vec<u64> = (0..200).map(|place| place / 7).collect();
        assert!(sorted(&rising).is_sorted());
    }

    #[test]
    fn the_heap_sorts_as_well() {
        let mut random = Random::new(7);
        for len in 1..200 {
            let mut items: Vec<u64> = (0..len).map(|_| random.below(50)).collect();
            let all = 0..items.len();
            let compare = |a: &u64, b: &u64| a.cmp(b);
            Sorter {
                items: &mut items,
                compare: &compare,
            }
            .heap(all);
            assert!(items.is_sorted());
        }
    }

    #[test]
    fn cyclic_comparisons_terminate() {
        // Three values, each before the next in a cycle.
        let circle = |a: &u32, b: &u32| match (b + 3 - a) % 3 {
            0 => Ordering::Equal,
            1 => Ordering::Less,
            _ => Ordering::Greater,
        };
        for len in [3, 30, 300] {
            let mut items: Vec<u32> = (0..len).map(|i| i * 7 % 3).collect();
            sort(&mut items, &circle);
            let ones = items.iter().filter(|item| **item == 1).count();
            assert_eq!(ones, usize::try_from(len / 3).unwrap());
        }
    }
}
