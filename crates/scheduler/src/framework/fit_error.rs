//! The message of a Pod's `FailedScheduling` event.

use std::collections::BTreeMap;

use super::status::Rejection;
use berth_base::sort;

/// A message, and its clauses that count nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FitError {
    pub text: String,
    pub clauses: Vec<Clause>,
}

/// The place of a clause such as `2 Insufficient cpu`, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clause {
    pub start: usize,
    /// Start of the reason, which follows the count.
    pub reason: usize,
    pub end: usize,
}

impl FitError {
    /// Appends another message.
    pub fn append(&mut self, other: &Self) {
        let offset = self.text.len();
        self.text.push_str(&other.text);
        self.clauses
            .extend(other.clauses.iter().map(|clause| Clause {
                start: clause.start + offset,
                reason: clause.reason + offset,
                end: clause.end + offset,
            }));
    }
}

impl From<String> for FitError {
    fn from(text: String) -> Self {
        Self {
            text,
            clauses: Vec::new(),
        }
    }
}

/// `0/N nodes are available: …`, as formatted by `FitError.Error` of kube-scheduler v1.34.
///
/// `explicit` holds rejections with their numbers of nodes; every other node counts with the reasons
/// of `absent`. A PreFilter message replaces both. PostFilter's message follows as it is. Clauses are sorted as text: "10 x" before "2 x".
pub fn fit_error<'a>(
    nodes: usize,
    pre_filter_message: &str,
    explicit: impl Iterator<Item = (usize, &'a Rejection)>,
    absent: &Rejection,
) -> FitError {
    let mut error = FitError::from(format!("0/{nodes} nodes are available:"));
    let text = &mut error.text;
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
        let mut clauses: Vec<(String, &str)> = counts
            .iter()
            .map(|(reason, count)| (format!("{count} {reason}"), *reason))
            .collect();
        sort::sort(&mut clauses);
        for (position, (clause, reason)) in clauses.iter().enumerate() {
            text.push_str(if position == 0 { " " } else { ", " });
            let (start, end) = (text.len(), text.len() + clause.len());
            text.push_str(clause);
            error.clauses.push(Clause {
                start,
                reason: end - reason.len(),
                end,
            });
        }
        if !clauses.is_empty() {
            text.push('.');
        }
    } else {
        text.push_str(&format!(" {pre_filter_message}."));
    }
    error
}

#[cfg(test)]
mod tests {
    use super::{FitError, Rejection, fit_error};

    #[test]
    fn clauses_are_sorted_as_text_and_absent_nodes_counted() {
        let short = Rejection::unschedulable("Insufficient cpu");
        let cordoned = Rejection::unresolvable("node(s) were unschedulable");
        let explicit = [(10, &short), (1, &cordoned)];
        let absent = Rejection::unresolvable("not looked at");
        let mut error = fit_error(13, "", explicit.into_iter(), &absent);
        error.append(&FitError::from(" and so on".to_owned()));
        assert_eq!(
            error.text,
            "0/13 nodes are available: 1 node(s) were unschedulable, 10 Insufficient cpu, 2 not looked at. and so on"
        );
        let mut whole = FitError::from("> ".to_owned());
        whole.append(&error);
        let clauses = whole.clauses.iter().map(|at| {
            (
                &whole.text[at.start..at.end],
                &whole.text[at.reason..at.end],
            )
        });
        assert_eq!(
            clauses.collect::<Vec<_>>(),
            [
                ("1 node(s) were unschedulable", "node(s) were unschedulable"),
                ("10 Insufficient cpu", "Insufficient cpu"),
                ("2 not looked at", "not looked at"),
            ]
        );
    }
}
