//! RollingUpdate: a few nodes at a time are without their Pod (`maxUnavailable`) or have two (`maxSurge`).

use std::sync::Arc;

use k8s_openapi::api::apps::v1::RollingUpdateDaemonSet;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::Sync;
use crate::pod_util;
use crate::server::ApiError;
use crate::store::name_of;
use berth_core::api::controllers::scaled;
use berth_core::api::prepare::node_fit::Daemon;

/// The Pods of a node that are not terminating: one of the current template, one of an old one.
struct OnNode<'a> {
    new: Option<&'a Arc<Pod>>,
    old: Option<&'a Arc<Pod>>,
}

impl<'a> Sync<'a> {
    /// Whether a node may have two Pods while it is updated.
    pub(super) fn surges(&self) -> bool {
        self.is_rolling_update() && self.max_surge(1) > 0
    }

    /// One step of a rolling update, the nodes in the order of their names.
    pub(super) fn roll(&mut self) -> Result<(), ApiError> {
        for (node, fits) in &self.nodes {
            if *fits == Daemon::ShouldRun {
                let name = name_of(&node.metadata);
                self.by_node.entry(name).or_default();
            }
        }
        let desired = usize::try_from(self.desired()).unwrap_or(0);
        let surge = self.max_surge(desired);
        if surge > 0 {
            return self.roll_with_surge(surge);
        }
        let unavailable = self.max_unavailable(desired);
        // With neither surge nor unavailability, the rollout could not progress.
        let unavailable = if unavailable == 0 && desired > 0 {
            1
        } else {
            unavailable
        };
        self.roll_in_place(unavailable)
    }

    /// Deletes old Pods: unavailable ones at once, available ones within `maxUnavailable`.
    fn roll_in_place(&mut self, max_unavailable: usize) -> Result<(), ApiError> {
        let uses_budget = self
            .api
            .release()
            .rules()
            .controllers
            .old_unavailable_use_budget;
        let mut missing = 0;
        let (mut broken, mut candidates) = (Vec::new(), Vec::new());
        for own in self.by_node.values() {
            match self.on_node(own) {
                Some(OnNode {
                    new: Some(new),
                    old: None,
                }) => missing += usize::from(!self.is_available(new)),
                Some(OnNode {
                    new: None,
                    old: Some(old),
                }) => {
                    if !self.is_available(old) {
                        broken.push(old);
                        missing += usize::from(uses_budget);
                    } else if missing < max_unavailable {
                        candidates.push(old);
                    }
                }
                // No Pod or too many: `manage` corrects that.
                _ => missing += 1,
            }
        }
        let left = max_unavailable.saturating_sub(missing);
        broken.extend(candidates.into_iter().take(left));
        self.write_pods(&[], &broken).map(drop)
    }

    /// Creates surge Pods, and deletes old ones whose successor is available.
    fn roll_with_surge(&mut self, max_surge: usize) -> Result<(), ApiError> {
        let mut surging = 0;
        let (mut broken, mut candidates, mut doomed) = (Vec::new(), Vec::new(), Vec::new());
        for (node, own) in &self.by_node {
            match self.on_node(own) {
                None => surging += 1,
                Some(OnNode { old: None, .. }) => {}
                Some(OnNode {
                    old: Some(old),
                    new: None,
                }) => {
                    if !self.is_available(old) {
                        broken.push(*node);
                    } else if surging < max_surge {
                        candidates.push(*node);
                    }
                }
                Some(OnNode {
                    old: Some(old),
                    new: Some(new),
                }) => {
                    if self.is_available(new) {
                        doomed.push(old);
                    } else {
                        surging += 1;
                    }
                }
            }
        }
        let left = max_surge.saturating_sub(surging);
        broken.extend(candidates.into_iter().take(left));
        // A surge Pod for a deleted node would be deleted and created again without end.
        if !broken.is_empty() {
            let nodes = self.node_names();
            broken.retain(|node| nodes.contains(node));
        }
        self.write_pods(&broken, &doomed).map(drop)
    }

    /// `None` if there are two Pods of the current template, or two others.
    fn on_node(&self, own: &[&'a Arc<Pod>]) -> Option<OnNode<'a>> {
        let mut found = OnNode {
            new: None,
            old: None,
        };
        for pod in own.iter().filter(|pod| !pod_util::is_terminating(pod)) {
            let place = if self.is_updated(pod) {
                &mut found.new
            } else {
                &mut found.old
            };
            if place.is_some() {
                return None;
            }
            *place = Some(pod);
        }
        Some(found)
    }

    fn max_surge(&self, desired: usize) -> usize {
        share(self.rolling().max_surge.as_ref(), desired)
    }

    fn max_unavailable(&self, desired: usize) -> usize {
        share(self.rolling().max_unavailable.as_ref(), desired)
    }

    fn rolling(&self) -> RollingUpdateDaemonSet {
        let strategy = self.spec.update_strategy.as_ref();
        strategy
            .and_then(|strategy| strategy.rolling_update.clone())
            .unwrap_or_default()
    }
}

/// Resolves a number or percentage of the nodes, rounded up.
fn share(value: Option<&IntOrString>, desired: usize) -> usize {
    let desired = i32::try_from(desired).unwrap_or(i32::MAX);
    let share = value.and_then(|value| scaled(value, desired, true));
    usize::try_from(share.unwrap_or(0)).unwrap_or(0)
}
