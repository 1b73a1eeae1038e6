//! A binary heap with positions by Pod, so that any Pod can be removed.
//!
//! The algorithm is that of Go's `container/heap`, so that equal keys come out in kube-scheduler's
//! order too.

use std::collections::BTreeMap;

use crate::cluster::PodIx;

/// Pods by key, smallest first. Every change takes logarithmic time.
#[derive(Clone, Debug)]
pub(super) struct Heap<K> {
    items: Vec<(K, PodIx)>,
    positions: BTreeMap<PodIx, usize>,
}

impl<K> Default for Heap<K> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            positions: BTreeMap::new(),
        }
    }
}

impl<K: Ord> Heap<K> {
    /// Adds a Pod, or updates its key.
    pub fn put(&mut self, pod: PodIx, key: K) {
        match self.positions.get(&pod).copied() {
            Some(position) => {
                if let Some(item) = self.items.get_mut(position) {
                    item.0 = key;
                }
                if !self.sink(position) {
                    self.rise(position);
                }
            }
            None => {
                let position = self.items.len();
                self.items.push((key, pod));
                self.positions.insert(pod, position);
                self.rise(position);
            }
        }
    }

    /// The Pod with the smallest key.
    pub fn first(&self) -> Option<(&K, PodIx)> {
        self.items.first().map(|(key, pod)| (key, *pod))
    }

    /// Pops the Pod with the smallest key.
    pub fn pop(&mut self) -> Option<PodIx> {
        let (_, pod) = self.first()?;
        self.remove(pod);
        Some(pod)
    }

    /// Removes a Pod; `false` if it is absent.
    pub fn remove(&mut self, pod: PodIx) -> bool {
        let Some(position) = self.positions.remove(&pod) else {
            return false;
        };
        let last = self.items.len().saturating_sub(1);
        self.items.swap(position, last);
        self.items.pop();
        if position < last {
            self.note(position);
            if !self.sink(position) {
                self.rise(position);
            }
        }
        true
    }

    /// Whether the heap contains the Pod.
    pub fn contains(&self, pod: PodIx) -> bool {
        self.positions.contains_key(&pod)
    }

    fn is_less(&self, a: usize, b: usize) -> bool {
        match (self.items.get(a), self.items.get(b)) {
            (Some((a, _)), Some((b, _))) => a < b,
            _ => false,
        }
    }

    fn note(&mut self, position: usize) {
        if let Some((_, pod)) = self.items.get(position) {
            self.positions.insert(*pod, position);
        }
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.items.swap(a, b);
        self.note(a);
        self.note(b);
    }

    fn rise(&mut self, mut position: usize) {
        while position > 0 {
            let parent = (position - 1) / 2;
            if !self.is_less(position, parent) {
                return;
            }
            self.swap(position, parent);
            position = parent;
        }
    }

    /// Whether the item moved.
    fn sink(&mut self, start: usize) -> bool {
        let mut position = start;
        loop {
            let (left, right) = (2 * position + 1, 2 * position + 2);
            let child = if self.is_less(right, left) {
                right
            } else {
                left
            };
            if !self.is_less(child, position) {
                return position > start;
            }
            self.swap(position, child);
            position = child;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Heap, PodIx};
    use berth_base::random::Random;

    #[test]
    fn pods_are_popped_by_key_after_removals_and_updates() {
        let mut random = Random::new(5);
        for count in 1..60_u32 {
            let mut heap = Heap::default();
            let mut keys: Vec<u64> = Vec::new();
            for pod in 0..count {
                keys.push(random.below(20));
                heap.put(PodIx(pod), keys[pod as usize]);
            }
            let mut expected = Vec::new();
            for pod in 0..count {
                match random.below(3) {
                    0 => assert!(heap.remove(PodIx(pod)) && !heap.remove(PodIx(pod))),
                    1 => {
                        keys[pod as usize] = random.below(20);
                        heap.put(PodIx(pod), keys[pod as usize]);
                        expected.push(keys[pod as usize]);
                    }
                    _ => expected.push(keys[pod as usize]),
                }
            }
            expected.sort_unstable();
            let popped: Vec<u64> = std::iter::from_fn(|| heap.pop())
                .map(|pod| keys[pod.0 as usize])
                .collect();
            assert_eq!(popped, expected);
        }
    }

    #[test]
    fn equal_keys_are_popped_in_gos_order() {
        let mut heap = Heap::default();
        for pod in 0..4 {
            heap.put(PodIx(pod), 0);
        }
        let order: Vec<u32> = std::iter::from_fn(|| heap.pop()).map(|pod| pod.0).collect();
        // The last item replaces the removed one.
        assert_eq!(order, [0, 3, 2, 1]);
    }
}
