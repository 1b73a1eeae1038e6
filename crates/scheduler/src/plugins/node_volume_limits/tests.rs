use super::*;
use crate::cluster::Cluster;
use crate::plugins::helpers::fixture::{Cycle, cluster, cluster_of};
use crate::release::{Release, Version};

/// Node `n1` whose driver `ebs.csi.aws.com` (or another) attaches 2 volumes, and classes.
fn base(driver: &str, annotations: &str) -> String {
    format!(
        "
apiVersion: v1
kind: Node
metadata: {{name: n1}}
---
apiVersion: v1
kind: Node
metadata: {{name: unlimited}}
---
apiVersion: storage.k8s.io/v1
kind: CSINode
metadata: {{name: n1, annotations: {{{annotations}}}}}
spec: {{drivers: [{{name: {driver}, nodeID: n1, allocatable: {{count: 2}}}}]}}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {{name: ebs}}
provisioner: ebs.csi.aws.com
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {{name: in-tree}}
provisioner: kubernetes.io/aws-ebs
volumeBindingMode: WaitForFirstConsumer
"
    )
}

fn pod(name: &str, node: &str, volumes: &[&str]) -> String {
    let volumes: Vec<String> = volumes
        .iter()
        .enumerate()
        .map(|(index, volume)| format!("{{name: v{index}, {volume}}}"))
        .collect();
    format!(
        "---
apiVersion: v1
kind: Pod
metadata: {{name: {name}}}
spec: {{{node}containers: [{{name: c, image: i}}], volumes: [{}]}}
",
        volumes.join(", ")
    )
}

fn claim(name: &str, class: &str) -> String {
    format!(
        "---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {{name: {name}}}
spec: {{accessModes: [ReadWriteOnce], resources: {{requests: {{storage: 1Gi}}}}, storageClassName: {class}}}
"
    )
}

fn reasons(cluster: &Cluster, node: &str) -> Vec<String> {
    Cycle::new(&NodeVolumeLimits::new(), cluster, "p").reasons(node)
}

const VOL_1: &str = "awsElasticBlockStore: {volumeID: vol-1}";
const VOL_2: &str = "awsElasticBlockStore: {volumeID: \"aws://z/vol-2\"}";
const VOL_2_AGAIN: &str = "awsElasticBlockStore: {volumeID: vol-2}";
const VOL_3: &str = "awsElasticBlockStore: {volumeID: vol-3}";

#[test]
fn a_volume_counts_once_however_many_pods_use_it() {
    let running = pod("r", "nodeName: n1, ", &[VOL_1, VOL_2]);
    let base = base("ebs.csi.aws.com", "");
    let shared = cluster(&format!("{base}{running}{}", pod("p", "", &[VOL_2_AGAIN])));
    assert!(reasons(&shared, "n1").is_empty());
    let third = cluster(&format!("{base}{running}{}", pod("p", "", &[VOL_3])));
    assert_eq!(reasons(&third, "n1"), [REASON]);
    assert!(reasons(&third, "unlimited").is_empty());
    let plugin = NodeVolumeLimits::new();
    let facts = Cycle::new(&plugin, &third, "p").facts("n1");
    assert_eq!(facts, ["ebs.csi.aws.com: 2 attached + 1 new = 3 > limit 2"]);
}

#[test]
fn unbound_claims_count_for_the_provisioner_also_an_in_tree_one() {
    let names = ["a", "b", "c"];
    for class in ["ebs", "in-tree"] {
        let claims: String = names.iter().map(|name| claim(name, class)).collect();
        let volumes = names.map(|name| format!("persistentVolumeClaim: {{claimName: {name}}}"));
        let volumes: Vec<&str> = volumes.iter().map(String::as_str).collect();
        let base = base("ebs.csi.aws.com", "");
        let three = cluster(&format!("{base}{claims}{}", pod("p", "", &volumes)));
        assert_eq!(reasons(&three, "n1"), [REASON], "{class}");
        let two = cluster(&format!("{base}{claims}{}", pod("p", "", &volumes[..2])));
        assert!(reasons(&two, "n1").is_empty(), "{class}");
    }
}

// Since 1.36 the driver takes all of them.
#[test]
fn portworx_counts_only_where_the_kubelet_handed_it_over() {
    let volumes = ["1", "2", "3"].map(|id| format!("portworxVolume: {{volumeID: \"{id}\"}}"));
    let volumes: Vec<&str> = volumes.iter().map(String::as_str).collect();
    let pod = pod("p", "", &volumes);
    let plain = cluster_of(
        Release::of(Version::V1_34),
        &format!("{}{pod}", base("pxd.portworx.com", "")),
    );
    assert!(reasons(&plain, "n1").is_empty());
    let listed = "storage.alpha.kubernetes.io/migrated-plugins: \"kubernetes.io/aws-ebs,kubernetes.io/portworx-volume\"";
    let migrated = cluster_of(
        Release::of(Version::V1_34),
        &format!("{}{pod}", base("pxd.portworx.com", listed)),
    );
    assert_eq!(reasons(&migrated, "n1"), [REASON]);
}

#[test]
fn vsphere_volumes_are_examined_but_never_counted() {
    let volumes = ["1", "2", "3"].map(|id| format!("vsphereVolume: {{volumePath: \"{id}\"}}"));
    let volumes: Vec<&str> = volumes.iter().map(String::as_str).collect();
    let base = base("csi.vsphere.vmware.com", "");
    let cluster = cluster(&format!("{base}{}", pod("p", "", &volumes)));
    let plugin = NodeVolumeLimits::new();
    assert_eq!(
        Cycle::new(&plugin, &cluster, "p").answer,
        PreFiltered::Continue
    );
    assert!(reasons(&cluster, "n1").is_empty());
}

#[test]
fn other_volumes_skip() {
    let base = base("ebs.csi.aws.com", "");
    let volumes = ["emptyDir: {}", "rbd: {monitors: [a], image: i}"];
    let cluster = cluster(&format!("{base}{}", pod("p", "", &volumes)));
    let plugin = NodeVolumeLimits::new();
    assert_eq!(Cycle::new(&plugin, &cluster, "p").answer, PreFiltered::Skip);
}

#[test]
fn volumes_that_cannot_be_counted_are_errors() {
    let base = base("ebs.csi.aws.com", "");
    let gone = pod("p", "", &["persistentVolumeClaim: {claimName: gone}"]);
    let message = "looking up PVC default/gone: persistentvolumeclaim \"gone\" not found";
    assert_eq!(reasons(&cluster(&format!("{base}{gone}")), "n1"), [message]);
    let odd = pod(
        "p",
        "",
        &["awsElasticBlockStore: {volumeID: \"aws://z/disk\"}"],
    );
    let message = "converting volume(v0) from inline to csi: failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (aws://z/disk)";
    assert_eq!(reasons(&cluster(&format!("{base}{odd}")), "n1"), [message]);
}
