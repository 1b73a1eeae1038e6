//! InterPodAffinity: places Pods near some Pods and away from others.
//!
//! - **Extension points**: PreFilter, Filter (required terms), PreScore, Score (preferred terms).
//! - **Why**: a cache belongs beside its server; two replicas of a database should not share a node.
//! - **Example**: anti-affinity to `app: web` by hostname allows one such Pod per node.
//! - **Symmetry**: the anti-affinity of running Pods also rejects new Pods.
//! - **Upstream**: `plugins/interpodaffinity`, v1.34, with its defect of namespace selectors
//!   (kubernetes issue 141526, see `cluster::matcher`).

mod by_domain;
mod filtering;
mod hints;
mod scoring;

use super::helpers::{nodes_in, pods_on};
use crate::cluster::counts::NodeCount;
use crate::cluster::domain_counts::Counted;
use crate::cluster::node::NodeInfo;
use crate::cluster::pod::PodInfo;
use crate::cluster::topology::{DomainIx, TopologyKeyIx};
use crate::cluster::{Cluster, NodeIx};
use crate::framework::plugin::{Context, extends};

/// The plugin, with its arguments (`InterPodAffinityArgs`).
pub struct InterPodAffinity {
    hard_pod_affinity_weight: i64,
    ignore_preferred_terms_of_existing_pods: bool,
}

impl InterPodAffinity {
    /// `hard_pod_affinity_weight`: the score for required affinity of existing Pods, 0–100.
    pub fn new(
        hard_pod_affinity_weight: i64,
        ignore_preferred_terms_of_existing_pods: bool,
    ) -> Self {
        Self {
            hard_pod_affinity_weight,
            ignore_preferred_terms_of_existing_pods,
        }
    }
}

extends!(InterPodAffinity: PreFilter, Filter, PreScore, Score, ByDomain, EnqueueExtensions);

/// Sums by topology key and domain.
#[derive(Clone, Default)]
struct DomainSums(Vec<(TopologyKeyIx, Vec<i64>)>);

impl DomainSums {
    fn add(&mut self, cluster: &Cluster, key: TopologyKeyIx, node: NodeIx, amount: i64) {
        let table = cluster.topology().key(key);
        let Some(domain) = table.domain(node) else {
            return;
        };
        let position = self.table(key, table.domain_count());
        self.0[position].1[domain.0 as usize] += amount;
    }

    /// Adds `weight` for each Pod in its domain.
    fn add_pods(&mut self, cluster: &Cluster, key: TopologyKeyIx, pods: Counted, weight: i64) {
        let table = cluster.topology().key(key);
        let entries = cluster.pods_by_node(pods).entries();
        if table.is_by_node() || entries.len() < table.domain_count() {
            for entry in entries {
                let amount = weight * i64::from(entry.all());
                self.add(cluster, key, entry.node, amount);
            }
            return;
        }
        cluster.in_domains(pods, key, |counts| {
            if counts.iter().all(|count| count.all() == 0) {
                return;
            }
            let position = self.table(key, counts.len());
            for (sum, count) in self.0[position].1.iter_mut().zip(counts) {
                *sum += weight * count.all();
            }
        });
    }

    /// The position of the key's sums, which are begun if there are none.
    fn table(&mut self, key: TopologyKeyIx, domains: usize) -> usize {
        let known = self.0.iter().position(|(known, _)| *known == key);
        known.unwrap_or_else(|| {
            self.0.push((key, vec![0; domains]));
            self.0.len() - 1
        })
    }

    fn get(&self, key: TopologyKeyIx, domain: DomainIx) -> i64 {
        let table = self.0.iter().find(|(known, _)| *known == key);
        table.map_or(0, |(_, sums)| sums[domain.0 as usize])
    }

    fn is_zero(&self) -> bool {
        self.0
            .iter()
            .all(|(_, sums)| sums.iter().all(|&sum| sum == 0))
    }
}

/// Some of these Pods is on a node with the key.
fn is_anywhere(cluster: &Cluster, key: TopologyKeyIx, pods: Counted) -> bool {
    let table = cluster.topology().key(key);
    let is_in_domain = |entry: &NodeCount| table.domain(entry.node).is_some();
    cluster
        .pods_by_node(pods)
        .entries()
        .iter()
        .any(is_in_domain)
}

/// The Pods in the node's domain that count; none if the node lacks the key.
fn pods_beside(
    cx: Context<'_>,
    node: &NodeInfo,
    key: TopologyKeyIx,
    counts: impl Fn(&PodInfo) -> bool,
) -> Vec<String> {
    let domain = cx.cluster.topology().key(key).domain(node.ix);
    domain.map_or_else(Vec::new, |domain| {
        pods_on(cx.cluster, nodes_in(cx.cluster, key, domain), counts)
    })
}
