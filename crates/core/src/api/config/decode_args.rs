//! `pluginConfig`: decodes and validates the arguments of each plugin.

use berth_protocol::remark::Remark;
use std::collections::BTreeSet;

use serde_json::Value;

use super::args::{
    DefaultPreemptionArgs, DefaultingType, DynamicResourcesArgs, InterPodAffinityArgs,
    NodeAffinityArgs, NodeResourcesBalancedAllocationArgs, NodeResourcesFitArgs, PluginArgs,
    PodTopologySpreadArgs, ResourceSpec, ScoringStrategy, ScoringStrategyType,
    UtilizationShapePoint, VolumeBindingArgs,
};
use super::decode::{Decoder, Fields, Node};
use super::{ConfigProblem, validate_args as check};
use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::plugins::registry::registry;

/// Plugins that kube-scheduler v1 configurations may no longer name.
pub(super) const REMOVED: [&str; 4] = [
    "AzureDiskLimits",
    "CinderLimits",
    "EBSLimits",
    "GCEPDLimits",
];

/// Decodes `pluginConfig` of one profile; the first entry of a plugin counts.
pub(super) fn decode(decoder: &mut Decoder<'_>, node: &Node<'_>) -> PluginArgs {
    let mut args = PluginArgs::default();
    let mut seen = BTreeSet::new();
    decoder.list(node, "v1.PluginConfig", |decoder, node| {
        let mut fields = decoder.object(&node, "PluginConfig")?;
        let name = fields
            .take("name")
            .and_then(|node| decoder.string(&node))
            .unwrap_or_default();
        let value = fields.take("args");
        decoder.finish(fields);
        if seen.contains(&name) {
            decoder.report(FieldError::duplicate(&node.path, name.as_str()).into());
        } else {
            let empty = Value::Object(Default::default());
            let document = Node::document(
                value.as_ref().map_or(&empty, |node| node.value),
                node.path.child("args"),
            );
            decode_plugin(decoder, &name, &node.path, document, &mut args);
            seen.insert(name);
        }
        Some(())
    });
    args
}

fn decode_plugin(
    decoder: &mut Decoder<'_>,
    name: &str,
    entry: &Path,
    node: Node<'_>,
    args: &mut PluginArgs,
) {
    let context = format!(
        "strict decoding error: decoding .{}: strict decoding error: decoding args for plugin {name}: ",
        entry.as_str()
    );
    let decoder = &mut decoder.nested(context, &node.path);
    match name {
        "DefaultPreemption" => default_preemption(decoder, node, &mut args.default_preemption),
        "DynamicResources" => dynamic_resources(decoder, node, &mut args.dynamic_resources),
        "InterPodAffinity" => inter_pod_affinity(decoder, node, &mut args.inter_pod_affinity),
        "NodeAffinity" => node_affinity(decoder, node, &mut args.node_affinity),
        "NodeResourcesBalancedAllocation" => {
            balanced_allocation(decoder, node, &mut args.node_resources_balanced_allocation);
        }
        "NodeResourcesFit" => node_resources_fit(decoder, node, &mut args.node_resources_fit),
        "PodTopologySpread" => pod_topology_spread(decoder, node, &mut args.pod_topology_spread),
        "VolumeBinding" => volume_binding(decoder, node, &mut args.volume_binding),
        _ if REMOVED.contains(&name) => decoder.report(check::removed(entry, name).into()),
        _ if registry()
            .iter()
            .any(|plugin| plugin.capabilities.name == name) =>
        {
            let message = Remark::no_plugin_args(name);
            decoder.report(ConfigProblem::warning(
                entry,
                message,
                Remark::remove_entry(),
            ));
        }
        _ => {
            let message = Remark::no_such_plugin(format!("{name:?}"));
            let help = Remark::in_tree_plugins();
            decoder.report(ConfigProblem::warning(entry, message, help));
        }
    }
}

/// The fields of one plugin's arguments, after `apiVersion` and `kind`.
fn open<'v>(
    decoder: &mut Decoder<'_>,
    node: &Node<'v>,
    go_type: &'static str,
) -> Option<Fields<'v>> {
    let mut fields = decoder.object(node, go_type)?;
    let version = fields
        .take("apiVersion")
        .and_then(|node| decoder.string(&node));
    if let Some(kind) = fields.take("kind").and_then(|node| decoder.string(&node)) {
        let group = version
            .as_deref()
            .unwrap_or(super::API_VERSION)
            .split_once('/')
            .map_or("", |(group, _)| group);
        let wanted = format!("{go_type}.kubescheduler.config.k8s.io");
        let found = format!("{kind}.{group}");
        if wanted != found {
            let plugin = go_type.trim_end_matches("Args");
            decoder.report(ConfigProblem::error(
                &node.path.child("kind"),
                format!("args for plugin {plugin} were not of type {wanted}, got {found}"),
                Remark::write_kind(go_type),
            ));
        }
    }
    Some(fields)
}

fn default_preemption(decoder: &mut Decoder<'_>, node: Node<'_>, args: &mut DefaultPreemptionArgs) {
    let Some(mut fields) = open(decoder, &node, "DefaultPreemptionArgs") else {
        return;
    };
    if let Some(number) = take_int32(decoder, &mut fields, "minCandidateNodesPercentage") {
        args.min_candidate_nodes_percentage = number;
    }
    if let Some(number) = take_int32(decoder, &mut fields, "minCandidateNodesAbsolute") {
        args.min_candidate_nodes_absolute = number;
    }
    decoder.finish(fields);
    report_all(decoder, check::default_preemption(&node.path, args));
}

fn dynamic_resources(decoder: &mut Decoder<'_>, node: Node<'_>, args: &mut DynamicResourcesArgs) {
    let Some(mut fields) = open(decoder, &node, "DynamicResourcesArgs") else {
        return;
    };
    let timeout = fields.take("filterTimeout");
    let text = timeout.as_ref().and_then(|node| decoder.string(node));
    if let Some(text) = text {
        args.filter_timeout = text;
    }
    let mut binding = None;
    if decoder.release.rules().has_binding_timeout {
        let timeout = fields.take("bindingTimeout");
        binding = timeout.as_ref().and_then(|node| decoder.string(node));
    }
    decoder.finish(fields);
    report_all(decoder, check::dynamic_resources(&node.path, args));
    if let Some(timeout) = binding {
        match check::binding_timeout(&node.path, &timeout, decoder.release) {
            Ok(timeout_ms) => args.binding_timeout_ms = timeout_ms,
            Err(errors) => report_all(decoder, errors),
        }
    }
}

fn inter_pod_affinity(decoder: &mut Decoder<'_>, node: Node<'_>, args: &mut InterPodAffinityArgs) {
    let Some(mut fields) = open(decoder, &node, "InterPodAffinityArgs") else {
        return;
    };
    if let Some(weight) = take_int32(decoder, &mut fields, "hardPodAffinityWeight") {
        args.hard_pod_affinity_weight = weight;
    }
    if let Some(node) = fields.take("ignorePreferredTermsOfExistingPods") {
        args.ignore_preferred_terms_of_existing_pods = decoder.bool(&node).unwrap_or_default();
    }
    decoder.finish(fields);
    report_all(decoder, check::inter_pod_affinity(&node.path, args));
}

fn node_affinity(decoder: &mut Decoder<'_>, node: Node<'_>, args: &mut NodeAffinityArgs) {
    let Some(mut fields) = open(decoder, &node, "NodeAffinityArgs") else {
        return;
    };
    args.added_affinity = fields
        .take("addedAffinity")
        .and_then(|node| decoder.typed(&node));
    decoder.finish(fields);
    report_all(decoder, check::node_affinity(&node.path, args));
}

fn balanced_allocation(
    decoder: &mut Decoder<'_>,
    node: Node<'_>,
    args: &mut NodeResourcesBalancedAllocationArgs,
) {
    let name = "NodeResourcesBalancedAllocationArgs";
    let Some(mut fields) = open(decoder, &node, name) else {
        return;
    };
    args.resources = resources(decoder, &mut fields);
    decoder.finish(fields);
    report_all(decoder, check::balanced_allocation(&node.path, args));
}

fn node_resources_fit(decoder: &mut Decoder<'_>, node: Node<'_>, args: &mut NodeResourcesFitArgs) {
    let Some(mut fields) = open(decoder, &node, "NodeResourcesFitArgs") else {
        return;
    };
    args.ignored_resources = strings(decoder, &mut fields, "ignoredResources");
    args.ignored_resource_groups = strings(decoder, &mut fields, "ignoredResourceGroups");
    let strategy = fields.take("scoringStrategy");
    decoder.finish(fields);
    report_all(decoder, check::ignored_resources(&node.path, args));
    if let Some(strategy) = strategy {
        args.scoring_strategy = scoring_strategy(decoder, &strategy);
    }
}

fn scoring_strategy(decoder: &mut Decoder<'_>, node: &Node<'_>) -> ScoringStrategy {
    let Some(mut fields) = decoder.object(node, "ScoringStrategy") else {
        return ScoringStrategy::default();
    };
    let name = fields
        .take("type")
        .and_then(|node| decoder.string(&node))
        .unwrap_or_default();
    let kind = match name.as_str() {
        "LeastAllocated" => Some(ScoringStrategyType::LeastAllocated),
        "MostAllocated" => Some(ScoringStrategyType::MostAllocated),
        "RequestedToCapacityRatio" => Some(ScoringStrategyType::RequestedToCapacityRatio),
        _ => None,
    };
    let resources = resources(decoder, &mut fields);
    let ratio = fields.take("requestedToCapacityRatio").map(|node| {
        let Some(mut fields) = decoder.object(&node, "RequestedToCapacityRatioParam") else {
            return Vec::new();
        };
        let shape = fields
            .take("shape")
            .map(|node| decoder.list(&node, "v1.UtilizationShapePoint", shape_point));
        decoder.finish(fields);
        shape.unwrap_or_default()
    });
    decoder.finish(fields);
    let forbids = decoder.release.rules().forbids_unused_shape;
    let ratio_of = ratio.as_deref();
    report_all(
        decoder,
        check::scoring_strategy(&node.path, &name, &resources, ratio_of, forbids),
    );
    ScoringStrategy {
        kind: kind.unwrap_or_default(),
        resources,
        shape: match kind {
            Some(ScoringStrategyType::RequestedToCapacityRatio) => ratio.unwrap_or_default(),
            _ => Vec::new(),
        },
    }
}

fn pod_topology_spread(
    decoder: &mut Decoder<'_>,
    node: Node<'_>,
    args: &mut PodTopologySpreadArgs,
) {
    let Some(mut fields) = open(decoder, &node, "PodTopologySpreadArgs") else {
        return;
    };
    if let Some(node) = fields.take("defaultConstraints") {
        args.default_constraints =
            decoder.list(&node, "v1.TopologySpreadConstraint", |decoder, node| {
                decoder.typed(&node)
            });
    }
    let defaulting = fields
        .take("defaultingType")
        .and_then(|node| decoder.string(&node))
        .filter(|name| !name.is_empty());
    let defaulting = defaulting.as_deref().unwrap_or("System");
    if defaulting == "List" {
        args.defaulting_type = DefaultingType::List;
    }
    decoder.finish(fields);
    report_all(
        decoder,
        check::pod_topology_spread(&node.path, args, defaulting),
    );
}

fn volume_binding(decoder: &mut Decoder<'_>, node: Node<'_>, args: &mut VolumeBindingArgs) {
    let Some(mut fields) = open(decoder, &node, "VolumeBindingArgs") else {
        return;
    };
    if let Some(seconds) = fields
        .take("bindTimeoutSeconds")
        .and_then(|node| decoder.int64(&node))
    {
        args.bind_timeout_seconds = seconds;
    }
    let shape = fields
        .take("shape")
        .map(|node| decoder.list(&node, "v1.UtilizationShapePoint", shape_point));
    decoder.finish(fields);
    report_all(
        decoder,
        check::volume_binding(&node.path, args, shape.as_deref()),
    );
}

/// `resources`, by default cpu and memory; a missing or zero weight becomes 1.
fn resources(decoder: &mut Decoder<'_>, fields: &mut Fields<'_>) -> Vec<ResourceSpec> {
    let listed = fields.take("resources").map(|node| {
        decoder.list(&node, "v1.ResourceSpec", |decoder, node| {
            let mut fields = decoder.object(&node, "ResourceSpec")?;
            let name = fields.take("name").and_then(|node| decoder.string(&node));
            let weight = fields.take("weight").and_then(|node| decoder.int64(&node));
            decoder.finish(fields);
            let weight = weight.filter(|weight| *weight != 0).unwrap_or(1);
            Some(ResourceSpec {
                name: name.unwrap_or_default(),
                weight,
            })
        })
    });
    listed
        .filter(|listed| !listed.is_empty())
        .unwrap_or_else(ResourceSpec::defaults)
}

fn shape_point(decoder: &mut Decoder<'_>, node: Node<'_>) -> Option<UtilizationShapePoint> {
    let mut fields = decoder.object(&node, "UtilizationShapePoint")?;
    let utilization = take_int32(decoder, &mut fields, "utilization").unwrap_or(0);
    let score = take_int32(decoder, &mut fields, "score").unwrap_or(0);
    decoder.finish(fields);
    Some(UtilizationShapePoint { utilization, score })
}

fn take_int32(
    decoder: &mut Decoder<'_>,
    fields: &mut Fields<'_>,
    name: &'static str,
) -> Option<i32> {
    fields.take(name).and_then(|node| decoder.int32(&node))
}

fn strings(decoder: &mut Decoder<'_>, fields: &mut Fields<'_>, name: &'static str) -> Vec<String> {
    let node = fields.take(name);
    node.map(|node| decoder.list(&node, "string", |decoder, node| decoder.string(&node)))
        .unwrap_or_default()
}

fn report_all(decoder: &mut Decoder<'_>, errors: Vec<FieldError>) {
    for error in errors {
        decoder.report(error.into());
    }
}
