//! Keeps the first run after an edit of the past, for comparison and to return to it.

use berth_protocol::frame::{Difference, ForkFrame};
use berth_sim::snapshot::Snapshot;
use berth_sim::store::Key;

use super::history::Past;

/// Maximum number of listed Pods with another node.
const LISTED: usize = 200;

/// The run that the current one was forked from.
#[derive(Clone)]
pub struct Fork {
    at: usize,
    first_run: Past,
    /// The node of every Pod at the end of the first run.
    placements: std::rc::Rc<Vec<(Key, Option<String>)>>,
}

impl Fork {
    pub(super) fn new(at: usize, first_run: Past) -> Self {
        let placements = first_run.placements().into();
        Self {
            at,
            first_run,
            placements,
        }
    }

    pub(super) fn into_first_run(self) -> Past {
        self.first_run
    }

    /// How this moment of the fork compares with the end of the first run.
    pub(super) fn frame(&self, run: &Snapshot) -> ForkFrame {
        let cluster = run.cluster();
        let mut frame = ForkFrame {
            at: self.at,
            placed_first: self
                .placements
                .iter()
                .filter(|(_, node)| node.is_some())
                .count(),
            pods_first: self.placements.len(),
            ..ForkFrame::default()
        };
        for (key, first) in self.placements.iter() {
            let now = cluster.pods().find(key.namespace(), key.name());
            let node = now.and_then(|pod| pod.object.node_name.as_ref());
            let node = node.map(|node| node.to_string());
            if node == *first && now.is_some() {
                continue;
            }
            frame.different += 1;
            if frame.differences.len() < LISTED {
                frame.differences.push(Difference {
                    pod: key.to_string(),
                    first: first.clone(),
                    now: node,
                    exists: now.is_some(),
                });
            }
        }
        let pods = cluster.pods().iter();
        for pod in pods.filter(|pod| !pod.object.phase.is_terminal()) {
            frame.pods_now += 1;
            frame.placed_now += usize::from(pod.object.node_name.is_some());
        }
        frame
    }
}
