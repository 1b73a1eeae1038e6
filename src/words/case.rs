//! Text of the smallest case of an attempt.

use berth_words::{counted, say, text};

use super::{Text, followed, nodes, number, pods, remark};
use berth_protocol::reduce::Size;
use berth_protocol::remark::Remark;

/// The link to the case, in an issue.
pub const OPEN_IN_BERTH: Text = text!("Open this case in Berth");

/// `60 nodes, 900 Pods`
pub fn size(size: Size) -> String {
    followed(nodes(size.nodes), pods(size.pods))
}

/// `60 nodes, 900 Pods → 3 nodes, 4 Pods, 26 lines`
pub fn sizes(from: Size, to: Size, lines: usize) -> String {
    let lines = counted!(lines, "{lines} line", "{lines} lines");
    format!("{} → {}", size(from), followed(size(to), lines))
}

/// `268 trials`
pub fn trials(trials: usize) -> String {
    counted!(trials, "{trials} trial", "{trials} trials")
}

/// How far a reduction is: `trial 120: 9 nodes, 14 Pods are left`.
pub fn trial(done: usize, left: Option<Size>) -> String {
    let trial = number(done);
    match left {
        None => say!("trial {trial}"),
        Some(left) => say!("trial {trial}: {left} are left", left = size(left)),
    }
}

/// The change of a case's counterfactual.
pub fn lands_after(fix: &Remark) -> String {
    say!("It lands after this: {change}.", change = remark(fix))
}

/// What could not be done.
pub fn lacks(why: &Remark) -> String {
    say!("What it lacks: {why}.", why = remark(why))
}
