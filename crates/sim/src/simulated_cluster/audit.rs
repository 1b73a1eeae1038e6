//! Compares the scheduler's cache, which is updated change by change, with the objects of the API server.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::pod_util;
use crate::store::{Key, name_of};
use berth_base::sort;

use super::SimulatedCluster;

impl SimulatedCluster {
    /// Compares the scheduler's cluster with the API server's Pods and nodes, and its derived data with its
    /// objects. The cluster must have settled.
    ///
    /// # Errors
    /// What differs (a defect of Berth).
    pub fn audit(&self) -> Result<(), String> {
        let cluster = &self.data_plane.scheduling.cache.cluster;
        cluster.audit()?;
        let store = self.api().store();
        let waiting = self.queue();
        let waiting = [
            waiting.active,
            waiting.backoff,
            waiting.unschedulable,
            waiting.gated,
        ];
        let waiting: BTreeSet<Arc<str>> = sort::gather(waiting.into_iter().flatten());
        let mut count = 0;
        for pod in store.pods.iter().filter(|pod| !pod_util::is_finished(pod)) {
            count += 1;
            let key = Key::of(&pod.metadata);
            let Some(seen) = cluster.pods().find(key.namespace(), key.name()) else {
                return Err(format!("the scheduler does not know Pod {key}"));
            };
            let seen_on = seen.object.node_name.as_deref().unwrap_or_default();
            let node = pod_util::node_of(pod);
            // A Pod whose claims are not bound yet has its node in the scheduler only.
            let is_assumed = node.is_empty() && self.data_plane.is_binding(&key);
            if seen_on != node && !is_assumed {
                return Err(format!(
                    "Pod {key} is on `{node}`, for the scheduler on `{seen_on}`"
                ));
            }
            let is_terminating = pod_util::is_terminating(pod);
            let is_ours = self.data_plane.scheduling.cache.scheduler.profile_of(seen);
            let waits = || is_terminating || waiting.contains(&*key.to_string());
            if seen_on.is_empty() && is_ours.is_some() && !waits() {
                return Err(format!("Pod {key} has no node and waits nowhere"));
            }
            if seen.object.terminating != is_terminating {
                return Err(format!(
                    "Pod {key} is being deleted: {is_terminating}; the scheduler sees it otherwise"
                ));
            }
        }
        let seen = cluster.pods().iter().count();
        if seen != count {
            return Err(format!("{count} Pods, the scheduler sees {seen}"));
        }
        let (nodes, seen) = (store.nodes.count(), cluster.nodes().count());
        if nodes != seen {
            return Err(format!("{nodes} nodes, the scheduler sees {seen}"));
        }
        for node in store.nodes.iter() {
            let name = name_of(&node.metadata);
            if cluster.find_node(name).is_none() {
                return Err(format!("the scheduler does not know node {name}"));
            }
        }
        Ok(())
    }
}
