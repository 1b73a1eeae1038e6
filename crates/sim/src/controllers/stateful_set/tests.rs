use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::PersistentVolumeClaim;
use serde_json::json;

use crate::controllers::stage::Stage;
use crate::replay::timeline::tests::fixture::{life, workload};

const KUBELET: &str = "kubelet: {readyAfter: 2, graceSeconds: 2}\n";

#[test]
fn ordinals_begin_where_the_set_says() {
    let set = workload(
        "StatefulSet",
        "db",
        "serviceName: db, replicas: 2, ordinals: {start: 5}",
    );
    let steps = "steps:\n- {at: 10, patch: {kind: StatefulSet, name: db, patch: {spec: {ordinals: {start: 6}}}}}\nuntil: 40";
    let life = life(&set, &format!("{KUBELET}{steps}"));
    assert_eq!(life.pods(5, "db"), ["db-5", "db-6"]);
    assert_eq!(life.pods(40, "db"), ["db-6", "db-7"]);
}

#[test]
fn finished_pods_are_recreated_under_the_same_name() {
    let kubelet = "kubelet: {pods: {db-0: {runSeconds: 5, outcomes: [succeed, run]}}}";
    let set = workload("StatefulSet", "db", "serviceName: db, replicas: 1");
    let life = life(&set, &format!("{kubelet}\nuntil: 9"));
    assert_eq!(life.actions(5), ["delete Pod db-0", "create Pod db-0"]);
    let event = "RecreatingTerminatedPod: StatefulSet default/db is recreating terminated Pod db-0";
    assert_eq!(life.events(5), [event]);
}

#[test]
fn claims_are_made_once_and_outlive_the_pod() {
    let claims = "volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]";
    let set = workload(
        "StatefulSet",
        "db",
        &format!("serviceName: db, replicas: 1, {claims}"),
    );
    let steps = "steps:\n- {at: 5, deletePod: {name: db-0}}\nuntil: 9";
    let life = life(&set, &format!("{KUBELET}{steps}"));
    assert_eq!(life.actions(7), ["create Pod db-0"]);
}

#[test]
fn a_former_template_reuses_its_revision() {
    let set = workload("StatefulSet", "db", "serviceName: db, replicas: 1");
    let image = |at, image| {
        format!("- {{at: {at}, setImage: {{kind: StatefulSet, name: db, image: '{image}'}}}}\n")
    };
    let steps = [image(10, "app:v2"), image(20, "app:v1")].concat();
    let life = life(&set, &format!("{KUBELET}steps:\n{steps}until: 30"));
    let history = json!([{"name": "db-#2", "revision": 2}, {"name": "db-#1", "revision": 3}]);
    assert_eq!(life.at(30, "db")["revisions"], history);
    assert_eq!(life.at(30, "db")["status"]["currentRevision"], "db-#1");
}

#[test]
fn all_pods_of_a_parallel_set_are_deleted_at_once() {
    let spec = "serviceName: db, replicas: 3, podManagementPolicy: Parallel";
    let steps = "steps:\n- {at: 5, scale: {kind: StatefulSet, name: db, replicas: 0}}\nuntil: 9";
    let life = life(
        &workload("StatefulSet", "db", spec),
        &format!("{KUBELET}{steps}"),
    );
    assert_eq!(life.actions(0)[5..].len(), 3);
    let gone = ["delete Pod db-2", "delete Pod db-1", "delete Pod db-0"];
    assert_eq!(life.actions(5), gone);
}

#[test]
fn a_set_of_more_replicas_than_memory_holds_begins_with_the_first() {
    let spec = "serviceName: db, replicas: 2147483647, ordinals: {start: 2147483000}";
    let life = life(
        &workload("StatefulSet", "db", spec),
        &format!("{KUBELET}until: 5"),
    );
    assert_eq!(
        life.pods(5, "db"),
        ["db-2147483000", "db-2147483001", "db-2147483002"]
    );
}

#[test]
fn claims_go_with_the_pods_that_are_scaled_away_and_with_the_set() {
    let mut stage = Stage::new();
    stage.apply("{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {serviceName: db, replicas: 1, podManagementPolicy: Parallel, persistentVolumeClaimRetentionPolicy: {whenScaled: Delete, whenDeleted: Delete}, selector: {matchLabels: {app: db}}, template: {metadata: {labels: {app: db}}, spec: {containers: [{name: c, image: app}]}}, volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]}}");
    stage.settle();
    let claim = stage.get::<PersistentVolumeClaim>("default", "data-db-0");
    let owners = claim.metadata.owner_references.unwrap();
    assert_eq!(owners.len(), 1);
    assert_eq!(owners[0].kind, "StatefulSet");
    stage.edit::<StatefulSet>("default", "db", |set| {
        set.spec.as_mut().unwrap().replicas = Some(0);
    });
    stage.settle();
    assert!(!stage.has::<PersistentVolumeClaim>("default", "data-db-0"));
}
