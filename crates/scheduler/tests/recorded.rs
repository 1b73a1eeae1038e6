//! Plays scenarios that the real kube-scheduler decided: for every attempt its node, the totals of the scores, the reasons
//! of every node, and the message.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use berth_scheduler::cluster::{Cluster, event::Event};
use berth_scheduler::config::SchedulerConfiguration;
use berth_scheduler::cycle::Outcome;
use berth_scheduler::framework::registry::build_profiles;
use berth_scheduler::k8s_openapi::api::core::v1::{Namespace, Pod};
use berth_scheduler::plugins::registry::registry;
use berth_scheduler::pod_object::{stored_pod, template_of};
use berth_scheduler::release::{Release, Version};
use berth_scheduler::trace::recorder::Recorder;
use berth_scheduler::{Scheduler, TieBreak};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

#[derive(Deserialize)]
struct Recording {
    objects: Vec<Value>,
    attempts: Vec<Attempt>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Attempt {
    /// `namespace/name`.
    pod: String,
    selected: Option<String>,
    message: Option<String>,
    /// The reasons of each evaluated node; empty if it passed.
    verdicts: BTreeMap<String, String>,
    #[serde(default)]
    totals: BTreeMap<String, i64>,
}

fn object<T: DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).expect("an object of its kind")
}

fn event(value: &Value) -> Event {
    match value["kind"].as_str().unwrap_or_default() {
        "Node" => Event::NodeSet(object(value)),
        "Pod" => {
            let pod: Pod = object(value);
            Event::PodAdded(Box::new(stored_pod(&pod, Arc::new(template_of(&pod)))))
        }
        "Namespace" => {
            let Namespace { metadata, .. } = object(value);
            Event::NamespaceSet {
                name: metadata.name.unwrap_or_default(),
                labels: metadata.labels.unwrap_or_default().into_iter().collect(),
            }
        }
        "Service" => Event::ServiceSet(object(value)),
        "ReplicaSet" => Event::ReplicaSetSet(object(value)),
        "StatefulSet" => Event::StatefulSetSet(object(value)),
        kind => panic!("unexpected kind {kind}"),
    }
}

/// One attempt of a Pod, which is bound if it found a node.
fn attempt(scheduler: &mut Scheduler, cluster: &mut Cluster, key: &str) -> Attempt {
    let (namespace, name) = key.split_once('/').expect("a namespace and a name");
    let pod = cluster
        .pods()
        .find(namespace, name)
        .expect("the Pod exists");
    let mut recorder = Recorder::new(cluster);
    let outcome = scheduler.schedule(cluster, pod, 0, &mut recorder);
    let cycle = recorder.finish(pod.ix, &scheduler.profiles()[0], 1, &outcome);
    let verdicts = cycle.nodes.iter().filter_map(|node| {
        let verdict = node.verdict.as_ref()?;
        Some((node.node.clone(), verdict.reasons.join("; ")))
    });
    let totals = cycle.scores.iter().flatten();
    let found = Attempt {
        pod: key.to_owned(),
        selected: cycle.selected.clone(),
        message: cycle.message.clone(),
        verdicts: verdicts.collect(),
        totals: totals
            .map(|score| (score.node.clone(), score.total))
            .collect(),
    };
    if let Outcome::Scheduled { node, .. } = outcome {
        let (pod, node) = (pod.ix, Arc::clone(&cluster.node(node).name));
        let start_ms = 0;
        cluster.apply(Event::PodBound {
            pod,
            node,
            start_ms,
        });
    }
    found
}

#[test]
fn recorded_decisions_are_the_same() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorded");
    let mut played = 0;
    for file in folder.read_dir().expect("the folder exists") {
        let path = file.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("a text");
        let recording: Recording = serde_json::from_str(&text).expect("a recording");
        let mut cluster = Cluster::new(Release::of(Version::V1_34));
        cluster.apply_all(recording.objects.iter().map(event));
        let configuration = SchedulerConfiguration::default();
        let profiles = build_profiles(&configuration, &registry(), &mut cluster).expect("profiles");
        let mut scheduler = Scheduler::new(profiles, 0, TieBreak::First, 0);
        for expected in &recording.attempts {
            let found = attempt(&mut scheduler, &mut cluster, &expected.pod);
            assert_eq!(&found, expected, "{}", path.display());
            played += 1;
        }
    }
    assert!(played > 100, "{played} attempts");
}
