//! The order in which a Job deletes Pods.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;

use super::index_of;
use crate::controllers::order;
use crate::pod_util;

/// Chooses at least `at_least` of the active Pods. For an Indexed Job, Pods with an invalid or duplicate index come
/// first.
pub(super) fn choose(
    active: &[Arc<Pod>],
    at_least: usize,
    completions: Option<i32>,
) -> Vec<Arc<Pod>> {
    let (mut doomed, mut left) = match completions {
        Some(completions) => duplicates(active, completions),
        None => (Vec::new(), active.to_vec()),
    };
    if doomed.len() < at_least {
        order::sort(&mut left, &pod_util::deletion_order);
        let more = at_least - doomed.len();
        doomed.extend(left.into_iter().take(more));
    }
    doomed
}

fn duplicates(active: &[Arc<Pod>], completions: i32) -> (Vec<Arc<Pod>>, Vec<Arc<Pod>>) {
    let mut by_index: BTreeMap<Option<i32>, Vec<Arc<Pod>>> = BTreeMap::new();
    for pod in active {
        by_index.entry(index_of(pod)).or_default().push(pod.clone());
    }
    let (mut doomed, mut left) = (Vec::new(), Vec::new());
    for (index, mut own) in by_index {
        if index.is_some_and(|index| index < completions) {
            order::sort(&mut own, &pod_util::deletion_order);
            left.extend(own.pop());
        }
        doomed.extend(own);
    }
    (doomed, left)
}
