//! Sorting by an order that need not be one.
//!
//! Kubernetes compares Pods by rules that can go in a circle (one before another by age, that before a third
//! by uid, the third before the first), and so must not be handed to a sort that insists on a total order.

use std::cmp::Ordering;

/// Up to here a list is sorted as Go's `sort.Sort` does it: by insertion, so that circles come out alike.
const INSERTION: usize = 12;

/// Sorts; equal items keep their order, and circles are broken somewhere, always in the same place.
pub(super) fn sort<T: Clone>(items: &mut Vec<T>, compare: &dyn Fn(&T, &T) -> Ordering) {
    if items.len() <= INSERTION || is_sorted(items, compare) {
        insert_all(items, compare);
        return;
    }
    let mut right = items.split_off(items.len() / 2);
    sort(items, compare);
    sort(&mut right, compare);
    let left = std::mem::take(items);
    merge(left, right, items, compare);
}

fn is_sorted<T>(items: &[T], compare: &dyn Fn(&T, &T) -> Ordering) -> bool {
    items
        .windows(2)
        .all(|pair| !matches!(pair, [one, other] if compare(other, one).is_lt()))
}

fn insert_all<T>(items: &mut [T], compare: &dyn Fn(&T, &T) -> Ordering) {
    for end in 1..items.len() {
        let mut at = end;
        while let Some([one, other]) = at.checked_sub(1).and_then(|before| items.get(before..=at))
            && compare(other, one).is_lt()
        {
            items.swap(at - 1, at);
            at -= 1;
        }
    }
}

fn merge<T>(left: Vec<T>, right: Vec<T>, into: &mut Vec<T>, compare: &dyn Fn(&T, &T) -> Ordering) {
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(one), Some(other)) = (left.peek(), right.peek()) {
        let next = if compare(other, one).is_lt() {
            right.next()
        } else {
            left.next()
        };
        into.extend(next);
    }
    into.extend(left);
    into.extend(right);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    #[test]
    fn sorts_and_keeps_the_order_of_equals() {
        let mut random = Random::new(5);
        for len in 0..80_u64 {
            let mut items: Vec<(u64, u64)> = (0..len).map(|i| (random.below(9), i)).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|item| item.0);
            sort(&mut items, &|one, other| one.0.cmp(&other.0));
            assert_eq!(items, expected);
        }
    }

    #[test]
    fn circles_do_no_harm() {
        // Each before the next, of three.
        let circle = |one: &u32, other: &u32| match (other + 3 - one) % 3 {
            0 => Ordering::Equal,
            1 => Ordering::Less,
            _ => Ordering::Greater,
        };
        for len in [3, 30, 300] {
            let mut items: Vec<u32> = (0..len).map(|i| i * 7 % 3).collect();
            sort(&mut items, &circle);
            assert_eq!(items.len(), usize::try_from(len).unwrap());
        }
    }
}
