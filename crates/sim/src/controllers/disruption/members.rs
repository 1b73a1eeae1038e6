//! The Pods of one budget and their counts.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, OwnerReference};

use crate::pod_util;
use crate::store::{controller_of, name_of};
use berth_scheduler::selector;

/// The facts about a Pod that a budget needs.
#[derive(Clone, Debug)]
struct Member {
    healthy: bool,
    terminating: bool,
    /// The UID of its controller; empty if it has none.
    owner: String,
}

/// A controller of Pods.
#[derive(Clone, Debug)]
pub(super) struct Owner {
    pub reference: OwnerReference,
    /// The number of members that it controls.
    pods: usize,
}

/// The Pods of one budget by name, with their counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Members {
    /// Without a selector no Pod matches; an empty selector matches all Pods of the namespace.
    selector: Option<LabelSelector>,
    pods: BTreeMap<String, Member>,
    owners: BTreeMap<String, Owner>,
    healthy: i32,
    unmanaged: usize,
}

impl Members {
    /// Members without Pods.
    pub(super) fn new(selector: Option<LabelSelector>) -> Self {
        Members {
            selector,
            ..Members::default()
        }
    }

    /// Whether the budget selects a Pod of its namespace.
    pub(super) fn selects(&self, pod: &Pod) -> bool {
        let nothing = BTreeMap::new();
        let labels = pod.metadata.labels.as_ref().unwrap_or(&nothing);
        selector::matches_optional(self.selector.as_ref(), labels)
    }

    /// Adds a Pod, or replaces the one of its name.
    pub(super) fn put(&mut self, pod: &Arc<Pod>) {
        self.remove(pod);
        let terminating = pod_util::is_terminating(pod);
        let healthy = !terminating && pod_util::is_ready(pod);
        let reference = controller_of(&pod.metadata);
        let owner = reference.map_or(String::new(), |reference| reference.uid.clone());
        self.healthy += i32::from(healthy);
        match reference {
            Some(reference) => {
                let entry = self.owners.entry(owner.clone());
                let entry = entry.or_insert_with(|| Owner {
                    reference: reference.clone(),
                    pods: 0,
                });
                entry.pods += 1;
            }
            None => self.unmanaged += 1,
        }
        let member = Member {
            healthy,
            terminating,
            owner,
        };
        self.pods.insert(name_of(&pod.metadata).to_owned(), member);
    }

    /// Removes a Pod. Returns whether it was a member.
    pub(super) fn remove(&mut self, pod: &Pod) -> bool {
        let Some(member) = self.pods.remove(name_of(&pod.metadata)) else {
            return false;
        };
        self.healthy -= i32::from(member.healthy);
        if member.owner.is_empty() {
            self.unmanaged -= 1;
        } else if let Some(owner) = self.owners.get_mut(&member.owner) {
            owner.pods -= 1;
            if owner.pods == 0 {
                self.owners.remove(&member.owner);
            }
        }
        true
    }

    /// The number of Pods.
    pub(super) fn count(&self) -> i32 {
        i32::try_from(self.pods.len()).unwrap_or(i32::MAX)
    }

    /// Whether some Pods have no controller.
    pub(super) fn has_unmanaged(&self) -> bool {
        self.unmanaged > 0
    }

    /// The number of Pods that are ready and not terminating.
    pub(super) fn healthy(&self) -> i32 {
        self.healthy
    }

    /// The controllers of the Pods, in order of UID.
    pub(super) fn owners(&self) -> impl Iterator<Item = &Owner> {
        self.owners.values()
    }

    /// The name of a controller's first Pod.
    pub(super) fn first_of(&self, owner: &Owner) -> &str {
        let mut pods = self.pods.iter();
        let first = pods.find(|(_, member)| member.owner == owner.reference.uid);
        first.map_or("", |(name, _)| name.as_str())
    }

    /// Whether the Pod of this name is healthy; `None` if it does not exist or is terminating.
    pub(super) fn staying(&self, name: &str) -> Option<bool> {
        let member = self.pods.get(name).filter(|member| !member.terminating);
        member.map(|member| member.healthy)
    }
}
