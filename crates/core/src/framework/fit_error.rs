//! The message of a Pod's `FailedScheduling` event.

use std::collections::BTreeMap;

use super::status::Rejection;
use crate::base::sort;

/// `0/N nodes are available: …`, as formatted by `FitError.Error` of kube-scheduler v1.34.
///
/// `explicit` holds rejections with their numbers of nodes; every other node counts with the reasons
/// of `absent`. A PreFilter message replaces both. Clauses are sorted as text: "10 x" before "2 x".
pub fn fit_error_text<'a>(
    nodes: usize,
    pre_filter_message: &str,
    explicit: impl Iterator<Item = (usize, &'a Rejection)>,
    absent: &Rejection,
    post_filter_message: &str,
) -> String {
    let mut text = format!("0/{nodes} nodes are available:");
    if pre_filter_message.is_empty() {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let mut counted = 0;
        for (count, rejection) in explicit {
            counted += count;
            for reason in &rejection.reasons {
                *counts.entry(reason).or_default() += count;
            }
        }
        if counted < nodes {
            for reason in &absent.reasons {
                *counts.entry(reason).or_default() += nodes - counted;
            }
        }
        let mut clauses: Vec<String> = counts
            .iter()
            .map(|(reason, count)| format!("{count} {reason}"))
            .collect();
        sort::sort(&mut clauses);
        if !clauses.is_empty() {
            text.push_str(&format!(" {}.", clauses.join(", ")));
        }
    } else {
        text.push_str(&format!(" {pre_filter_message}."));
    }
    if !post_filter_message.is_empty() {
        text.push_str(&format!(" {post_filter_message}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Rejection, fit_error_text};

    #[test]
    fn clauses_are_sorted_as_text_and_absent_nodes_counted() {
        let short = Rejection::unschedulable("Insufficient cpu");
        let cordoned = Rejection::unresolvable("node(s) were unschedulable");
        let explicit = [(10, &short), (1, &cordoned)];
        let absent = Rejection::unresolvable("not looked at");
        let text = fit_error_text(13, "", explicit.into_iter(), &absent, "and so on");
        assert_eq!(
            text,
            "0/13 nodes are available: 1 node(s) were unschedulable, 10 Insufficient cpu, 2 not looked at. and so on"
        );
    }
}
