//! Problems with the input, in order and bounded in number.

use crate::base::sort;

pub use berth_protocol::problem::{Printable, Problem, Severity};

/// Problems listed for one document; the rest is counted in a last one.
pub const MAX_PROBLEMS_PER_DOCUMENT: usize = 50;

/// Problems listed in all; the rest is counted in a last one.
pub const MAX_PROBLEMS: usize = 1_000;

/// Puts problems in order (files in the order given, then by position) and keeps the first
/// [`MAX_PROBLEMS`], errors before warnings, with one more that counts the ones left out, here and
/// (`unlisted`) before.
pub fn arrange(
    mut problems: Vec<Problem>,
    unlisted: usize,
    file_order: &dyn Fn(&str) -> usize,
) -> Vec<Problem> {
    let order = |a: &Problem, b: &Problem| {
        file_order(&a.file)
            .cmp(&file_order(&b.file))
            .then_with(|| a.cmp(b))
    };
    let left_out = problems
        .len()
        .saturating_sub(MAX_PROBLEMS)
        .saturating_add(unlisted);
    if problems.len() > MAX_PROBLEMS {
        sort::sort_by(&mut problems, |a, b| {
            a.severity.cmp(&b.severity).then_with(|| order(a, b))
        });
        problems.truncate(MAX_PROBLEMS);
    }
    sort::sort_by(&mut problems, order);
    let more = and_more(problems.last(), left_out);
    problems.extend(more);
    problems
}

/// The problem that stands for `left_out` others, at the place of the last one shown.
pub(crate) fn and_more(last: Option<&Problem>, left_out: usize) -> Option<Problem> {
    let last = last?;
    (left_out > 0).then(|| Problem {
        path: String::new(),
        message: format!("… and {left_out} more"),
        help: "correct the ones above first".to_owned(),
        unlisted: left_out,
        ..last.clone()
    })
}
