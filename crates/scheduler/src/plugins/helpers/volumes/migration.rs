//! In-tree volumes and the CSI drivers that replaced them.
//!
//! Kubernetes keeps the in-tree volume types in its API, but CSI drivers implement them ("CSI
//! migration"). The scheduler therefore translates an in-tree volume to a CSI volume: it counts
//! against that driver's limit, and its zone is matched under the driver's topology key.
//! Mirrors `csi-translation-lib` of v1.34, as far as scheduling depends on it.

use k8s_openapi::api::core::v1::{
    NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, PersistentVolume, Volume,
};
use k8s_openapi::api::storage::v1::CSINode;

use super::annotation;
use berth_base::sort;

/// On a CSINode: the in-tree plugins that its kubelet has migrated, separated by commas.
const MIGRATED_PLUGINS: &str = "storage.alpha.kubernetes.io/migrated-plugins";
const ZONE: &str = "topology.kubernetes.io/zone";
const REGION: &str = "topology.kubernetes.io/region";
const BETA_ZONE: &str = "failure-domain.beta.kubernetes.io/zone";
const BETA_REGION: &str = "failure-domain.beta.kubernetes.io/region";
/// Separates the zones of a multi-zone volume.
pub const ZONE_DELIMITER: &str = "__";

/// A volume type of the core API that a CSI driver implements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InTree {
    AwsEbs,
    AzureDisk,
    AzureFile,
    Cinder,
    GcePd,
    Portworx,
    Vsphere,
}

/// The in-tree plugins that the node's kubelet has migrated, separated by commas.
pub fn migrated_plugins(csi_node: &CSINode) -> Option<&str> {
    annotation(csi_node.metadata.annotations.as_ref(), MIGRATED_PLUGINS)
}

impl InTree {
    const ALL: [Self; 7] = [
        Self::AwsEbs,
        Self::AzureDisk,
        Self::AzureFile,
        Self::Cinder,
        Self::GcePd,
        Self::Portworx,
        Self::Vsphere,
    ];

    /// The type of a volume in a Pod's spec.
    pub fn of_inline(volume: &Volume) -> Option<Self> {
        Self::ALL.into_iter().find(|plugin| match plugin {
            Self::AwsEbs => volume.aws_elastic_block_store.is_some(),
            Self::AzureDisk => volume.azure_disk.is_some(),
            Self::AzureFile => volume.azure_file.is_some(),
            Self::Cinder => volume.cinder.is_some(),
            Self::GcePd => volume.gce_persistent_disk.is_some(),
            Self::Portworx => volume.portworx_volume.is_some(),
            Self::Vsphere => volume.vsphere_volume.is_some(),
        })
    }

    /// The type of a PersistentVolume.
    pub fn of_persistent(volume: &PersistentVolume) -> Option<Self> {
        let spec = volume.spec.as_ref()?;
        Self::ALL.into_iter().find(|plugin| match plugin {
            Self::AwsEbs => spec.aws_elastic_block_store.is_some(),
            Self::AzureDisk => spec.azure_disk.is_some(),
            Self::AzureFile => spec.azure_file.is_some(),
            Self::Cinder => spec.cinder.is_some(),
            Self::GcePd => spec.gce_persistent_disk.is_some(),
            Self::Portworx => spec.portworx_volume.is_some(),
            Self::Vsphere => spec.vsphere_volume.is_some(),
        })
    }

    /// The type with that plugin name, which old StorageClasses use as provisioner.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|plugin| plugin.name() == name)
    }

    /// The in-tree plugin's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::AwsEbs => "kubernetes.io/aws-ebs",
            Self::AzureDisk => "kubernetes.io/azure-disk",
            Self::AzureFile => "kubernetes.io/azure-file",
            Self::Cinder => "kubernetes.io/cinder",
            Self::GcePd => "kubernetes.io/gce-pd",
            Self::Portworx => "kubernetes.io/portworx-volume",
            Self::Vsphere => "kubernetes.io/vsphere-volume",
        }
    }

    /// The CSI driver that replaces it.
    pub fn driver(self) -> &'static str {
        match self {
            Self::AwsEbs => "ebs.csi.aws.com",
            Self::AzureDisk => "disk.csi.azure.com",
            Self::AzureFile => "file.csi.azure.com",
            Self::Cinder => "cinder.csi.openstack.org",
            Self::GcePd => "pd.csi.storage.gke.io",
            Self::Portworx => "pxd.portworx.com",
            Self::Vsphere => "csi.vsphere.vmware.com",
        }
    }

    /// The node label of the driver's zones, for types whose zones are translated.
    fn topology_key(self) -> Option<&'static str> {
        match self {
            Self::AwsEbs => Some("topology.ebs.csi.aws.com/zone"),
            Self::Cinder => Some("topology.cinder.csi.openstack.org/zone"),
            Self::GcePd => Some("topology.gke.io/zone"),
            Self::AzureDisk | Self::AzureFile | Self::Portworx | Self::Vsphere => None,
        }
    }

    /// Whether the scheduler translates the type: vSphere and Azure File volumes are never read as
    /// CSI volumes.
    pub fn is_translated(self) -> bool {
        !matches!(self, Self::AzureFile | Self::Vsphere)
    }

    /// Whether the node's kubelet has migrated the plugin.
    pub fn is_migrated_on(self, csi_node: Option<&CSINode>) -> bool {
        csi_node
            .and_then(migrated_plugins)
            .is_some_and(|plugins| plugins.split(',').any(|plugin| plugin == self.name()))
    }

    /// The driver's handle of an inline volume. `Ok(None)` if its type is not translated.
    pub fn inline_handle(volume: &Volume) -> Result<Option<String>, String> {
        if let Some(disk) = &volume.aws_elastic_block_store {
            return ebs_handle(&disk.volume_id).map(Some);
        }
        if let Some(disk) = &volume.gce_persistent_disk {
            return Ok(Some(gce_handle("zones", UNSPECIFIED, &disk.pd_name)));
        }
        let azure = volume.azure_disk.as_ref().map(|disk| &disk.disk_uri);
        let cinder = volume.cinder.as_ref().map(|disk| &disk.volume_id);
        let portworx = volume.portworx_volume.as_ref().map(|disk| &disk.volume_id);
        Ok(azure.or(cinder).or(portworx).cloned())
    }

    /// The driver's handle of a PersistentVolume. `Ok(None)` if its type is not translated.
    pub fn handle(volume: &PersistentVolume) -> Result<Option<String>, String> {
        let Some(spec) = &volume.spec else {
            return Ok(None);
        };
        if let Some(disk) = &spec.aws_elastic_block_store {
            return ebs_handle(&disk.volume_id).map(Some);
        }
        if let Some(disk) = &spec.gce_persistent_disk {
            return gce_persistent_handle(volume, &disk.pd_name).map(Some);
        }
        let azure = spec.azure_disk.as_ref().map(|disk| &disk.disk_uri);
        let cinder = spec.cinder.as_ref().map(|disk| &disk.volume_id);
        let portworx = spec.portworx_volume.as_ref().map(|disk| &disk.volume_id);
        Ok(azure.or(cinder).or(portworx).cloned())
    }

    /// The required node affinity of the translated PersistentVolume: zones move to the driver's
    /// key, and zone labels become an affinity if there is none.
    pub fn translated_affinity(self, volume: &PersistentVolume) -> Option<NodeSelector> {
        let affinity = volume.spec.as_ref().and_then(|s| s.node_affinity.as_ref());
        let mut selector = affinity.and_then(|affinity| affinity.required.clone());
        let Some(csi_key) = self.topology_key() else {
            return selector;
        };
        let is_beta = uses_beta_zone(volume, selector.as_ref());
        let zone_key = if is_beta { BETA_ZONE } else { ZONE };
        if has_values(selector.as_ref(), zone_key) {
            rename_key(selector.as_mut(), zone_key, csi_key);
        } else if let Some(zones) = label(volume, zone_key) {
            require_zones(&mut selector, csi_key, zones);
        }
        if is_beta && has_values(selector.as_ref(), BETA_REGION) {
            rename_key(selector.as_mut(), BETA_REGION, REGION);
        }
        selector
    }
}

fn label<'a>(volume: &'a PersistentVolume, key: &str) -> Option<&'a str> {
    annotation(volume.metadata.labels.as_ref(), key)
}

fn requirements(selector: Option<&NodeSelector>) -> impl Iterator<Item = &NodeSelectorRequirement> {
    selector
        .into_iter()
        .flat_map(|s| &s.node_selector_terms)
        .flat_map(|term| term.match_expressions.iter().flatten())
}

fn has_values(selector: Option<&NodeSelector>, key: &str) -> bool {
    requirements(selector)
        .any(|found| found.key == key && found.values.as_ref().is_some_and(|v| !v.is_empty()))
}

/// Whether the beta zone key is in use, in the affinity or else in the labels; the GA key is the default.
fn uses_beta_zone(volume: &PersistentVolume, selector: Option<&NodeSelector>) -> bool {
    let in_affinity = |key: &str| requirements(selector).any(|found| found.key == key);
    if in_affinity(ZONE) {
        return false;
    }
    in_affinity(BETA_ZONE) || (label(volume, ZONE).is_none() && label(volume, BETA_ZONE).is_some())
}

fn rename_key(selector: Option<&mut NodeSelector>, from: &str, to: &str) {
    for requirement in selector
        .into_iter()
        .flat_map(|s| &mut s.node_selector_terms)
        .flat_map(|term| term.match_expressions.iter_mut().flatten())
    {
        if requirement.key == from {
            to.clone_into(&mut requirement.key);
        }
    }
}

fn require_zones(selector: &mut Option<NodeSelector>, key: &str, zones: &str) {
    let mut zones: Vec<String> = zones
        .split(ZONE_DELIMITER)
        .map(str::trim)
        .filter(|zone| !zone.is_empty())
        .map(str::to_owned)
        .collect();
    sort::sort(&mut zones);
    zones.dedup();
    if zones.is_empty() {
        return;
    }
    let terms = &mut selector.get_or_insert_default().node_selector_terms;
    if terms.is_empty() {
        terms.push(NodeSelectorTerm::default());
    }
    for term in terms {
        let requirement = NodeSelectorRequirement {
            key: key.to_owned(),
            operator: "In".to_owned(),
            values: Some(zones.clone()),
        };
        term.match_expressions
            .get_or_insert_default()
            .push(requirement);
    }
}

/// `aws://ZONE/vol-…` and `vol-…` are the same EBS volume.
fn ebs_handle(id: &str) -> Result<String, String> {
    let Some(rest) = id.strip_prefix("aws://") else {
        return Ok(id.to_owned());
    };
    let location = rest.split(['?', '#']).next().unwrap_or_default();
    let path = location.split_once('/').map_or("", |(_zone, path)| path);
    let volume = path.trim_matches('/');
    if volume.starts_with("vol-") && !volume.contains('/') {
        return Ok(volume.to_owned());
    }
    Err(format!(
        "failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume ({id})"
    ))
}

/// Project and zone of a GCE handle, if the volume does not name them.
const UNSPECIFIED: &str = "UNSPECIFIED";

fn gce_handle(kind: &str, place: &str, disk: &str) -> String {
    format!("projects/{UNSPECIFIED}/{kind}/{place}/disks/{disk}")
}

/// One zone makes a zonal disk, several a regional one.
fn gce_persistent_handle(volume: &PersistentVolume, disk: &str) -> Result<String, String> {
    let zones = [BETA_ZONE, ZONE]
        .into_iter()
        .filter_map(|key| label(volume, key))
        .find(|zones| !zones.is_empty());
    let Some(zones) = zones else {
        return Ok(gce_handle("zones", UNSPECIFIED, disk));
    };
    if !zones.contains(ZONE_DELIMITER) {
        return Ok(gce_handle("zones", zones, disk));
    }
    let mut regions = Vec::new();
    for zone in zones.split(ZONE_DELIMITER) {
        match zone.split('-').collect::<Vec<_>>().as_slice() {
            [locale, region, _] => regions.push(format!("{locale}-{region}")),
            _ => {
                return Err(format!(
                    "failed to get region from zones: zone in unexpected format, expected: {{locale}}-{{region}}-{{zone}}, got: {zone}"
                ));
            }
        }
    }
    sort::sort(&mut regions);
    regions.dedup();
    match regions.as_slice() {
        [region] => Ok(gce_handle("regions", region, disk)),
        _ => Err(format!(
            "failed to get region from zones: multiple or no regions gotten from zones, got: [{}]",
            regions.join(" ")
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugins::helpers::fixture::{object, objects};

    fn volume(yaml: &str) -> PersistentVolume {
        let head = "apiVersion: v1\nkind: PersistentVolume\n";
        let spec = "  accessModes: [ReadWriteOnce]\n  capacity: {storage: 1Gi}\n";
        object(&objects(&format!("{head}{yaml}\n{spec}"))[0])
    }

    #[test]
    fn an_ebs_volume_has_one_handle_however_it_is_written() {
        for id in ["vol-1", "aws://vol-1", "aws:///vol-1", "aws://a/vol-1/"] {
            let expected = (id != "aws://vol-1").then(|| "vol-1".to_owned());
            assert_eq!(ebs_handle(id).ok(), expected, "{id}");
        }
    }

    #[test]
    fn a_gce_disk_in_several_zones_is_regional() {
        let of = |zones: &str| {
            let labels = format!("labels: {{topology.kubernetes.io/zone: {zones}}}");
            let yaml = format!(
                "metadata: {{name: pv, {labels}}}\nspec:\n  gcePersistentDisk: {{pdName: d}}"
            );
            InTree::handle(&volume(&yaml))
        };
        let zonal = "projects/UNSPECIFIED/zones/us-east1-b/disks/d";
        let regional = "projects/UNSPECIFIED/regions/us-east1/disks/d";
        assert_eq!(of("us-east1-b"), Ok(Some(zonal.to_owned())));
        assert_eq!(of("us-east1-b__us-east1-c"), Ok(Some(regional.to_owned())));
        assert!(of("us-east1-b__us-west1-a").is_err());
    }

    #[test]
    fn a_zone_label_becomes_an_affinity_under_the_drivers_key() {
        let yaml = "metadata: {name: pv, labels: {failure-domain.beta.kubernetes.io/zone: a__b}}\nspec:\n  awsElasticBlockStore: {volumeID: vol-1}";
        let selector = InTree::AwsEbs.translated_affinity(&volume(yaml));
        let found: Vec<_> = requirements(selector.as_ref()).collect();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].key, "topology.ebs.csi.aws.com/zone");
        assert_eq!(found[0].values, Some(vec!["a".to_owned(), "b".to_owned()]));
    }

    #[test]
    fn an_affinity_on_zones_moves_to_the_drivers_key_and_labels_are_left_alone() {
        let yaml = "metadata: {name: pv, labels: {topology.kubernetes.io/zone: z}}\nspec:\n  gcePersistentDisk: {pdName: d}\n  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: failure-domain.beta.kubernetes.io/zone, operator: In, values: [a]}, {key: failure-domain.beta.kubernetes.io/region, operator: In, values: [r]}]}]}}";
        let selector = InTree::GcePd.translated_affinity(&volume(yaml));
        let keys: Vec<_> = requirements(selector.as_ref())
            .map(|r| r.key.as_str())
            .collect();
        assert_eq!(
            keys,
            ["topology.gke.io/zone", "topology.kubernetes.io/region"]
        );
    }
}
