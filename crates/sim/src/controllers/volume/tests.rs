use k8s_openapi::api::core::v1::{PersistentVolume, PersistentVolumeClaim, Pod};
use k8s_openapi::api::storage::v1::StorageClass;

use crate::controllers::stage::Stage;
use crate::controllers::volume::reserve;
use crate::store::{Key, Stored};
use berth_core::api::controllers::volumes::PodVolumes;

fn claim(name: &str, fields: &str) -> String {
    format!(
        "\n---\n{{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {{name: {name}}}, spec: {{accessModes: [ReadWriteOnce], resources: {{requests: {{storage: 1Gi}}}}, {fields}}}}}"
    )
}

fn volume(name: &str, size: &str, fields: &str) -> String {
    format!(
        "\n---\n{{apiVersion: v1, kind: PersistentVolume, metadata: {{name: {name}}}, spec: {{accessModes: [ReadWriteOnce], capacity: {{storage: {size}}}, {fields}}}}}"
    )
}

fn class(name: &str, fields: &str) -> String {
    format!(
        "\n---\n{{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {{name: {name}}}, provisioner: ebs.csi.aws.com, {fields}}}"
    )
}

fn node(name: &str, zone: &str) -> String {
    format!(
        "\n---\n{{apiVersion: v1, kind: Node, metadata: {{name: {name}, labels: {{topology.kubernetes.io/zone: {zone}}}}}}}"
    )
}

fn pod(name: &str, claim: &str) -> String {
    format!(
        "\n---\n{{apiVersion: v1, kind: Pod, metadata: {{name: {name}}}, spec: {{containers: [{{name: c, image: app}}], volumes: [{{name: data, persistentVolumeClaim: {{claimName: {claim}}}}}]}}}}"
    )
}

const NFS: &str = "nfs: {server: s, path: /}";

fn claim_phase(stage: &Stage, name: &str) -> String {
    let claim = stage.get::<PersistentVolumeClaim>("default", name);
    claim.status.and_then(|status| status.phase).unwrap()
}

fn volume_phase(stage: &Stage, name: &str) -> String {
    let volume = stage.get::<PersistentVolume>("", name);
    volume.status.and_then(|status| status.phase).unwrap()
}

fn volume_of(stage: &Stage, claim: &str) -> String {
    let claim = stage.get::<PersistentVolumeClaim>("default", claim);
    claim
        .spec
        .and_then(|spec| spec.volume_name)
        .unwrap_or_default()
}

#[test]
fn a_claim_binds_the_smallest_volume_that_fits() {
    let mut stage = Stage::new();
    let volumes = [
        volume("big", "5Gi", NFS),
        volume("fits", "2Gi", NFS),
        volume("small", "500Mi", NFS),
    ];
    stage.apply(&volumes.concat());
    assert_eq!(volume_phase(&stage, "fits"), "Available");
    stage.apply(&claim("data", "storageClassName: ''"));
    assert_eq!(volume_of(&stage, "data"), "fits");
    assert_eq!(claim_phase(&stage, "data"), "Bound");
    assert_eq!(volume_phase(&stage, "fits"), "Bound");
    let data = stage.get::<PersistentVolumeClaim>("default", "data");
    let capacity = data
        .status
        .as_ref()
        .and_then(|status| status.capacity.clone());
    assert_eq!(capacity.unwrap()["storage"].0, "2Gi");
    let annotations = data.metadata.annotations.unwrap();
    assert_eq!(annotations["pv.kubernetes.io/bind-completed"], "yes");
    assert_eq!(annotations["pv.kubernetes.io/bound-by-controller"], "yes");
    let fits = stage.get::<PersistentVolume>("", "fits");
    let reference = fits.spec.unwrap().claim_ref.unwrap();
    assert_eq!(reference.uid, data.metadata.uid);
}

#[test]
fn a_removed_claim_ref_is_restored() {
    let mut stage = Stage::new();
    stage.apply(&volume("disk", "2Gi", NFS));
    stage.apply(&claim("data", "storageClassName: ''"));
    stage.apply(&claim("other", "storageClassName: ''"));
    assert_eq!(volume_of(&stage, "data"), "disk");
    stage.edit::<PersistentVolume>("", "disk", |volume| {
        volume.spec.as_mut().unwrap().claim_ref = None;
    });
    stage.settle();
    let disk = stage.get::<PersistentVolume>("", "disk");
    let reference = disk.spec.unwrap().claim_ref.unwrap();
    assert_eq!(reference.name.as_deref(), Some("data"));
    assert_eq!(claim_phase(&stage, "data"), "Bound");
    assert_eq!(claim_phase(&stage, "other"), "Pending");
}

#[test]
fn a_claim_without_class_waits_for_a_volume_and_takes_it_when_it_comes() {
    let mut stage = Stage::new();
    stage.apply(&claim("data", "storageClassName: ''"));
    assert_eq!(claim_phase(&stage, "data"), "Pending");
    assert_eq!(
        stage.events("data"),
        [
            "FailedBinding: no persistent volumes available for this claim and no storage class is set"
        ]
    );
    stage.apply(&volume("late", "1Gi", NFS));
    assert_eq!(claim_phase(&stage, "data"), "Bound");
}

#[test]
fn a_volume_set_aside_goes_to_its_claim_only() {
    let mut stage = Stage::new();
    let aside = "claimRef: {namespace: default, name: mine}";
    stage.apply(&volume("aside", "1Gi", &format!("{NFS}, {aside}")));
    assert_eq!(volume_phase(&stage, "aside"), "Available");
    stage.apply(&claim("other", "storageClassName: ''"));
    assert_eq!(claim_phase(&stage, "other"), "Pending");
    stage.apply(&claim("mine", "storageClassName: ''"));
    assert_eq!(volume_of(&stage, "mine"), "aside");
}

#[test]
fn a_claim_can_name_its_volume_if_it_fits_and_is_free() {
    let mut stage = Stage::new();
    stage.apply(&claim("early", "storageClassName: '', volumeName: later"));
    assert_eq!(claim_phase(&stage, "early"), "Pending");
    stage.apply(&volume("later", "1Gi", NFS));
    assert_eq!(volume_of(&stage, "early"), "later");
    assert_eq!(claim_phase(&stage, "early"), "Bound");
    stage.apply(&claim("second", "storageClassName: '', volumeName: later"));
    assert_eq!(
        stage.events("second"),
        ["FailedBinding: volume \"later\" already bound to a different claim."]
    );
    stage.apply(&volume("tiny", "1Mi", NFS));
    stage.apply(&claim("large", "storageClassName: '', volumeName: tiny"));
    assert_eq!(
        stage.events("large"),
        ["VolumeMismatch: Cannot bind to requested volume \"tiny\": requested PV is too small"]
    );
}

#[test]
fn an_immediate_class_provisions_after_a_moment() {
    let mut stage = Stage::new();
    stage.apply(&class("fast", "reclaimPolicy: Retain"));
    stage.apply(&claim("data", "storageClassName: fast"));
    assert_eq!(claim_phase(&stage, "data"), "Pending");
    stage.run(2_000);
    assert_eq!(claim_phase(&stage, "data"), "Bound");
    let data = stage.get::<PersistentVolumeClaim>("default", "data");
    let name = format!("pvc-{}", data.metadata.uid.clone().unwrap());
    assert_eq!(volume_of(&stage, "data"), name);
    let volume = stage.get::<PersistentVolume>("", &name);
    let spec = volume.spec.unwrap();
    assert_eq!(spec.capacity.unwrap()["storage"].0, "1Gi");
    assert_eq!(
        spec.persistent_volume_reclaim_policy.as_deref(),
        Some("Retain")
    );
    assert_eq!(spec.csi.unwrap().driver, "ebs.csi.aws.com");
    assert_eq!(
        volume.metadata.finalizers.unwrap(),
        ["kubernetes.io/pv-protection"]
    );
    let provisioner =
        &data.metadata.annotations.unwrap()["volume.kubernetes.io/storage-provisioner"];
    assert_eq!(provisioner, "ebs.csi.aws.com");
    assert_eq!(
        stage.events("data"),
        [
            "ExternalProvisioning: Waiting for a volume to be created either by the external provisioner 'ebs.csi.aws.com' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.".to_owned(),
            "Provisioning: External provisioner is provisioning volume for claim \"default/data\"".to_owned(),
            format!("ProvisioningSucceeded: Successfully provisioned volume {name}"),
        ]
    );
}

#[test]
fn the_newest_default_class_applies_and_an_unknown_class_is_reported() {
    let mut stage = Stage::new();
    let default = |name: &str| {
        class(name, "").replace(
            &format!("name: {name}"),
            &format!(
                "name: {name}, annotations: {{storageclass.kubernetes.io/is-default-class: 'true'}}"
            ),
        )
    };
    stage.apply(&default("old"));
    stage.run(5_000);
    stage.apply(&default("new"));
    stage.apply(&claim("data", ""));
    let data = stage.get::<PersistentVolumeClaim>("default", "data");
    assert_eq!(
        data.spec.unwrap().storage_class_name.as_deref(),
        Some("new")
    );
    stage.apply(&claim("lost", "storageClassName: nope"));
    assert_eq!(
        stage.events("lost"),
        ["ProvisioningFailed: storageclass.storage.k8s.io \"nope\" not found"]
    );
    stage.apply(&class("nope", ""));
    stage.run(10_000);
    assert_eq!(claim_phase(&stage, "lost"), "Bound");
}

#[test]
fn nothing_is_provisioned_where_there_is_no_provisioner() {
    let mut stage = Stage::new();
    let local = class("local", "").replace("ebs.csi.aws.com", "kubernetes.io/no-provisioner");
    stage.apply(&(local + &claim("data", "storageClassName: local")));
    stage.run(60_000);
    assert_eq!(claim_phase(&stage, "data"), "Pending");
    assert_eq!(
        stage.events("data"),
        ["ProvisioningFailed: no volume plugin matched name: kubernetes.io/no-provisioner"]
    );
}

#[test]
fn a_class_that_waits_gets_its_volume_on_the_selected_nodes_side() {
    let mut stage = Stage::new();
    stage.apply(&class("slow", "volumeBindingMode: WaitForFirstConsumer"));
    stage.apply(&(node("a", "east") + &node("b", "west")));
    stage.apply(&claim("data", "storageClassName: slow"));
    stage.apply(&pod("web", "data"));
    stage.run(60_000);
    assert_eq!(claim_phase(&stage, "data"), "Pending");
    assert_eq!(
        stage.events("data"),
        [
            "WaitForFirstConsumer: waiting for first consumer to be created before binding",
            "WaitForPodScheduled: waiting for pod web to be scheduled"
        ]
    );
    let decisions = PodVolumes {
        provisions: vec!["default/data".to_owned()],
        ..PodVolumes::default()
    };
    reserve(&decisions, "b", stage.api()).unwrap();
    stage.settle();
    assert_eq!(claim_phase(&stage, "data"), "Pending");
    stage.run(62_000);
    assert_eq!(claim_phase(&stage, "data"), "Bound");
    let volume = stage.get::<PersistentVolume>("", &volume_of(&stage, "data"));
    let affinity = volume
        .spec
        .unwrap()
        .node_affinity
        .unwrap()
        .required
        .unwrap();
    let terms = serde_json::to_value(affinity.node_selector_terms).unwrap();
    assert_eq!(
        terms[0]["matchExpressions"],
        serde_json::json!([{"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["west"]}])
    );
}

#[test]
fn the_scheduler_chooses_a_volume_for_a_class_that_waits() {
    let mut stage = Stage::new();
    let local = class("local", "volumeBindingMode: WaitForFirstConsumer");
    stage.apply(&local.replace("ebs.csi.aws.com", "kubernetes.io/no-provisioner"));
    let host = |node: &str| {
        format!(
            "storageClassName: local, local: {{path: /disk}}, nodeAffinity: {{required: {{nodeSelectorTerms: [{{matchExpressions: [{{key: kubernetes.io/hostname, operator: In, values: [{node}]}}]}}]}}}}"
        )
    };
    stage.apply(&(volume("on-a", "1Gi", &host("a")) + &volume("on-b", "1Gi", &host("b"))));
    stage.apply(&(claim("data", "storageClassName: local") + &pod("web", "data")));
    assert_eq!(claim_phase(&stage, "data"), "Pending");
    let decisions = PodVolumes {
        bindings: vec![("default/data".to_owned(), "on-b".to_owned())],
        ..PodVolumes::default()
    };
    reserve(&decisions, "b", stage.api()).unwrap();
    stage.settle();
    assert_eq!(volume_of(&stage, "data"), "on-b");
    assert_eq!(volume_phase(&stage, "on-a"), "Available");
}

#[test]
fn allowed_topologies_spread_claims_by_their_ordinal() {
    let mut stage = Stage::new();
    let allowed = "allowedTopologies: [{matchLabelExpressions: [{key: topology.kubernetes.io/zone, values: [east, west]}]}]";
    stage.apply(&class("zonal", allowed));
    stage.apply(&(node("a", "east") + &node("b", "west") + &node("c", "north")));
    for name in ["data-db-0", "data-db-1", "data-db-2"] {
        stage.apply(&claim(name, "storageClassName: zonal"));
    }
    stage.run(5_000);
    let zone = |name: &str| {
        let volume = stage.get::<PersistentVolume>("", &volume_of(&stage, name));
        let affinity = serde_json::to_value(volume.spec.unwrap().node_affinity).unwrap();
        let terms = &affinity["required"]["nodeSelectorTerms"];
        terms[0]["matchExpressions"][0]["values"][0]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let zones = ["data-db-0", "data-db-1", "data-db-2"].map(zone);
    assert_ne!(zones[0], zones[1]);
    assert_eq!(zones[0], zones[2]);
    assert!(zones.iter().all(|zone| zone == "east" || zone == "west"));
}

#[test]
fn a_claim_in_use_stays_until_its_pod_is_gone_and_its_volume_follows() {
    let mut stage = Stage::new();
    stage.apply(&class("fast", ""));
    stage.apply(&(claim("data", "storageClassName: fast") + &pod("web", "data")));
    stage.run(2_000);
    let name = volume_of(&stage, "data");
    let web = stage.get::<Pod>("default", "web");
    stage.api().bind(web, "a").unwrap();
    stage.settle();
    stage.delete::<PersistentVolumeClaim>("default", "data");
    let data = stage.get::<PersistentVolumeClaim>("default", "data");
    assert!(data.metadata.deletion_timestamp.is_some());
    assert_eq!(volume_phase(&stage, &name), "Bound");
    stage.api().erase::<Pod>(&Key::new("default", "web"));
    stage.settle();
    assert!(!stage.has::<PersistentVolumeClaim>("default", "data"));
    assert_eq!(volume_phase(&stage, &name), "Released");
    stage.run(4_000);
    assert!(
        !stage.has::<PersistentVolume>("", &name),
        "deleted by its provisioner"
    );
}

#[test]
fn a_claim_of_an_unbound_pod_may_be_deleted() {
    let mut stage = Stage::new();
    stage.apply(&(claim("data", "storageClassName: ''") + &pod("web", "data")));
    stage.delete::<PersistentVolumeClaim>("default", "data");
    assert!(!stage.has::<PersistentVolumeClaim>("default", "data"));
}

/// The phase and the events of a volume with this policy and source after its claim is deleted.
fn reclaimed(fields: &str) -> (String, Vec<String>) {
    let mut stage = Stage::new();
    stage.apply(&volume("v", "1Gi", fields));
    stage.apply(&claim("data", "storageClassName: ''"));
    stage.delete::<PersistentVolumeClaim>("default", "data");
    stage.run(10_000);
    let phase = if stage.has::<PersistentVolume>("", "v") {
        volume_phase(&stage, "v")
    } else {
        "gone".to_owned()
    };
    (phase, stage.events("v"))
}

#[test]
fn released_volumes_are_kept_deleted_or_recycled() {
    let policy = |policy: &str, source: &str| {
        reclaimed(&format!(
            "persistentVolumeReclaimPolicy: {policy}, {source}"
        ))
    };
    assert_eq!(reclaimed(NFS), ("Released".to_owned(), Vec::new()));
    assert_eq!(policy("Retain", NFS).0, "Released");
    let problem =
        "error getting deleter volume plugin for volume \"v\": no deletable volume plugin matched";
    assert_eq!(
        policy("Delete", NFS),
        (
            "Failed".to_owned(),
            vec![format!("VolumeFailedDelete: {problem}")]
        )
    );
    assert_eq!(policy("Delete", "hostPath: {path: /tmp/x}").0, "gone");
    assert_eq!(policy("Delete", "hostPath: {path: /data}").0, "Failed");
    assert_eq!(
        policy("Recycle", NFS),
        (
            "Available".to_owned(),
            vec!["VolumeRecycled: Volume recycled".to_owned()]
        )
    );
}

#[test]
fn bound_volumes_are_protected_and_claims_without_a_volume_are_lost() {
    let mut stage = Stage::new();
    stage.apply(&(volume("v", "1Gi", NFS) + &claim("data", "storageClassName: ''")));
    stage.delete::<PersistentVolume>("", "v");
    assert!(stage.has::<PersistentVolume>("", "v"), "it is Terminating");
    assert_eq!(claim_phase(&stage, "data"), "Bound");
    stage.edit::<PersistentVolume>("", "v", |volume| volume.metadata.finalizers = None);
    assert!(!stage.has::<PersistentVolume>("", "v"));
    assert_eq!(claim_phase(&stage, "data"), "Lost");
    assert_eq!(
        stage.events("data"),
        ["ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!"]
    );
}

#[test]
fn claims_of_ephemeral_volumes_are_deleted_with_their_pod() {
    let mut stage = Stage::new();
    stage.apply(&class("fast", ""));
    stage.apply("{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: c, image: app}], volumes: [{name: scratch, ephemeral: {volumeClaimTemplate: {spec: {storageClassName: fast, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}}]}}");
    stage.run(2_000);
    assert_eq!(claim_phase(&stage, "web-scratch"), "Bound");
    stage.delete::<Pod>("default", "web");
    assert!(!stage.has::<PersistentVolumeClaim>("default", "web-scratch"));
    assert_eq!(StorageClass::table(stage.plane.api.store()).count(), 1);
}
