//! Which events requeue a Pod, by the plugin that rejected it.

use super::moves;

/// One life: the documents in `more`, a Pod `p` that is rejected because of its `spec`, and steps at 60, 120, 180 …
/// seconds, when no Pod is in backoff.
struct Life {
    more: String,
    pod: String,
    steps: Vec<String>,
}

fn life(labels: &str, spec: &str) -> Life {
    Life {
        more: String::new(),
        pod: pod("p", labels, spec),
        steps: Vec::new(),
    }
}

fn pod(name: &str, labels: &str, spec: &str) -> String {
    let containers = if spec.contains("containers") {
        ""
    } else {
        "containers: [{name: c, image: i}], "
    };
    format!(
        "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, labels: {{{labels}}}}}, spec: {{{containers}{spec}}}}}"
    )
}

fn node(name: &str, labels: &str, spec: &str) -> String {
    format!(
        "{{apiVersion: v1, kind: Node, metadata: {{name: {name}, labels: {{{labels}}}}}, spec: {{{spec}}}, \
         status: {{allocatable: {{cpu: '1', memory: 1Gi, pods: '9'}}}}}}"
    )
}

impl Life {
    fn with(mut self, document: impl AsRef<str>) -> Self {
        self.more.push_str(&format!("{}\n---\n", document.as_ref()));
        self
    }

    fn then(mut self, verb: &str, what: impl AsRef<str>) -> Self {
        let at = 60 * (self.steps.len() + 1);
        let what = what.as_ref();
        self.steps.push(format!("- at: {at}\n  {verb}: [{what}]\n"));
        self
    }

    /// Checks the minutes at which `p` was requeued, and the events.
    #[track_caller]
    fn wakes(self, expected: &[&str]) {
        let until = 60 * self.steps.len() + 1;
        let manifests = format!(
            "{}{}\n---\napiVersion: conformance/v1\nkind: Script\nuntil: {until}\nsteps:\n{}",
            self.more,
            self.pod,
            self.steps.concat()
        );
        let moved = moves(&manifests).into_iter().filter_map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let is_event = !words[2].contains("BackoffComplete");
            let minute = words[0].parse::<f64>().ok()? / 60.0;
            (words[1] == "p" && is_event).then(|| format!("{minute} {}", words[2]))
        });
        let moved: Vec<String> = moved.collect();
        assert_eq!(moved, expected);
    }
}

#[test]
fn only_a_pod_that_held_the_port_frees_it() {
    let port = |port: u16| {
        format!(
            "containers: [{{name: c, image: i, ports: [{{containerPort: 80, hostPort: {port}}}]}}]"
        )
    };
    life("", &port(80))
        .with(node("k", "", ""))
        .with(pod("a", "", &format!("{}, nodeName: k", port(80))))
        .with(pod("b", "", &format!("{}, nodeName: k", port(81))))
        .then("delete", "{kind: Pod, name: b}")
        .then("delete", "{kind: Pod, name: a}")
        .wakes(&["2 AssignedPodDelete"]);
}

#[test]
fn a_node_helps_if_the_pod_tolerates_its_taints_now() {
    let taint = |taint: &str| format!("taints: [{{key: {taint}, effect: NoSchedule}}]");
    life("", "priority: 0")
        .with(node("k", "", &taint("a")))
        .then("update", node("k", "", &taint("b")))
        .then("create", node("m", "", &taint("a")))
        .then("update", node("k", "", ""))
        .wakes(&["3 NodeUpdateNodeTaint"]);
}

#[test]
fn an_uncordoned_node_and_ones_own_toleration_help() {
    let toleration = "tolerations: [{key: node.kubernetes.io/unschedulable, operator: Exists}]";
    life("", "priority: 0")
        .with(node("k", "", "unschedulable: true"))
        .then("create", node("m", "", "unschedulable: true"))
        .then("update", pod("p", "", toleration))
        .wakes(&["2 UnschedulablePodUpdatePodToleration"]);
}

#[test]
fn a_node_must_begin_to_match() {
    life("", "nodeSelector: {disk: ssd}")
        .with(node("k", "", ""))
        .then("update", node("k", "disk: hdd", ""))
        .then("create", node("m", "disk: hdd", ""))
        .then("update", node("k", "disk: ssd", ""))
        .wakes(&["3 NodeUpdateNodeLabel"]);
}

#[test]
fn added_affinity_is_asked_of_the_node_as_it_is() {
    let configuration = "{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration, \
        profiles: [{pluginConfig: [{name: NodeAffinity, args: {addedAffinity: \
        {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: \
        [{matchExpressions: [{key: pool, operator: Exists}]}]}}}}]}]}";
    // The Pod has no affinity of its own, so it matched before, and the label does not requeue it.
    life("", "priority: 0")
        .with(configuration)
        .with(node("k", "", ""))
        .then("update", node("k", "pool: a", ""))
        .then("create", node("m", "", ""))
        .then("create", node("o", "pool: a", ""))
        .wakes(&["3 NodeAdd"]);
}

#[test]
fn more_of_what_is_requested_helps_if_the_pod_fits_the_empty_node() {
    let big = |cpu: &str, memory: &str| {
        node("k", "", "").replace(
            "{cpu: '1', memory: 1Gi,",
            &format!("{{cpu: '{cpu}', memory: {memory},"),
        )
    };
    let asks = "containers: [{name: c, image: i, resources: {requests: {cpu: '3'}}}]";
    life("", asks)
        .with(node("k", "", ""))
        .then("update", big("2", "1Gi"))
        .then("update", big("2", "8Gi"))
        .then("create", node("m", "", ""))
        .then("update", big("3", "8Gi"))
        .wakes(&["4 NodeUpdateNodeAllocatable"]);
}

#[test]
fn a_shrinking_pod_must_give_back_what_is_requested() {
    let asks = |cpu: &str, memory: &str| {
        format!(
            "containers: [{{name: c, image: i, resources: {{requests: {{cpu: '{cpu}', memory: {memory}}}}}}}]"
        )
    };
    let running =
        |cpu: &str, memory: &str| pod("a", "", &format!("{}, nodeName: k", asks(cpu, memory)));
    life(
        "",
        "containers: [{name: c, image: i, resources: {requests: {cpu: '1'}}}]",
    )
    .with(node("k", "", ""))
    .with(running("500m", "512Mi"))
    .then("update", running("500m", "256Mi"))
    .then("update", running("400m", "256Mi"))
    .then("delete", "{kind: Pod, name: a}")
    .wakes(&["2 AssignedPodUpdatePodScaleDown", "3 AssignedPodDelete"]);
}

fn affinity(kind: &str, label: &str) -> String {
    format!(
        "affinity: {{{kind}: {{requiredDuringSchedulingIgnoredDuringExecution: \
         [{{topologyKey: zone, labelSelector: {{matchLabels: {{app: {label}}}}}}}]}}}}"
    )
}

#[test]
fn affinity_waits_for_a_friend_or_for_its_domain() {
    life("", &affinity("podAffinity", "web"))
        .with(node("k", "zone: a", ""))
        .then("create", pod("x", "app: db", "nodeName: k"))
        .then("update", pod("x", "app: web", "nodeName: gone"))
        .wakes(&["2 AssignedPodUpdatePodLabel"]);
    life("", &affinity("podAffinity", "web"))
        .with(node("k", "", ""))
        .with(pod("x", "app: web", "nodeName: k"))
        .then("create", node("m", "", ""))
        .then("update", node("k", "zone: a", ""))
        .wakes(&["2 NodeUpdateNodeLabel"]);
}

#[test]
fn anti_affinity_waits_for_its_foe_to_go_or_to_change() {
    life("", &affinity("podAntiAffinity", "web"))
        .with(node("k", "zone: a", ""))
        .with(pod("x", "app: web", "nodeName: k"))
        .with(pod("w", "app: web", "nodeName: k"))
        .with(pod("z", "app: db", "nodeName: k"))
        .then("delete", "{kind: Pod, name: z}")
        .then("update", pod("x", "app: db", "nodeName: k"))
        .then("delete", "{kind: Pod, name: w}")
        .wakes(&["2 AssignedPodUpdatePodLabel", "3 AssignedPodDelete"]);
}

fn spread(more: &str) -> String {
    format!(
        "topologySpreadConstraints: [{{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, \
         labelSelector: {{matchLabels: {{app: web}}}}{more}}}]"
    )
}

#[test]
fn spread_looks_at_pods_that_count_and_at_nodes_with_its_keys() {
    life("app: web", &spread(", minDomains: 2"))
        .with(node("k", "zone: a", ""))
        .with(pod("x", "app: web", "nodeName: k"))
        .with(pod("w", "app: db", "nodeName: k"))
        .then("delete", "{kind: Pod, name: w}")
        .then("create", node("m", "", ""))
        .then("create", node("o", "zone: a", ""))
        .then("delete", "{kind: Node, name: o}")
        .wakes(&["3 NodeAdd", "4 NodeDelete"]);
}

#[test]
fn own_tolerations_help_where_taints_count() {
    let tolerating = |more: &str| {
        format!(
            "{}, tolerations: [{{key: k, operator: Exists}}]",
            spread(more)
        )
    };
    for (more, wakes) in [
        (", minDomains: 2, nodeTaintsPolicy: Honor", true),
        (", minDomains: 2", false),
    ] {
        let expected: &[&str] = if wakes {
            &["1 UnschedulablePodUpdatePodToleration"]
        } else {
            &[]
        };
        life("app: web", &spread(more))
            .with(node("k", "zone: a", ""))
            .with(pod("x", "app: web", "nodeName: k"))
            .then("update", pod("p", "app: web", &tolerating(more)))
            .wakes(expected);
    }
}

fn claim(name: &str, class: &str) -> String {
    format!(
        "{{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {{name: {name}}}, spec: {{storageClassName: '{class}', \
         accessModes: [ReadWriteOnce], resources: {{requests: {{storage: 1Gi}}}}}}}}"
    )
}

fn class(allowed: &str) -> String {
    format!(
        "{{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {{name: lazy}}, provisioner: d.example.com, \
         volumeBindingMode: WaitForFirstConsumer, allowedTopologies: [{{matchLabelExpressions: \
         [{{key: zone, values: [{allowed}]}}]}}]}}"
    )
}

const USES_CLAIM: &str = "volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]";

#[test]
fn volume_binding_waits_for_claims_classes_and_drivers() {
    life("", USES_CLAIM)
        .with(node("k", "zone: a", ""))
        .with(class("b"))
        .with(claim("c", "lazy"))
        .then("create", claim("other", "lazy"))
        .then("update", class("b"))
        .then("update", class("c"))
        .then("create", "{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: k}, spec: {drivers: []}}")
        .then("update", "{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: k, labels: {x: w}}, spec: {drivers: []}}")
        .then("update", class("a"))
        .wakes(&[
            "3 storage.k8s.io/StorageClassUpdate",
            "4 storage.k8s.io/CSINodeAdd",
            "6 storage.k8s.io/StorageClassUpdate",
        ]);
}

#[test]
fn volume_limits_wait_for_a_deleted_holder_or_a_higher_count() {
    let csi_node = |count: u32| {
        format!(
            "{{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {{name: k}}, spec: {{drivers: \
             [{{name: d.example.com, nodeID: k, allocatable: {{count: {count}}}}}]}}}}"
        )
    };
    let other = "nodeName: k, volumes: [{name: v, persistentVolumeClaim: {claimName: d}}]";
    life("", USES_CLAIM)
        .with(node("k", "zone: a", ""))
        .with(csi_node(1))
        .with(class("a"))
        .with(claim("c", "lazy"))
        .with(claim("d", "lazy"))
        .with(pod("x", "", other))
        .with(pod("w", "", "nodeName: k"))
        .then("delete", "{kind: Pod, name: w}")
        .then("update", csi_node(0))
        .then("update", csi_node(1))
        .then("delete", "{kind: Pod, name: x}")
        .wakes(&["3 storage.k8s.io/CSINodeUpdate", "4 AssignedPodDelete"]);
}

#[test]
fn zones_of_volumes_are_checked_again_when_their_labels_change() {
    let volume = |zone: &str, more: &str| {
        format!(
            "{{apiVersion: v1, kind: PersistentVolume, metadata: {{name: v, labels: {{topology.kubernetes.io/zone: {zone}{more}}}}}, \
             spec: {{capacity: {{storage: 1Gi}}, accessModes: [ReadWriteOnce], hostPath: {{path: /x}}}}}}"
        )
    };
    life("", USES_CLAIM)
        .with(node("k", "topology.kubernetes.io/zone: a", ""))
        .with(volume("b", ""))
        .with(claim("c", ""))
        .then("update", volume("b", ", x: w"))
        .then("update", volume("a", ""))
        .wakes(&["2 PersistentVolumeUpdate"]);
}

#[test]
fn a_disk_is_free_when_its_holder_goes() {
    let disk =
        |id: &str| format!("volumes: [{{name: v, awsElasticBlockStore: {{volumeID: {id}}}}}]");
    life("", &disk("d"))
        .with(node("k", "", ""))
        .with(pod("x", "", &format!("nodeName: k, {}", disk("d"))))
        .with(pod("w", "", &format!("nodeName: k, {}", disk("e"))))
        .then("delete", "{kind: Pod, name: w}")
        .then("delete", "{kind: Pod, name: x}")
        .wakes(&["2 AssignedPodDelete"]);
}

#[test]
fn only_the_prefilter_that_rejected_gets_events() {
    let named = "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: \
        [{matchFields: [{key: metadata.name, operator: In, values: [k]}]}]}}}";
    life("", &format!("{USES_CLAIM}, {named}"))
        .with(node("k", "", ""))
        .then("create", node("m", "", ""))
        .then("update", node("k", "x: w", ""))
        .then("create", claim("c", "nothing"))
        .wakes(&["1 NodeAdd", "3 PersistentVolumeClaimAdd"]);
}

const V1_36: &str = "{apiVersion: berth.dev/v1alpha1, kind: Scenario, kubernetes: '1.36'}";

#[test]
fn storage_capacity_helps_when_a_volume_may_be_larger() {
    let driver = "{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: d.example.com}, spec: {storageCapacity: true}}";
    let capacity = |size: &str| {
        format!(
            "{{apiVersion: storage.k8s.io/v1, kind: CSIStorageCapacity, metadata: {{name: s}}, storageClassName: lazy, \
             nodeTopology: {{}}, capacity: {size}}}"
        )
    };
    life("", USES_CLAIM)
        .with(node("k", "zone: a", ""))
        .with(class("a"))
        .with(claim("c", "lazy"))
        .with(driver)
        .with(capacity("512Mi"))
        .then("update", capacity("256Mi"))
        .then("update", capacity("1Gi"))
        .wakes(&["2 storage.k8s.io/CSIStorageCapacityUpdate"]);
}

#[test]
fn a_node_that_declares_other_features_may_help() {
    let declaring = |feature: &str| {
        format!(
            "{{apiVersion: v1, kind: Node, metadata: {{name: k}}, status: {{allocatable: {{cpu: '1', memory: 1Gi}}, \
             declaredFeatures: [{feature}]}}}}"
        )
    };
    let rules = "containers: [{name: c, image: i, restartPolicy: Never, restartPolicyRules: \
        [{action: RestartAllContainers, exitCodes: {operator: In, values: [1]}}]}]";
    life("", rules)
        .with(V1_36)
        .with(declaring("Another"))
        .then("update", declaring("Another"))
        .then("update", declaring("RestartAllContainersOnContainerExits"))
        .wakes(&["2 NodeUpdateNodeDeclaredFeature"]);
}

/// kubernetes issue 134393, mended in v1.36.
#[test]
fn someone_elses_anti_affinity_helps_when_it_goes_since_v1_36() {
    let shuns_web = "nodeName: k, affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: \
        [{topologyKey: zone, labelSelector: {matchLabels: {app: web}}}]}}";
    let lives = |release: &str| {
        life("app: web", "priority: 0")
            .with(release)
            .with(node("k", "zone: a", ""))
            .with(pod("x", "", shuns_web))
            .then("delete", "{kind: Pod, name: x}")
    };
    lives("{apiVersion: berth.dev/v1alpha1, kind: Scenario, kubernetes: '1.34'}").wakes(&[]);
    lives(V1_36).wakes(&["1 AssignedPodDelete"]);
}

#[test]
fn ones_own_labels_count_for_affinity_since_v1_36() {
    let near_db = "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: \
        [{topologyKey: zone, labelSelector: {matchLabels: {app: db}}}]}}";
    let lives = |release: &str| {
        life("app: web", near_db)
            .with(release)
            .with(node("k", "zone: a", ""))
            .then("update", pod("p", "app: db", near_db))
    };
    lives("{apiVersion: berth.dev/v1alpha1, kind: Scenario, kubernetes: '1.34'}").wakes(&[]);
    lives(V1_36).wakes(&["1 UnschedulablePodUpdatePodLabel"]);
}
