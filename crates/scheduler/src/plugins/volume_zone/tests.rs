use super::*;
use crate::plugins::helpers::fixture::{Cycle, cluster};

const NODES: &str = "
apiVersion: v1
kind: Node
metadata: {name: a, labels: {topology.kubernetes.io/zone: a}}
---
apiVersion: v1
kind: Node
metadata: {name: c, labels: {topology.kubernetes.io/zone: c}}
---
apiVersion: v1
kind: Node
metadata: {name: nowhere}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers: [{name: c, image: i}]
  volumes: [{name: v, persistentVolumeClaim: {claimName: claim}}]
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: claim}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, storageClassName: s, volumeName: pv}
";

fn with_volume(labels: &str) -> String {
    format!(
        "{NODES}---
apiVersion: v1
kind: PersistentVolume
metadata: {{name: pv, labels: {{{labels}}}}}
spec: {{accessModes: [ReadWriteOnce], capacity: {{storage: 1Gi}}, storageClassName: s, hostPath: {{path: /d}}}}
"
    )
}

#[test]
fn a_node_in_another_zone_is_refused_and_one_without_zone_passes() {
    let plugin = VolumeZone::new();
    let cluster = cluster(&with_volume("topology.kubernetes.io/zone: a__b"));
    let cycle = Cycle::new(&plugin, &cluster, "p");
    assert!(cycle.filter("a").is_ok());
    assert_eq!(cycle.filter("c"), Err(Rejection::unresolvable(REASON)));
    assert!(cycle.filter("nowhere").is_ok());
    let fact = "pv: topology.kubernetes.io/zone is a or b, the node has c";
    assert_eq!(cycle.facts("c"), [fact]);
}

#[test]
fn a_beta_label_meets_todays_label_of_the_node() {
    let plugin = VolumeZone::new();
    let cluster = cluster(&with_volume("failure-domain.beta.kubernetes.io/zone: a"));
    let cycle = Cycle::new(&plugin, &cluster, "p");
    assert!(cycle.filter("a").is_ok());
    assert!(cycle.filter("c").is_err());
}

#[test]
fn volumes_without_a_readable_zone_allow_every_node() {
    let plugin = VolumeZone::new();
    for labels in ["tier: gold", "topology.kubernetes.io/zone: a__"] {
        let cluster = cluster(&with_volume(labels));
        let cycle = Cycle::new(&plugin, &cluster, "p");
        assert_eq!(cycle.answer, PreFiltered::Skip, "{labels}");
    }
}

#[test]
fn claims_without_volume_are_explained() {
    let plugin = VolumeZone::new();
    let cases = [
        ("", "persistentvolume \"pv\" not found"),
        ("storageClassName: s, volumeName: pv", ""),
        (
            "storageClassName: \"\"",
            "PersistentVolumeClaim had no pv name and storageClass name",
        ),
        (
            "storageClassName: s",
            "storageclass.storage.k8s.io \"s\" not found",
        ),
    ];
    for (replacement, message) in cases {
        let manifests = match replacement {
            "" => NODES.to_owned(),
            known if known.contains("pv") => with_volume(""),
            other => NODES.replace("storageClassName: s, volumeName: pv", other),
        };
        let cluster = cluster(&manifests);
        let rejected = Cycle::new(&plugin, &cluster, "p").rejected();
        assert_eq!(rejected.unwrap_or_default(), message);
    }
}
