//! The Service `kubernetes`, which every cluster has for its API server, and its endpoints, which the API server writes.
//! It selects no Pods and no simulated component reads it, so all of it exists only in output.

use serde_json::{Value, json};

use crate::kinds::KindInfo;
use crate::printers::fields::Fields;
use berth_core::api::load::read_object;
use berth_sim::server::ApiServer;
use berth_sim::store::{Key, Object};

const NAMESPACE: &str = "default";
const NAME: &str = "kubernetes";
/// The port of the API server.
const PORT: i32 = 6443;
/// The label of the nodes that run it.
const CONTROL_PLANE: &str = "node-role.kubernetes.io/control-plane";

/// The Service, its Endpoints or its EndpointSlice, as old as its namespace, if the store has none of this name.
pub(crate) fn of(kind: &KindInfo, api: &ApiServer) -> Option<Object> {
    let store = api.store();
    if store.get(kind.kind, &Key::new(NAMESPACE, NAME)).is_some() {
        return None;
    }
    let (mut object, uid, labels) = match kind.kind {
        "Service" => (
            service(),
            "6b5b7a5e-2f0c-4c0e-9a35-0c1d8f1e7f10",
            json!({"component": "apiserver", "provider": "kubernetes"}),
        ),
        "Endpoints" => (
            json!({
                "apiVersion": "v1",
                "kind": "Endpoints",
                "subsets": [{
                    "addresses": [{"ip": address(api)?}],
                    "ports": [{"name": "https", "port": PORT, "protocol": "TCP"}],
                }],
            }),
            "0d0f5f0b-9e1a-4a55-8c57-5b8e1f6a2c31",
            json!({"endpointslice.kubernetes.io/skip-mirror": "true"}),
        ),
        "EndpointSlice" => (
            json!({
                "apiVersion": "discovery.k8s.io/v1",
                "kind": "EndpointSlice",
                "addressType": "IPv4",
                "endpoints": [{"addresses": [address(api)?], "conditions": {"ready": true}}],
                "ports": [{"name": "https", "port": PORT, "protocol": "TCP"}],
            }),
            "b6c9e2d7-4f38-4d0a-9b1e-7a35c2f90e84",
            json!({"kubernetes.io/service-name": NAME}),
        ),
        _ => return None,
    };
    let namespace = store.get("Namespace", &Key::new("", NAMESPACE))?.to_json();
    let own = |field: &str| namespace.pointer(field).cloned().unwrap_or_default();
    object.as_object_mut()?.insert(
        "metadata".to_owned(),
        json!({
            "creationTimestamp": own("/metadata/creationTimestamp"),
            "labels": labels,
            "name": NAME,
            "namespace": NAMESPACE,
            "resourceVersion": own("/metadata/resourceVersion"),
            "uid": uid,
        }),
    );
    let (object, _) = read_object(&object);
    Object::of_manifest(object.as_ref()?)
}

fn service() -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Service",
        "spec": {
            "clusterIP": "10.96.0.1",
            "clusterIPs": ["10.96.0.1"],
            "internalTrafficPolicy": "Cluster",
            "ipFamilies": ["IPv4"],
            "ipFamilyPolicy": "SingleStack",
            "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": PORT}],
            "sessionAffinity": "None",
            "type": "ClusterIP",
        },
        "status": {"loadBalancer": {}},
    })
}

/// The address of the API server: that of the first node of the control plane. `None`: it runs elsewhere, as where a
/// provider manages it.
fn address(api: &ApiServer) -> Option<String> {
    let mut nodes = api
        .store()
        .list("Node")
        .into_iter()
        .map(|node| node.to_json())
        .filter(|node| {
            let labels = node.entries("metadata.labels");
            labels.iter().any(|(key, _)| *key == CONTROL_PLANE)
        });
    let node = nodes.next()?;
    let mut internal = node
        .items("status.addresses")
        .iter()
        .filter(|it| it.text("type") == "InternalIP");
    Some(internal.next()?.text("address").to_owned())
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
