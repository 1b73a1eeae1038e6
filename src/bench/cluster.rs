//! The clusters of the benchmarks.

use std::fmt::Write;
use std::sync::Arc;

use berth_base::sort;
use berth_core::api::manifests::read;
use berth_core::api::prepare::PrepareOptions;
use berth_core::api::prepared::{Phase, PodObject, Prepared};
use berth_core::api::source::SourceFile;

/// The Pods' constraints, in addition to requests of 100m CPU and 500Mi of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    /// None.
    Basic,
    /// Hard spreading over zones, maxSkew 1.
    Spread,
    /// Groups of 50 with anti-affinity by hostname, required and preferred.
    AntiAffinity,
    /// Ten groups, each with affinity to one zone.
    Affinity,
    /// A quarter of each.
    Mixed,
}

/// Pods of an anti-affinity group; fewer than the nodes of the smallest cluster, so that all fit.
const GROUP_SIZE: usize = 50;
const AFFINITY_GROUPS: usize = 10;

impl Workload {
    pub const ALL: [Self; 5] = [
        Self::Basic,
        Self::Spread,
        Self::AntiAffinity,
        Self::Affinity,
        Self::Mixed,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::Spread => "spread",
            Self::AntiAffinity => "antiaffinity",
            Self::Affinity => "affinity",
            Self::Mixed => "mixed",
        }
    }

    /// The manifests that the Pods use in turn; a group's manifest may occur several times.
    fn groups(self, pods: usize) -> Vec<String> {
        match self {
            Self::Basic => vec![pod("basic", "")],
            Self::Spread => vec![pod("spread", SPREAD)],
            Self::AntiAffinity => {
                let groups = pods.div_ceil(GROUP_SIZE);
                (0..groups)
                    .map(|group| anti_affine(&format!("anti-{group}")))
                    .collect()
            }
            Self::Affinity => (0..AFFINITY_GROUPS)
                .map(|group| affine(&format!("near-{group}")))
                .collect(),
            Self::Mixed => {
                let quarter = pods.div_ceil(4);
                let anti = Self::AntiAffinity.groups(quarter);
                let near = Self::Affinity.groups(quarter);
                let turns = anti.len().max(near.len());
                let mut manifests = Vec::new();
                for turn in 0..turns {
                    manifests.push(pod("basic", ""));
                    manifests.push(pod("spread", SPREAD));
                    manifests.extend(anti.get(turn % anti.len()).cloned());
                    manifests.extend(near.get(turn % near.len()).cloned());
                }
                manifests
            }
        }
    }
}

const SPREAD: &str = "
  topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: topology.kubernetes.io/zone
    whenUnsatisfiable: DoNotSchedule
    labelSelector: {matchLabels: {group: spread}}";

fn anti_affine(group: &str) -> String {
    pod(
        group,
        &format!(
            "
  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: kubernetes.io/hostname
        labelSelector: {{matchLabels: {{group: {group}}}}}
      preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 10
        podAffinityTerm:
          topologyKey: kubernetes.io/hostname
          labelSelector: {{matchLabels: {{app: bench}}}}"
        ),
    )
}

fn affine(group: &str) -> String {
    pod(
        group,
        &format!(
            "
  affinity:
    podAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: topology.kubernetes.io/zone
        labelSelector: {{matchLabels: {{group: {group}}}}}"
        ),
    )
}

fn pod(group: &str, more: &str) -> String {
    format!(
        "---
apiVersion: v1
kind: Pod
metadata:
  name: {group}
  labels: {{app: bench, group: {group}}}
spec:
  containers:
  - name: main
    image: registry.k8s.io/pause:3.10
    resources: {{requests: {{cpu: 100m, memory: 500Mi}}}}{more}
"
    )
}

fn manifests(nodes: usize, pods: &[String]) -> Prepared {
    let mut text = String::from(
        "apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
percentageOfNodesToScore: 100
",
    );
    for node in 0..nodes {
        let zone = node % 3;
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "---
apiVersion: v1
kind: Node
metadata: {{name: node-{node:05}, labels: {{topology.kubernetes.io/zone: zone-{zone}}}}}
status: {{allocatable: {{cpu: '4', memory: 32Gi, pods: '110'}}}}
"
        );
    }
    // Each distinct manifest is read once.
    let mut distinct: Vec<&String> = pods.iter().collect();
    sort::sort(&mut distinct);
    distinct.dedup();
    text.extend(distinct.into_iter().map(String::as_str));
    let files = [SourceFile::new("bench.yaml", text)];
    read(&files, &PrepareOptions::default()).prepared
}

/// `count` pending Pods and `nodes` empty nodes; the groups take turns.
pub fn pending(nodes: usize, workload: Workload, count: usize) -> Prepared {
    let groups = workload.groups(count);
    let mut prepared = manifests(nodes, &groups);
    let of_group = |manifest: &String| {
        let named = |pod: &&PodObject| manifest.contains(&format!("\n  name: {}\n", pod.name));
        prepared.pods.iter().find(named)
    };
    let templates: Vec<PodObject> = groups.iter().filter_map(of_group).cloned().collect();
    prepared.pods = (0..count)
        .filter_map(|number| numbered(&templates, number))
        .collect();
    prepared
}

fn numbered(templates: &[PodObject], number: usize) -> Option<PodObject> {
    let template = templates.get(number % templates.len().max(1))?;
    let name: Arc<str> = format!("{}-{number:05}", template.name).into();
    Some(PodObject {
        uid: Arc::clone(&name),
        name,
        ..template.clone()
    })
}

/// `count` running Pods of the mixed workload, and one pending Pod.
pub fn crowded(nodes: usize, count: usize) -> Prepared {
    let mut prepared = pending(nodes, Workload::Mixed, count + 1);
    for (number, pod) in prepared.pods.iter_mut().take(count).enumerate() {
        pod.node_name = Some(format!("node-{:05}", number % nodes.max(1)).into());
        pod.phase = Phase::Running;
        pod.start_ms = Some(pod.created_ms);
    }
    prepared
}
