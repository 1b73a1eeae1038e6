//! The order in which a ReplicaSet deletes Pods (`ActivePodsWithRanks` of `pkg/controller`, Kubernetes v1.34).

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;

use crate::controllers::order;
use crate::pod_util;
use crate::store::uid_of;

const DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";

/// Chooses `count` of the `active` Pods, in the order of deletion.
///
/// `related` are the Pods of all ReplicaSets of the same Deployment: Pods on nodes with more of them are deleted
/// earlier. The numbers are counted once, not after each chosen Pod.
pub(super) fn choose(
    active: &[Arc<Pod>],
    related: &[&Arc<Pod>],
    count: usize,
    now_ms: i64,
) -> Vec<Arc<Pod>> {
    let mut on_node: BTreeMap<&str, usize> = BTreeMap::new();
    for pod in related.iter().filter(|pod| pod_util::is_active(pod)) {
        *on_node.entry(pod_util::node_of(pod)).or_default() += 1;
    }
    let rank = |pod: &Pod| on_node.get(pod_util::node_of(pod)).copied().unwrap_or(0);
    let mut ranked: Vec<(usize, Arc<Pod>)> =
        active.iter().map(|pod| (rank(pod), pod.clone())).collect();
    // If all are deleted, the order does not matter.
    if count < ranked.len() {
        order::sort(&mut ranked, &|a, b| compare(a, b, now_ms));
    }
    ranked.into_iter().take(count).map(|(_, pod)| pod).collect()
}

fn compare(one: &(usize, Arc<Pod>), other: &(usize, Arc<Pod>), now_ms: i64) -> Ordering {
    let (rank, pod) = one;
    let (other_rank, other_pod) = other;
    pod_util::by_progress(pod, other_pod)
        .then_with(|| deletion_cost(pod).cmp(&deletion_cost(other_pod)))
        .then_with(|| other_rank.cmp(rank))
        .then_with(
            || match (pod_util::ready_since(pod), pod_util::ready_since(other_pod)) {
                (Some(since), Some(other_since)) => {
                    by_age(since, other_since, pod, other_pod, now_ms)
                }
                _ => Ordering::Equal,
            },
        )
        .then_with(|| pod_util::by_restarts(pod, other_pod))
        .then_with(|| {
            let (created, other_created) =
                (pod_util::created_ms(pod), pod_util::created_ms(other_pod));
            by_age(created, other_created, pod, other_pod, now_ms)
        })
}

/// Sorts younger Pods first, comparing ages by their binary logarithm; of equal ones, the smaller UID comes first,
/// which is arbitrary.
fn by_age(since: i64, other_since: i64, pod: &Pod, other_pod: &Pod, now_ms: i64) -> Ordering {
    if since == other_since {
        return Ordering::Equal;
    }
    magnitude(now_ms.saturating_sub(since))
        .cmp(&magnitude(now_ms.saturating_sub(other_since)))
        .then_with(|| uid_of(&pod.metadata).cmp(uid_of(&other_pod.metadata)))
}

/// The binary logarithm of an age in nanoseconds; `None` for an age of zero or less.
fn magnitude(age_ms: i64) -> Option<u32> {
    let nanoseconds = u128::try_from(age_ms).ok()? * 1_000_000;
    nanoseconds.checked_ilog2()
}

/// The annotation's value; 0 if it is not a plain number.
fn deletion_cost(pod: &Pod) -> i32 {
    let text = pod_util::annotation_of(pod, DELETION_COST).unwrap_or_default();
    let plain = text == "0" || text.starts_with(['-', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
    if plain { text.parse().unwrap_or(0) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pod_with_cost(cost: &str) -> Pod {
        let mut pod = Pod::default();
        pod.metadata.annotations = Some([(DELETION_COST.to_owned(), cost.to_owned())].into());
        pod
    }

    #[test]
    fn only_plain_numbers_are_costs() {
        for (text, cost) in [
            ("7", 7),
            ("-10", -10),
            ("0", 0),
            ("+7", 0),
            ("07", 0),
            ("x", 0),
            ("2147483648", 0),
            ("", 0),
        ] {
            assert_eq!(deletion_cost(&pod_with_cost(text)), cost, "{text:?}");
        }
    }

    #[test]
    fn ages_count_by_their_magnitude() {
        assert_eq!(magnitude(0), None);
        assert_eq!(magnitude(10_000), magnitude(15_000));
        assert!(magnitude(8_000) < magnitude(10_000));
    }
}
