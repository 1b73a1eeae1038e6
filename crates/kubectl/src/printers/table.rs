//! What `kubectl get` shows of each kind: columns and rows as the API server v1.34 prints them
//! (`pkg/printers/internalversion`).

pub(crate) mod autoscaler;
mod cluster;
mod config;
mod devices;
mod events;
mod kept;
pub(crate) mod network;
mod nodes;
mod pods;
mod storage;
mod workloads;

use serde_json::Value;

use super::fields::Fields;
use super::time;

pub(crate) use nodes::roles;
#[cfg(test)]
pub(crate) use pods::status as pod_status;
pub(crate) use storage::{access_modes, class, is_default_class};

/// A column of a kind's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    /// The column header.
    pub(crate) name: &'static str,
    /// Only `-o wide` shows it.
    pub(crate) is_wide: bool,
}

/// Columns by their headers. `-o wide` alone shows those with `wide` before them.
macro_rules! columns {
    ($($($wide:ident)? $name:literal)*) => {
        const {
            &[$($crate::printers::table::Column {
                name: $name,
                is_wide: !stringify!($($wide)?).is_empty(),
            }),*]
        }
    };
}
use columns;

/// The table of a kind: a row has one cell for each column, including the wide ones.
#[derive(Clone, Copy)]
pub(crate) struct Table {
    pub(crate) columns: &'static [Column],
    /// The cells of an object at a time (milliseconds of virtual time).
    pub(crate) row: fn(&Value, i64) -> Vec<String>,
}

/// The table of a kind; a kind without columns of its own shows name and age.
pub(crate) fn of(kind: &str) -> Table {
    match kind {
        "Pod" => pods::TABLE,
        "Node" => nodes::TABLE,
        "Event" => events::TABLE,
        "Deployment" => workloads::DEPLOYMENT,
        "ReplicaSet" | "ReplicationController" => workloads::REPLICA_SET,
        "StatefulSet" => workloads::STATEFUL_SET,
        "DaemonSet" => workloads::DAEMON_SET,
        "Job" => workloads::JOB,
        "CronJob" => workloads::CRON_JOB,
        "ControllerRevision" => workloads::REVISION,
        "PersistentVolume" => storage::VOLUME,
        "PersistentVolumeClaim" => storage::CLAIM,
        "StorageClass" => storage::CLASS,
        "CSINode" => storage::CSI_NODE,
        "CSIDriver" => storage::CSI_DRIVER,
        "CSIStorageCapacity" => storage::CSI_STORAGE_CAPACITY,
        "Namespace" => cluster::NAMESPACE,
        "Service" => cluster::SERVICE,
        "PodDisruptionBudget" => cluster::BUDGET,
        "PriorityClass" => cluster::PRIORITY_CLASS,
        "ResourceQuota" => cluster::QUOTA,
        "LimitRange" => cluster::LIMITS,
        "ConfigMap" => config::CONFIG_MAP,
        "Secret" => config::SECRET,
        "Endpoints" => network::ENDPOINTS,
        "EndpointSlice" => network::SLICE,
        "HorizontalPodAutoscaler" => autoscaler::AUTOSCALER,
        "ResourceClaim" => devices::CLAIM,
        "ResourceSlice" => devices::SLICE,
        "Scale" => SCALE,
        other => kept::of(other).unwrap_or(OTHER),
    }
}

const OTHER: Table = Table {
    columns: columns!["NAME" "AGE"],
    row: |object, now_ms| vec![name(object), age(object, now_ms)],
};

/// `--subresource=scale`.
const SCALE: Table = Table {
    columns: columns!["NAME" "DESIRED" "AVAILABLE" "AGE"],
    row: |object, now_ms| {
        vec![
            name(object),
            object.int("spec.replicas").to_string(),
            object.int("status.replicas").to_string(),
            age(object, now_ms),
        ]
    },
};

fn name(object: &Value) -> String {
    object.text("metadata.name").to_owned()
}

/// The age of an object.
fn age(object: &Value, now_ms: i64) -> String {
    time::age(object.text("metadata.creationTimestamp"), now_ms)
}

/// The names and the images of a template's containers, separated by commas.
fn containers(spec: &Value) -> [String; 2] {
    ["name", "image"].map(|field| {
        let texts: Vec<_> = spec
            .items("containers")
            .iter()
            .map(|it| it.text(field))
            .collect();
        texts.join(",")
    })
}

#[cfg(test)]
mod tests;
