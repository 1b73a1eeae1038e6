//! The lives of Pods by the rules of a script's `kubelet`.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Pod;

use crate::kubelet::{ScriptedLife, ScriptedLives};
use crate::pod_util;
use crate::store::{controller_of, name_of};
use crate::template_hashes::TemplateHashes;
use berth_core::api::script::{KubeletRules, Rule, outcome, ready_after};
use berth_core::api::workloads::COMPLETION_INDEX;

/// The rules, and how many Pods of each owner (and of each index) have started.
#[derive(Clone, Debug)]
pub(crate) struct ScriptedPods {
    rules: KubeletRules,
    own: Rule,
    started: BTreeMap<(String, Option<String>), usize>,
    /// Rules refer to Pods by the numbers of their template hashes.
    pub(crate) hashes: TemplateHashes,
}

impl ScriptedPods {
    pub(crate) fn new(rules: KubeletRules) -> Self {
        ScriptedPods {
            own: rules.for_all(),
            rules,
            started: BTreeMap::new(),
            hashes: TemplateHashes::default(),
        }
    }

    /// The rules for a Pod, the most specific first.
    fn of_pod(&self, pod: &Pod) -> Vec<&Rule> {
        let containers = pod.spec.as_ref().map(|spec| spec.containers.as_slice());
        let image = containers.and_then(|all| all.first()?.image.as_deref());
        let by_image = image.and_then(|image| self.rules.images.get(image));
        let by_name = if self.rules.pods.is_empty() {
            None
        } else {
            let name = self.hashes.shown(name_of(&pod.metadata));
            self.rules.pods.get(&name)
        };
        by_name
            .into_iter()
            .chain(by_image)
            .chain([&self.own])
            .collect()
    }

    fn count(&mut self, owner: &str, index: Option<&str>) -> usize {
        let key = (owner.to_owned(), index.map(str::to_owned));
        let count = self.started.entry(key).or_default();
        *count += 1;
        *count
    }
}

impl ScriptedLives for ScriptedPods {
    fn of(&mut self, pod: &Pod) -> Option<ScriptedLife> {
        if self.rules.by_containers && self.of_pod(pod).into_iter().all(Rule::is_empty) {
            return None;
        }
        let owner = controller_of(&pod.metadata).map(|owner| owner.uid.clone());
        let owner = owner.unwrap_or_else(|| name_of(&pod.metadata).to_owned());
        let index = pod_util::annotation_of(pod, COMPLETION_INDEX);
        let of_owner = self.count(&owner, None);
        let of_index = index.map(|index| self.count(&owner, Some(index)));
        let rules = self.of_pod(pod);
        let ready = rules.iter().find_map(|rule| rule.ready_after.as_ref());
        let ready = ready.and_then(ready_after).unwrap_or(Some(0));
        let by_index = index.and_then(|index| {
            let mut listed = rules.iter().filter_map(|rule| rule.index_outcomes.as_ref());
            listed.find_map(|all| all.get(index))
        });
        let (outcomes, nth) = match (by_index, of_index) {
            (Some(outcomes), Some(nth)) => (Some(outcomes), nth),
            _ => (
                rules.iter().find_map(|rule| rule.outcomes.as_ref()),
                of_owner,
            ),
        };
        let last = outcomes.and_then(|all| all.get(nth - 1).or_else(|| all.last()));
        let code = last.map_or(Some(0), |text| outcome(text).unwrap_or(Some(0)));
        let run = rules.iter().find_map(|rule| rule.run_seconds);
        Some(ScriptedLife {
            ready_after_ms: ready.map(|seconds| seconds * 1_000),
            ends: run.zip(code).map(|(seconds, code)| (seconds * 1_000, code)),
        })
    }
}
