//! The Service `kubernetes`, which every cluster has for its API server. It selects no Pods and no simulated component
//! reads it, so it exists only in output.

use serde_json::json;

use crate::kinds::KindInfo;
use berth_core::api::load::read_object;
use berth_sim::server::ApiServer;
use berth_sim::store::{Key, Object};

const NAMESPACE: &str = "default";
const NAME: &str = "kubernetes";

/// That Service, as old as its namespace, if `kind` is Service and the store has none of this name.
pub(crate) fn service(kind: &KindInfo, api: &ApiServer) -> Option<Object> {
    let store = api.store();
    if kind.kind != "Service" || store.get("Service", &Key::new(NAMESPACE, NAME)).is_some() {
        return None;
    }
    let namespace = store.get("Namespace", &Key::new("", NAMESPACE))?.to_json();
    let own = |field: &str| namespace.pointer(field).cloned().unwrap_or_default();
    let (object, _) = read_object(&json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "creationTimestamp": own("/metadata/creationTimestamp"),
            "labels": {"component": "apiserver", "provider": "kubernetes"},
            "name": NAME,
            "namespace": NAMESPACE,
            "resourceVersion": own("/metadata/resourceVersion"),
            "uid": "6b5b7a5e-2f0c-4c0e-9a35-0c1d8f1e7f10",
        },
        "spec": {
            "clusterIP": "10.96.0.1",
            "clusterIPs": ["10.96.0.1"],
            "internalTrafficPolicy": "Cluster",
            "ipFamilies": ["IPv4"],
            "ipFamilyPolicy": "SingleStack",
            "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443}],
            "sessionAffinity": "None",
            "type": "ClusterIP",
        },
        "status": {"loadBalancer": {}},
    }));
    Object::of_manifest(object.as_ref()?)
}

#[cfg(test)]
mod tests {
    use crate::tests::commands::{prints, run, web};

    #[test]
    fn every_cluster_has_the_service_of_its_api_server() {
        let mut cluster = web();
        prints(
            &mut cluster,
            "get svc",
            "NAME         TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)   AGE\nkubernetes   ClusterIP   10.96.0.1    <none>        443/TCP   5s\n",
        );
        let all = run(&mut cluster, "get all").stdout;
        let line = "\nservice/kubernetes   ClusterIP   10.96.0.1    <none>        443/TCP   5s\n";
        assert!(all.contains(line), "{all}");
        let one = run(
            &mut cluster,
            "get svc kubernetes -o jsonpath={.metadata.uid}",
        );
        assert!(one.stdout.starts_with("6b5b7a5e-"), "{one:?}");
        // It is sorted among the others by name.
        for name in ["api", "web"] {
            assert_eq!(
                run(
                    &mut cluster,
                    &format!("create service clusterip {name} --tcp=80")
                )
                .code,
                0
            );
        }
        prints(
            &mut cluster,
            "get svc -o name",
            "service/api\nservice/kubernetes\nservice/web\n",
        );
        prints(&mut cluster, "get svc -l app=web -o name", "service/web\n");
        let other = run(&mut cluster, "get svc -n kube-system");
        assert_eq!(
            other.stderr,
            "No resources found in kube-system namespace.\n"
        );
    }
}
