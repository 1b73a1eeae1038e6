//! "Did you mean …": the known name closest to a misspelled one.

/// Longer names are not compared.
const MAX_NAME: usize = 64;

/// The candidate that `name` most likely means: the closest one within an edit distance of a
/// third of its length (insertions, deletions, substitutions, transpositions), ignoring case. The
/// first one if several are equally close.
pub fn closest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let name: Vec<char> = name.to_lowercase().chars().collect();
    if name.is_empty() || name.len() > MAX_NAME {
        return None;
    }
    let allowed = (name.len() / 3).max(1);
    candidates
        .into_iter()
        // The difference in length is a lower bound of the distance; most candidates are dropped here.
        .filter(|candidate| candidate.chars().count().abs_diff(name.len()) <= allowed)
        .map(|candidate| {
            let letters: Vec<char> = candidate.to_lowercase().chars().collect();
            (distance(&name, &letters), candidate)
        })
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Optimal string alignment distance.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let mut previous_a = None;
    for (row, &from) in (1..).zip(a) {
        let mut current = vec![row];
        let mut previous_b = None;
        for (column, &to) in (1..).zip(b) {
            let at =
                |row: &[usize], column: usize| row.get(column).copied().unwrap_or(usize::MAX / 2);
            let mut best = (at(&last, column - 1) + usize::from(from != to))
                .min(at(&last, column) + 1)
                .min(at(&current, column - 1) + 1);
            if column > 1 && previous_a == Some(to) && previous_b == Some(from) {
                best = best.min(at(&before_last, column - 2) + 1);
            }
            current.push(best);
            previous_b = Some(to);
        }
        before_last = std::mem::replace(&mut last, current);
        previous_a = Some(from);
    }
    last.last().copied().unwrap_or(a.len())
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn finds_typing_errors_and_nothing_else() {
        let fields = ["nodeName", "nodeSelector", "tolerations", "affinity"];
        assert_eq!(closest("nodeSelecter", fields), Some("nodeSelector"));
        assert_eq!(closest("nodeselector", fields), Some("nodeSelector"));
        assert_eq!(closest("tolreations", fields), Some("tolerations"));
        assert_eq!(closest("replicas", fields), None);
        assert_eq!(closest("", fields), None);
    }
}
