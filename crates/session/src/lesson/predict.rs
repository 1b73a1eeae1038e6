//! Questions of a lesson, answered by the log.

use std::collections::BTreeSet;

use berth_core::api::scenario::Predict;
use berth_sim::run::Ending;

use crate::Session;

/// The answer to a question, as the scheduler gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The node.
    Node(String),
    /// The Pods that are evicted, as `namespace/name`.
    Victims(BTreeSet<String>),
    /// The plugins that keep the Pod waiting.
    Plugins(BTreeSet<String>),
}

impl Answer {
    /// Whether a learner's answer is right: the node, all victims separated by commas, or one of the plugins.
    pub fn is(&self, given: &str) -> bool {
        match self {
            Self::Node(node) => node == given,
            Self::Victims(victims) => {
                let given: BTreeSet<String> = given.split(',').map(|pod| full(pod.trim())).collect();
                *victims == given
            }
            Self::Plugins(plugins) => plugins.contains(given),
        }
    }
}

/// `namespace/name` of a Pod.
fn full(pod: &str) -> String {
    match pod.contains('/') {
        true => pod.to_owned(),
        false => format!("default/{pod}"),
    }
}

impl Session {
    /// The answer to a question: that of the Pod's first attempt since the start that gives one. `None` before it.
    pub fn answer(&self, question: &Predict) -> Option<Answer> {
        let pod = full(&question.pod);
        let attempts = self.attempts().filter(|(at, _)| *at >= self.since);
        let mut own = attempts.map(|(_, attempt)| attempt).filter(|attempt| attempt.key == pod);
        own.find_map(|attempt| match (question.ask.as_str(), &attempt.ending) {
            ("node", Ending::Bound { node, .. }) => Some(Answer::Node(node.to_string())),
            ("victims", _) if !attempt.victims.is_empty() => {
                let victims = attempt.victims.iter().map(|victim| victim.object.key());
                Some(Answer::Victims(victims.collect()))
            }
            ("why", Ending::Unschedulable(unschedulable)) => {
                let plugins = unschedulable.rejected_by.iter();
                Some(Answer::Plugins(plugins.map(|name| (*name).to_owned()).collect()))
            }
            _ => None,
        })
    }
}
