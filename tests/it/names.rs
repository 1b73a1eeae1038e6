//! Scheduling alone and a simulated cluster make the same Pods of the same manifests: `berth schedule` and `kubectl get
//! pods` name them alike.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use berth::words::language::is_translation;
use berth_core::api::manifests::{Manifests, read};
use berth_core::api::meta::controller_of;
use berth_core::api::prepare::PrepareOptions;
use berth_core::api::prepare::node_fit::target_node;
use berth_core::api::prepared::PodObject;
use berth_protocol::defaults::{Defaults, Edition};
use berth_scheduler::plugins::registry::registry;
use berth_session::terminal::{self, Terminal};
use berth_session::{Clock, Options, Session, SourceFile, frame, simulated, sources};
use berth_sim::simulated_cluster::{SimulatedCluster, SimulationOptions};
use flate2::read::ZlibDecoder;
use k8s_openapi::api::core::v1::Pod;
use serde_json::{Value, json};

/// A Pod as both see it: its owner, the node that it is meant for, and its labels.
type Seen = (String, Option<String>, BTreeMap<String, String>);

/// Labels with the uid of a Job: those of a cluster are drawn from its seed.
const UIDS: [&str; 2] = ["batch.kubernetes.io/controller-uid", "controller-uid"];

/// All manifests of the page: examples and lessons.
fn files() -> Vec<(String, String)> {
    let folders =
        ["www/scenarios", "www/lessons"].map(|it| Path::new(env!("CARGO_MANIFEST_DIR")).join(it));
    let mut all = Vec::new();
    for folder in folders {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if name.ends_with(".yaml") && !is_translation(&name) {
                all.push((name, fs::read_to_string(path).unwrap()));
            }
        }
    }
    all.sort();
    all
}

fn manifests(name: &str, text: &str) -> Manifests {
    let options = PrepareOptions {
        expand_workloads: true,
        ..PrepareOptions::default()
    };
    read(&[SourceFile::new(name, text)], &options)
}

/// The Pods of a cluster before the scheduler has tried one.
fn created(manifests: &Manifests) -> SimulatedCluster {
    let options = SimulationOptions::default();
    let cluster = SimulatedCluster::new(&manifests.prepared, &registry(), &options);
    let mut cluster = cluster.expect("a scheduler");
    let documents = manifests.loaded.documents.iter();
    let _ = cluster.load(documents.filter_map(|document| document.object.as_deref()));
    cluster.prepare();
    cluster
}

fn without_uids(labels: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut labels = labels.clone();
    labels.retain(|key, _| !UIDS.contains(&key.as_str()));
    labels
}

fn of_schedule(pod: &PodObject) -> Seen {
    let owner = pod.template.controller.as_ref();
    let owner = owner.map_or_else(String::new, |it| format!("{}/{}", it.kind, it.name));
    let node = pod
        .node_name
        .as_deref()
        .or_else(|| target_node(&pod.template.spec));
    (
        owner,
        node.map(str::to_owned),
        without_uids(&pod.template.labels),
    )
}

fn of_cluster(pod: &Pod) -> Seen {
    let owner = controller_of(&pod.metadata);
    let owner = owner.map_or_else(String::new, |it| format!("{}/{}", it.kind, it.name));
    let node = pod.spec.as_ref().and_then(target_node);
    let labels = pod.metadata.labels.clone().unwrap_or_default();
    (owner, node.map(str::to_owned), without_uids(&labels))
}

#[test]
fn scheduling_alone_and_a_cluster_make_the_same_pods_of_every_example_and_lesson() {
    let mut compared = 0;
    for (name, text) in files() {
        let manifests = manifests(&name, &text);
        let alone: BTreeMap<String, Seen> = manifests
            .prepared
            .pods
            .iter()
            .map(|pod| (pod.key(), of_schedule(pod)))
            .collect();
        let cluster = created(&manifests);
        let store = cluster.api().store();
        let key = |pod: &Pod| {
            let meta = &pod.metadata;
            format!(
                "{}/{}",
                meta.namespace.as_deref().unwrap_or_default(),
                meta.name.as_deref().unwrap_or_default()
            )
        };
        let there: BTreeMap<String, Seen> = store
            .pods
            .iter()
            .map(|pod| (key(pod), of_cluster(pod)))
            .collect();
        for (pod, seen) in &there {
            assert_eq!(alone.get(pod), Some(seen), "{name}: {pod}");
        }
        // A StatefulSet waits until each Pod is ready before it makes the next.
        for (pod, (owner, ..)) in &alone {
            assert!(
                there.contains_key(pod) || owner.starts_with("StatefulSet/"),
                "{name}: the cluster lacks {pod}"
            );
        }
        compared += there.len();
    }
    assert!(compared > 300, "{compared} Pods");
}

const TWO_SETS: &str = "
apiVersion: v1
kind: Node
metadata: {name: a}
status: {allocatable: {cpu: '8', memory: 8Gi, pods: '50'}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: nginx}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: report}
spec:
  template: {spec: {restartPolicy: Never, containers: [{name: c, image: busybox}]}}
";
const LINES: [&str; 3] = [
    "kubectl scale deployment web --replicas 5",
    "kubectl set image deployment/web c=nginx:2 && kubectl rollout status deployment/web && sleep 60",
    "kubectl delete pod $(kubectl get pods -o name -l app=web | head -1) && sleep 60",
];
const NAMES: &str = "kubectl get pods -o name";

fn terminal() -> Terminal {
    let files = [SourceFile::new("two.yaml", TWO_SETS)];
    terminal::open(&files, None, Options::default())
        .terminal
        .expect("a cluster")
}

fn page() -> Session {
    let mut session = Session::new(Options {
        live: true,
        seed: 7,
        ..Options::default()
    });
    assert!(session.apply(&[SourceFile::new("two.yaml", TWO_SETS)]));
    session
}

fn sorted(output: &str) -> BTreeSet<String> {
    output.lines().map(str::to_owned).collect()
}

#[test]
fn the_terminal_of_the_page_and_of_the_command_name_the_same_pods_whatever_the_seed() {
    let (mut command, mut page) = (terminal(), page());
    for line in LINES {
        command.run(line);
        simulated::command(&mut page, line);
        let (of_command, of_page) = (
            command.run(NAMES).stdout,
            simulated::command(&mut page, NAMES).stdout,
        );
        assert_eq!(sorted(&of_command), sorted(&of_page), "after {line}");
    }
}

/// Does what a link of version 0.1 recorded, up to its moment; `None` if it is no visit of changes by text and lines.
fn replayed(link: &Value) -> Option<Session> {
    let mut session = Session::new(Options::default());
    sources::set_next_defaults(&mut session, Defaults::of(Edition::V0_1, None));
    let opening =
        json!([{"before": [0, 0], "what": {"mutation": {"open": {"text": link["f"][0][1]}}}}]);
    let recorded = link.get("j").unwrap_or(&opening).as_array()?;
    for step in recorded {
        go_to(&mut session, &step["before"])?;
        let what = &step["what"]["mutation"];
        let text = |what: &Value| {
            [SourceFile::new(
                "scenario.yaml",
                what["text"].as_str().unwrap_or_default(),
            )]
        };
        if what == "undo" {
            session.undo();
        } else if what == "redo" {
            session.redo();
        } else if let Some(what) = what.get("open") {
            session.open(&text(what));
        } else if let Some(what) = what.get("type") {
            session.edit(&text(what), what["goes_on"] == true);
        } else if let Some(line) = what["terminal"]["line"]["line"].as_str() {
            session.by_clock(Clock::V0_1, |session| simulated::command(session, line));
        } else if what["terminal"].get("files").is_none() {
            return None;
        }
    }
    go_to(&mut session, &link["at"])?;
    Some(session)
}

/// Moves to a recorded moment: the length of the log, and the position in it.
fn go_to(session: &mut Session, moment: &Value) -> Option<()> {
    let number = |at: usize| usize::try_from(moment.get(at)?.as_u64()?).ok();
    let (length, position) = (number(0)?, number(1)?);
    session.catch_up(usize::MAX);
    session.seek(session.log().len());
    session.advance(length.saturating_sub(session.log().len()));
    session.seek(position);
    Some(())
}

#[test]
fn what_version_0_1_recorded_shows_the_same_moment() {
    let frozen = include_str!("../browser/frozen/0.1.0.json");
    let frozen: Value = serde_json::from_str(frozen).unwrap();
    let mut played = Vec::new();
    for address in frozen["addresses"].as_array().unwrap() {
        let (name, text) = (&address["name"], address["address"].as_str().unwrap());
        let Some((_, packed)) = text.split_once("#1.") else {
            continue;
        };
        let packed = URL_SAFE_NO_PAD.decode(packed).unwrap();
        let mut link = String::new();
        ZlibDecoder::new(&*packed)
            .read_to_string(&mut link)
            .unwrap();
        let link: Value = serde_json::from_str(&link).unwrap();
        let (Some(shown), Some(session)) = (address["shows"]["pods"].as_object(), replayed(&link))
        else {
            continue;
        };
        let there: BTreeSet<String> = frame::build(&session)
            .pods
            .iter()
            .map(|pod| pod.key.clone())
            .collect();
        let shown: BTreeSet<String> = shown.keys().cloned().collect();
        assert_eq!(there, shown, "{name}");
        // That of a living cluster has every field of every object.
        if session.simulated_cluster().is_none() {
            assert_eq!(link["d"], session.digest().as_str(), "{name}");
        }
        played.push(name.as_str().unwrap());
    }
    let with_drawn_names = ["delete-a-pod-by-name", "rollout", "a-long-visit"];
    assert!(
        with_drawn_names.iter().all(|name| played.contains(name)),
        "{played:?}"
    );
}
