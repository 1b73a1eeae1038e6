//! Lives that have no recording: whole clusters, queueing hints one by one, and random lives.

mod hints;
mod lives;
mod random;
mod random_lives;

use berth_core::api::manifests::{Manifests, read};
use berth_core::api::object::Manifest;
use berth_core::api::prepare::PrepareOptions;
use berth_core::api::script::{self, Script, Verbs};
use berth_core::api::source::SourceFile;
use berth_scheduler::plugins::registry::registry;

use super::player::Player;
use super::scheduler_only::SchedulerOnly;
use super::simulated::Simulated;
use super::{Played, ReplayOptions, begin_scheduler_only, begin_simulated};
use crate::history::Entry;
use berth_scheduler::queue::Note;

/// Manifests, one of which is a script without warnings.
fn scenario(manifests: &str, verbs: Verbs) -> (Manifests, Script) {
    let file = SourceFile::new("life.yaml", manifests);
    let manifests = read(&[file], &PrepareOptions::default());
    assert!(!manifests.has_errors(), "{:?}", manifests.problems);
    let (_, script, warnings) = script::find(&manifests.loaded, verbs).expect("a script");
    assert_eq!(warnings, []);
    (manifests, script)
}

fn objects(manifests: &Manifests) -> impl Iterator<Item = &Manifest> {
    manifests
        .loaded
        .documents
        .iter()
        .filter_map(|document| document.object.as_deref())
}

/// Manifests with a script, on a scheduler alone.
fn alone(manifests: &str) -> Player<SchedulerOnly> {
    let (manifests, script) = scenario(manifests, Verbs::Objects);
    let (prepared, objects) = (&manifests.prepared, objects(&manifests));
    let options = ReplayOptions::default();
    begin_scheduler_only(prepared, objects, script, &registry(), options).expect("starts")
}

/// Manifests with a script, on a whole cluster.
fn with_controllers(manifests: &str) -> Player<Simulated> {
    let (manifests, script) = scenario(manifests, Verbs::Operations);
    let (prepared, objects) = (&manifests.prepared, objects(&manifests));
    let options = ReplayOptions::default();
    begin_simulated(prepared, objects, script, &registry(), options).expect("starts")
}

/// Plays manifests with a script on a scheduler alone.
fn played(manifests: &str) -> Played {
    alone(manifests).play()
}

/// `5.5 web NodeAdd active`: time, name, event and queue of every move.
fn moves(manifests: &str) -> Vec<String> {
    let played = played(manifests);
    assert_eq!(played.refused, []);
    let moves = played
        .record
        .entries
        .iter()
        .filter_map(|entry| match entry {
            Entry::Queue {
                at,
                note: Note::Moved { key, by, to, .. },
            } => {
                let name = key.rsplit('/').next().unwrap_or(key);
                Some(format!("{} {name} {by} {}", at.as_seconds(), to.name()))
            }
            _ => None,
        });
    moves.collect()
}

#[test]
fn refused_acts_are_reported_and_the_replay_continues() {
    let played = played(
        "apiVersion: conformance/v1
kind: Script
until: 9
steps:
- at: 1
  create: [{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {priorityClassName: none, containers: [{name: c, image: i}]}}]
- at: 2
  create: [{apiVersion: v1, kind: Node, metadata: {name: k}}, {apiVersion: v1, kind: Node, metadata: {name: k}}]
- at: 3
  delete: [{kind: Pod, name: p}]
",
    );
    let paths: Vec<&str> = played.refused.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "steps[0].create[0].spec.priorityClassName",
            "steps[1].create[1]"
        ]
    );
    let does = played
        .record
        .entries
        .iter()
        .filter_map(|entry| match entry {
            Entry::Step { does, .. } => Some(does.join(" ")),
            _ => None,
        });
    let does: Vec<String> = does.collect();
    assert_eq!(does, ["", "create Node k", "absent Pod default/p"]);
}

#[test]
fn a_namespace_that_is_only_used_can_be_changed() {
    let played = played(
        "apiVersion: v1
kind: Pod
metadata: {name: p, namespace: used}
spec: {containers: [{name: c, image: i}]}
---
apiVersion: conformance/v1
kind: Script
until: 1
steps:
- at: 0.5
  update: [{apiVersion: v1, kind: Namespace, metadata: {name: used, labels: {team: a}}}, {apiVersion: v1, kind: Namespace, metadata: {name: other}}]
",
    );
    let does = played.record.entries.iter().find_map(|entry| match entry {
        Entry::Step { does, .. } => Some(does.clone()),
        _ => None,
    });
    let does = does.expect("a step");
    assert_eq!(does, ["update Namespace used", "absent Namespace other"]);
}

#[test]
fn a_pod_over_its_quota_is_refused_until_another_goes() {
    let pod = |name: &str| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}}}, spec: {{containers: [{{name: c, image: i}}]}}}}"
        )
    };
    let played = played(&format!(
        "apiVersion: v1
kind: ResourceQuota
metadata: {{name: q}}
spec: {{hard: {{pods: '1'}}}}
---
apiVersion: conformance/v1
kind: Script
until: 9
steps:
- at: 1
  create: [{a}]
- at: 2
  create: [{b}]
- at: 3
  delete: [{{kind: Pod, name: a}}]
- at: 4
  create: [{b}]
",
        a = pod("a"),
        b = pod("b")
    ));
    assert_eq!(played.refused.len(), 1);
    assert!(
        played.refused[0]
            .message
            .to_string()
            .contains("exceeded quota")
    );
    let left: Vec<&str> = played
        .record
        .placed
        .iter()
        .map(|(key, _)| key.as_str())
        .collect();
    assert_eq!(left, ["default/b"]);
}
