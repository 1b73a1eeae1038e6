//! The allocations that a search found, as claims record them.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{NodeSelector, NodeSelectorRequirement, NodeSelectorTerm};
use k8s_openapi::api::resource::v1::{
    AllocationResult, DeviceAllocationConfiguration, DeviceAllocationResult,
    DeviceRequestAllocationResult, ResourceClaim,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use super::capacity::Consumed;
use super::search::{ClaimAllocation, DeviceResult, Search};
use crate::cluster::object_key;
use berth_base::uid::made_uid;

impl Search<'_> {
    /// The allocations, one for each claim.
    pub(super) fn finish(self) -> Vec<ClaimAllocation> {
        let mut all = Vec::new();
        for (index, claim) in self.claims.iter().enumerate() {
            let results = self.results.get(index).map_or(&[][..], Vec::as_slice);
            let mut written = Vec::new();
            for result in results {
                let spec = &result.slice.object.spec;
                let Some(device) = result.slice.published().get(result.device) else {
                    continue;
                };
                let tolerations = &result.tolerations;
                let tolerated = self.features.taints && !tolerations.is_empty();
                written.push(DeviceRequestAllocationResult {
                    request: result.request.clone(),
                    driver: spec.driver.clone(),
                    pool: spec.pool.name.clone(),
                    device: device.name.clone(),
                    admin_access: result.is_admin.then_some(true),
                    tolerations: tolerated.then(|| tolerations.clone()),
                    share_id: result
                        .consumed
                        .as_ref()
                        .map(|_| share_id(claim, written.len())),
                    consumed_capacity: result.consumed.as_ref().and_then(written_capacity),
                    binding_conditions: device
                        .binding_conditions
                        .clone()
                        .filter(|_| self.features.binding),
                    binding_failure_conditions: device
                        .binding_failure_conditions
                        .clone()
                        .filter(|_| self.features.binding),
                });
            }
            let config = self.config(index, claim);
            let chosen = self.chosen.get(index).cloned().unwrap_or_default();
            let selector = node_selector(results, &self.node.name);
            all.push(ClaimAllocation {
                chosen,
                result: AllocationResult {
                    allocation_timestamp: None,
                    devices: Some(DeviceAllocationResult {
                        config: (!config.is_empty()).then_some(config),
                        results: (!written.is_empty()).then_some(written),
                    }),
                    node_selector: selector,
                },
            });
        }
        all
    }

    /// The configurations of the classes, then those of the claim that concern the chosen alternatives.
    fn config(&self, index: usize, claim: &ResourceClaim) -> Vec<DeviceAllocationConfiguration> {
        let mut all = Vec::new();
        let Some(prepared) = self.prepared.get(index) else {
            return all;
        };
        let chosen = |request: usize| {
            let alternative = self.chosen.get(index).and_then(|it| it.get(request));
            let alternatives = prepared.requests.get(request)?;
            alternatives.get(*alternative.unwrap_or(&0))
        };
        for request in (0..prepared.requests.len()).filter_map(chosen) {
            for config in request.class.spec.config.iter().flatten() {
                all.push(DeviceAllocationConfiguration {
                    opaque: config.opaque.clone(),
                    requests: (self.features.gathering.whole_pools)
                        .then(|| vec![request.full_name()]),
                    source: "FromClass".to_owned(),
                });
            }
        }
        let given = claim.spec.devices.iter().flat_map(|it| &it.config);
        for config in given.flatten() {
            let copy = || DeviceAllocationConfiguration {
                opaque: config.opaque.clone(),
                requests: config.requests.clone().filter(|it| !it.is_empty()),
                source: "FromClaim".to_owned(),
            };
            let names = config.requests.as_deref().unwrap_or_default();
            if names.is_empty() {
                all.push(copy());
                continue;
            }
            for request in (0..prepared.requests.len()).filter_map(chosen) {
                let (own, full) = (request.names().0, request.full_name());
                if names.iter().any(|name| name == own || *name == full) {
                    all.push(copy());
                }
            }
        }
        all
    }
}

/// Tells the allocations of a shared device apart: by claim, and by the result's number in it.
fn share_id(claim: &ResourceClaim, number: usize) -> String {
    let (namespace, name) = object_key(&claim.metadata);
    let uid = claim.metadata.uid.as_deref().unwrap_or_default();
    made_uid("share", &namespace, &format!("{name}/{uid}/{number}"))
}

fn written_capacity(consumed: &Consumed) -> Option<BTreeMap<String, Quantity>> {
    let written = consumed
        .iter()
        .map(|(name, amount)| (name.clone(), Quantity(amount.to_string())));
    (!consumed.is_empty()).then(|| written.collect())
}

/// Where the devices can be used: on the node if one of them is local to it, else where all their selectors hold.
fn node_selector(results: &[DeviceResult], node: &str) -> Option<NodeSelector> {
    let mut term = NodeSelectorTerm::default();
    for result in results {
        let spec = &result.slice.object.spec;
        let device = result.slice.published().get(result.device)?;
        let per_device = spec.per_device_node_selection.unwrap_or(false);
        let (name, selector) = if per_device {
            (&device.node_name, &device.node_selector)
        } else {
            (&spec.node_name, &spec.node_selector)
        };
        if name.is_some() || device.binds_to_node.unwrap_or(false) {
            return Some(NodeSelector {
                node_selector_terms: vec![NodeSelectorTerm {
                    match_fields: Some(vec![NodeSelectorRequirement {
                        key: "metadata.name".to_owned(),
                        operator: "In".to_owned(),
                        values: Some(vec![node.to_owned()]),
                    }]),
                    match_expressions: None,
                }],
            });
        }
        let first = selector
            .iter()
            .flat_map(|it| &it.node_selector_terms)
            .next();
        if let Some(first) = first {
            add_new(&mut term.match_fields, first.match_fields.as_deref());
            add_new(
                &mut term.match_expressions,
                first.match_expressions.as_deref(),
            );
        }
    }
    let is_empty = term.match_fields.is_none() && term.match_expressions.is_none();
    (!is_empty).then(|| NodeSelector {
        node_selector_terms: vec![term],
    })
}

/// Adds the requirements that are not there yet; values are compared as sets.
fn add_new(
    to: &mut Option<Vec<NodeSelectorRequirement>>,
    from: Option<&[NodeSelectorRequirement]>,
) {
    for requirement in from.unwrap_or_default() {
        let known = to.get_or_insert_default();
        let values = |it: &NodeSelectorRequirement| {
            let mut values = it.values.clone().unwrap_or_default();
            values.sort_unstable();
            values.dedup();
            values
        };
        let is_known = known.iter().any(|other| {
            other.key == requirement.key
                && other.operator == requirement.operator
                && values(other) == values(requirement)
        });
        if !is_known {
            known.push(requirement.clone());
        }
    }
}
