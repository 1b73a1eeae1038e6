//! What a lesson is on paper: its start, and what its solution brings to light.

use std::rc::Rc;

use berth_protocol::lesson::Handout;
use berth_protocol::remark::Remark;

use super::Lesson;
use crate::session::{Options, Session};
use crate::{frame, lesson};

/// Plays a lesson to its end, as the page would show it.
///
/// # Errors
/// Why it cannot be played.
pub fn handout(lesson: &Rc<Lesson>) -> Result<Handout, Remark> {
    let mut session = Session::new(Options::default());
    lesson::begin(&mut session, lesson)?;
    let start = frame::build(&session);
    for number in 0..lesson.parts.solution.len() {
        lesson::perform_solution_step(&mut session, number)?;
    }
    // A lesson that only asks has no steps.
    lesson::settle(&mut session);
    let kubernetes = session.manifests().prepared.release.version().minor();
    Ok(Handout {
        start,
        kubernetes: kubernetes.to_owned(),
        end: lesson::frame(&session).unwrap_or_default(),
        minutes: lesson.scenario.minutes,
        exam: lesson.scenario.exam.clone().unwrap_or_default(),
    })
}
