//! Lessons: a start, goals, and what leads from one to the other.
//!
//! A lesson is a file whose first document is a `Scenario` with `solution`; the manifests of the start follow. A
//! session plays it with the means that a learner has: lines of the terminal and edits of the manifests.

mod changes;
pub mod draft;
mod frame;
mod handout;
mod lock_trial;
mod play;
mod predict;
mod propose;
mod read;
mod rules;

use berth_core::api::load::Loaded;
use berth_core::api::scenario::{self, Lock, Scenario};

use berth_core::api::source::SourceFile;
use berth_scheduler::release::Version;

pub use draft::check;
pub use frame::{frame, of, perform_solution_step};
pub use handout::handout;
pub(crate) use play::is_before;
pub use play::{
    begin, choose_mode, choose_release, goals, perform_step, settle, start_again, write_manifests,
    wrong_answer,
};
pub use predict::answer;
pub use propose::propose;
pub use read::{Tests, tests};
pub use rules::test;

/// The seeds with which a lesson that is being made is played: a lesson holds however ties are decided.
pub const SEEDS: [u64; 3] = [1, 2, 3];

/// A lesson that can be played.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// The name of its file without the ending, where that is known.
    pub slug: String,
    /// Texts in the language of the reader, goals, and `before`.
    pub scenario: Scenario,
    /// Solution, wrong answers, locks and questions.
    pub parts: scenario::Lesson,
    /// The manifests of the start, with the part of the `Scenario` that the cluster depends on.
    pub sources: Vec<SourceFile>,
    /// The lesson's own file, for the places of its problems.
    loaded: Loaded,
}

impl Lesson {
    /// The release that it is written for; `None`: any.
    pub fn release(&self) -> Option<Version> {
        let written = self.scenario.kubernetes.as_deref()?;
        Version::parse(written).ok()
    }

    /// Whether it opens as a simulated cluster.
    pub fn is_live(&self) -> bool {
        self.starts_with_commands() || self.scenario.is_live()
    }

    /// What it forbids to change: its locks, and the scheduler's configuration if commands belong to its start. Another
    /// configuration would start the run again without them.
    pub fn locks(&self) -> Vec<Lock> {
        let configuration = Lock {
            kind: "KubeSchedulerConfiguration".to_owned(),
            name: None,
            namespace: String::new(),
            path: None,
        };
        let mut locks = self.parts.locked.clone();
        if self.starts_with_commands() && !locks.contains(&configuration) {
            locks.push(configuration);
        }
        locks
    }

    fn starts_with_commands(&self) -> bool {
        let before = self.scenario.before.as_ref();
        before.is_some_and(|lines| !lines.is_empty())
    }
}

#[cfg(test)]
mod tests;
