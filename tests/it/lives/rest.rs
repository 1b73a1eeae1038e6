//! What must hold once a cluster is quiet: every workload has what its spec asks for, and no object is orphaned.

use std::collections::BTreeSet;

use berth_sim::pod_util;
use berth_sim::server::{ApiServer, ms_of};
use berth_sim::store::{Key, Object, name_of, namespace_of, uid_of};
use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, StatefulSet};
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use std::sync::Arc;

use super::all;

/// Checks all objects; returns the number of workloads.
pub fn assert_whole(api: &ApiServer) -> u64 {
    let store = api.store();
    for object in all(store) {
        assert_stays(&object, api);
    }
    for pod in store.pods.iter() {
        assert_pod(pod, api);
    }
    // Controllers ignore objects that are being deleted and wait for a finalizer.
    let stays = |meta: &ObjectMeta| meta.deletion_timestamp.is_none();
    for set in store.replica_sets.iter().filter(|it| stays(&it.metadata)) {
        let wanted = set.spec.as_ref().and_then(|it| it.replicas).unwrap_or(1);
        let name = name_of(&set.metadata);
        assert_eq!(
            count(active(&set.metadata, api)),
            wanted,
            "ReplicaSet {name}"
        );
        let reported = set.status.as_ref().map(|it| it.replicas);
        assert_eq!(reported, Some(wanted), "ReplicaSet {name}");
    }
    for deployment in store.deployments.iter().filter(|it| stays(&it.metadata)) {
        assert_deployment(deployment, api);
    }
    for set in store.stateful_sets.iter().filter(|it| stays(&it.metadata)) {
        assert_stateful_set(set, api);
    }
    for set in store.daemon_sets.iter().filter(|it| stays(&it.metadata)) {
        assert_daemon_set(set, api);
    }
    for job in store.jobs.iter().filter(|it| stays(&it.metadata)) {
        assert_job(job, api);
    }
    let counts = [
        store.replica_sets.count(),
        store.stateful_sets.count(),
        store.daemon_sets.count(),
        store.jobs.count(),
    ];
    counts.iter().sum::<usize>() as u64
}

/// Nothing is being deleted except volumes in use and Pods within their grace period.
fn assert_stays(object: &Object, api: &ApiServer) {
    let meta = object.metadata();
    let mut finalizers = meta.finalizers.iter().flatten();
    // A template may have finalizers that no controller removes. Claims stay while Pods use them; the invariants find a
    // ResourceClaim that is being deleted although no Pod uses it.
    let in_use = ["PersistentVolumeClaim", "PersistentVolume", "ResourceClaim"];
    let is_held = in_use.contains(&object.kind())
        || finalizers.any(|it| is_foreign(it))
        || waits_for_dependents(object, api);
    let ends = meta.deletion_timestamp.as_ref().map(ms_of);
    let has_grace = object.kind() == "Pod" && ends.is_some_and(|ends| ends > api.now_ms());
    assert!(
        ends.is_none() || is_held || has_grace || keeps_pods(object, api),
        "{} {} is still being deleted: {meta:?}",
        object.kind(),
        name_of(meta)
    );
}

/// Whether no controller removes this finalizer. Updates accept any text.
fn is_foreign(finalizer: &str) -> bool {
    !finalizer.contains("kubernetes.io/") && !["foregroundDeletion", "orphan"].contains(&finalizer)
}

/// Whether the object waits for foreground deletion of a dependent that still exists.
fn waits_for_dependents(object: &Object, api: &ApiServer) -> bool {
    let meta = object.metadata();
    let mut finalizers = meta.finalizers.iter().flatten();
    finalizers.any(|it| it == "foregroundDeletion")
        && !api.store().dependents(uid_of(meta)).is_empty()
}

/// Whether this is a namespace with objects that are being deleted, such as Pods within their grace period.
fn keeps_pods(object: &Object, api: &ApiServer) -> bool {
    let name = name_of(object.metadata());
    let own = api.store().of_namespace(name);
    object.kind() == "Namespace"
        && own
            .iter()
            .any(|it| it.metadata().deletion_timestamp.is_some())
}

/// Whether the object is deleted once a finalizer is removed.
fn is_held(pod: &Pod) -> bool {
    pod.metadata.deletion_timestamp.is_some()
        && pod.metadata.finalizers.iter().flatten().count() > 0
}

/// The node of a bound Pod exists, and the Pod is past Pending. A Pod without a node is Pending or finished.
fn assert_pod(pod: &Pod, api: &ApiServer) {
    let (node, name) = (pod_util::node_of(pod), name_of(&pod.metadata));
    let phase = pod_util::phase_of(pod);
    if node.is_empty() {
        let may_be = phase == "Pending" || pod_util::is_finished(pod);
        assert!(may_be, "{name} is {phase} without a node");
        return;
    }
    let found = api.store().nodes.get(&Key::new("", node));
    if found.is_none() && is_held(pod) {
        // The Pod garbage collector has already deleted it; finalizers keep it.
        return;
    }
    assert!(found.is_some(), "{name} is on {node}, which is not there");
    assert_ne!(
        phase, "Pending",
        "{name} on {node} does not start: {:?}",
        pod.status
    );
}

fn active<'a>(owner: &'a ObjectMeta, api: &'a ApiServer) -> impl Iterator<Item = &'a Arc<Pod>> {
    let own = api.store().pods.controlled_by(uid_of(owner));
    own.filter(|pod| pod_util::is_active(pod))
}

fn count<T>(of: impl Iterator<Item = T>) -> i32 {
    i32::try_from(of.count()).expect("few")
}

/// The number of Pods is between `replicas` and `replicas` plus `maxSurge`, unless the rollout is stuck.
fn assert_deployment(deployment: &Deployment, api: &ApiServer) {
    let name = name_of(&deployment.metadata);
    let Some(spec) = &deployment.spec else {
        panic!("Deployment {name} wants nothing");
    };
    let wanted = spec.replicas.unwrap_or(1);
    let sets = api
        .store()
        .replica_sets
        .controlled_by(uid_of(&deployment.metadata));
    let sizes: Vec<i32> = sets.map(|set| count(active(&set.metadata, api))).collect();
    let total: i32 = sizes.iter().sum();
    // A Deployment that was created paused has nothing to scale.
    let waits = spec.paused == Some(true) && sizes.is_empty();
    let rolling = spec
        .strategy
        .as_ref()
        .and_then(|it| it.rolling_update.as_ref());
    let surge = rolling.and_then(|it| it.max_surge.as_ref());
    let surge = surge.map_or(0, |surge| match surge {
        IntOrString::Int(number) => *number,
        IntOrString::String(percent) => {
            let percent: i32 = percent.trim_end_matches('%').parse().expect("a percentage");
            (wanted * percent + 99) / 100
        }
    });
    assert!(
        (wanted..=wanted + surge).contains(&total) || waits || is_stuck(deployment, api),
        "Deployment {name}: {total} Pods, {wanted} wanted, {surge} more allowed; of its ReplicaSets {sizes:?}; {:?}",
        deployment.status
    );
    let status = deployment.status.clone().unwrap_or_default();
    assert_eq!(status.replicas.unwrap_or(0), total, "Deployment {name}");
    let (seen, now) = (status.observed_generation, deployment.metadata.generation);
    assert_eq!(seen, now, "Deployment {name}");
}

/// Whether a Deployment waits forever, as the real one does. One that got another size and `Recreate` in one change, in
/// the middle of a rolling update, must be scaled first, but only rolling updates scale several ReplicaSets. One with
/// `Recreate` is not notified that its last old Pod is gone while a finished Pod remains.
fn is_stuck(deployment: &Deployment, api: &ApiServer) -> bool {
    let (spec, meta) = (
        deployment.spec.clone().unwrap_or_default(),
        &deployment.metadata,
    );
    let strategy = spec.strategy.and_then(|it| it.type_);
    let wanted = spec.replicas.unwrap_or(1).to_string();
    let sets = || api.store().replica_sets.controlled_by(uid_of(meta));
    let mut pods = sets().flat_map(|set| api.store().pods.controlled_by(uid_of(&set.metadata)));
    let remains = pods.any(|pod| pod_util::is_finished(pod));
    let active = sets().filter(|set| set.spec.as_ref().and_then(|it| it.replicas) != Some(0));
    let sizes = active.map(|set| {
        let reported = set.metadata.annotations.as_ref();
        reported?
            .get("deployment.kubernetes.io/desired-replicas")
            .cloned()
    });
    let sizes: Vec<Option<String>> = sizes.collect();
    let differs = |size: &Option<String>| size.as_ref().is_some_and(|size| *size != wanted);
    let never_scaled = sizes.len() > 1 && sizes.iter().any(differs);
    strategy.as_deref() == Some("Recreate") && (never_scaled || remains)
}

/// The Pods of all ordinals exist. With OrderedReady, Pods behind an unavailable one may be missing.
fn assert_stateful_set(set: &StatefulSet, api: &ApiServer) {
    let name = name_of(&set.metadata);
    let Some(spec) = &set.spec else {
        panic!("StatefulSet {name} wants nothing");
    };
    let wanted = spec.replicas.unwrap_or(1);
    let own: Vec<&Arc<Pod>> = active(&set.metadata, api).collect();
    let there = count(own.iter());
    let least = spec.min_ready_seconds.unwrap_or(0);
    let is_there = |pod: &Pod| pod_util::is_available(pod, least, api.now_ms());
    let is_stuck = own.iter().any(|pod| !is_there(pod));
    let is_parallel = spec.pod_management_policy.as_deref() == Some("Parallel");
    // With OrderedReady, no Pod is created or removed behind one that is unavailable.
    // The controller requeues after minReadySeconds only while the number of available Pods differs from the wanted
    // one: it does not notice when a Pod that must be removed becomes available later.
    let reported = set.status.as_ref().and_then(|it| it.available_replicas);
    let is_forgotten = least > 0 && reported.unwrap_or(0) == wanted && there > wanted;
    let may_wait = (is_stuck || is_forgotten) && !is_parallel;
    assert!(
        there == wanted || may_wait,
        "StatefulSet {name}: {there} of {wanted}"
    );
    let start = spec.ordinals.as_ref().and_then(|it| it.start).unwrap_or(0);
    // In a set that has lost Pods, those behind the first unavailable one are not created again yet.
    let mut waits = false;
    for ordinal in start..start.saturating_add(wanted) {
        let key = Key::new(namespace_of(&set.metadata), format!("{name}-{ordinal}"));
        match own.iter().find(|pod| Key::of(&pod.metadata) == key) {
            Some(pod) => waits |= !is_parallel && !is_there(pod),
            None if waits => break,
            None => panic!("StatefulSet {name}: {key} is missing among {there}"),
        }
    }
    let reported = set.status.as_ref().map(|it| it.replicas);
    assert_eq!(reported, Some(there), "StatefulSet {name}");
}

/// One Pod on each node that should have one, none elsewhere.
fn assert_daemon_set(set: &DaemonSet, api: &ApiServer) {
    let name = name_of(&set.metadata);
    let status = set.status.clone().unwrap_or_default();
    let wanted = status.desired_number_scheduled;
    assert_eq!(status.current_number_scheduled, wanted, "DaemonSet {name}");
    // Pods stay on nodes whose taint was added later.
    let nodes = api.store().nodes.iter();
    let mut taints =
        nodes.flat_map(|node| node.spec.iter().flat_map(|it| it.taints.iter().flatten()));
    let may_stay = taints.any(|taint| taint.effect == "NoSchedule");
    let strange = status.number_misscheduled;
    assert!(
        strange == 0 || may_stay,
        "DaemonSet {name}: {strange} too many"
    );
    let pods: Vec<&Arc<Pod>> = active(&set.metadata, api).collect();
    let nodes: BTreeSet<String> = pods.iter().filter_map(|pod| target(pod)).collect();
    let there = count(nodes.iter());
    // A node that was deleted and is created again, and should have no Pod now, triggers no sync.
    let older = count(pods.iter().filter(|pod| is_older_than_its_node(pod, api)));
    let more = there - wanted - strange;
    assert!(
        (0..=older).contains(&more),
        "DaemonSet {name}: {more} more than wanted on {nodes:?}"
    );
}

fn is_older_than_its_node(pod: &Pod, api: &ApiServer) -> bool {
    let node = api.store().nodes.get(&Key::new("", pod_util::node_of(pod)));
    let node = node.and_then(|node| node.metadata.creation_timestamp.as_ref());
    node.is_some_and(|created| ms_of(created) >= pod_util::created_ms(pod))
}

/// The node that a Pod of a DaemonSet is bound to, or to which its node affinity pins it. A Pod that was adopted
/// without a node may have neither.
fn target(pod: &Pod) -> Option<String> {
    if !pod_util::node_of(pod).is_empty() {
        return Some(pod_util::node_of(pod).to_owned());
    }
    let spec = pod.spec.as_ref();
    let affinity = spec.and_then(|it| it.affinity.as_ref()?.node_affinity.as_ref());
    let required = affinity.and_then(|it| {
        it.required_during_scheduling_ignored_during_execution
            .as_ref()
    });
    let terms = required.iter().flat_map(|it| &it.node_selector_terms);
    let fields = terms.flat_map(|term| term.match_fields.iter().flatten());
    let mut names = fields.flat_map(|field| field.values.iter().flatten());
    names.next().cloned()
}

/// The number of active Pods is the remaining work, at most `parallelism`.
fn assert_job(job: &Job, api: &ApiServer) {
    let name = name_of(&job.metadata);
    let (spec, status) = (
        job.spec.clone().unwrap_or_default(),
        job.status.clone().unwrap_or_default(),
    );
    let is_over = status
        .conditions
        .iter()
        .flatten()
        .filter(|it| it.status == "True")
        .any(|it| it.type_ == "Complete" || it.type_ == "Failed");
    let (parallel, done) = (spec.parallelism.unwrap_or(1), status.succeeded.unwrap_or(0));
    let left = spec.completions.map_or(parallel, |all| (all - done).max(0));
    let wanted = if is_over || spec.suspend == Some(true) {
        0
    } else {
        parallel.min(left)
    };
    assert_eq!(
        count(active(&job.metadata, api)),
        wanted,
        "Job {name}: {status:?}"
    );
    assert_eq!(status.active.unwrap_or(0), wanted, "Job {name}");
}
