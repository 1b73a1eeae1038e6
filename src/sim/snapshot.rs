//! A run that stands where a living cluster stands, to look at and to try things on.

use std::collections::VecDeque;

use crate::api::prepared::{DocumentIndex, PodObject};
use crate::cluster::{Cluster, PodIx};
use crate::scheduler::Scheduler;
use crate::scheduler::queue::Places;

use super::Run;
use super::effects::Effects;

/// What such a run is made of.
pub struct RunSnapshot {
    pub cluster: Cluster,
    pub scheduler: Scheduler,
    /// The waiting Pods.
    pub places: Places,
    /// Pods that preemption deleted, in order (`namespace/name`).
    pub deleted: Vec<String>,
    /// Steps made so far.
    pub steps: usize,
}

impl Run {
    /// A run that tries the Pods of activeQ next.
    pub fn snapshot(snapshot: RunSnapshot) -> Self {
        let RunSnapshot {
            cluster,
            scheduler,
            places,
            deleted,
            steps,
        } = snapshot;
        let mut effects = Effects::new(&[], &cluster);
        effects.set_deleted(deleted);
        let mut run = Self {
            effects,
            cluster,
            scheduler,
            queue: VecDeque::from(places.active),
            backoff: places.backoff,
            attempts: steps,
            round: 1,
            ..Self::idle()
        };
        run.sort_out();
        // Only the queue knows who is held back.
        run.gated = places.gated;
        run
    }

    /// The same where every Pod is of the document that `of` says.
    pub fn with_documents(&self, of: &mut dyn FnMut(&PodObject) -> DocumentIndex) -> Self {
        let mut run = self.checkpoint();
        run.cluster.set_documents(of);
        run
    }

    /// Pods that back off, in the order in which that ends; none in a run of rounds.
    pub fn backoff(&self) -> impl Iterator<Item = &crate::cluster::pod::PodInfo> {
        let pods = |pod: &PodIx| self.cluster.pods().get(*pod);
        self.backoff.iter().filter_map(pods)
    }
}
