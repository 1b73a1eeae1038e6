//! Which Kubernetes the nodes of a dump run.

use std::collections::BTreeSet;

use berth_core::api::object::Manifest;
use berth_protocol::remark::Remark;
use berth_scheduler::release::Version;

use crate::session::Session;

/// Kubelets of another minor release than the one that is followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherKubelets {
    /// Their releases, and the one that is followed.
    pub remark: Remark,
    /// The release that is nearest to theirs, if it is another one.
    pub nearest: Option<Version>,
}

/// That the nodes' kubelets are of another minor release than the one that is followed; `None` if they are not, or do
/// not say.
pub fn others(session: &Session) -> Option<OtherKubelets> {
    let manifests = session.manifests();
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
    if versions.iter().all(|(_, minor)| *minor == own.minor()) {
        return None;
    }
    let newest = versions.last()?.0;
    let nearest = nearest(newest);
    let versions: Vec<String> = versions.iter().map(|(_, it)| format!("v{it}")).collect();
    let is_known = nearest.number().is_some_and(|number| newest <= number);
    Some(OtherKubelets {
        remark: match is_known {
            true => Remark::other_kubelets(versions, own.full()),
            false => Remark::newer_kubelets(versions, own.full()),
        },
        nearest: (nearest != own).then_some(nearest),
    })
}

/// The oldest release that kubelets of 1.`newest` can talk to: an API server is never older than its kubelets.
fn nearest(newest: u32) -> Version {
    let mut all = Version::ALL.into_iter();
    let newer = all.find(|version| version.number().is_some_and(|number| newest <= number));
    newer.unwrap_or(Version::ALL[Version::ALL.len() - 1])
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
    use super::{Version, others};
    use crate::sources;
    use crate::testing::session;

    fn said(versions: &[&str]) -> Option<(String, Option<Version>)> {
        let nodes = versions.iter().enumerate().map(|(at, version)| {
            format!(
                "{{apiVersion: v1, kind: Node, metadata: {{name: n{at}}}, status: {{nodeInfo: {{kubeletVersion: {version}}}}}}}\n"
            )
        });
        let text = nodes.collect::<Vec<String>>().join("---\n");
        let mut session = session(&text);
        sources::set_kubernetes(&mut session, Some(Version::V1_36));
        let other = others(&session)?;
        Some((other.remark.to_string(), other.nearest))
    }

    #[test]
    fn kubelets_of_another_release_are_named_and_the_nearest_is_found() {
        assert_eq!(said(&["v1.36.3-gke.100"]), None);
        assert_eq!(said(&["''", "unknown"]), None);
        let differ = |versions: &str| {
            format!(
                "The nodes run Kubernetes {versions}, and Berth follows v1.36.3: features and the wording of messages may \
                 differ"
            )
        };
        assert_eq!(
            said(&["v1.32.5-eks-1a2b3c", "v1.32.5-eks-1a2b3c"]),
            Some((differ("v1.32"), Some(Version::V1_34)))
        );
        assert_eq!(
            said(&["v1.34.0", "v1.9.1", "v1.35.0"]),
            Some((differ("v1.9, v1.34, v1.35"), Some(Version::V1_35)))
        );
        assert_eq!(
            said(&["v1.36.0", "v1.35.0"]),
            Some((differ("v1.35, v1.36"), None)),
            "an API server is never older than its kubelets"
        );
        let (newer, nearest) = said(&["v1.37.0"]).unwrap();
        assert!(
            newer.contains("v1.37, which Berth does not follow yet"),
            "{newer}"
        );
        assert_eq!(nearest, None);
    }
}
