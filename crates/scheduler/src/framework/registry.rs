//! Builds profiles from a registry of plugins. The scheduler receives the registry and names no plugin.

use crate::cluster::Cluster;
use crate::config::SchedulerConfiguration;
use crate::config::args::PluginArgs;

use super::plugin::Plugin;
use super::profile::{PluginCapabilities, ProfileError, ResolvedProfile, resolve_all};
use super::runner::{Profile, ScorePoint};

/// A registered plugin.
#[derive(Clone, Copy)]
pub struct Registration {
    /// Name and extension points.
    pub capabilities: PluginCapabilities,
    /// Builds the plugin with a profile's arguments.
    pub build: fn(&PluginArgs, &mut Cluster) -> Box<dyn Plugin>,
}

/// Builds every profile of a configuration; fails where kube-scheduler would not start.
pub fn build_profiles(
    configuration: &SchedulerConfiguration,
    registry: &[Registration],
    cluster: &mut Cluster,
) -> Result<Vec<Profile>, Vec<ProfileError>> {
    let capabilities: Vec<PluginCapabilities> =
        registry.iter().map(|entry| entry.capabilities).collect();
    let (resolved, errors) = resolve_all(configuration, cluster.release(), &capabilities);
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(resolved
        .iter()
        .zip(&configuration.profiles)
        .map(|(resolved, given)| build(resolved, &given.args, registry, cluster))
        .collect())
}

fn build(
    resolved: &ResolvedProfile,
    args: &PluginArgs,
    registry: &[Registration],
    cluster: &mut Cluster,
) -> Profile {
    let plugins: Vec<Box<dyn Plugin>> = registry
        .iter()
        .map(|entry| (entry.build)(args, cluster))
        .collect();
    let position = |name: &str| plugins.iter().position(|plugin| plugin.name() == name);
    let positions = |names: &[&str]| {
        names
            .iter()
            .filter_map(|name| position(name))
            .collect::<Vec<usize>>()
    };
    let score = resolved.score.iter().filter_map(|(name, weight)| {
        Some(ScorePoint {
            plugin: position(name)?,
            weight: *weight,
        })
    });
    Profile {
        scheduler_name: resolved.scheduler_name.clone(),
        percentage_of_nodes_to_score: resolved.percentage_of_nodes_to_score,
        pre_enqueue: positions(&resolved.pre_enqueue),
        queue_sort: positions(&[resolved.queue_sort]),
        pre_filter: positions(&resolved.pre_filter),
        filter: positions(&resolved.filter),
        post_filter: positions(&resolved.post_filter),
        pre_score: positions(&resolved.pre_score),
        score: score.collect(),
        reserve: positions(&resolved.reserve),
        pre_bind: positions(&resolved.pre_bind),
        bind: positions(&resolved.bind),
        plugins,
    }
}
