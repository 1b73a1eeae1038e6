//! Questions of a lesson, answered by the log.

use berth_core::api::scenario::Predict;
use berth_protocol::lesson::{Answer, full};
use berth_sim::run::Ending;

use crate::session::Session;

/// The answer to a question: that of the Pod's first attempt since the start that gives one. `None` before it.
pub fn answer(session: &Session, question: &Predict) -> Option<Answer> {
    let pod = full(&question.pod);
    let attempts = session
        .attempts()
        .filter(|(at, _)| *at >= session.state.since);
    let mut own = attempts
        .map(|(_, attempt)| attempt)
        .filter(|attempt| attempt.key == pod);
    own.find_map(|attempt| match (question.ask.as_str(), &attempt.ending) {
        ("node", Ending::Bound { node, .. }) => Some(Answer::Node(node.to_string())),
        ("victims", _) if !attempt.victims.is_empty() => {
            let victims = attempt.victims.iter().map(|victim| victim.object.key());
            Some(Answer::Victims(victims.collect()))
        }
        ("why", Ending::Unschedulable(unschedulable)) => {
            let plugins = unschedulable.rejected_by.iter();
            Some(Answer::Plugins(
                plugins.map(|name| (*name).to_owned()).collect(),
            ))
        }
        _ => None,
    })
}
