//! How profiles are resolved as they are written.

use super::*;
use berth_scheduler::framework::profile::ExtensionPoints;
use berth_scheduler::framework::profile::{PluginCapabilities, ResolvedProfile, resolve_all};
use berth_scheduler::release::Version;

/// The in-tree plugins with their extension points.
fn registry() -> Vec<PluginCapabilities> {
    use super::ExtensionPoint::*;
    let table: [(&str, &[ExtensionPoint]); 19] = [
        ("SchedulingGates", &[PreEnqueue]),
        ("PrioritySort", &[QueueSort]),
        ("NodeUnschedulable", &[Filter]),
        ("NodeName", &[Filter]),
        ("TaintToleration", &[Filter, PreScore, Score]),
        ("NodeAffinity", &[PreFilter, Filter, PreScore, Score]),
        ("NodePorts", &[PreFilter, Filter]),
        ("NodeResourcesFit", &[PreFilter, Filter, PreScore, Score]),
        ("VolumeRestrictions", &[PreFilter, Filter]),
        ("NodeVolumeLimits", &[PreFilter, Filter]),
        (
            "VolumeBinding",
            &[PreFilter, Filter, Reserve, PreBind, PreScore, Score],
        ),
        ("VolumeZone", &[PreFilter, Filter]),
        ("PodTopologySpread", &[PreFilter, Filter, PreScore, Score]),
        ("InterPodAffinity", &[PreFilter, Filter, PreScore, Score]),
        (
            "DynamicResources",
            &[PreEnqueue, PreFilter, Filter, PostFilter, Reserve, PreBind],
        ),
        ("DefaultPreemption", &[PreEnqueue, PostFilter]),
        ("NodeResourcesBalancedAllocation", &[PreScore, Score]),
        ("ImageLocality", &[Score]),
        ("DefaultBinder", &[Bind]),
    ];
    let plugin = |(name, points): (&'static str, &[ExtensionPoint])| PluginCapabilities {
        name,
        points: ExtensionPoints::of(points),
    };
    table.into_iter().map(plugin).collect()
}

/// Resolves a configuration with one profile with these `plugins`.
fn resolve_plugins(plugins: &str) -> Result<ResolvedProfile, String> {
    resolve_profiles(&format!("[{{plugins: {plugins}}}]")).map(|mut profiles| profiles.remove(0))
}

fn resolve_profiles(profiles: &str) -> Result<Vec<ResolvedProfile>, String> {
    let value = serde_yaml::from_str(&format!("profiles: {profiles}")).expect("YAML");
    let release = Release::of(Version::V1_34);
    let (configuration, _) = read(&value, &release);
    let (resolved, errors) = resolve_all(&configuration, &release, &registry());
    match errors.first() {
        None => Ok(resolved),
        Some(error) => Err(format!("{}: {}", error.path, error.message)),
    }
}

fn names<'a>(scores: &[(&'a str, i64)]) -> Vec<&'a str> {
    scores.iter().map(|(name, _)| *name).collect()
}

fn weight(profile: &ResolvedProfile, name: &str) -> Option<i64> {
    profile
        .score
        .iter()
        .find(|(scored, _)| *scored == name)
        .map(|(_, weight)| *weight)
}

#[test]
fn the_default_profile_has_the_default_order_and_weights() {
    let profile = resolve_plugins("{}").unwrap();
    let pre_filter = [
        "NodeAffinity",
        "NodePorts",
        "NodeResourcesFit",
        "VolumeRestrictions",
        "NodeVolumeLimits",
        "VolumeBinding",
        "VolumeZone",
        "PodTopologySpread",
        "InterPodAffinity",
        "DynamicResources",
    ];
    assert_eq!(profile.pre_filter, pre_filter);
    let first = ["NodeUnschedulable", "NodeName", "TaintToleration"];
    assert_eq!(profile.filter, [first.as_slice(), &pre_filter].concat());
    assert_eq!(
        profile.post_filter,
        ["DynamicResources", "DefaultPreemption"]
    );
    let pre_score = [
        "TaintToleration",
        "NodeAffinity",
        "NodeResourcesFit",
        "VolumeBinding",
        "PodTopologySpread",
        "InterPodAffinity",
        "NodeResourcesBalancedAllocation",
    ];
    assert_eq!(profile.pre_score, pre_score);
    let score = [
        ("TaintToleration", 3),
        ("NodeAffinity", 2),
        ("NodeResourcesFit", 1),
        ("VolumeBinding", 1),
        ("PodTopologySpread", 2),
        ("InterPodAffinity", 2),
        ("NodeResourcesBalancedAllocation", 1),
        ("ImageLocality", 1),
    ];
    assert_eq!(profile.score, score);
    assert_eq!(profile.queue_sort, "PrioritySort");
    assert_eq!(profile.reserve, ["VolumeBinding", "DynamicResources"]);
    assert_eq!(profile.pre_bind, ["VolumeBinding", "DynamicResources"]);
    assert_eq!(profile.bind, ["DefaultBinder"]);
}

#[test]
fn plugins_enabled_at_a_point_come_first_in_their_order() {
    let profile = resolve_plugins(
        "{filter: {enabled: [{name: NodeResourcesFit}, {name: TaintToleration}]},
          preFilter: {enabled: [{name: NodeResourcesFit}]}}",
    )
    .unwrap();
    let first = [
        "NodeResourcesFit",
        "TaintToleration",
        "NodeUnschedulable",
        "NodeName",
    ];
    assert_eq!(profile.filter[..4], first);
    assert_eq!(profile.filter.len(), 13);
    assert_eq!(
        profile.pre_filter[..3],
        ["NodeResourcesFit", "NodeAffinity", "NodePorts"]
    );
}

#[test]
fn plugins_that_multi_point_does_not_enable_come_last() {
    let profile = resolve_plugins(
        "{multiPoint: {disabled: [{name: NodeName}]},
          filter: {enabled: [{name: NodeName}, {name: NodePorts}]}}",
    )
    .unwrap();
    assert_eq!(profile.filter.first(), Some(&"NodePorts"));
    assert_eq!(profile.filter.last(), Some(&"NodeName"));
    assert_eq!(profile.filter.len(), 13);
}

#[test]
fn a_score_plugin_enabled_without_weight_weighs_one() {
    let profile = resolve_plugins("{score: {enabled: [{name: TaintToleration}]}}").unwrap();
    assert_eq!(profile.score[0], ("TaintToleration", 1));
    assert_eq!(weight(&profile, "NodeAffinity"), Some(2));
}

#[test]
fn a_default_plugin_enabled_by_multi_point_keeps_its_place() {
    let profile = resolve_plugins(
        "{multiPoint: {enabled: [{name: NodeResourcesFit, weight: 10}, {name: InterPodAffinity}]}}",
    )
    .unwrap();
    assert_eq!(
        names(&profile.score),
        names(&resolve_plugins("{}").unwrap().score)
    );
    assert_eq!(weight(&profile, "NodeResourcesFit"), Some(10));
    assert_eq!(weight(&profile, "InterPodAffinity"), Some(1));
}

#[test]
fn the_weight_of_the_point_goes_before_that_of_multi_point() {
    let profile = resolve_plugins(
        "{multiPoint: {enabled: [{name: NodeAffinity, weight: 5}]},
          score: {enabled: [{name: NodeAffinity, weight: 7}]}}",
    )
    .unwrap();
    assert_eq!(profile.score[0], ("NodeAffinity", 7));
}

#[test]
fn disabling_at_a_point_leaves_the_others_alone() {
    let profile = resolve_plugins(
        "{score: {disabled: [{name: '*'}], enabled: [{name: ImageLocality, weight: 3}]},
          filter: {disabled: [{name: TaintToleration}]},
          postFilter: {disabled: [{name: DefaultPreemption}]}}",
    )
    .unwrap();
    assert_eq!(profile.score, [("ImageLocality", 3)]);
    assert_eq!(profile.pre_score.len(), 7);
    assert!(!profile.filter.contains(&"TaintToleration"));
    assert_eq!(profile.post_filter, ["DynamicResources"]);
}

#[test]
fn disabling_by_multi_point_removes_a_plugin_everywhere() {
    let profile = resolve_plugins("{multiPoint: {disabled: [{name: PodTopologySpread}]}}").unwrap();
    assert!(!profile.filter.contains(&"PodTopologySpread"));
    assert_eq!(weight(&profile, "PodTopologySpread"), None);
    let profile = resolve_plugins(
        "{multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: DefaultBinder}, {name: NodeName}]}}",
    )
    .unwrap();
    assert_eq!(profile.filter, ["NodeName"]);
    assert_eq!(profile.pre_filter, [""; 0]);
}

#[test]
fn invalid_profiles_are_rejected() {
    let creating = "creating profile for scheduler name default-scheduler:";
    let cases = [
        (
            "{filter: {enabled: [{name: NodeName}, {name: Mine}]}}",
            ".filter.enabled[1]",
            "FilterPlugin \"Mine\" does not exist",
        ),
        (
            "{multiPoint: {enabled: [{name: Mine}]}}",
            ".multiPoint.enabled[0]",
            "PreFilterPlugin \"Mine\" does not exist",
        ),
        (
            "{score: {enabled: [{name: NodeName}]}}",
            ".score.enabled[0]",
            "plugin \"NodeName\" does not extend ScorePlugin plugin",
        ),
        (
            "{filter: {enabled: [{name: NodeName}, {name: NodeName}]}}",
            ".filter.enabled[1]",
            "plugin \"NodeName\" already registered as \"FilterPlugin\"",
        ),
        (
            "{multiPoint: {enabled: [{name: NodeName}, {name: NodeName}]}}",
            ".multiPoint.enabled[1]",
            "plugin \"NodeName\" already registered as \"FilterPlugin\"",
        ),
        (
            "{queueSort: {disabled: [{name: '*'}]}}",
            ".queueSort",
            "only one queue sort plugin required for profile with scheduler name \
             \"default-scheduler\", but got 0",
        ),
        (
            "{bind: {disabled: [{name: DefaultBinder}]}}",
            ".bind",
            "at least one bind plugin is needed for profile with scheduler name \
             \"default-scheduler\"",
        ),
        (
            "{score: {enabled: [{name: NodeAffinity, weight: -1}]}}",
            ".score",
            "total score of Score plugins could overflow",
        ),
    ];
    for (plugins, path, message) in cases {
        let expected = format!("profiles[0].plugins{path}: {creating} {message}");
        assert_eq!(resolve_plugins(plugins), Err(expected), "{plugins}");
    }
}

#[test]
fn one_bad_profile_does_not_hide_the_others() {
    let value = serde_yaml::from_str(
        "profiles: [{schedulerName: a, plugins: {filter: {enabled: [{name: Mine}]}}}, {schedulerName: b}]",
    )
    .expect("YAML");
    let release = Release::of(Version::V1_34);
    let (resolved, errors) = resolve_all(&read(&value, &release).0, &release, &registry());
    assert_eq!(resolved.len(), 1);
    assert_eq!(resolved[0].scheduler_name, "b");
    assert_eq!(errors.len(), 1);
}
