//! One entry of a run's log: what was decided, and enough to apply it again.

use std::sync::Arc;

use berth_core::api::prepared::PodObject;
use berth_protocol::cycle::Cycle;
use berth_scheduler::Position;
use berth_scheduler::cluster::pod::PodInfo;
use berth_scheduler::cluster::resources::Resources;
use berth_scheduler::cluster::{Cluster, PodIx};
use berth_scheduler::cycle::{Outcome, Unschedulable};
use berth_scheduler::framework::plugin::VolumeDecisions;

/// One attempt to place a Pod.
#[derive(Clone, Debug)]
pub struct Attempt {
    pub pod: PodIx,
    /// `namespace/name`.
    pub key: String,
    /// `schedulerName` of the profile that was used.
    pub profile: String,
    /// Counted from 1.
    pub round: u32,
    pub ending: Ending,
    /// The Pods that it evicts, in order of eviction.
    pub victims: Box<[Victim]>,
    /// The scheduler's position (next start node, random state) after it.
    pub scheduler: Position,
}

/// A Pod that a preemption evicts, as it was before.
#[derive(Clone, Debug)]
pub struct Victim {
    pub object: PodObject,
    pub request: Resources,
}

/// The victims of an outcome that evicts Pods. `cluster`: before they are gone.
pub(crate) fn victims(cluster: &Cluster, outcome: &Outcome) -> Box<[Victim]> {
    let preemption = match outcome {
        Outcome::Unschedulable(unschedulable) => unschedulable.preemption.as_ref(),
        Outcome::Scheduled { .. } | Outcome::Error { .. } => None,
    };
    let victims = preemption
        .into_iter()
        .flat_map(|preemption| &preemption.victims)
        .filter_map(|pod| cluster.pods().get(*pod));
    let victim = |pod: &PodInfo| Victim {
        object: pod.object.clone(),
        request: cluster.spec_of(pod).request.clone(),
    };
    victims.map(victim).collect()
}

/// How an attempt ended.
#[derive(Clone, Debug)]
pub enum Ending {
    Bound {
        node: Arc<str>,
        volumes: VolumeDecisions,
    },
    Unschedulable(Box<Unschedulable>),
    Error {
        message: String,
        /// The node that had been chosen, and what PreBind had written, if that failed.
        chosen: Option<(Arc<str>, VolumeDecisions)>,
    },
}

impl Ending {
    /// The outcome with names in place of indices.
    pub(crate) fn new(cluster: &Cluster, outcome: Outcome) -> Self {
        match outcome {
            Outcome::Scheduled { node, volumes } => Self::Bound {
                node: Arc::clone(&cluster.node(node).name),
                volumes,
            },
            Outcome::Unschedulable(unschedulable) => Self::Unschedulable(Box::new(unschedulable)),
            Outcome::Error { message, chosen } => Self::Error {
                message,
                chosen: chosen
                    .map(|(node, decisions)| (Arc::clone(&cluster.node(node).name), decisions)),
            },
        }
    }
}

impl Attempt {
    /// The node that the Pod was bound to.
    pub fn node(&self) -> Option<&Arc<str>> {
        match &self.ending {
            Ending::Bound { node, .. } => Some(node),
            _ => None,
        }
    }

    /// The node that was chosen, even if binding failed.
    fn selected(&self) -> Option<&str> {
        match &self.ending {
            Ending::Bound { node, .. } => Some(node),
            Ending::Error { chosen, .. } => chosen.as_ref().map(|(node, _)| &**node),
            Ending::Unschedulable(_) => None,
        }
    }

    /// Why the Pod was not bound.
    pub fn message(&self) -> Option<&str> {
        match &self.ending {
            Ending::Bound { .. } => None,
            Ending::Unschedulable(unschedulable) => Some(&unschedulable.message),
            Ending::Error { message, .. } => Some(message),
        }
    }

    /// Whether a recorded cycle of the same attempt has the same outcome.
    pub fn agrees_with(&self, cycle: &Cycle) -> bool {
        let nominated = match &self.ending {
            Ending::Unschedulable(unschedulable) => unschedulable.preemption.is_some(),
            _ => false,
        };
        cycle.pod == self.key
            && cycle.selected.as_deref() == self.selected()
            && cycle.message.as_deref() == self.message()
            && cycle.error == matches!(self.ending, Ending::Error { .. })
            && cycle.preemption.is_some() == nominated
    }
}
