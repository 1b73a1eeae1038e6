//! Problems with the input, in order and bounded in number.

use berth_protocol::remark::Remark;

use berth_base::sort;

pub use berth_protocol::problem::{Printable, Problem, Severity};

/// Maximum number of problems listed for one document; a final one counts the rest.
pub const MAX_PROBLEMS_PER_DOCUMENT: usize = 50;

/// Maximum number of problems listed in total; a final one counts the rest.
pub const MAX_PROBLEMS: usize = 1_000;

/// Sorts problems (files in the given order, then by position) and keeps [`MAX_PROBLEMS`] of them,
/// errors before warnings. A final problem counts those left out here and, as `unlisted`, earlier.
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

/// The problem that counts `left_out` others, at the position of the last listed one.
pub(crate) fn and_more(last: Option<&Problem>, left_out: usize) -> Option<Problem> {
    let last = last?;
    (left_out > 0).then(|| Problem {
        path: String::new(),
        message: Remark::and_more_problems(left_out),
        help: Remark::correct_above(),
        is_missing: false,
        unlisted: left_out,
        ..last.clone()
    })
}
