//! What `kubectl api-resources` lists: the names under which kinds can be asked for.

/// A kind and its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindInfo {
    /// As manifests and the store name it.
    pub kind: &'static str,
    /// `pods`.
    pub plural: &'static str,
    /// `pod`.
    pub singular: &'static str,
    /// `po`.
    pub short: &'static [&'static str],
    /// Group and version as in manifests: `v1`, `apps/v1`.
    pub api_version: &'static str,
    pub namespaced: bool,
}

impl KindInfo {
    /// As Go prints group, version and resource: `/v1, Resource=pods`.
    pub fn version_and_resource(&self) -> String {
        let slash = if self.api_version.contains('/') {
            ""
        } else {
            "/"
        };
        format!("{slash}{}, Resource={}", self.api_version, self.plural)
    }

    /// The group; empty for the core group.
    pub fn group(&self) -> &'static str {
        self.api_version
            .split_once('/')
            .map_or("", |(group, _)| group)
    }

    /// As the API server names the kind: `pods`, `deployments.apps`.
    pub fn resource(&self) -> String {
        match self.group() {
            "" => self.plural.to_owned(),
            group => format!("{}.{group}", self.plural),
        }
    }

    /// As kubectl names objects of the kind: `pod`, `deployment.apps`.
    pub fn qualified(&self) -> String {
        match self.group() {
            "" => self.singular.to_owned(),
            group => format!("{}.{group}", self.singular),
        }
    }
}

/// Groups of kinds that `kubectl get all` lists, in its order.
pub const ALL: [&str; 9] = [
    "Pod",
    "ReplicationController",
    "Service",
    "DaemonSet",
    "Deployment",
    "ReplicaSet",
    "StatefulSet",
    "CronJob",
    "Job",
];

macro_rules! kinds {
    ($($kind:literal $plural:literal $singular:literal [$($short:literal)*] $version:literal $namespaced:literal;)*) => {
        /// Every kind that is held, by group and name.
        pub const KINDS: &[KindInfo] = &[
            $(KindInfo {
                kind: $kind,
                plural: $plural,
                singular: $singular,
                short: &[$($short),*],
                api_version: $version,
                namespaced: $namespaced,
            },)*
        ];
    };
}

kinds! {
    "Event" "events" "event" ["ev"] "v1" true;
    "LimitRange" "limitranges" "limitrange" ["limits"] "v1" true;
    "Namespace" "namespaces" "namespace" ["ns"] "v1" false;
    "Node" "nodes" "node" ["no"] "v1" false;
    "PersistentVolumeClaim" "persistentvolumeclaims" "persistentvolumeclaim" ["pvc"] "v1" true;
    "PersistentVolume" "persistentvolumes" "persistentvolume" ["pv"] "v1" false;
    "Pod" "pods" "pod" ["po"] "v1" true;
    "ReplicationController" "replicationcontrollers" "replicationcontroller" ["rc"] "v1" true;
    "ResourceQuota" "resourcequotas" "resourcequota" ["quota"] "v1" true;
    "Service" "services" "service" ["svc"] "v1" true;
    "ControllerRevision" "controllerrevisions" "controllerrevision" [] "apps/v1" true;
    "DaemonSet" "daemonsets" "daemonset" ["ds"] "apps/v1" true;
    "Deployment" "deployments" "deployment" ["deploy"] "apps/v1" true;
    "ReplicaSet" "replicasets" "replicaset" ["rs"] "apps/v1" true;
    "StatefulSet" "statefulsets" "statefulset" ["sts"] "apps/v1" true;
    "CronJob" "cronjobs" "cronjob" ["cj"] "batch/v1" true;
    "Job" "jobs" "job" [] "batch/v1" true;
    "PodDisruptionBudget" "poddisruptionbudgets" "poddisruptionbudget" ["pdb"] "policy/v1" true;
    "PriorityClass" "priorityclasses" "priorityclass" ["pc"] "scheduling.k8s.io/v1" false;
    "CSIDriver" "csidrivers" "csidriver" [] "storage.k8s.io/v1" false;
    "CSINode" "csinodes" "csinode" [] "storage.k8s.io/v1" false;
    "StorageClass" "storageclasses" "storageclass" ["sc"] "storage.k8s.io/v1" false;
}

/// The kind that a name means: plural, singular, short or with its group (`deployments.apps`,
/// `deployments.v1.apps`), in any case.
pub fn find(name: &str) -> Option<&'static KindInfo> {
    let name = name.to_ascii_lowercase();
    let (name, group) = match name.split_once('.') {
        Some((name, group)) => (name.to_owned(), Some(group.to_owned())),
        None => (name, None),
    };
    let group = group.as_deref();
    let group = group.map(|group| group.strip_prefix("v1.").unwrap_or(group));
    let is_named = |info: &&KindInfo| {
        info.plural == name || info.singular == name || info.short.contains(&name.as_str())
    };
    let fits = |info: &&KindInfo| group.is_none_or(|group| info.group() == group);
    KINDS.iter().filter(is_named).find(fits)
}

/// What is known of a kind by its name in manifests.
pub fn of_kind(kind: &str) -> Option<&'static KindInfo> {
    KINDS.iter().find(|info| info.kind == kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_found_by_every_name() {
        for name in [
            "deploy",
            "deployment",
            "Deployments",
            "deployments.apps",
            "deployment.v1.apps",
        ] {
            assert_eq!(
                find(name).map(|info| info.kind),
                Some("Deployment"),
                "{name}"
            );
        }
        assert_eq!(find("po").map(|info| info.kind), Some("Pod"));
        assert_eq!(find("deployments.batch"), None);
        assert_eq!(find("widgets"), None);
    }
}
