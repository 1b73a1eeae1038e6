//! The state of a session beside its history.

use std::rc::Rc;

use berth_core::api::source::SourceFile;
use berth_protocol::problem::Problem;

use super::fork::Fork;
use super::lesson::Lesson;
use super::locks::Locks;
use crate::session::{Due, Options};

/// What undo restores with the history. It is copied as a whole: a copy of a few fields forgets the next one.
#[derive(Clone, Default)]
pub(super) struct State {
    pub options: Options,
    /// The problems of the last sources, accepted or not.
    pub problems: Vec<Problem>,
    /// The last sources, if they were not accepted.
    pub pending_sources: Option<Rc<[SourceFile]>>,
    pub fork: Option<Fork>,
    /// The position that a run that started again has yet to reach.
    pub due: Option<Due>,
    /// The lesson that is played.
    pub lesson: Option<Rc<Lesson>>,
    /// What it forbids to change.
    pub locks: Option<Rc<Locks>>,
    /// The position of the log from which expectations look at the past: the start of a lesson.
    pub since: usize,
    /// Number of changes that could be undone when the lesson began.
    pub undo_at_start: usize,
    /// Number of steps of the lesson's solution that were taken.
    pub solution_taken: usize,
}
