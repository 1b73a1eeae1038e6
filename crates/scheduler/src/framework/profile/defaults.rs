//! The default plugin set of a release, and the merge of a profile's own set into it.

use std::collections::BTreeSet;

use crate::config::plugins::{EnabledPlugin, PluginSet};
use crate::release::Release;

/// The default `multiPoint` set of a release.
pub fn default_multi_point(release: &Release) -> PluginSet {
    let enabled = release.default_plugins().map(|plugin| EnabledPlugin {
        name: plugin.name.to_owned(),
        weight: plugin.weight,
    });
    PluginSet {
        enabled: enabled.collect(),
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
