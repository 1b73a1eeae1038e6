//! Sets of indexes of a Job as intervals, since Jobs may have very many (`0,2-4,9,10`).

use std::collections::BTreeSet;
use std::fmt;

/// Sorted indexes; adjacent intervals are merged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Indexes {
    intervals: Vec<(i32, i32)>,
}

impl Indexes {
    /// Parses the output of [`fmt::Display`]; indexes from `completions` on are dropped.
    pub fn parse(text: &str, completions: i32) -> Self {
        let mut indexes = Indexes::default();
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            if let (Ok(first), Ok(last)) = (first.parse::<i32>(), last.parse::<i32>())
                && first < completions
            {
                indexes.push(first, last.min(completions - 1));
            }
        }
        indexes
    }

    /// Appends an interval that starts no earlier than the last one; merges them if they touch.
    fn push(&mut self, first: i32, last: i32) {
        match self.intervals.last_mut() {
            Some(end) if first <= end.1.saturating_add(1) => end.1 = end.1.max(last),
            _ => self.intervals.push((first, last)),
        }
    }

    /// The number of indexes.
    pub fn total(&self) -> i32 {
        let sizes = self.intervals.iter().map(|(first, last)| last - first + 1);
        sizes.sum()
    }

    /// Whether the index is in the set.
    pub fn has(&self, index: i32) -> bool {
        let mut intervals = self.intervals.iter();
        intervals.any(|(first, last)| (*first..=*last).contains(&index))
    }

    /// The union with these indexes.
    #[must_use]
    pub fn with(&self, more: &BTreeSet<i32>) -> Self {
        let more = Indexes {
            intervals: more.iter().map(|index| (*index, *index)).collect(),
        };
        self.merge(&more)
    }

    /// The union of both sets.
    #[must_use]
    pub fn merge(&self, other: &Indexes) -> Self {
        let mut all: Vec<(i32, i32)> = self
            .intervals
            .iter()
            .chain(&other.intervals)
            .copied()
            .collect();
        berth_base::sort::sort(&mut all);
        let mut merged = Indexes::default();
        for (first, last) in all {
            merged.push(first, last);
        }
        merged
    }

    /// The size of the intersection with `other`.
    pub fn common(&self, other: &Indexes) -> i32 {
        self.total() + other.total() - self.merge(other).total()
    }

    /// The first `count` indexes below `end` that are not in the set.
    pub fn missing(&self, count: usize, end: i32) -> Vec<i32> {
        let mut missing = Vec::new();
        let mut next = 0;
        let ends = self.intervals.iter().copied().chain([(end, end)]);
        for (first, last) in ends {
            let gap = next..first.min(end);
            missing.extend(gap.take(count - missing.len()));
            next = next.max(last.saturating_add(1));
        }
        missing
    }
}

impl fmt::Display for Indexes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (first, last)) in self.intervals.iter().enumerate() {
            if number > 0 {
                f.write_str(",")?;
            }
            match last - first {
                0 => write!(f, "{first}")?,
                1 => write!(f, "{first},{last}")?,
                _ => write!(f, "{first}-{last}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_and_read() {
        for text in ["", "0", "0,1", "0-2", "0,2-4,9,10"] {
            assert_eq!(Indexes::parse(text, 100).to_string(), text);
        }
        assert_eq!(Indexes::parse("0,2-4,9", 4).to_string(), "0,2,3");
        let more = Indexes::parse("0,2", 10).with(&BTreeSet::from([1, 5]));
        assert_eq!(more.to_string(), "0-2,5");
        assert_eq!((more.total(), more.has(5), more.has(4)), (4, true, false));
    }

    #[test]
    fn the_lowest_that_are_missing() {
        let indexes = Indexes::parse("0,2-4", 100);
        assert_eq!(indexes.missing(3, 100), [1, 5, 6]);
        assert_eq!(indexes.missing(9, 6), [1, 5]);
        assert_eq!(indexes.missing(0, 6), [0; 0]);
        assert_eq!(Indexes::default().missing(2, 1), [0]);
        assert_eq!(indexes.common(&Indexes::parse("3-8", 100)), 2);
    }
}
