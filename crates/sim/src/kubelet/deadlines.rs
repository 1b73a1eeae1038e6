//! A queue of deadlines in order of time, one for each key.

use std::collections::{BTreeSet, HashMap};

use crate::store::Key;

/// Deadlines in milliseconds of virtual time. Finding the next one does not iterate over the others.
#[derive(Clone, Debug, Default)]
pub(super) struct Deadlines {
    by_time: BTreeSet<(i64, Key)>,
    by_key: HashMap<Key, i64>,
}

impl Deadlines {
    /// Sets or replaces a key's deadline; `None` removes it.
    pub fn set(&mut self, key: &Key, at_ms: Option<i64>) {
        if self.by_key.get(key).copied() == at_ms {
            return;
        }
        if let Some(before) = self.by_key.remove(key) {
            self.by_time.remove(&(before, key.clone()));
        }
        if let Some(at) = at_ms {
            self.by_key.insert(key.clone(), at);
            self.by_time.insert((at, key.clone()));
        }
    }

    /// The earliest deadline.
    pub fn next(&self) -> Option<i64> {
        self.by_time.first().map(|(at, _)| *at)
    }

    /// The keys of the earliest deadline.
    pub fn first(&self) -> impl Iterator<Item = &Key> {
        let next = self.next();
        let first = self.by_time.iter();
        first
            .take_while(move |(at, _)| Some(*at) == next)
            .map(|(_, key)| key)
    }

    /// Removes and returns the keys that are due, the earliest first.
    pub fn take_due(&mut self, now_ms: i64) -> Vec<Key> {
        let mut due = Vec::new();
        while let Some((at, _)) = self.by_time.first()
            && *at <= now_ms
        {
            if let Some((_, key)) = self.by_time.pop_first() {
                self.by_key.remove(&key);
                due.push(key);
            }
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deadlines_come_in_order_and_each_key_has_one() {
        let mut deadlines = Deadlines::default();
        let key = |name: &str| Key::new("default", name);
        deadlines.set(&key("a"), Some(30));
        deadlines.set(&key("b"), Some(20));
        deadlines.set(&key("c"), Some(10));
        deadlines.set(&key("c"), None);
        deadlines.set(&key("a"), Some(15));
        assert_eq!(deadlines.next(), Some(15));
        assert_eq!(deadlines.take_due(14), []);
        assert_eq!(deadlines.take_due(20), [key("a"), key("b")]);
        assert_eq!(deadlines.next(), None);
    }
}
