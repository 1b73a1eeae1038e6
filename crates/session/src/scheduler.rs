//! The scheduler's configuration for a form: the values in effect, and the fields of the document that the form does
//! not have.

use serde_json::Value;

use crate::session::Session;
use berth_core::api::config::{ExtensionPoint, Profile};
use berth_core::api::object::Manifest;
use berth_protocol::scheduler::{PluginFrame, ProfileFrame, SchedulerFrame};
use berth_scheduler::framework::profile::{PluginCapabilities, ResolvedProfile, resolve_all};
use berth_scheduler::plugins::registry::registry;
use berth_scheduler::release::{PluginRule, Release};

/// Fields that the form has, by level; the form shows the effect of `multiPoint`.
const DOCUMENT: &[&str] = &["apiVersion", "kind", "profiles", "percentageOfNodesToScore"];
const PROFILE: &[&str] = &["schedulerName", "plugins", "pluginConfig"];
const PLUGINS: &[&str] = &["filter", "score", "multiPoint"];
/// Plugins with arguments that the form has, and these arguments.
const ARGUMENTS: [(&str, &[&str]); 2] = [
    (
        "NodeResourcesFit",
        &["apiVersion", "kind", "scoringStrategy"],
    ),
    (
        "PodTopologySpread",
        &["apiVersion", "kind", "defaultingType"],
    ),
];

/// The document of the scheduler's configuration; `None` if there is none.
pub fn document(session: &Session) -> Option<&Value> {
    let mut documents = session.manifests().loaded.documents.iter();
    documents.find_map(|document| match document.object.as_deref() {
        Some(Manifest::SchedulerConfiguration(value)) => Some(&**value),
        _ => None,
    })
}

/// The configuration of the scheduler at this moment.
pub fn frame(session: &Session) -> SchedulerFrame {
    let written = document(session);
    let none = Value::Null;
    let value = written.unwrap_or(&none);
    let configuration = &session.manifests().prepared.configuration;
    let release = &session.manifests().prepared.release;
    let known = registry().into_iter().map(|entry| entry.capabilities);
    let capabilities: Vec<PluginCapabilities> = known
        .filter_map(|plugin| plugin.of_release(release))
        .collect();
    let (resolved, _) = resolve_all(configuration, release, &capabilities);
    let profiles = configuration.profiles.iter().enumerate();
    let profiles = profiles.zip(&resolved).map(|((at, given), resolved)| {
        let raw = value.get("profiles").and_then(|list| list.get(at));
        profile(
            given,
            resolved,
            release,
            &capabilities,
            raw.unwrap_or(&none),
        )
    });
    SchedulerFrame {
        written: written.is_some(),
        percentage: configuration.percentage_of_nodes_to_score,
        profiles: profiles.collect(),
        rest: unshown_fields(value, DOCUMENT, ""),
    }
}

fn profile(
    given: &Profile,
    resolved: &ResolvedProfile,
    release: &Release,
    capabilities: &[PluginCapabilities],
    raw: &Value,
) -> ProfileFrame {
    let plugins = release
        .default_plugins()
        .filter_map(|PluginRule { name, .. }| {
            let plugin = capabilities.iter().find(|plugin| plugin.name == *name)?;
            let can = |point| plugin.points.contains(point);
            let weight = resolved.score.iter().find(|(scoring, _)| scoring == name);
            let frame = PluginFrame {
                name: (*name).to_owned(),
                filter: can(ExtensionPoint::Filter).then(|| resolved.filter.contains(name)),
                score: can(ExtensionPoint::Score).then_some(weight.is_some()),
                weight: weight.map_or(0, |(_, weight)| *weight),
            };
            (frame.filter.is_some() || frame.score.is_some()).then_some(frame)
        });
    let strategy = &given.args.node_resources_fit.scoring_strategy;
    let resources = strategy.resources.iter();
    let shape = strategy.shape.iter();
    ProfileFrame {
        name: given.scheduler_name.clone(),
        plugins: plugins.collect(),
        // The names of the variants are those of the API.
        strategy: format!("{:?}", strategy.kind),
        resources: resources
            .map(|resource| (resource.name.clone(), resource.weight))
            .collect(),
        shape: shape
            .map(|point| (point.utilization, point.score))
            .collect(),
        defaulting: format!("{:?}", given.args.pod_topology_spread.defaulting_type),
        rest: rest(raw),
    }
}

/// The fields of a mapping that are not in `known`.
fn unshown_fields(value: &Value, known: &[&str], prefix: &str) -> Vec<String> {
    let others = value
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(key, _)| !known.contains(&key.as_str()));
    others.map(|(key, _)| format!("{prefix}{key}")).collect()
}

fn rest(profile: &Value) -> Vec<String> {
    let mut rest = unshown_fields(profile, PROFILE, "");
    let null = Value::Null;
    rest.extend(unshown_fields(
        profile.get("plugins").unwrap_or(&null),
        PLUGINS,
        "plugins.",
    ));
    let entries = profile.get("pluginConfig").and_then(Value::as_array);
    for entry in entries.into_iter().flatten() {
        let name = entry
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or_default();
        match ARGUMENTS.iter().find(|(plugin, _)| *plugin == name) {
            Some((_, known)) => {
                let args = entry.get("args").unwrap_or(&null);
                rest.extend(unshown_fields(args, known, &format!("{name} ")));
            }
            None => rest.push(format!("{name} args")),
        }
    }
    rest
}
