//! Unified differences of texts, line by line, as Python's `difflib` finds them (and `go-difflib`, which Kubernetes
//! uses).

use std::collections::BTreeMap;
use std::ops::Range;

/// Unchanged lines around a change.
const CONTEXT: usize = 3;

/// From this many lines on, frequent lines do not begin a match.
const POPULAR_FROM: usize = 200;

/// The difference of two texts without a head; empty if they are equal.
pub fn unified(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.split('\n').collect(), new.split('\n').collect());
    let mut text = String::new();
    for group in groups(&changes(&old, &new)) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else {
            continue;
        };
        let range = |from: usize, to: usize| match to - from {
            1 => format!("{}", from + 1),
            0 => format!("{from},0"),
            length => format!("{},{length}", from + 1),
        };
        let (a, b) = (
            range(first.old.start, last.old.end),
            range(first.new.start, last.new.end),
        );
        text.push_str(&format!("@@ -{a} +{b} @@\n"));
        for change in &group {
            if change.is_equal {
                write(&mut text, ' ', &old[change.old.clone()]);
            } else {
                write(&mut text, '-', &old[change.old.clone()]);
                write(&mut text, '+', &new[change.new.clone()]);
            }
        }
    }
    text
}

fn write(text: &mut String, sign: char, lines: &[&str]) {
    for line in lines {
        text.push(sign);
        text.push_str(line);
        text.push('\n');
    }
}

/// A part of both texts that is equal, or in which they differ.
#[derive(Clone, Debug)]
struct Change {
    is_equal: bool,
    old: Range<usize>,
    new: Range<usize>,
}

/// The texts from begin to end.
fn changes(old: &[&str], new: &[&str]) -> Vec<Change> {
    let mut found = Vec::new();
    let (mut i, mut j) = (0, 0);
    for (a, b, length) in matches(old, new) {
        if i < a || j < b {
            found.push(Change {
                is_equal: false,
                old: i..a,
                new: j..b,
            });
        }
        (i, j) = (a + length, b + length);
        if length > 0 {
            found.push(Change {
                is_equal: true,
                old: a..i,
                new: b..j,
            });
        }
    }
    found
}

/// The changes with their surroundings, apart where much is equal between them.
fn groups(changes: &[Change]) -> Vec<Vec<Change>> {
    let mut changes = changes.to_vec();
    if changes.iter().all(|change| change.is_equal) {
        return Vec::new();
    }
    if let Some(first) = changes.first_mut().filter(|change| change.is_equal) {
        first.old.start = first.old.start.max(first.old.end.saturating_sub(CONTEXT));
        first.new.start = first.new.start.max(first.new.end.saturating_sub(CONTEXT));
    }
    if let Some(last) = changes.last_mut().filter(|change| change.is_equal) {
        last.old.end = last.old.end.min(last.old.start + CONTEXT);
        last.new.end = last.new.end.min(last.new.start + CONTEXT);
    }
    let mut groups = vec![Vec::new()];
    for change in changes {
        let is_long = change.is_equal && change.old.len() > 2 * CONTEXT;
        let mut rest = change.clone();
        if is_long {
            let mut end = change;
            end.old.end = end.old.start + CONTEXT;
            end.new.end = end.new.start + CONTEXT;
            if let Some(group) = groups.last_mut() {
                group.push(end);
            }
            groups.push(Vec::new());
            rest.old.start = rest.old.end - CONTEXT;
            rest.new.start = rest.new.end - CONTEXT;
        }
        if let Some(group) = groups.last_mut() {
            group.push(rest);
        }
    }
    groups
}

/// The blocks of equal lines, in order, ended by an empty one.
fn matches(old: &[&str], new: &[&str]) -> Vec<(usize, usize, usize)> {
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, line) in new.iter().enumerate() {
        places.entry(line).or_default().push(place);
    }
    if new.len() >= POPULAR_FROM {
        places.retain(|_, at| at.len() <= new.len() / 100 + 1);
    }
    let mut found = Vec::new();
    let mut open = vec![(0..old.len(), 0..new.len())];
    while let Some((a, b)) = open.pop() {
        let (i, j, length) = longest(old, new, &places, &a, &b);
        if length == 0 {
            continue;
        }
        found.push((i, j, length));
        if a.start < i && b.start < j {
            open.push((a.start..i, b.start..j));
        }
        if i + length < a.end && j + length < b.end {
            open.push((i + length..a.end, j + length..b.end));
        }
    }
    found.sort_unstable();
    let mut joined: Vec<(usize, usize, usize)> = Vec::new();
    for (i, j, length) in found {
        match joined.last_mut() {
            Some((a, b, own)) if *a + *own == i && *b + *own == j => *own += length,
            _ => joined.push((i, j, length)),
        }
    }
    joined.push((old.len(), new.len(), 0));
    joined
}

/// The longest block of equal lines within two ranges, the first of several.
fn longest(
    old: &[&str],
    new: &[&str],
    places: &BTreeMap<&str, Vec<usize>>,
    a: &Range<usize>,
    b: &Range<usize>,
) -> (usize, usize, usize) {
    let (mut i, mut j, mut length) = (a.start, b.start, 0);
    let mut lengths: BTreeMap<usize, usize> = BTreeMap::new();
    for at in a.clone() {
        let mut next = BTreeMap::new();
        let candidates = places.get(old[at]).map_or(&[][..], Vec::as_slice);
        for place in candidates.iter().copied().filter(|place| b.contains(place)) {
            let before = place.checked_sub(1).and_then(|before| lengths.get(&before));
            let own = before.copied().unwrap_or(0) + 1;
            next.insert(place, own);
            if own > length {
                (i, j, length) = (at + 1 - own, place + 1 - own, own);
            }
        }
        lengths = next;
    }
    // Frequent lines do not begin a match, but they extend one.
    while i > a.start && j > b.start && old[i - 1] == new[j - 1] {
        (i, j, length) = (i - 1, j - 1, length + 1);
    }
    while i + length < a.end && j + length < b.end && old[i + length] == new[j + length] {
        length += 1;
    }
    (i, j, length)
}

#[cfg(test)]
mod tests {
    use super::unified;

    #[test]
    fn a_change_is_shown_with_three_lines_around_it() {
        let old: Vec<String> = (0..12).map(|line| line.to_string()).collect();
        let mut new = old.clone();
        new[5] = "five".to_owned();
        let text = unified(&old.join("\n"), &new.join("\n"));
        assert_eq!(text, "@@ -3,7 +3,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
    }

    #[test]
    fn distant_changes_are_apart_and_equal_texts_have_none() {
        let old: Vec<String> = (0..30).map(|line| line.to_string()).collect();
        let mut new = old.clone();
        new[2] = "two".to_owned();
        new.insert(20, "more".to_owned());
        let text = unified(&old.join("\n"), &new.join("\n"));
        assert_eq!(text.matches("@@ -").count(), 2);
        assert!(text.contains("+more\n"));
        assert_eq!(unified("a", "a"), "");
    }
}
