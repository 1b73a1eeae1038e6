//! What the scheduler reads of a Pod's spec, compiled once for all Pods that share it.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Toleration;

use super::class::ShapeIx;
use super::resources::{
    DEFAULT_MEMORY_BYTES, DEFAULT_MILLI_CPU, Resources, SumOptions, non_zero_requests, pod_requests,
};
use crate::config::added_affinity::preferred_terms;
use crate::field::Path;
use crate::pod_object::{PodTemplate, Resized};
use crate::release::{Gate, Release};
use crate::selector::compiled::{Labels, NodeTerm, NodeTerms, Requirement};

/// A compiled Pod spec. It does not depend on the Pod's labels, namespace or name.
#[derive(Clone, Debug)]
pub struct SpecInfo {
    /// A template with this spec.
    pub template: Arc<PodTemplate>,
    /// A hash of the whole spec.
    pub fingerprint: u64,
    /// Specs with the same shape get the same verdicts and raw scores from node-local plugins.
    pub shape: ShapeIx,
    /// The Pod's resource requests.
    pub request: Resources,
    /// What the Pod takes of its node: its requests, or what it was granted if that is more.
    pub counted: Resources,
    /// The Pod's share of its node's non-zero sums: milli-CPU and memory bytes.
    pub non_zero: (i64, i64),
    /// Requests as NodeResourcesFit scores them: with container defaults, without Pod-level requests.
    pub score_request: Resources,
    pub tolerations: Vec<Toleration>,
    /// `spec.nodeSelector` as requirements.
    pub node_selector: Vec<Requirement>,
    /// Required node affinity, `None` if absent.
    pub required_node_affinity: Option<NodeTerms>,
    /// Non-empty preferred node affinity terms with their weights; `None` if the list is absent.
    pub preferred_node_affinity: Option<Vec<(i64, NodeTerm)>>,
    /// Errors in preferred terms, whose values the API server does not validate.
    pub preferred_node_affinity_errors: Vec<String>,
    /// Host ports of containers and sidecars, but not of other init containers.
    pub host_ports: Vec<HostPort>,
    /// Normalized image names of all init containers, containers and image volumes.
    pub images: Vec<String>,
    /// Number of containers and init containers.
    pub container_count: usize,
}

/// A host port that a Pod requests.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HostPort {
    /// `0.0.0.0` for every address.
    pub host_ip: String,
    pub protocol: String,
    pub port: i32,
    /// Field path of the port in the Pod.
    pub pod_path: String,
}

impl HostPort {
    /// Whether both ports cannot be used on the same node.
    pub fn conflicts_with(&self, other: &HostPort) -> bool {
        self.port == other.port
            && self.protocol == other.protocol
            && (self.host_ip == other.host_ip || self.is_wildcard() || other.is_wildcard())
    }

    /// Whether both are the same port of the same address.
    pub fn is_same(&self, other: &HostPort) -> bool {
        self.port == other.port && self.protocol == other.protocol && self.host_ip == other.host_ip
    }

    fn is_wildcard(&self) -> bool {
        self.host_ip == "0.0.0.0"
    }
}

impl SpecInfo {
    /// Compiles the spec of a template; `fingerprint` is its hash. `status`: what the Pod was granted.
    pub fn new(
        template: &Arc<PodTemplate>,
        fingerprint: u64,
        status: Option<&Resized>,
        release: &Release,
    ) -> Self {
        let spec = &template.spec;
        let (asked, counted) = sums(status, release);
        let affinity = spec.affinity.as_ref();
        let node_affinity = affinity.and_then(|affinity| affinity.node_affinity.as_ref());
        let preferred = node_affinity
            .and_then(|a| {
                a.preferred_during_scheduling_ignored_during_execution
                    .as_ref()
            })
            .filter(|terms| !terms.is_empty());
        let containers = spec
            .init_containers
            .iter()
            .flatten()
            .chain(&spec.containers);
        let volumes = spec.volumes.iter().flatten();
        let volumes = volumes.filter(|_| release.rules().scores_image_volumes);
        let volumes = volumes.filter_map(|volume| volume.image.as_ref()?.reference.as_deref());
        Self {
            template: Arc::clone(template),
            fingerprint,
            shape: ShapeIx(0),
            request: pod_requests(spec, asked),
            counted: pod_requests(spec, counted),
            non_zero: non_zero_requests(spec, counted),
            score_request: pod_requests(
                spec,
                SumOptions {
                    missing_milli_cpu: Some(DEFAULT_MILLI_CPU),
                    missing_memory_bytes: Some(DEFAULT_MEMORY_BYTES),
                    skip_pod_level: true,
                    ..counted
                },
            ),
            tolerations: spec.tolerations.clone().unwrap_or_default(),
            node_selector: spec
                .node_selector
                .iter()
                .flatten()
                .map(|(key, value)| Requirement::equals(key, value))
                .collect(),
            required_node_affinity: node_affinity
                .and_then(|a| {
                    a.required_during_scheduling_ignored_during_execution
                        .as_ref()
                })
                .map(NodeTerms::new),
            preferred_node_affinity_errors: preferred
                .map(|terms| preferred_terms(&Path::root(), terms))
                .into_iter()
                .flatten()
                .map(|error| error.to_string())
                .collect(),
            preferred_node_affinity: preferred.map(|terms| {
                terms
                    .iter()
                    .map(|term| (i64::from(term.weight), NodeTerm::new(&term.preference)))
                    .filter(|(_, term)| !term.is_empty())
                    .collect()
            }),
            host_ports: host_ports(template),
            images: containers
                .clone()
                .filter_map(|container| container.image.as_deref())
                .chain(volumes)
                .map(normalized_image)
                .collect(),
            container_count: containers.count(),
        }
    }

    /// Whether the Pod's nodeSelector and required node affinity accept the node
    /// (`GetRequiredNodeAffinity(pod).Match(node)` of component-helpers v1.34).
    pub fn accepts_node(&self, labels: &Labels, name: &str) -> bool {
        self.node_selector.iter().all(|requirement| {
            requirement.matches(labels.get(&requirement.key).map(String::as_str))
        }) && self
            .required_node_affinity
            .as_ref()
            .is_none_or(|terms| terms.matches(labels, name))
    }
}

/// How to sum up what a Pod asks for, and what it counts as with its status.
fn sums<'a>(status: Option<&'a Resized>, release: &Release) -> (SumOptions<'a>, SumOptions<'a>) {
    let asked = SumOptions {
        skip_pod_level: !release.is_on(Gate::PodLevelResources),
        ..SumOptions::default()
    };
    let counted = SumOptions {
        status: status.filter(|_| release.is_on(Gate::InPlacePodVerticalScaling)),
        pod_level_status: release.is_on(Gate::InPlacePodLevelResourcesVerticalScaling),
        ..asked
    };
    (asked, counted)
}

fn host_ports(template: &PodTemplate) -> Vec<HostPort> {
    let spec = &template.spec;
    let sidecars = spec
        .init_containers
        .iter()
        .flatten()
        .enumerate()
        .filter(|(_, container)| container.restart_policy.as_deref() == Some("Always"))
        .map(|(index, container)| (format!("spec.initContainers[{index}]"), container));
    let containers = spec
        .containers
        .iter()
        .enumerate()
        .map(|(index, container)| (format!("spec.containers[{index}]"), container));
    let mut ports = Vec::new();
    for (path, container) in containers.chain(sidecars) {
        for (index, port) in container.ports.iter().flatten().enumerate() {
            let Some(number) = port.host_port.filter(|&number| number > 0) else {
                continue;
            };
            let host_ip = port.host_ip.as_deref().filter(|ip| !ip.is_empty());
            ports.push(HostPort {
                host_ip: host_ip.unwrap_or("0.0.0.0").to_owned(),
                protocol: port.protocol.clone().unwrap_or_else(|| "TCP".to_owned()),
                port: number,
                pod_path: format!("{path}.ports[{index}].hostPort"),
            });
        }
    }
    ports
}

/// The image name with a tag: `:latest` is added if no colon follows the last slash.
pub fn normalized_image(name: &str) -> String {
    let tagged = match (name.rfind(':'), name.rfind('/')) {
        (None, _) => false,
        (Some(_), None) => true,
        (Some(colon), Some(slash)) => colon > slash,
    };
    if tagged {
        name.to_owned()
    } else {
        format!("{name}:latest")
    }
}
