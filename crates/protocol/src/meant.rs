//! The nodes that a Pod was meant for: the rest belong to pools that its rules exclude, and say nothing about why it waits.

use std::collections::BTreeMap;

use borsh::{BorshDeserialize, BorshSerialize};

use super::cycle::{Cycle, NodeReport};
use super::fact::{DeviceOutcome, FactKind, VolumeOutcome};

/// The labels that name a node's pool: the one that clusters choose themselves, those of providers and autoscalers, and
/// the kind of machine where nothing else says more.
const POOL_LABELS: [&str; 14] = [
    "pool",
    "node-pool",
    "nodepool",
    "eks.amazonaws.com/nodegroup",
    "alpha.eksctl.io/nodegroup-name",
    "cloud.google.com/gke-nodepool",
    "karpenter.sh/nodepool",
    "kubernetes.azure.com/agentpool",
    "agentpool",
    "doks.digitalocean.com/node-pool",
    "kops.k8s.io/instancegroup",
    "cluster.x-k8s.io/deployment-name",
    "worker.gardener.cloud/pool",
    "node.kubernetes.io/instance-type",
];

/// Taints that say in which state a node is, by the beginning of their key. All others reserve it for some Pods.
const STATE_TAINTS: [&str; 7] = [
    "node.kubernetes.io/",
    "node.cloudprovider.kubernetes.io/",
    "karpenter.sh/",
    "node.cilium.io/",
    "startup-taint.cluster-autoscaler.kubernetes.io/",
    "ToBeDeletedByClusterAutoscaler",
    "DeletionCandidateOfClusterAutoscaler",
];

/// The name of the pool that a node with these labels belongs to.
pub fn pool(labels: &BTreeMap<String, String>) -> Option<&str> {
    let mut keys = POOL_LABELS.iter();
    let name = keys.find_map(|key| labels.get(*key))?;
    (!name.is_empty()).then_some(name)
}

/// The labels of nodes of the control plane.
const CONTROL_PLANE: [&str; 2] = [
    "node-role.kubernetes.io/control-plane",
    "node-role.kubernetes.io/master",
];

/// Whether a node with these labels is of the control plane.
pub fn is_control_plane(labels: &BTreeMap<String, String>) -> bool {
    CONTROL_PLANE.iter().any(|key| labels.contains_key(*key))
}

/// Whether the label names a pool, so that nobody changes it on a node.
pub fn is_pool_label(key: &str) -> bool {
    POOL_LABELS.contains(&key)
}

/// Whether a taint reserves its node for Pods that tolerate it; `false` for a node's state: cordoned, not ready, going.
pub fn reserves(taint: &str) -> bool {
    !STATE_TAINTS.iter().any(|prefix| taint.starts_with(prefix))
        && !taint.ends_with("/agent-not-ready")
}

/// The nodes that a Pod was meant for: those that its selectors and its kinds of resources admit, and whose reserved pools
/// it tolerates. If a rule admits none of the nodes that the rules before it left, that rule is what it waits for, and all
/// of them count.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Meant {
    /// Positions in document order.
    pub nodes: Vec<u32>,
    /// Positions of nodes that are for other Pods: the Pod's selectors, its kinds of resources or their taints keep it away.
    /// Nodes that a state, a volume or a spread constraint rules out are in neither list.
    pub foreign: Vec<u32>,
    /// Rules that leave only some topology domains of those nodes, if they leave any.
    pub limits: Vec<Limit>,
    /// Their pools, with the positions of their nodes; empty if all nodes of the cluster are of one pool.
    pub pools: Vec<(String, Vec<u32>)>,
    /// By resource that they lack: the most that one of them has without the Pods that may move, in the resource's own
    /// unit. DaemonSets' and static Pods stay.
    pub empty: BTreeMap<String, i64>,
}

/// A rule that leaves a Pod only some topology domains.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Limit {
    /// The volume of a claim is there.
    Volume {
        claim: String,
        /// The zones of the nodes that are left.
        domains: Vec<String>,
    },
    /// The volume of a claim is where none of the nodes is.
    Elsewhere {
        claim: String,
        volume: String,
        /// Its zones; empty if they are not known. A cycle does not tell them.
        domains: Vec<String>,
    },
    /// A spread constraint, with the domains that are left.
    Spread {
        topology_key: String,
        max_skew: i64,
        domains: Vec<String>,
    },
}

/// What narrows the nodes that a Pod was meant for, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Narrowing {
    Selectors,
    Resources,
    Reserved,
    /// Nodes that are cordoned or unwell, and that something else rules out as well.
    State,
    Volumes,
    Spread,
}

impl Narrowing {
    const ALL: [Self; 6] = [
        Self::Selectors,
        Self::Resources,
        Self::Reserved,
        Self::State,
        Self::Volumes,
        Self::Spread,
    ];

    /// Whether it tells which nodes are for the Pod at all.
    fn is_about_pools(self) -> bool {
        matches!(self, Self::Selectors | Self::Resources | Self::Reserved)
    }

    /// Whether this rules the node out.
    fn rules_out(self, report: &NodeReport) -> bool {
        let against = || facts(report).filter(|kind| kind.is_violated());
        match self {
            Self::State => against().any(is_of_state) && !against().all(is_of_state),
            _ => against().any(|kind| self.is_by(kind)),
        }
    }

    fn is_by(self, kind: &FactKind) -> bool {
        match (self, kind) {
            (
                Self::Selectors,
                FactKind::NodeRequirement { .. }
                | FactKind::NodeName { .. }
                | FactKind::NodeFeature { .. },
            )
            | (Self::Spread, FactKind::Spread { .. }) => true,
            (Self::Resources, FactKind::Resource { resource, .. }) => {
                kind.has_none() && !matches!(resource.as_str(), "cpu" | "memory" | "pods")
            }
            (Self::Resources, FactKind::Device { outcome, .. }) => {
                *outcome == DeviceOutcome::NoDevices
            }
            (Self::Reserved, FactKind::Taint { key, .. }) => reserves(key),
            (Self::Volumes, FactKind::Volume { outcome, .. }) => matches!(
                outcome,
                VolumeOutcome::AffinityConflict { .. } | VolumeOutcome::Label { .. }
            ),
            _ => false,
        }
    }
}

/// The volume that the node cannot use.
fn elsewhere(report: &NodeReport) -> Option<Limit> {
    facts(report).find_map(|kind| match kind {
        FactKind::Volume {
            name,
            outcome: VolumeOutcome::AffinityConflict { volume },
        } => Some(Limit::Elsewhere {
            claim: name.clone(),
            volume: volume.clone(),
            domains: Vec::new(),
        }),
        _ => None,
    })
}

/// A node's state, and no rule about which nodes are for the Pod.
fn is_of_state(kind: &FactKind) -> bool {
    match kind {
        FactKind::Unschedulable => true,
        FactKind::Taint { key, .. } => !reserves(key),
        _ => false,
    }
}

fn facts(report: &NodeReport) -> impl Iterator<Item = &FactKind> {
    let facts = report.failures.iter().flat_map(|failure| &failure.facts);
    facts.map(|fact| &fact.kind)
}

impl Meant {
    /// The nodes of an attempt whose Pod fits none. `label`: a node's label, by the node's position and the key. Pools and
    /// room are left to the caller, as a cycle does not know them.
    pub fn of(cycle: &Cycle, label: &dyn Fn(u32, &str) -> Option<String>) -> Self {
        let examined = (0_u32..).zip(&cycle.nodes);
        let mut left: Vec<(u32, &NodeReport)> = examined
            .filter(|(_, report)| report.verdict.is_some())
            .collect();
        let (mut limits, mut foreign) = (Vec::new(), Vec::new());
        for narrowing in Narrowing::ALL {
            let (out, rest): (Vec<_>, Vec<_>) = left
                .iter()
                .partition(|(_, report)| narrowing.rules_out(report));
            if rest.is_empty() && narrowing != Narrowing::State {
                if narrowing == Narrowing::Volumes {
                    limits.extend(out.iter().find_map(|(_, report)| elsewhere(report)));
                }
                break;
            }
            if rest.is_empty() || out.is_empty() {
                continue;
            }
            if narrowing.is_about_pools() {
                foreign.extend(out.iter().map(|(position, _)| *position));
            }
            let by = out.iter().flat_map(|(_, report)| facts(report));
            let by = by.filter(|kind| kind.is_violated() && narrowing.is_by(kind));
            let nodes = rest.iter().map(|(position, _)| *position);
            limits.extend(limit(by, nodes, label));
            left = rest;
        }
        Self {
            nodes: left.into_iter().map(|(position, _)| position).collect(),
            foreign,
            limits,
            ..Self::default()
        }
    }

    /// Whether the node at this position is for other Pods.
    pub fn is_foreign(&self, node: u32) -> bool {
        self.foreign.contains(&node)
    }

    /// The pool that all of these nodes are of; `None` if they are of several, or if pools tell nothing.
    pub fn pool_of(&self, nodes: &[u32]) -> Option<&str> {
        let (name, members) = self
            .pools
            .iter()
            .find(|(_, members)| members.iter().any(|member| nodes.contains(member)))?;
        let is_member = |node: &u32| members.binary_search(node).is_ok();
        nodes.iter().all(is_member).then_some(name)
    }
}

/// The rule about topology domains that ruled nodes out, with the domains of those that are left.
fn limit<'f>(
    mut by: impl Iterator<Item = &'f FactKind>,
    left: impl Iterator<Item = u32>,
    label: &dyn Fn(u32, &str) -> Option<String>,
) -> Option<Limit> {
    let domains = |key: &str| {
        let mut domains: Vec<String> = Vec::new();
        for domain in left.filter_map(|node| label(node, key)) {
            if !domains.contains(&domain) {
                domains.push(domain);
            }
        }
        domains
    };
    match by.next()? {
        FactKind::Volume { name, .. } => Some(Limit::Volume {
            claim: name.clone(),
            domains: domains("topology.kubernetes.io/zone"),
        }),
        FactKind::Spread {
            topology_key,
            max_skew,
            ..
        } => Some(Limit::Spread {
            topology_key: topology_key.clone(),
            max_skew: *max_skew,
            domains: domains(topology_key),
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Limit, Meant, pool, reserves};
    use crate::cycle::{Cycle, NodeReport, Verdict};
    use crate::fact::{Fact, FactKind};

    fn taint(key: &str) -> FactKind {
        FactKind::Taint {
            key: key.into(),
            value: String::new(),
            effect: "NoSchedule".into(),
        }
    }

    fn short(resource: &str, used: i64, allocatable: i64) -> FactKind {
        FactKind::Resource {
            resource: resource.into(),
            request: 10,
            used,
            allocatable,
        }
    }

    fn unlike() -> FactKind {
        FactKind::NodeRequirement {
            key: "pool".into(),
            operator: "In".into(),
            values: vec!["db".into()],
            actual: None,
            holds: false,
        }
    }

    fn spread(domain: &str) -> FactKind {
        FactKind::Spread {
            topology_key: "zone".into(),
            domain: Some(domain.into()),
            count: 2,
            own: 1,
            minimum: 0,
            max_skew: 1,
        }
    }

    /// Nodes, each with what rules it out.
    fn meant(nodes: &[&[FactKind]]) -> Meant {
        let report = |facts: &&[FactKind]| NodeReport {
            node: String::new(),
            verdict: Some(Verdict::default()),
            failures: vec![Verdict {
                facts: facts.iter().cloned().map(Fact::new).collect(),
                ..Verdict::default()
            }],
            passes: Vec::new(),
        };
        let cycle = Cycle {
            nodes: nodes.iter().map(report).collect(),
            ..Cycle::default()
        };
        Meant::of(&cycle, &|node, key| Some(format!("{key}-{node}")))
    }

    #[test]
    fn reserved_pools_and_other_pools_are_no_nodes_of_the_pod() {
        let nodes: [&[FactKind]; 4] = [
            &[taint("spot")],
            &[unlike(), short("cpu", 0, 5)],
            &[short("cpu", 5, 8)],
            &[taint("dedicated"), unlike()],
        ];
        let found = meant(&nodes);
        assert_eq!((found.nodes, found.foreign), (vec![2], vec![1, 3, 0]));
    }

    #[test]
    fn a_rule_that_admits_no_node_is_what_the_pod_waits_for() {
        let gpu = short("nvidia.com/gpu", 0, 0);
        // The only nodes with a GPU are reserved, so their taint decides.
        let nodes: [&[FactKind]; 3] = [
            std::slice::from_ref(&gpu),
            &[taint("nvidia.com/gpu")],
            &[taint("spot"), gpu.clone()],
        ];
        assert_eq!(meant(&nodes).nodes, [1]);
        assert_eq!(meant(&[&[unlike()], &[unlike(), taint("x")]]).nodes, [0, 1]);
        assert_eq!(meant(&[&[unlike()], &[unlike()]]).nodes, [0, 1]);
        let gpu = std::slice::from_ref(&gpu);
        assert_eq!(meant(&[gpu, gpu]).nodes, [0, 1]);
    }

    #[test]
    fn a_cordoned_node_counts_if_nothing_else_rules_it_out() {
        let cordoned = FactKind::Unschedulable;
        let unwell = taint("node.kubernetes.io/unreachable");
        let full = short("cpu", 8, 8);
        let nodes: [&[FactKind]; 4] = [
            std::slice::from_ref(&full),
            std::slice::from_ref(&cordoned),
            &[cordoned.clone(), full.clone()],
            &[unwell, full.clone()],
        ];
        assert_eq!(meant(&nodes).nodes, [0, 1]);
    }

    #[test]
    fn a_spread_leaves_the_domains_of_the_nodes_that_it_admits() {
        let full = short("cpu", 8, 8);
        let nodes: [&[FactKind]; 3] = [
            &[spread("a"), full.clone()],
            std::slice::from_ref(&full),
            &[spread("c")],
        ];
        let found = meant(&nodes);
        assert_eq!(found.nodes, [1]);
        let limit = Limit::Spread {
            topology_key: "zone".into(),
            max_skew: 1,
            domains: vec!["zone-1".into()],
        };
        assert_eq!(found.limits, [limit]);
        assert_eq!(meant(&[&[spread("a")]]).limits, []);
    }

    #[test]
    fn pools_are_named_by_the_labels_that_providers_set() {
        let named = |labels: &[(&str, &str)]| {
            let labels = labels
                .iter()
                .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
            pool(&labels.collect()).map(str::to_owned)
        };
        let both = [
            ("node.kubernetes.io/instance-type", "m6i.large"),
            ("agentpool", "system"),
        ];
        assert_eq!(named(&both).as_deref(), Some("system"));
        assert_eq!(named(&both[..1]).as_deref(), Some("m6i.large"));
        assert_eq!(named(&[("disk", "ssd")]), None);
        assert!(reserves("spot") && reserves("node-role.kubernetes.io/control-plane"));
        assert!(
            !reserves("node.kubernetes.io/not-ready")
                && !reserves("ebs.csi.aws.com/agent-not-ready")
        );
    }
}
