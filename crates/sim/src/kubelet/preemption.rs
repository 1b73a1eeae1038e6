//! Preemption by the kubelet to admit a critical Pod that does not fit.
//!
//! Mirrors `pkg/kubelet/preemption` v1.34, one resource at a time: Guaranteed Pods are chosen only for what all
//! others cannot free, and Burstable ones only for what BestEffort ones cannot. The real kubelet waits until the
//! victims have ended; here they end at once.

use super::Kubelet;
use super::notes::Notes;
use super::static_pods::is_critical;
use super::worker::{Stage, Worker};
use crate::server::ApiServer;
use crate::store::Key;
use berth_base::sort;

const CLASSES: [&str; 3] = ["BestEffort", "Burstable", "Guaranteed"];

impl Kubelet {
    /// Preempts Pods of a node to free this amount of a resource. `false` if that is impossible.
    pub(super) fn make_room(
        &mut self,
        node: &str,
        resource: &str,
        missing: i64,
        api: &mut ApiServer,
    ) -> bool {
        let Some(state) = self.nodes.get(node) else {
            return false;
        };
        let mut classes: [Vec<(i64, Key)>; 3] = Default::default();
        for key in &state.pods {
            let (Some(worker), Some(pod)) = (self.workers.get(key), api.store().pods.get(key))
            else {
                continue;
            };
            let class = CLASSES
                .iter()
                .position(|class| *class == worker.qos_class)
                .unwrap_or(0);
            if let Some(own) = classes
                .get_mut(class)
                .filter(|_| !is_critical(pod) && worker.stage != Stage::Ending)
            {
                own.push((asks(worker, resource), key.clone()));
            }
        }
        let Some(victims) = choose(classes, missing) else {
            return false;
        };
        let now = api.now_ms();
        for key in victims {
            let Some(worker) = self.workers.get_mut(&key) else {
                continue;
            };
            let mut notes = Notes::default();
            notes.warning("Preempting", "Preempted in order to admit critical pod");
            let why = "Pod was preempted by Kubelet to accommodate a critical pod.";
            let message = "Preempted in order to admit critical pod".to_owned();
            worker.fail("Preempting", message, why.to_owned(), now, &mut notes);
            self.work(&key, notes, api);
        }
        true
    }
}

/// The Pod's request for a resource, in the scheduler's unit.
fn asks(worker: &Worker, resource: &str) -> i64 {
    match resource {
        "pods" => 1,
        _ => worker.requests.get(resource),
    }
}

/// Chooses the victims, given by QoS class from BestEffort to Guaranteed; `None` if all together do not suffice.
fn choose(classes: [Vec<(i64, Key)>; 3], missing: i64) -> Option<Vec<Key>> {
    let sum = |own: &[(i64, Key)]| {
        own.iter()
            .map(|(amount, _)| *amount)
            .fold(0, i64::saturating_add)
    };
    let [best_effort, burstable, guaranteed] = classes;
    let (all_best_effort, all_burstable) = (sum(&best_effort), sum(&burstable));
    if all_best_effort
        .saturating_add(all_burstable)
        .saturating_add(sum(&guaranteed))
        < missing
    {
        return None;
    }
    let guaranteed = enough(guaranteed, missing - all_best_effort - all_burstable);
    let freed = sum(&guaranteed);
    let burstable = enough(burstable, missing - all_best_effort - freed);
    let freed = freed + sum(&burstable);
    let best_effort = enough(best_effort, missing - freed);
    let all = best_effort.into_iter().chain(burstable).chain(guaranteed);
    Some(all.map(|(_, key)| key).collect())
}

/// A small set of Pods that frees the missing amount: at each step the smallest that suffices, or else the largest.
fn enough(mut own: Vec<(i64, Key)>, missing: i64) -> Vec<(i64, Key)> {
    sort::sort_by_key(&mut own, |(amount, _)| *amount);
    let mut chosen = Vec::new();
    let mut missing = missing;
    while missing > 0 && !own.is_empty() {
        let at = own.iter().position(|(amount, _)| *amount >= missing);
        let taken = own.remove(at.unwrap_or(own.len() - 1));
        missing -= taken.0;
        chosen.push(taken);
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(classes: [&[i64]; 3], missing: i64) -> Option<Vec<String>> {
        let named = |class: usize| {
            classes[class]
                .iter()
                .map(|amount| (*amount, Key::new("", format!("{class}-{amount}"))))
                .collect()
        };
        let victims = choose([named(0), named(1), named(2)], missing)?;
        Some(
            victims
                .into_iter()
                .map(|key| key.name().to_owned())
                .collect(),
        )
    }

    #[test]
    fn the_least_guaranteed_go_first_and_no_more_than_needed() {
        assert_eq!(
            chosen([&[0, 0], &[2, 5, 3], &[4]], 3),
            Some(vec!["1-3".to_owned()])
        );
        assert_eq!(
            chosen([&[], &[2, 5], &[4, 9]], 8),
            Some(["1-5", "2-4"].map(str::to_owned).to_vec())
        );
        assert_eq!(
            chosen([&[1, 1], &[1], &[1]], 2),
            Some(["0-1", "0-1"].map(str::to_owned).to_vec())
        );
        assert_eq!(chosen([&[1], &[1], &[1]], 4), None);
    }
}
