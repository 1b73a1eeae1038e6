//! Text of the smallest case of an attempt.

use berth_words::{counted, say, text};

use super::{Text, followed, nodes, number, pods, remark};
use berth_protocol::compare::Which;
use berth_protocol::reduce::{DiffersBy, Size};
use berth_protocol::remark::Remark;

pub const SMALLEST_CASE: Text = text!("Smallest case");
pub const SMALLEST_CASE_MEANS: Text = text!("The fewest objects that still show this");
pub const TRIES_WITHOUT: Text =
    text!("The scheduler plays the case again and again, each time without some of its parts…");
pub const OPEN_CASE: Text = text!("Open it");
pub const COPY_FOR_ISSUE: Text = text!("Copy for an issue");
pub const DOWNLOAD_CASE: Text = text!("Download case.yaml");
pub const LESSON_OF_CASE: Text = text!("Make a lesson of it");
pub const BACK_TO_EXPLANATION: Text = text!("Back to the explanation");
pub const NOTHING_TO_SPARE: Text = text!("Without any part of it this would not hold.");
pub const NEW_NAMES: Text = text!("All names in it are new and tell nothing of your cluster.");
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

/// What comes of the Pod in one of two runs.
pub fn in_run(differs_by: &DiffersBy, which: Which, what: &str) -> String {
    match (differs_by, which) {
        (DiffersBy::Kubernetes { a: release, .. }, Which::A)
        | (DiffersBy::Kubernetes { b: release, .. }, Which::B) => {
            say!("In Kubernetes {release}: {what}")
        }
        (DiffersBy::Configuration, which) => {
            let side = which.letter();
            say!("With the configuration of {side}: {what}")
        }
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

/// Why there is no case.
pub fn refused(why: &Remark) -> String {
    say!("There is no case: {why}.", why = remark(why))
}
