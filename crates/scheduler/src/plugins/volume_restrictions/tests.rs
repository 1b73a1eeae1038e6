use super::*;
use crate::plugins::helpers::fixture::{Cycle, cluster};

/// Node `n1` with a Pod that has `held`, node `free`, and Pod `p` that wants `wanted`.
fn two_pods(held: &str, wanted: &str) -> Cluster {
    let pod = |name: &str, node: &str, volume: &str| {
        format!(
            "---
apiVersion: v1
kind: Pod
metadata: {{name: {name}}}
spec: {{{node}containers: [{{name: c, image: i}}], volumes: [{{name: v, {volume}}}]}}
"
        )
    };
    let nodes = "
apiVersion: v1
kind: Node
metadata: {name: n1}
---
apiVersion: v1
kind: Node
metadata: {name: free}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: alone}
spec: {accessModes: [ReadWriteOncePod], resources: {requests: {storage: 1Gi}}, storageClassName: s}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: shared}
spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: 1Gi}}, storageClassName: s}
";
    let held = pod("holder", "nodeName: n1, ", held);
    cluster(&format!("{nodes}{held}{}", pod("p", "", wanted)))
}

const ALONE: &str = "persistentVolumeClaim: {claimName: alone}";

#[test]
fn disks_that_cannot_be_shared_conflict_on_their_node_only() {
    let plugin = VolumeRestrictions::new();
    let cases = [
        (
            "gcePersistentDisk: {pdName: d}",
            "gcePersistentDisk: {pdName: d}",
            true,
        ),
        (
            "gcePersistentDisk: {pdName: d, readOnly: true}",
            "gcePersistentDisk: {pdName: d, readOnly: true}",
            false,
        ),
        (
            "gcePersistentDisk: {pdName: d, readOnly: true}",
            "gcePersistentDisk: {pdName: d}",
            true,
        ),
        (
            "gcePersistentDisk: {pdName: other}",
            "gcePersistentDisk: {pdName: d}",
            false,
        ),
        (
            "awsElasticBlockStore: {volumeID: d, readOnly: true}",
            "awsElasticBlockStore: {volumeID: d, readOnly: true}",
            true,
        ),
        (
            "gcePersistentDisk: {pdName: d}",
            "awsElasticBlockStore: {volumeID: d}",
            false,
        ),
        (
            "iscsi: {targetPortal: t, iqn: iqn.2016-04.a:b, lun: 0}",
            "iscsi: {targetPortal: u, iqn: iqn.2016-04.a:b, lun: 1}",
            true,
        ),
        (
            "rbd: {monitors: [a, b], image: d}",
            "rbd: {monitors: [b], image: d, pool: rbd}",
            true,
        ),
        (
            "rbd: {monitors: [a], image: d}",
            "rbd: {monitors: [b], image: d}",
            false,
        ),
        (
            "rbd: {monitors: [a], image: d}",
            "rbd: {monitors: [a], image: d, pool: p}",
            false,
        ),
    ];
    for (held, wanted, conflicts) in cases {
        let cluster = two_pods(held, wanted);
        let cycle = Cycle::new(&plugin, &cluster, "p");
        let expected: &[&str] = if conflicts { &[DISK_CONFLICT] } else { &[] };
        assert_eq!(cycle.reasons("n1"), expected, "{held} / {wanted}");
        assert!(cycle.filter("free").is_ok());
    }
}

#[test]
fn a_claim_for_one_pod_is_refused_everywhere_until_its_holder_goes() {
    let plugin = VolumeRestrictions::new();
    let cluster = two_pods(ALONE, ALONE);
    let mut cycle = Cycle::new(&plugin, &cluster, "p");
    let refused = Err(Rejection::unschedulable(CLAIM_CONFLICT));
    assert_eq!(cycle.filter("n1"), refused);
    assert_eq!(cycle.filter("free"), refused);
    let fact = "alone: ReadWriteOncePod, already in use by Pod default/holder";
    assert_eq!(cycle.facts("free"), [fact]);

    let holder = cluster.pods().find("default", "holder").expect("runs");
    let node = cluster.find_node("n1").expect("exists");
    plugin.remove_pod(cycle.cx, &mut cycle.state, holder, node);
    assert!(cycle.filter("free").is_ok());
    plugin.add_pod(cycle.cx, &mut cycle.state, holder, node);
    assert_eq!(cycle.filter("free"), refused);
}

#[test]
fn pods_without_such_volumes_skip() {
    let plugin = VolumeRestrictions::new();
    let shared = "persistentVolumeClaim: {claimName: shared}";
    for (held, wanted) in [
        ("emptyDir: {}", "emptyDir: {}"),
        (shared, shared),
        (shared, ALONE),
    ] {
        let cluster = two_pods(held, wanted);
        assert_eq!(Cycle::new(&plugin, &cluster, "p").answer, PreFiltered::Skip);
    }
}

#[test]
fn a_missing_claim_rejects_the_pod() {
    let plugin = VolumeRestrictions::new();
    let cluster = two_pods("emptyDir: {}", "persistentVolumeClaim: {claimName: gone}");
    let rejected = Cycle::new(&plugin, &cluster, "p").rejected();
    assert_eq!(
        rejected.as_deref(),
        Some("persistentvolumeclaim \"gone\" not found")
    );
}

#[test]
fn filter_without_pre_filter_is_an_error() {
    let plugin = VolumeRestrictions::new();
    let cluster = two_pods("emptyDir: {}", "gcePersistentDisk: {pdName: d}");
    let mut cycle = Cycle::new(&plugin, &cluster, "p");
    cycle.state = CycleState::default();
    assert_eq!(cycle.filter("n1"), Err(Rejection::error(NO_STATE)));
}
