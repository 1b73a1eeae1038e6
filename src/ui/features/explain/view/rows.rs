//! The rows of the matrix: their groups, and which of them are in view.

use std::collections::BTreeMap;
use std::ops::Range;

use super::text;

/// With more rows than this, only those in view are drawn.
pub const ALL: usize = 60;
/// Number of rows drawn then: some 20 that fit, and some before and after.
pub const DRAWN: usize = 40;
/// Number of rows drawn in the first frame.
pub const AT_FIRST: usize = 16;
/// Number of rows drawn before the first one in view.
const BEFORE: usize = 6;
/// Number of rows requested before the drawn ones.
const ASKED_BEFORE: usize = 70;

/// Rows of one group.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// The distinguishing part of its topology domain, and the whole name; empty without grouping.
    pub label: String,
    pub title: String,
    /// Positions in the explanation.
    pub rows: Vec<usize>,
}

/// Groups rows by value: values sorted by name, rows without one last.
pub fn grouped(values: &[Option<String>]) -> Vec<Group> {
    let mut groups: BTreeMap<(bool, &str), Vec<usize>> = BTreeMap::new();
    for (row, value) in values.iter().enumerate() {
        let key = (value.is_none(), value.as_deref().unwrap_or_default());
        groups.entry(key).or_default().push(row);
    }
    let names = groups.keys().filter(|(missing, _)| !missing);
    let shared = text::shared(names.map(|(_, value)| *value));
    groups
        .into_iter()
        .map(|((missing, value), rows)| Group {
            label: if missing {
                "–".to_owned()
            } else {
                text::without(value, shared).to_owned()
            },
            title: value.to_owned(),
            rows,
        })
        .collect()
}

/// All rows as one unnamed group.
pub fn ungrouped(count: usize) -> Vec<Group> {
    let rows = (0..count).collect();
    vec![Group {
        rows,
        ..Group::default()
    }]
}

/// The rows to draw, of `total`, from `first` on.
pub fn drawn(first: usize, total: usize) -> Range<usize> {
    if total <= ALL {
        return 0..total;
    }
    let first = first.min(total - DRAWN);
    first..first + DRAWN
}

/// The first row to draw when this much of the list's height (head included) is scrolled away. It is rounded, so that
/// not every pixel causes a redraw.
pub fn first(scrolled: usize, height: usize, total: usize) -> usize {
    // The head is about as high as five rows.
    let at = scrolled.saturating_mul(total + 5) / height.max(1);
    at.saturating_sub(BEFORE) / 10 * 10
}

/// The first row to request so that these can be drawn; `None` if they were reported.
pub fn missing(drawn: &Range<usize>, known: &Range<usize>) -> Option<usize> {
    let is_known = known.start <= drawn.start && drawn.end <= known.end;
    (!is_known).then(|| drawn.start.saturating_sub(ASKED_BEFORE))
}

#[cfg(test)]
mod tests {
    use super::{DRAWN, drawn, first, grouped, missing};

    #[test]
    fn rows_without_the_key_come_last() {
        let values = [
            Some("us-east-1b"),
            None,
            Some("us-east-1a"),
            Some("us-east-1b"),
        ];
        let groups = grouped(&values.map(|value| value.map(str::to_owned)));
        let grouped: Vec<_> = groups
            .iter()
            .map(|group| (group.label.as_str(), group.rows.as_slice()))
            .collect();
        assert_eq!(grouped, [("1a", &[2][..]), ("1b", &[0, 3]), ("–", &[1])]);
    }

    #[test]
    fn only_rows_in_view_are_drawn_when_there_are_many() {
        assert_eq!(drawn(0, 8), 0..8);
        assert_eq!(drawn(4990, 5000), 5000 - DRAWN..5000);
        // Scrolled to the middle of 5,000 rows of 19 px.
        let middle = first(47_500, 95_095, 5000);
        assert!((2470..2500).contains(&middle), "{middle}");
        assert_eq!(first(0, 0, 5000), 0);
    }

    #[test]
    fn unreported_rows_are_requested() {
        assert_eq!(missing(&(0..60), &(0..200)), None);
        assert_eq!(missing(&(160..220), &(0..200)), Some(90));
        assert_eq!(missing(&(30..90), &(40..240)), Some(0));
    }
}
