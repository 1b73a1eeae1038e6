//! External provisioning: creates a volume for a claim, within the required topology
//! (`kubernetes-csi/external-provisioner`).

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::{
    CSIPersistentVolumeSource, HostPathVolumeSource, NFSVolumeSource, Node, NodeSelector,
    NodeSelectorRequirement, NodeSelectorTerm, PersistentVolume, PersistentVolumeClaim,
    PersistentVolumeSpec, TopologySelectorTerm, VolumeNodeAffinity,
};
use k8s_openapi::api::storage::v1::StorageClass;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::SELECTED_NODE;
use super::binding::{annotate, annotation};
use crate::audit_log::{Event, Level};
use crate::server::{ApiError, ApiServer};
use crate::store::{Key, Store, name_of, uid_of};
use berth_base::sort;
use berth_core::api::controllers::volumes::reference_to;
use berth_scheduler::volumes::class_of_claim;

/// The component name of the provisioner in events.
pub(super) const COMPONENT: &str = "external-provisioner";

/// Annotations of a claim with its provisioner, deprecated and current.
pub(super) const STORAGE_PROVISIONER: [&str; 2] = [
    "volume.beta.kubernetes.io/storage-provisioner",
    "volume.kubernetes.io/storage-provisioner",
];

/// Annotation of a volume with the provisioner that created it and deletes it.
pub(super) const PROVISIONED_BY: &str = "pv.kubernetes.io/provisioned-by";

/// Provisioners of Kubernetes itself, and the CSI drivers that took over from them (`csi-translation-lib`).
const MIGRATED: [(&str, &str); 7] = [
    ("kubernetes.io/aws-ebs", "ebs.csi.aws.com"),
    ("kubernetes.io/azure-disk", "disk.csi.azure.com"),
    ("kubernetes.io/azure-file", "file.csi.azure.com"),
    ("kubernetes.io/cinder", "cinder.csi.openstack.org"),
    ("kubernetes.io/gce-pd", "pd.csi.storage.gke.io"),
    ("kubernetes.io/portworx-volume", "pxd.portworx.com"),
    ("kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com"),
];

const ZONE: &str = "topology.kubernetes.io/zone";

/// The topology segment from which a volume is accessible: values by topology key.
type Segment = BTreeMap<String, String>;

/// Creates the volume; its `claimRef` binds it to the claim.
pub(super) fn create(
    claim: &PersistentVolumeClaim,
    class: &StorageClass,
    api: &mut ApiServer,
) -> Result<(), ApiError> {
    let segment = match segment_for(claim, class, api.store()) {
        Ok(segment) => segment,
        Err(problem) => {
            let message = format!(
                "failed to provision volume with StorageClass {:?}: error generating accessibility requirements: {problem}",
                name_of(&class.metadata)
            );
            let event = Event::new(claim, Level::Warning, "ProvisioningFailed", message);
            api.event(event.at(COMPONENT, ""));
            return Ok(());
        }
    };
    let volume = volume(claim, class, segment);
    let name = name_of(&volume.metadata).to_owned();
    match api.create(volume) {
        Ok(_) | Err(ApiError::AlreadyExists { .. }) => {}
        Err(error) => return Err(error),
    }
    let message = format!("Successfully provisioned volume {name}");
    let event = Event::new(claim, Level::Normal, "ProvisioningSucceeded", message);
    api.event(event.at(COMPONENT, ""));
    Ok(())
}

fn volume(
    claim: &PersistentVolumeClaim,
    class: &StorageClass,
    segment: Segment,
) -> PersistentVolume {
    let name = format!("pvc-{}", uid_of(&claim.metadata));
    let spec = claim.spec.clone().unwrap_or_default();
    let requests = spec.resources.and_then(|resources| resources.requests);
    let storage = requests.and_then(|mut requests| requests.remove("storage"));
    let mut metadata = ObjectMeta {
        name: Some(name.clone()),
        ..ObjectMeta::default()
    };
    annotate(&mut metadata, PROVISIONED_BY, &class.provisioner);
    let mut volume = PersistentVolume {
        metadata,
        spec: Some(PersistentVolumeSpec {
            access_modes: spec.access_modes,
            capacity: storage.map(|storage| [("storage".to_owned(), storage)].into()),
            claim_ref: Some(reference_to(claim)),
            mount_options: class.mount_options.clone(),
            node_affinity: affinity(segment),
            persistent_volume_reclaim_policy: Some(
                class
                    .reclaim_policy
                    .clone()
                    .unwrap_or_else(|| "Delete".to_owned()),
            ),
            storage_class_name: Some(class_of_claim(claim).to_owned()),
            volume_mode: spec.volume_mode,
            ..PersistentVolumeSpec::default()
        }),
        status: None,
    };
    if let Some(spec) = volume.spec.as_mut() {
        set_source(spec, &class.provisioner, name);
    }
    volume
}

/// What is mounted: a volume of the CSI driver. A provisioner with `/` in its name is none: those of cloud disks have
/// a driver that took over from them, others make directories, on an NFS server or on the node.
fn set_source(spec: &mut PersistentVolumeSpec, provisioner: &str, name: String) {
    let migrated = MIGRATED.iter().find(|(old, _)| *old == provisioner);
    let driver = migrated.map_or(provisioner, |&(_, driver)| driver);
    if !driver.contains('/') {
        spec.csi = Some(CSIPersistentVolumeSource {
            driver: driver.to_owned(),
            volume_handle: name,
            ..CSIPersistentVolumeSource::default()
        });
    } else if driver.contains("nfs") {
        spec.nfs = Some(NFSVolumeSource {
            path: format!("/export/{name}"),
            server: "nfs".to_owned(),
            read_only: None,
        });
    } else {
        spec.host_path = Some(HostPathVolumeSource {
            path: format!("/opt/{name}"),
            type_: Some("DirectoryOrCreate".to_owned()),
        });
    }
}

fn affinity(segment: Segment) -> Option<VolumeNodeAffinity> {
    let requirements = segment
        .into_iter()
        .map(|(key, value)| NodeSelectorRequirement {
            key,
            operator: "In".to_owned(),
            values: Some(vec![value]),
        });
    let requirements: Vec<NodeSelectorRequirement> = requirements.collect();
    (!requirements.is_empty()).then(|| VolumeNodeAffinity {
        required: Some(NodeSelector {
            node_selector_terms: vec![NodeSelectorTerm {
                match_expressions: Some(requirements),
                match_fields: None,
            }],
        }),
    })
}

/// The volume's topology segment: that of the selected node, or one that the class allows.
fn segment_for(
    claim: &PersistentVolumeClaim,
    class: &StorageClass,
    store: &Store,
) -> Result<Segment, String> {
    let allowed = class.allowed_topologies.as_deref().unwrap_or_default();
    if let Some(selected) = annotation(&claim.metadata, SELECTED_NODE) {
        let Some(node) = store.nodes.get(&Key::new("", selected)) else {
            return Err(format!("node {selected:?} not found"));
        };
        let keys = keys(Some(node), class, store);
        let keys = if keys.is_empty() {
            vec![ZONE.to_owned()]
        } else {
            keys
        };
        let own = segment_of(node, &keys);
        let fits = allowed.is_empty() || allowed.iter().any(|term| allows(term, node));
        return if fits {
            Ok(own.unwrap_or_default())
        } else {
            Err(format!(
                "selected node {selected:?} is not in allowed topologies"
            ))
        };
    }
    let keys = keys(None, class, store);
    let nodes = store
        .nodes
        .iter()
        .filter(|node| allowed.is_empty() || allowed.iter().any(|term| allows(term, node)));
    let known: BTreeSet<Segment> = sort::gather(nodes.filter_map(|node| segment_of(node, &keys)));
    let mut segments: Vec<Segment> = known.into_iter().collect();
    if segments.is_empty() {
        segments = allowed.iter().flat_map(segments_of).collect();
    }
    // Spreads the claims of a StatefulSet by name and ordinal, as the real provisioner does.
    let place = u64::try_from(segments.len())
        .ok()
        .filter(|count| *count > 0)
        .map_or(0, |count| number_of(name_of(&claim.metadata)) % count);
    let place = usize::try_from(place).unwrap_or_default();
    Ok(segments.into_iter().nth(place).unwrap_or_default())
}

/// The topology keys of the class's driver: those in the CSINodes, or else those in the class's allowed topologies.
fn keys(node: Option<&Node>, class: &StorageClass, store: &Store) -> Vec<String> {
    let name = node.map(|node| name_of(&node.metadata));
    let csi_nodes = store
        .csi_nodes
        .iter()
        .filter(|it| name.is_none_or(|name| name_of(&it.metadata) == name));
    let mut drivers = csi_nodes.flat_map(|node| &node.spec.drivers);
    let driver = drivers.find(|driver| driver.name == class.provisioner);
    if let Some(keys) = driver.and_then(|driver| driver.topology_keys.clone()) {
        return keys;
    }
    let named = class
        .allowed_topologies
        .iter()
        .flatten()
        .flat_map(|term| term.match_label_expressions.iter().flatten());
    let named: BTreeSet<String> = sort::gather(named.map(|it| it.key.clone()));
    named.into_iter().collect()
}

/// A node's values for the keys; `None` if it lacks one, or there are no keys.
fn segment_of(node: &Node, keys: &[String]) -> Option<Segment> {
    let labels = node.metadata.labels.as_ref()?;
    let values = keys
        .iter()
        .map(|key| Some((key.clone(), labels.get(key)?.clone())));
    let segment: Option<Vec<(String, String)>> = values.collect();
    segment
        .filter(|segment| !segment.is_empty())
        .map(sort::gather)
}

fn allows(term: &TopologySelectorTerm, node: &Node) -> bool {
    let labels = node.metadata.labels.as_ref();
    let mut expressions = term.match_label_expressions.iter().flatten();
    expressions.all(|it| {
        let value = labels.and_then(|labels| labels.get(&it.key));
        value.is_some_and(|value| it.values.contains(value))
    })
}

/// The segments that a term lists, used if no known node is in one of them.
fn segments_of(term: &TopologySelectorTerm) -> Vec<Segment> {
    let mut segments = vec![Segment::new()];
    for expression in term.match_label_expressions.iter().flatten() {
        let longer = segments.iter().flat_map(|segment| {
            expression.values.iter().map(|value| {
                let mut segment = segment.clone();
                segment.insert(expression.key.clone(), value.clone());
                segment
            })
        });
        segments = longer.collect();
    }
    segments
}

/// A number from a claim's name: a hash (FNV-1a) of the part before the ordinal, plus the ordinal.
fn number_of(name: &str) -> u64 {
    let (stem, ordinal) = match name.rsplit_once('-') {
        Some((stem, number)) => match number.parse::<u64>() {
            Ok(ordinal) => (stem, ordinal),
            Err(_) => (name, 0),
        },
        None => (name, 0),
    };
    let hash = stem.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    u64::from(hash).wrapping_add(ordinal)
}
