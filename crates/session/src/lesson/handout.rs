//! What a lesson is on paper: its start, and what its solution brings to light.

use std::rc::Rc;

use berth_protocol::lesson::Handout;
use berth_protocol::remark::Remark;

use super::Lesson;
use crate::{Options, Session};

/// Plays a lesson to its end, as the page would show it.
///
/// # Errors
/// Why it cannot be played.
pub fn handout(lesson: &Rc<Lesson>) -> Result<Handout, Remark> {
    let mut session = Session::new(Options::default());
    session.begin_lesson(lesson)?;
    let start = session.frame();
    for number in 0..lesson.parts.solution.len() {
        session.take_solution_step(number)?;
    }
    // A lesson that only asks has no steps.
    session.settle();
    let kubernetes = session.manifests().prepared.release.version().minor();
    Ok(Handout {
        start,
        kubernetes: kubernetes.to_owned(),
        end: session.lesson_frame().unwrap_or_default(),
        minutes: lesson.scenario.minutes,
        exam: lesson.scenario.exam.clone().unwrap_or_default(),
    })
}
