//! Why a Pod's claims keep it from every node: which claim, and its class. PreFilter's message names neither.

use berth_protocol::remark::Remark;
use berth_scheduler::cluster::Cluster;
use berth_scheduler::cluster::pod::PodInfo;
use berth_scheduler::volumes::{bound_volume, class_of_claim};

/// The first claim of the Pod that is missing, or that is unbound although its class waits for no Pod; `None` if there is
/// none.
pub fn of(pod: &PodInfo, cluster: &Cluster) -> Option<Remark> {
    let volumes = pod.object.template.spec.volumes.iter().flatten();
    let mut claims = volumes.filter_map(|volume| volume.persistent_volume_claim.as_ref());
    claims.find_map(|claim| about(&claim.claim_name, &pod.object.namespace, cluster))
}

#[inline(never)]
fn about(name: &str, namespace: &str, cluster: &Cluster) -> Option<Remark> {
    let Some(claim) = cluster.volumes().claim(namespace, name) else {
        return Some(Remark::claim_missing(name, namespace));
    };
    if bound_volume(claim).is_some() {
        return None;
    }
    let class = class_of_claim(claim);
    let found = cluster.volumes().storage_classes.get(class);
    let mode = found.map(|class| class.volume_binding_mode.as_deref());
    match (class, mode) {
        (_, Some(Some("WaitForFirstConsumer"))) => None,
        ("", _) => Some(Remark::claim_without_class(name)),
        (class, None) => Some(Remark::claim_of_no_class(name, class)),
        (class, Some(_)) => Some(Remark::claim_unbound(name, class)),
    }
}

#[cfg(test)]
mod tests {
    use crate::explain;
    use crate::testing::session;

    const NODE: &str = "apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: '2', memory: 4Gi, pods: '10'}}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers: [{name: main, image: main}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: staging}}]
---
";

    fn claim(class: &str) -> String {
        format!(
            "apiVersion: v1
kind: PersistentVolumeClaim
metadata: {{name: staging}}
spec: {{accessModes: [ReadWriteOnce], {class} resources: {{requests: {{storage: 1Gi}}}}}}
---
"
        )
    }

    fn class(mode: &str) -> String {
        format!(
            "apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {{name: fast}}
provisioner: example.com/disk
volumeBindingMode: {mode}
"
        )
    }

    #[test]
    fn the_claim_that_keeps_a_pod_away_is_named_with_its_class() {
        let why = |text: &str| {
            let mut session = session(&format!("{NODE}{text}"));
            session.run_to_end();
            let cycle = explain::attempt(&session, 0).unwrap();
            cycle.claims.map(|why| why.to_string())
        };
        let of_class = claim("storageClassName: fast,");
        let said = |text: &str, parts: &[&str]| {
            let why = why(text).expect("a claim is in the way");
            for part in parts {
                assert!(why.contains(part), "{part}: {why}");
            }
        };
        said("", &["claim staging does not exist in namespace default"]);
        said(
            &claim("storageClassName: '',"),
            &["claim staging is not bound", "no class"],
        );
        said(&of_class, &["claim staging", "class fast does not exist"]);
        let at_once = format!("{of_class}{}", class("Immediate"));
        said(&at_once, &["claim staging", "class fast binds at once"]);
        let waits = format!("{of_class}{}", class("WaitForFirstConsumer"));
        assert_eq!(why(&waits), None);
    }
}
