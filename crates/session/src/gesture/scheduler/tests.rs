use crate::session::Session;
use crate::{edit, fork, frame, scheduler, testing};
use berth_core::api::source::SourceFile;
use berth_protocol::gesture::Gesture;
use berth_protocol::scheduler::{PluginFrame, SchedulerChange, SchedulerField as Field};

const NODES: &str = "\
# Two nodes, the second half full.
apiVersion: v1
kind: Node
metadata: {name: a}
status: {allocatable: {cpu: 4, memory: 8Gi, pods: 110}}
---
apiVersion: v1
kind: Node
metadata: {name: b} # the fuller one
status: {allocatable: {cpu: 4, memory: 8Gi, pods: 110}}
---
apiVersion: v1
kind: Pod
metadata: {name: old}
spec: {nodeName: b, containers: [{name: c, image: i, resources: {requests: {cpu: 2, memory: 4Gi}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: new}
spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 1, memory: 1Gi}}}]}
";

const WRITTEN: &str = "\
---
# Packs the batch jobs.
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
parallelism: 8 # of the old machine
profiles:
  - schedulerName: default-scheduler # for most
    plugins:
      score:
        disabled:
          - name: ImageLocality # no images here
          - name: NodeAffinity
        enabled:
          - {name: TaintToleration, weight: 7}
  - schedulerName: batch
    plugins:
      multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: DefaultBinder}, {name: NodeResourcesFit}]}
    pluginConfig:
      - name: InterPodAffinity
        args: {hardPodAffinityWeight: 3}
      - name: NodeResourcesFit
        args:
          # the fuller, the better
          scoringStrategy:
            type: MostAllocated
            resources: [{name: cpu, weight: 2}]
";

fn session(configuration: &str) -> Session {
    testing::session(&format!("{NODES}{configuration}"))
}

fn text(session: &Session) -> &str {
    &session.manifests().loaded.files[0].text
}

fn at(field: Field, profile: usize, plugin: &str, index: usize, value: &str) -> SchedulerChange {
    SchedulerChange {
        field,
        profile,
        plugin: plugin.to_owned(),
        index,
        value: value.to_owned(),
    }
}

fn act(session: &mut Session, change: SchedulerChange) {
    let result = edit::perform(session, &Gesture::Scheduler(change.clone()));
    assert!(result.is_ok(), "{change:?}: {result:?}");
}

fn plugin(session: &Session, profile: usize, name: &str) -> PluginFrame {
    let frame = scheduler::frame(session);
    let mut plugins = frame.profiles[profile].plugins.iter();
    plugins.find(|plugin| plugin.name == name).unwrap().clone()
}

/// Checks that the change of `configuration` results in the text with the left side of each pair replaced by the right
/// side.
#[track_caller]
fn check(configuration: &str, change: SchedulerChange, pairs: &[(&str, &str)]) -> Session {
    let mut expected = format!("{NODES}{configuration}");
    let before = expected.clone();
    for (old, new) in pairs {
        assert_eq!(expected.matches(old).count(), 1, "{old}");
        expected = expected.replace(old, new);
    }
    let mut session = session(configuration);
    act(&mut session, change);
    assert_eq!(text(&session), expected);
    assert!(session.undo());
    assert_eq!(text(&session), before);
    assert!(session.redo());
    session
}

fn node_of(session: &Session, pod: &str) -> Option<String> {
    let frame = frame::build(session);
    let found = frame.pods.iter().find(|it| it.key == pod).unwrap();
    found.node.clone()
}

#[test]
fn without_a_document_one_is_added_with_what_differs() {
    let mut session = session("");
    assert!(!scheduler::frame(&session).written);
    assert_eq!(plugin(&session, 0, "TaintToleration").weight, 3);
    session.run_to_end();
    assert_eq!(node_of(&session, "default/new").as_deref(), Some("a"));
    act(&mut session, at(Field::Strategy, 0, "", 0, "MostAllocated"));
    let added = text(&session).strip_prefix(NODES).unwrap();
    assert_eq!(
        added,
        "---\napiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n\
         profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args:\n      \
         scoringStrategy:\n        type: MostAllocated\n"
    );
    // The run was repeated to its end.
    assert_eq!(node_of(&session, "default/new").as_deref(), Some("b"));
    assert!(fork::frame(&session).is_some());
    assert!(session.undo());
    assert_eq!(text(&session), NODES);
    assert_eq!(node_of(&session, "default/new").as_deref(), Some("a"));
}

#[test]
fn a_switch_writes_to_its_own_extension_point() {
    let off = check(
        "",
        at(Field::Filter, 0, "NodeResourcesFit", 0, "false"),
        &[(
            "cpu: 1, memory: 1Gi}}}]}\n",
            "cpu: 1, memory: 1Gi}}}]}\n---\napiVersion: kubescheduler.config.k8s.io/v1\n\
         kind: KubeSchedulerConfiguration\nprofiles:\n- plugins:\n    filter:\n      disabled:\n      \
         - name: NodeResourcesFit\n",
        )],
    );
    let fit = plugin(&off, 0, "NodeResourcesFit");
    assert_eq!((fit.filter, fit.score), (Some(false), Some(true)));
    let mut on = off;
    act(&mut on, at(Field::Filter, 0, "NodeResourcesFit", 0, "true"));
    assert!(text(&on).ends_with("kind: KubeSchedulerConfiguration\n"));
    assert_eq!(plugin(&on, 0, "NodeResourcesFit").filter, Some(true));
}

#[test]
fn switches_go_where_the_plugin_is_listed() {
    let session = check(
        WRITTEN,
        at(Field::Score, 0, "ImageLocality", 0, "true"),
        &[("          - name: ImageLocality # no images here\n", "")],
    );
    assert_eq!(plugin(&session, 0, "ImageLocality").score, Some(true));
    let session = check(
        WRITTEN,
        at(Field::Score, 0, "TaintToleration", 0, "false"),
        &[(
            "          - name: NodeAffinity\n        enabled:\n          - {name: TaintToleration, weight: 7}\n",
            "          - name: NodeAffinity\n          - name: TaintToleration\n",
        )],
    );
    assert_eq!(plugin(&session, 0, "TaintToleration").score, Some(false));
}

#[test]
fn with_everything_disabled_a_plugin_is_enabled_with_its_preparing_point() {
    let mut session = session(WRITTEN);
    let batch = scheduler::frame(&session).profiles[1].clone();
    let on = batch.plugins.iter().filter(|it| it.filter == Some(true));
    assert_eq!(
        on.map(|it| &*it.name).collect::<Vec<_>>(),
        ["NodeResourcesFit"]
    );
    act(
        &mut session,
        at(Field::Filter, 1, "PodTopologySpread", 0, "true"),
    );
    let spread = plugin(&session, 1, "PodTopologySpread");
    assert_eq!((spread.filter, spread.score), (Some(true), Some(false)));
    act(
        &mut session,
        at(Field::Score, 1, "TaintToleration", 0, "true"),
    );
    assert_eq!(plugin(&session, 1, "TaintToleration").weight, 3);
    for (set, name) in [
        ("preFilter", "PodTopologySpread"),
        ("filter", "PodTopologySpread"),
        ("preScore", "TaintToleration"),
    ] {
        let lines = format!("      {set}:\n        enabled:\n          - name: {name}\n");
        assert!(text(&session).contains(&lines), "{}", text(&session));
    }
    act(
        &mut session,
        at(Field::Filter, 1, "NodeResourcesFit", 0, "false"),
    );
    assert_eq!(plugin(&session, 1, "NodeResourcesFit").filter, Some(false));
}

#[test]
fn weights_are_changed_in_place_or_keep_the_plugins_position() {
    check(
        WRITTEN,
        at(Field::Weight, 0, "TaintToleration", 0, "1"),
        &[("weight: 7", "weight: 1")],
    );
    let session = check(
        WRITTEN,
        at(Field::Weight, 1, "NodeResourcesFit", 0, "5"),
        &[(
            "{name: DefaultBinder}, {name: NodeResourcesFit}",
            "{name: DefaultBinder}, {name: NodeResourcesFit, weight: 5}",
        )],
    );
    assert_eq!(plugin(&session, 1, "NodeResourcesFit").weight, 5);
    let session = check(
        WRITTEN,
        at(Field::Weight, 0, "NodeResourcesFit", 0, "9"),
        &[(
            "weight: 7}\n",
            "weight: 7}\n      multiPoint:\n        enabled:\n          - name: NodeResourcesFit\n            \
         weight: 9\n",
        )],
    );
    assert_eq!(plugin(&session, 0, "NodeResourcesFit").weight, 9);
}

#[test]
fn the_strategy_and_its_shape_are_added_and_removed_together() {
    let mut session = session(WRITTEN);
    act(
        &mut session,
        at(Field::Strategy, 1, "", 0, "RequestedToCapacityRatio"),
    );
    assert_eq!(
        scheduler::frame(&session).profiles[1].shape,
        [(0, 0), (100, 10)]
    );
    act(&mut session, at(Field::AddPoint, 1, "", 0, ""));
    act(&mut session, at(Field::PointScore, 1, "", 1, "8"));
    assert_eq!(
        scheduler::frame(&session).profiles[1].shape,
        [(0, 0), (50, 8), (100, 10)]
    );
    act(&mut session, at(Field::RemovePoint, 1, "", 2, ""));
    act(&mut session, at(Field::AddPoint, 1, "", 0, ""));
    act(&mut session, at(Field::Utilization, 1, "", 2, "90"));
    assert_eq!(
        scheduler::frame(&session).profiles[1].shape,
        [(0, 0), (50, 8), (90, 8)]
    );
    act(
        &mut session,
        at(Field::Strategy, 1, "", 0, "LeastAllocated"),
    );
    let expected =
        format!("{NODES}{WRITTEN}").replace("type: MostAllocated", "type: LeastAllocated");
    assert_eq!(text(&session), expected);
}

#[test]
fn other_ways_of_writing_stay_as_they_are() {
    let flow = "---\n{kind: KubeSchedulerConfiguration, apiVersion: kubescheduler.config.k8s.io/v1, \
                profiles: [{plugins: {filter: {disabled: [{name: NodePorts}]}}}]}\n";
    check(
        flow,
        at(Field::Filter, 0, "NodeName", 0, "false"),
        &[(
            "[{name: NodePorts}]",
            "[{name: NodePorts}, {name: NodeName}]",
        )],
    );
    check(
        flow,
        at(Field::Filter, 0, "NodePorts", 0, "true"),
        &[(
            ", profiles: [{plugins: {filter: {disabled: [{name: NodePorts}]}}}]",
            "",
        )],
    );
    let list = r#"{"apiVersion": "v1", "kind": "List", "items": [
  {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}}
]}"#;
    let mut session = testing::session(list);
    act(&mut session, at(Field::Strategy, 0, "", 0, "MostAllocated"));
    assert_eq!(
        scheduler::frame(&session).profiles[0].strategy,
        "MostAllocated"
    );
    assert!(serde_json::from_str::<serde_json::Value>(text(&session)).is_ok());
}

#[test]
fn resources_are_changed_one_by_one() {
    check(
        WRITTEN,
        at(Field::ResourceWeight, 1, "", 0, "9"),
        &[("cpu, weight: 2", "cpu, weight: 9")],
    );
    let added = "[{name: cpu, weight: 2}, {name: nvidia.com/gpu, weight: 1}]";
    check(
        WRITTEN,
        at(Field::AddResource, 1, "", 0, "nvidia.com/gpu"),
        &[("[{name: cpu, weight: 2}]", added)],
    );
    let mut session = session("");
    act(&mut session, at(Field::ResourceWeight, 0, "", 1, "3"));
    let profile = &scheduler::frame(&session).profiles[0];
    assert_eq!(
        profile.resources,
        [("cpu".to_owned(), 1), ("memory".to_owned(), 3)]
    );
    assert_eq!(profile.strategy, "LeastAllocated");
}

#[test]
fn profiles_are_added_renamed_and_removed() {
    let mut session = session("");
    act(&mut session, at(Field::AddProfile, 0, "", 0, "batch"));
    let end = "profiles:\n- schedulerName: default-scheduler\n- schedulerName: batch\n";
    assert!(text(&session).ends_with(end), "{}", text(&session));
    act(&mut session, at(Field::Defaulting, 1, "", 0, "List"));
    assert_eq!(scheduler::frame(&session).profiles[1].defaulting, "List");
    act(&mut session, at(Field::Percentage, 0, "", 0, "40"));
    assert_eq!(scheduler::frame(&session).percentage, 40);
    act(&mut session, at(Field::Percentage, 0, "", 0, ""));
    assert_eq!(scheduler::frame(&session).percentage, 0);
    act(&mut session, at(Field::RemoveProfile, 0, "", 0, ""));
    assert_eq!(scheduler::frame(&session).profiles.len(), 1);
    assert_eq!(frame::build(&session).queue.unmanaged.len(), 1);
    check(
        WRITTEN,
        at(Field::Name, 0, "", 0, "usual"),
        &[(
            "schedulerName: default-scheduler # for most",
            "schedulerName: usual # for most",
        )],
    );
}

#[test]
fn a_configuration_that_kube_scheduler_refuses_changes_nothing() {
    let cases = [
        (
            at(Field::Weight, 0, "TaintToleration", 0, "-1"),
            "total score of Score plugins could overflow",
        ),
        (
            at(Field::Weight, 0, "TaintToleration", 0, "1.5"),
            "cannot unmarshal number 1.5",
        ),
        (
            at(Field::Name, 1, "", 0, "default-scheduler"),
            "Duplicate value",
        ),
        (at(Field::AddProfile, 0, "", 0, ""), "Required value"),
        (at(Field::AddProfile, 0, "", 0, "batch"), "Duplicate value"),
        (
            at(Field::Percentage, 0, "", 0, "101"),
            "not in valid range [0-100]",
        ),
        (
            at(Field::ResourceWeight, 1, "", 0, "0.5"),
            "cannot unmarshal number 0.5",
        ),
        (
            at(Field::ResourceWeight, 1, "", 0, "101"),
            "resource weight of cpu not in valid range (0, 100]",
        ),
    ];
    for (change, words) in cases {
        let mut session = session(WRITTEN);
        let error = edit::perform(&mut session, &Gesture::Scheduler(change.clone()));
        let error = error.unwrap_err().to_string();
        assert!(error.contains(words), "{change:?}: {error}");
        assert_eq!(text(&session), format!("{NODES}{WRITTEN}"));
        assert!(!session.has_errors() && session.undo_depth().0 == 0);
    }
}

#[test]
fn fields_that_the_form_cannot_show_are_listed() {
    let frame = scheduler::frame(&session(WRITTEN));
    assert_eq!(frame.rest, ["parallelism"]);
    assert!(frame.profiles[0].rest.is_empty());
    assert_eq!(frame.profiles[1].rest, ["InterPodAffinity args"]);
}

/// A typed configuration that kube-scheduler would not start with: its position is reported, and the last good one
/// stays in effect.
#[test]
fn a_refusal_has_a_position() {
    let mut session = session(WRITTEN);
    let bad = format!("{NODES}{WRITTEN}").replace("weight: 7", "weight: -7");
    assert!(!session.edit(&[SourceFile::new("f", bad.as_str())], false));
    let problem = &session.problems()[0];
    assert_eq!(problem.path, "profiles[0].plugins.score");
    let line = bad.lines().nth(problem.line as usize - 1).unwrap();
    assert_eq!(line.trim(), "score:");
    assert_eq!(plugin(&session, 0, "TaintToleration").weight, 7);
    let change = at(Field::Weight, 0, "TaintToleration", 0, "4");
    let error = edit::perform(&mut session, &Gesture::Scheduler(change)).unwrap_err();
    assert!(
        error
            .help
            .to_string()
            .contains("correct the manifests first")
    );
}
