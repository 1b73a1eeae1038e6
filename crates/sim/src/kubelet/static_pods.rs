//! Static Pods: the Pods of a node's manifest folder, which the API server sees only as mirror Pods.
//!
//! Mirrors `pkg/kubelet/pod/mirror_client.go` and `pkg/kubelet/config` v1.34. The mirror Pod is named `NAME-NODE`, is
//! owned by the Node, and is created again when it is deleted, while the containers keep running.
//! [`Kubelet::add_static_pod`] puts a manifest into the folder. A Pod in a file that is annotated
//! `kubernetes.io/config.source: file` and names its node belongs there, too ([`is_manifest`]).

use k8s_openapi::Resource;
use k8s_openapi::api::core::v1::{Node, Pod, Toleration};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};

use super::Kubelet;
use super::identity::hash_32;
use crate::pod_util::{annotation_of, node_of};
use crate::server::{ApiError, ApiServer};
use crate::store::{Key, name_of, uid_of};
use berth_base::json;

/// The source of a Pod: `file` for those of a node's manifest folder, `api` for all others.
const SOURCE: &str = "kubernetes.io/config.source";
/// The annotation of mirror Pods, which a kubelet creates for static Pods: the hash of the manifest.
pub const MIRROR: &str = "kubernetes.io/config.mirror";
const HASH: &str = "kubernetes.io/config.hash";
const SEEN: &str = "kubernetes.io/config.seen";
/// The lowest critical priority (`SystemCriticalPriority`).
pub const CRITICAL: i32 = 2_000_000_000;

/// Whether a Pod comes from a node rather than the API server.
pub fn is_static(pod: &Pod) -> bool {
    annotation_of(pod, MIRROR).is_some()
        || annotation_of(pod, SOURCE).is_some_and(|source| source != "api")
}

/// Whether a Pod is never evicted, and may preempt others on its node (`IsCriticalPod`).
pub(super) fn is_critical(pod: &Pod) -> bool {
    let priority = pod.spec.as_ref().and_then(|spec| spec.priority);
    is_static(pod) || priority.is_some_and(|priority| priority >= CRITICAL)
}

/// Whether a Pod in a file belongs in the manifest folder of the node that it names.
pub fn is_manifest(pod: &Pod) -> bool {
    annotation_of(pod, SOURCE) == Some("file")
        && annotation_of(pod, MIRROR).is_none()
        && !node_of(pod).is_empty()
}

impl Kubelet {
    /// Adds a manifest to the folder of a node. The mirror Pod, whose key is returned, is created at once, or when
    /// the node is created.
    ///
    /// # Errors
    /// If the API server rejects the mirror Pod, for example because the name is taken.
    pub fn add_static_pod(
        &mut self,
        node: &str,
        manifest: Pod,
        api: &mut ApiServer,
    ) -> Result<Key, ApiError> {
        let mut pod = manifest;
        let hash = hash_32(&json::value(&pod).to_string());
        let name = format!("{}-{node}", name_of(&pod.metadata));
        pod.metadata.name = Some(name.clone());
        let namespace = pod
            .metadata
            .namespace
            .get_or_insert_with(|| "default".to_owned());
        let key = Key::new(namespace.clone(), name);
        let annotations = pod.metadata.annotations.get_or_insert_default();
        annotations.insert(SOURCE.to_owned(), "file".to_owned());
        annotations.insert(SEEN.to_owned(), api.now().0.to_string());
        annotations.insert(HASH.to_owned(), hash.clone());
        annotations.insert(MIRROR.to_owned(), hash);
        let spec = pod.spec.get_or_insert_default();
        spec.node_name = Some(node.to_owned());
        // Static Pods tolerate all `NoExecute` taints.
        spec.tolerations.get_or_insert_default().push(Toleration {
            operator: Some("Exists".to_owned()),
            effect: Some("NoExecute".to_owned()),
            ..Toleration::default()
        });
        pod.status = None;
        if let Some(found) = api.store().nodes.get(&Key::new("", node)).cloned() {
            create_mirror(&pod, &found, api)?;
        }
        self.manifests.insert(key.clone(), pod);
        Ok(key)
    }

    /// Restores the manifest of a mirror Pod that was loaded with the cluster.
    pub(super) fn know_mirror(&mut self, key: &Key, mirror: &Pod) {
        if annotation_of(mirror, MIRROR).is_none() || self.manifests.contains_key(key) {
            return;
        }
        let mut manifest = mirror.clone();
        manifest.metadata = ObjectMeta {
            name: mirror.metadata.name.clone(),
            namespace: mirror.metadata.namespace.clone(),
            labels: mirror.metadata.labels.clone(),
            annotations: mirror.metadata.annotations.clone(),
            ..ObjectMeta::default()
        };
        manifest.status = None;
        self.manifests.insert(key.clone(), manifest);
    }

    /// Creates the mirror Pods of a new node.
    pub(super) fn create_mirrors(&mut self, node: &str, api: &mut ApiServer) {
        let Some(found) = api.store().nodes.get(&Key::new("", node)).cloned() else {
            return;
        };
        let own = self
            .manifests
            .iter()
            .filter(|(_, pod)| node_of(pod) == node);
        for (key, pod) in own {
            if api.store().pods.get(key).is_none() {
                // The manifest was already accepted.
                let _ = create_mirror(pod, &found, api);
            }
        }
    }

    /// Creates deleted mirror Pods again; their containers keep running.
    pub(super) fn renew_mirrors(&mut self, api: &mut ApiServer) {
        for key in std::mem::take(&mut self.lost_mirrors) {
            let Some(manifest) = self.manifests.get(&key) else {
                continue;
            };
            let node = api
                .store()
                .nodes
                .get(&Key::new("", node_of(manifest)))
                .cloned();
            let renewed = node.and_then(|node| create_mirror(manifest, &node, api).ok());
            match (renewed, self.workers.get_mut(&key)) {
                (Some(uid), Some(worker)) => worker.uid = uid,
                (None, Some(_)) => self.drop_worker(&key),
                (_, None) => {}
            }
        }
    }
}

/// Creates the mirror Pod and returns its UID.
fn create_mirror(manifest: &Pod, node: &Node, api: &mut ApiServer) -> Result<String, ApiError> {
    let mut mirror = manifest.clone();
    mirror.metadata.owner_references = Some(vec![OwnerReference {
        api_version: Node::API_VERSION.to_owned(),
        kind: Node::KIND.to_owned(),
        name: name_of(&node.metadata).to_owned(),
        uid: uid_of(&node.metadata).to_owned(),
        controller: Some(true),
        block_owner_deletion: None,
    }]);
    mirror.status.get_or_insert_default().phase = Some("Pending".to_owned());
    let created = api.create(mirror)?;
    Ok(uid_of(&created.metadata).to_owned())
}
