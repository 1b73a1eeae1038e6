//! The default plugin set of kube-scheduler v1.34, and the merge of a profile's own set into it.

use std::collections::BTreeSet;

use crate::api::config::plugins::{EnabledPlugin, PluginSet};

/// The plugins enabled by default, in order, with their weights (0: none).
pub const DEFAULT_PLUGINS: [(&str, i32); 19] = [
    ("SchedulingGates", 0),
    ("PrioritySort", 0),
    ("NodeUnschedulable", 0),
    ("NodeName", 0),
    ("TaintToleration", 3),
    ("NodeAffinity", 2),
    ("NodePorts", 0),
    ("NodeResourcesFit", 1),
    ("VolumeRestrictions", 0),
    ("NodeVolumeLimits", 0),
    ("VolumeBinding", 0),
    ("VolumeZone", 0),
    ("PodTopologySpread", 2),
    ("InterPodAffinity", 2),
    ("DynamicResources", 0),
    ("DefaultPreemption", 0),
    ("NodeResourcesBalancedAllocation", 1),
    ("ImageLocality", 1),
    ("DefaultBinder", 0),
];

/// The default `multiPoint` set.
pub fn default_multi_point() -> PluginSet {
    let plugin = |(name, weight): &(&str, i32)| EnabledPlugin {
        name: (*name).to_owned(),
        weight: *weight,
    };
    PluginSet {
        enabled: DEFAULT_PLUGINS.iter().map(plugin).collect(),
        disabled: Vec::new(),
    }
}

/// Merges a profile's own set into the default one.
///
/// A default plugin that the profile enables again keeps its place and takes the new weight; other
/// plugins follow the defaults. If the profile lists a default plugin twice, the later entry replaces
/// the default and the earlier one remains, so that it is reported as registered twice.
pub fn merge_plugin_set(defaults: &PluginSet, custom: &PluginSet) -> PluginSet {
    let disabled: Vec<String> = custom
        .disabled
        .iter()
        .chain(&defaults.disabled)
        .cloned()
        .collect();
    let mut merged = PluginSet {
        enabled: Vec::new(),
        disabled,
    };
    let mut replaced = BTreeSet::new();
    if !merged.disables_all() {
        for plugin in &defaults.enabled {
            if merged.disables(&plugin.name) {
                continue;
            }
            let again = custom
                .enabled
                .iter()
                .rposition(|other| other.name == plugin.name);
            let effective = again.and_then(|i| custom.enabled.get(i)).unwrap_or(plugin);
            replaced.extend(again);
            merged.enabled.push(effective.clone());
        }
    }
    let others = custom
        .enabled
        .iter()
        .enumerate()
        .filter(|(i, _)| !replaced.contains(i));
    merged
        .enabled
        .extend(others.map(|(_, plugin)| plugin.clone()));
    merged
}
