//! Measures how long a simulated cluster takes to bring up 10,000 Pods: Deployments, admission, queue,
//! scheduler, kubelets, and all their writes.

use std::fmt::Write;

use berth_base::time::Time;
use berth_core::api::manifests::{Manifests, read};
use berth_core::api::prepare::PrepareOptions;
use berth_core::api::script::KubeletRules;
use berth_core::api::source::SourceFile;
use berth_scheduler::plugins::registry::registry;
use berth_sim::pod_util::is_ready;
use berth_sim::simulated_cluster::{Rest, SimulatedCluster, SimulationOptions};

use super::{Environment, TRIES, least};

/// Pods of one Deployment.
const REPLICAS: usize = 500;
/// Pods per node, which determines the number of nodes.
const PODS_PER_NODE: usize = 50;
const MOMENTS: u32 = 1_000_000;
const HOUR: Time = Time::at_second(3_600);
/// Number of times that the Pods are brought up.
const LIVES: usize = 3;

/// Brings up `pods` Pods and reports the time of that and of a checkpoint.
pub fn measure(pods: usize, environment: &Environment<'_>) -> String {
    let manifests = manifests(pods);
    let options = SimulationOptions {
        kubelet: KubeletRules {
            by_containers: true,
            ..KubeletRules::default()
        },
        ..SimulationOptions::default()
    };
    let bring_up = || {
        let mut cluster = SimulatedCluster::new(&manifests.prepared, &registry(), &options).ok()?;
        let documents = manifests.loaded.documents.iter();
        let refused = cluster.load(documents.filter_map(|document| document.object.as_deref()));
        let rest = cluster.run_until_quiet(HOUR, MOMENTS);
        Some((cluster, refused, rest))
    };
    let (elapsed, life) = least(environment, LIVES, bring_up);
    let Some((cluster, refused, rest)) = life else {
        return "the cluster does not start\n".to_owned();
    };
    let running = cluster.api().store().pods.iter();
    let running = running.filter(|pod| is_ready(pod)).count();
    if rest != Rest::Quiet || running != pods || !refused.is_empty() {
        return format!("{running} of {pods} Pods run: {rest:?}\n");
    }
    let (copied, _) = least(environment, TRIES, || cluster.clone());
    let mut report = format!("\n{pods} Pods of Deployments, from nothing to running\n");
    // Writing to a String cannot fail.
    let _ = writeln!(report, "  life        {elapsed:>7.0} ms");
    let _ = writeln!(report, "  checkpoint  {copied:>7.1} ms");
    report
}

fn manifests(pods: usize) -> Manifests {
    let mut text = String::new();
    for node in 0..pods.div_ceil(PODS_PER_NODE) {
        let _ = write!(
            text,
            "---\napiVersion: v1\nkind: Node\nmetadata: {{name: node-{node}}}\n\
             status: {{allocatable: {{cpu: '64', memory: 64Gi, pods: '110'}}}}\n"
        );
    }
    for set in 0..pods.div_ceil(REPLICAS) {
        let replicas = REPLICAS.min(pods - set * REPLICAS);
        let _ = write!(
            text,
            "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web-{set}}}\nspec:\n  \
             replicas: {replicas}\n  selector: {{matchLabels: {{app: web-{set}}}}}\n  template:\n    \
             metadata: {{labels: {{app: web-{set}}}}}\n    spec: {{containers: [{{name: c, image: web, \
             resources: {{requests: {{cpu: 100m}}}}}}]}}\n"
        );
    }
    read(
        &[SourceFile::new("life.yaml", text)],
        &PrepareOptions::default(),
    )
}
