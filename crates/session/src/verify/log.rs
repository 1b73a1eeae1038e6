//! Attempts in the log of kube-scheduler at `-v=10`.
//!
//! Lines are told apart by their messages, which have been the same since v1.28, and assigned by Pod: those of a binding
//! come from another goroutine, and may stand behind those of the next attempt.

use std::collections::BTreeMap;

use berth_core::api::source::SourceFile;
use berth_protocol::remark::Remark;
use berth_protocol::verify::Room;

use super::klog::{Line, lines};
use super::step::{Outcome, Score, Step};

/// The text of an attempt in a cluster without nodes, which has no line of its own.
const NO_NODES: &str = "no nodes available to schedule pods";

/// Reads all attempts, in order.
///
/// # Errors
/// If there is none: it is another log, or one with too few lines.
pub(super) fn steps(file: &SourceFile) -> Result<Vec<Step>, Remark> {
    let mut log = Log::default();
    for line in lines(&file.text) {
        log.read(&line);
    }
    match log.steps.is_empty() {
        true => Err(Remark::verify_no_attempts(&*file.name)),
        false => Ok(log.steps),
    }
}

#[derive(Default)]
struct Log {
    steps: Vec<Step>,
    /// The last attempt of each Pod.
    last: BTreeMap<String, usize>,
}

impl Log {
    fn read(&mut self, line: &Line<'_>) {
        match line.message {
            "Attempting to schedule pod" => self.begin(line),
            "Preemptor Pod preempted victim Pod" => self.evict(line),
            _ => {
                let step = line.value("pod").and_then(|pod| self.step(&pod));
                if let Some(step) = step {
                    note(step, line);
                }
            }
        }
    }

    fn step(&mut self, pod: &str) -> Option<&mut Step> {
        let at = *self.last.get(pod)?;
        self.steps.get_mut(at)
    }

    fn begin(&mut self, line: &Line<'_>) {
        let Some(pod) = line.value("pod") else {
            return;
        };
        let at = self.steps.len();
        let place = i64::try_from(at).unwrap_or(i64::MAX);
        self.last.insert(pod.clone(), at);
        self.steps.push(Step {
            pod,
            preemption: Some(None),
            time: (place, place),
            ..Step::default()
        });
    }

    fn evict(&mut self, line: &Line<'_>) {
        let values = ["preemptor", "victim", "node"].map(|key| line.value(key));
        let [Some(preemptor), Some(victim), Some(node)] = values else {
            return;
        };
        if let Some(step) = self.step(&preemptor) {
            let room = room(step, node);
            room.victims.push(victim);
            room.victims.sort();
            room.victims.dedup();
        }
    }
}

/// The room that the attempt makes on a node.
fn room(step: &mut Step, node: String) -> &mut Room {
    let room = step.preemption.get_or_insert_default();
    room.get_or_insert_with(|| Room {
        node,
        victims: Vec::new(),
    })
}

fn note(step: &mut Step, line: &Line<'_>) {
    let node = || line.value("node");
    match line.message {
        "Plugin scored node for pod" => {
            if let (Some(plugin), Some(node), Some(score)) =
                (line.value("plugin"), node(), line.number("score"))
            {
                step.scores.push(Score {
                    plugin,
                    node,
                    score,
                });
            }
        }
        "Calculated node's final score for pod" => {
            step.totals.extend(node().zip(line.number("score")));
        }
        "OpportunisticBatch provided node hint" => step.is_hinted = true,
        "OpportunisticBatch set cycle state" => {
            let node = line.value("chosenNode").filter(|node| !node.is_empty());
            bind(step, node);
        }
        "Attempting to bind pod to node" => bind(step, node()),
        "Successfully bound pod to node" => {
            bind(step, node());
            step.feasible = line.number("feasibleNodes").filter(|_| !step.is_hinted);
        }
        "Unable to schedule pod; no fit; waiting" => {
            if let Some(why) = line.value("err") {
                step.result = Outcome::Refused(why);
            }
        }
        "Unable to schedule pod; no nodes are registered to the cluster; waiting" => {
            step.result = Outcome::Refused(NO_NODES.to_owned());
        }
        "Error scheduling pod; retrying" => {
            if let Some(why) = line.value("err") {
                step.result = Outcome::Failed(why);
            }
        }
        "the target node for the preemption is determined" => {
            if let Some(node) = node() {
                room(step, node);
            }
        }
        _ => {}
    }
}

fn bind(step: &mut Step, node: Option<String>) {
    if let Some(node) = node {
        step.result = Outcome::Bound(node);
    }
}
