//! Which Kubernetes the nodes of a dump run.

use std::collections::BTreeSet;

use berth_core::api::object::Manifest;
use berth_protocol::remark::Remark;

use super::Session;

impl Session {
    /// That the nodes' kubelets are of another minor release than the one that is followed; `None` if they are not, or do
    /// not say.
    pub fn other_kubelets(&self) -> Option<Remark> {
        let manifests = self.manifests();
        let own = manifests.prepared.release.version();
        let nodes = manifests.loaded.documents.iter();
        let versions: BTreeSet<(u32, &str)> = nodes
            .filter_map(|document| match document.object.as_deref()? {
                Manifest::Node(node) => {
                    let info = node.status.as_ref()?.node_info.as_ref()?;
                    minor_of(&info.kubelet_version)
                }
                _ => None,
            })
            .collect();
        let differs = versions.iter().any(|(_, minor)| *minor != own.minor());
        let versions: Vec<String> = versions.iter().map(|(_, it)| format!("v{it}")).collect();
        differs.then(|| Remark::other_kubelets(versions, own.full()))
    }
}

/// `1.32` of `v1.32.5-eks-1a2b3c`, and its second number to sort by.
fn minor_of(version: &str) -> Option<(u32, &str)> {
    let version = version.strip_prefix('v').unwrap_or(version);
    let dot = version.find('.')?;
    let rest = version.get(dot + 1..)?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    Some((
        rest.get(..digits)?.parse().ok()?,
        version.get(..dot + 1 + digits)?,
    ))
}

#[cfg(test)]
mod tests {
    use crate::testing::session;

    fn said(versions: &[&str]) -> Option<String> {
        let nodes = versions.iter().enumerate().map(|(at, version)| {
            format!(
                "{{apiVersion: v1, kind: Node, metadata: {{name: n{at}}}, status: {{nodeInfo: {{kubeletVersion: {version}}}}}}}\n"
            )
        });
        let text = nodes.collect::<Vec<String>>().join("---\n");
        let remark = session(&text).other_kubelets();
        remark.map(|remark| remark.to_string())
    }

    #[test]
    fn kubelets_of_another_release_are_named() {
        assert_eq!(said(&["v1.34.3-gke.100"]), None);
        assert_eq!(said(&["''", "unknown"]), None);
        let follows = "and Berth follows v1.34.1: features and the wording of messages may differ";
        assert_eq!(
            said(&["v1.32.5-eks-1a2b3c", "v1.32.5-eks-1a2b3c"]).as_deref(),
            Some(&*format!("the nodes run Kubernetes v1.32, {follows}"))
        );
        assert_eq!(
            said(&["v1.34.0", "v1.9.1", "v1.33.0"]).as_deref(),
            Some(&*format!(
                "the nodes run Kubernetes v1.9, v1.33, v1.34, {follows}"
            ))
        );
    }
}
