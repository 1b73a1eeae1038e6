//! Helpers of the volume plugins: a Pod's claims, their classes, and messages about missing objects.
//!
//! Mirrors `component-helpers/storage` (`ephemeral`, `volume`) of Kubernetes v1.34.

pub mod migration;

use std::borrow::Cow;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Volume};

use crate::cluster::Cluster;
use crate::cluster::pod::PodInfo;
use crate::framework::events::Update;

/// A claim used by one of the Pod's volumes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodClaim<'a> {
    /// The claim's name; its namespace is the Pod's.
    pub name: Cow<'a, str>,
    /// Created from the Pod's own `ephemeral` template: the Pod must own the claim.
    pub ephemeral: bool,
}

impl PodClaim<'_> {
    /// The claim, if it exists.
    pub fn find<'c>(
        &self,
        cluster: &'c Cluster,
        pod: &PodInfo,
    ) -> Option<&'c Arc<PersistentVolumeClaim>> {
        cluster.volumes().claim(&pod.object.namespace, &self.name)
    }
}

/// `spec.volumes` of a Pod.
pub fn volumes(pod: &PodInfo) -> &[Volume] {
    pod.object.template.spec.volumes.as_deref().unwrap_or(&[])
}

/// The claim of a volume; `None` for other types of volumes.
pub fn claim_of<'a>(pod: &PodInfo, volume: &'a Volume) -> Option<PodClaim<'a>> {
    if let Some(source) = &volume.persistent_volume_claim {
        return Some(PodClaim {
            name: Cow::Borrowed(&source.claim_name),
            ephemeral: false,
        });
    }
    volume.ephemeral.as_ref().map(|_| PodClaim {
        name: Cow::Owned(format!("{}-{}", pod.object.name, volume.name)),
        ephemeral: true,
    })
}

/// The names in `spec.volumes[].persistentVolumeClaim`, without ephemeral claims.
pub fn named_claims(pod: &PodInfo) -> impl Iterator<Item = &str> {
    volumes(pod).iter().filter_map(|volume| {
        let source = volume.persistent_volume_claim.as_ref()?;
        Some(source.claim_name.as_str())
    })
}

/// Whether the Pod owns an ephemeral claim (`ephemeral.VolumeIsForPod`).
pub fn check_owner(pod: &PodInfo, claim: &PersistentVolumeClaim) -> Result<(), String> {
    let owners = claim.metadata.owner_references.as_deref().unwrap_or(&[]);
    let controller = owners.iter().find(|owner| owner.controller == Some(true));
    if controller.is_some_and(|owner| owner.uid == *pod.object.uid) {
        return Ok(());
    }
    Err(format!(
        "PVC {}/{} was not created for pod {} (pod is not owner)",
        pod.object.namespace,
        claim.metadata.name.as_deref().unwrap_or_default(),
        pod.object.key()
    ))
}

/// Whether a class delays binding to scheduling (`volumeBindingMode: WaitForFirstConsumer`).
/// `None` if there is no such class.
pub fn waits_for_consumer(cluster: &Cluster, class: &str) -> Option<bool> {
    let class = cluster.volumes().storage_classes.get(class)?;
    Some(class.volume_binding_mode.as_deref() == Some("WaitForFirstConsumer"))
}

/// The API server's message about a claim that does not exist.
pub fn claim_not_found(name: &str) -> String {
    format!("persistentvolumeclaim \"{name}\" not found")
}

/// The value of an annotation.
pub fn annotation<'a>(
    annotations: Option<&'a std::collections::BTreeMap<String, String>>,
    key: &str,
) -> Option<&'a str> {
    annotations?.get(key).map(String::as_str)
}

/// Whether one of the Pod's volumes uses the claim that was added or updated; with `ephemeral`,
/// ephemeral claims count too.
pub fn uses_claim(pod: &PodInfo, claim: &Update<PersistentVolumeClaim>, ephemeral: bool) -> bool {
    let Some(claim) = claim.new.as_deref() else {
        return false;
    };
    let name = claim.metadata.name.as_deref().unwrap_or_default();
    let namespace = claim.metadata.namespace.as_deref().unwrap_or("default");
    let mut used = volumes(pod)
        .iter()
        .filter_map(|volume| claim_of(pod, volume));
    *pod.object.namespace == *namespace
        && used.any(|used| used.name == name && (ephemeral || !used.ephemeral))
}
