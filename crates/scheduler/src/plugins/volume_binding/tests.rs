use super::*;
use crate::cluster::Cluster;
use crate::plugins::helpers::fixture::{Cycle, cluster};

const NO_MATCH: &str = "node(s) didn't find available persistent volumes to bind";
const CONFLICT: &str = "node(s) didn't match PersistentVolume's node affinity";

fn class(name: &str, provisioner: &str, more: &str) -> String {
    format!(
        "---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {{name: {name}}}
provisioner: {provisioner}
{more}
"
    )
}

fn local() -> String {
    let wait = "volumeBindingMode: WaitForFirstConsumer";
    class("local", "kubernetes.io/no-provisioner", wait)
}

/// Nodes a and b, in zones of their names.
fn nodes() -> String {
    let node = |name: &str| {
        format!(
            "---\napiVersion: v1\nkind: Node\nmetadata: {{name: {name}, labels: {{topology.kubernetes.io/zone: {name}}}}}\n"
        )
    };
    format!("{}{}", node("a"), node("b"))
}

fn claim(name: &str, size: &str, class: &str, more: &str) -> String {
    format!(
        "---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {{name: {name}}}
spec: {{accessModes: [ReadWriteOnce], resources: {{requests: {{storage: {size}}}}}, storageClassName: {class}{more}}}
"
    )
}

/// A volume in the zone of a node, of class `local`.
fn volume(name: &str, size: &str, zone: &str, more: &str) -> String {
    format!(
        "---
apiVersion: v1
kind: PersistentVolume
metadata: {{name: {name}, labels: {{disk: {name}}}}}
spec:
  accessModes: [ReadWriteOnce]
  capacity: {{storage: {size}}}
  storageClassName: local
  hostPath: {{path: /d}}
  nodeAffinity: {{required: {{nodeSelectorTerms: [{{matchExpressions: [{{key: topology.kubernetes.io/zone, operator: In, values: [{zone}]}}]}}]}}}}
  {more}
"
    )
}

fn pod(claims: &[&str]) -> String {
    let volume =
        |name: &&str| format!("{{name: {name}, persistentVolumeClaim: {{claimName: {name}}}}}");
    let volumes: Vec<String> = claims.iter().map(volume).collect();
    format!(
        "---
apiVersion: v1
kind: Pod
metadata: {{name: p}}
spec: {{containers: [{{name: c, image: i}}], volumes: [{}]}}
",
        volumes.join(", ")
    )
}

fn of(parts: &[String]) -> Cluster {
    cluster(&format!("{}{}", nodes(), parts.concat()))
}

fn decisions(cluster: &Cluster, node: &str) -> (Vec<(String, String)>, Vec<String>) {
    let plugin = VolumeBinding::new();
    let decisions = Cycle::new(&plugin, cluster, "p").reserve(node);
    let decisions = decisions.expect("a feasible node");
    (decisions.bindings, decisions.provisions)
}

fn reasons(cluster: &Cluster, node: &str) -> Vec<String> {
    Cycle::new(&VolumeBinding::new(), cluster, "p").reasons(node)
}

fn rejected(cluster: &Cluster) -> Option<String> {
    Cycle::new(&VolumeBinding::new(), cluster, "p").rejected()
}

fn pair(claim: &str, volume: &str) -> (String, String) {
    (claim.to_owned(), volume.to_owned())
}

#[test]
fn the_smallest_fitting_volume_of_the_node_is_taken_by_name_on_ties() {
    let cluster = of(&[
        local(),
        claim("c", "5Gi", "local", ""),
        volume("big", "20Gi", "a", ""),
        volume("same-2", "10Gi", "a", ""),
        volume("same-1", "10240Mi", "a", ""),
        volume("tiny", "4Gi", "a", ""),
        volume("near", "6Gi", "b", ""),
        pod(&["c"]),
    ]);
    assert!(reasons(&cluster, "a").is_empty());
    assert_eq!(decisions(&cluster, "a").0, [pair("c", "same-1")]);
    assert_eq!(decisions(&cluster, "b").0, [pair("c", "near")]);
}

#[test]
fn two_claims_of_a_pod_get_two_volumes_the_smaller_claim_first() {
    let parts = [
        local(),
        claim("large", "8Gi", "local", ""),
        claim("small", "1Gi", "local", ""),
        volume("ten", "10Gi", "a", ""),
        pod(&["large", "small"]),
    ];
    let one = of(&parts);
    assert_eq!(reasons(&one, "a"), [NO_MATCH]);
    let two = of(&[parts.concat(), volume("twelve", "12Gi", "a", "")]);
    assert_eq!(reasons(&two, "a"), [""; 0]);
    let expected = [pair("small", "ten"), pair("large", "twelve")];
    assert_eq!(decisions(&two, "a").0, expected);
}

#[test]
fn volumes_that_do_not_fit_are_passed_over() {
    let misfits = [
        ("volumeMode: Block", ""),
        (
            "persistentVolumeReclaimPolicy: Retain",
            ", accessModes: [ReadWriteMany]",
        ),
        (
            "persistentVolumeReclaimPolicy: Retain",
            ", selector: {matchLabels: {disk: other}}",
        ),
        ("claimRef: {namespace: default, name: somebody}", ""),
    ];
    for (in_volume, in_claim) in misfits {
        let mut claim = claim("c", "1Gi", "local", in_claim);
        if in_claim.contains("accessModes") {
            claim = claim.replace("accessModes: [ReadWriteOnce], ", "");
        }
        let cluster = of(&[
            local(),
            claim,
            volume("v", "1Gi", "a", in_volume),
            pod(&["c"]),
        ]);
        assert_eq!(reasons(&cluster, "a"), [NO_MATCH], "{in_volume}{in_claim}");
    }
}

#[test]
fn a_class_provisions_missing_volumes_within_its_topologies() {
    let more = "volumeBindingMode: WaitForFirstConsumer
allowedTopologies: [{matchLabelExpressions: [{key: topology.kubernetes.io/zone, values: [a]}]}]";
    let parts = [
        class("fast", "csi.example.com", more),
        claim("c", "1Gi", "fast", ""),
        pod(&["c"]),
    ];
    let cluster = of(&parts);
    assert!(reasons(&cluster, "a").is_empty());
    assert_eq!(decisions(&cluster, "a").1, ["c"]);
    assert_eq!(reasons(&cluster, "b"), [NO_MATCH]);
    let plugin = VolumeBinding::new();
    let facts = Cycle::new(&plugin, &cluster, "p").facts("b");
    assert_eq!(
        facts,
        ["c: no free volume fits here, and allowedTopologies keep csi.example.com from this node"]
    );
    let driver = "---
apiVersion: storage.k8s.io/v1
kind: CSIDriver
metadata: {name: csi.example.com}
spec: {storageCapacity: true}
";
    let counted = of(&[parts.concat(), driver.to_owned()]);
    assert_eq!(
        reasons(&counted, "a"),
        ["node(s) did not have enough free storage"]
    );
    assert_eq!(reasons(&counted, "b"), [NO_MATCH]);
}

#[test]
fn a_claim_being_provisioned_stays_with_its_node() {
    let wait = "volumeBindingMode: WaitForFirstConsumer";
    let claim = claim("c", "1Gi", "fast", "").replace(
        "{name: c}",
        "{name: c, annotations: {volume.kubernetes.io/selected-node: a}}",
    );
    let cluster = of(&[class("fast", "csi.example.com", wait), claim, pod(&["c"])]);
    assert!(reasons(&cluster, "a").is_empty());
    assert_eq!(reasons(&cluster, "b"), [NO_MATCH]);
}

#[test]
fn both_reasons_of_a_node_come_in_upstreams_order() {
    let cluster = of(&[
        local(),
        claim("free", "1Gi", "local", ""),
        claim("bound", "1Gi", "local", ", volumeName: v"),
        volume("v", "1Gi", "b", ""),
        pod(&["free", "bound"]),
    ]);
    assert_eq!(reasons(&cluster, "a"), [CONFLICT, NO_MATCH]);
    assert_eq!(reasons(&cluster, "b"), [NO_MATCH]);
}

#[test]
fn a_migrated_disk_is_looked_for_under_its_drivers_key() {
    let disk = "---
apiVersion: v1
kind: PersistentVolume
metadata: {name: v, labels: {topology.kubernetes.io/zone: a}}
spec: {accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}, storageClassName: local, gcePersistentDisk: {pdName: d}}
---
apiVersion: storage.k8s.io/v1
kind: CSINode
metadata: {name: a, annotations: {storage.alpha.kubernetes.io/migrated-plugins: kubernetes.io/gce-pd}}
spec: {drivers: []}
";
    let claim = claim("c", "1Gi", "local", ", volumeName: v");
    let cluster = of(&[local(), claim, disk.to_owned(), pod(&["c"])]);
    assert_eq!(reasons(&cluster, "a"), [CONFLICT]);
    assert!(
        reasons(&cluster, "b").is_empty(),
        "b has no CSINode: the disk has no node affinity"
    );
}

#[test]
fn claims_that_no_node_can_help_reject_the_pod() {
    let immediate = class("now", "csi.example.com", "volumeBindingMode: Immediate");
    let unbound = of(&[immediate, claim("c", "1Gi", "now", ""), pod(&["c"])]);
    let message = "pod has unbound immediate PersistentVolumeClaims";
    assert_eq!(rejected(&unbound).as_deref(), Some(message));

    let missing = of(&[pod(&["c"])]);
    let message = "persistentvolumeclaim \"c\" not found";
    assert_eq!(rejected(&missing).as_deref(), Some(message));

    let lost = claim("c", "1Gi", "local", ", volumeName: gone") + "status: {phase: Lost}\n";
    let lost = of(&[local(), lost, pod(&["c"])]);
    let message = "persistentvolumeclaim \"c\" bound to non-existent persistentvolume \"gone\"";
    assert_eq!(rejected(&lost).as_deref(), Some(message));
}

#[test]
fn an_ephemeral_claim_must_exist_and_be_the_pods_own() {
    let pod = "---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers: [{name: c, image: i}]
  volumes: [{name: tmp, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}}]
";
    let waiting = of(&[pod.to_owned()]);
    let message =
        "waiting for ephemeral volume controller to create the persistentvolumeclaim \"p-tmp\"";
    assert_eq!(rejected(&waiting).as_deref(), Some(message));
    let foreign = of(&[claim("p-tmp", "1Gi", "local", ""), pod.to_owned()]);
    let message = "PVC default/p-tmp was not created for pod default/p (pod is not owner)";
    assert_eq!(rejected(&foreign).as_deref(), Some(message));
}

#[test]
fn pods_without_claims_skip_and_reserve_nothing() {
    let plugin = VolumeBinding::new();
    let cluster = of(&[pod(&[])]);
    let cycle = Cycle::new(&plugin, &cluster, "p");
    assert_eq!(cycle.answer, PreFiltered::Skip);
    assert_eq!(cycle.reserve("a"), Ok(VolumeDecisions::default()));
}
