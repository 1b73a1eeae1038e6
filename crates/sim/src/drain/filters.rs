//! Which Pods a drain skips, and which block it (kubectl v1.34 `pkg/drain/filters.go`).

use k8s_openapi::api::core::v1::Pod;

use super::DrainOptions;
use crate::kubelet::static_pods::MIRROR;
use crate::pod_util;
use crate::server::{ApiServer, ms_of};
use crate::store::{Key, controller_of, namespace_of};

const DAEMON_ERROR: &str = "DaemonSet-managed Pods (use --ignore-daemonsets to ignore)";
const DAEMON_WARNING: &str = "ignoring DaemonSet-managed Pods";
const STORAGE_ERROR: &str = "Pods with local storage (use --delete-emptydir-data to override)";
const STORAGE_WARNING: &str = "deleting Pods with local storage";
const UNMANAGED_ERROR: &str = "Pods that declare no controller (use --force to override)";
const UNMANAGED_WARNING: &str = "deleting Pods that declare no controller";

/// Whether a Pod is evicted, and kubectl's message about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Verdict {
    pub goes: bool,
    pub warning: Option<String>,
    pub error: Option<String>,
}

impl Verdict {
    fn goes() -> Self {
        Verdict {
            goes: true,
            ..Verdict::default()
        }
    }

    fn warning(goes: bool, warning: impl Into<String>) -> Self {
        Verdict {
            goes,
            warning: Some(warning.into()),
            error: None,
        }
    }

    fn error(error: impl Into<String>) -> Self {
        Verdict {
            error: Some(error.into()),
            ..Verdict::default()
        }
    }
}

/// Applies the filters in kubectl's order. The verdict is that of the first filter that keeps the Pod, else that of the
/// last filter.
pub(super) fn judge(pod: &Pod, options: &DrainOptions, api: &ApiServer) -> Verdict {
    let filters: [fn(&Pod, &DrainOptions, &ApiServer) -> Verdict; 5] = [
        skip_deleted,
        daemon_set,
        mirror_pod,
        local_storage,
        unreplicated,
    ];
    let mut verdict = Verdict::default();
    for filter in filters {
        verdict = filter(pod, options, api);
        if !verdict.goes {
            break;
        }
    }
    verdict
}

/// Whether a Pod's deletion is so long overdue that kubectl does not wait for it.
pub(super) fn is_overdue(pod: &Pod, options: &DrainOptions, now_ms: i64) -> bool {
    let limit = options.skip_wait_for_delete_timeout_seconds;
    let deletion = pod.metadata.deletion_timestamp.as_ref();
    limit > 0 && deletion.is_some_and(|end| (now_ms - ms_of(end)).div_euclid(1_000) > limit)
}

fn skip_deleted(pod: &Pod, options: &DrainOptions, api: &ApiServer) -> Verdict {
    if is_overdue(pod, options, api.now_ms()) {
        Verdict::default()
    } else {
        Verdict::goes()
    }
}

fn daemon_set(pod: &Pod, options: &DrainOptions, api: &ApiServer) -> Verdict {
    let owner = controller_of(&pod.metadata).filter(|owner| owner.kind == "DaemonSet");
    let Some(owner) = owner.filter(|_| !pod_util::is_finished(pod)) else {
        return Verdict::goes();
    };
    let key = Key::new(namespace_of(&pod.metadata), owner.name.as_str());
    // A dump may lack the DaemonSet; in the dumped cluster it is there.
    if api.store().daemon_sets.get(&key).is_none() && !api.is_assumed_to_exist(&owner.uid) {
        let message = format!("daemonsets.apps {:?} not found", owner.name);
        return if options.force {
            Verdict::warning(true, message)
        } else {
            Verdict::error(message)
        };
    }
    if options.ignore_daemonsets {
        Verdict::warning(false, DAEMON_WARNING)
    } else {
        Verdict::error(DAEMON_ERROR)
    }
}

fn mirror_pod(pod: &Pod, _: &DrainOptions, _: &ApiServer) -> Verdict {
    if pod_util::annotation_of(pod, MIRROR).is_some() {
        Verdict::default()
    } else {
        Verdict::goes()
    }
}

fn local_storage(pod: &Pod, options: &DrainOptions, _: &ApiServer) -> Verdict {
    let volumes = pod
        .spec
        .iter()
        .flat_map(|spec| spec.volumes.iter().flatten());
    let mut local = volumes.filter(|volume| volume.empty_dir.is_some());
    if local.next().is_none() || pod_util::is_finished(pod) {
        Verdict::goes()
    } else if options.delete_emptydir_data {
        Verdict::warning(true, STORAGE_WARNING)
    } else {
        Verdict::error(STORAGE_ERROR)
    }
}

fn unreplicated(pod: &Pod, options: &DrainOptions, _: &ApiServer) -> Verdict {
    if pod_util::is_finished(pod) || controller_of(&pod.metadata).is_some() {
        Verdict::goes()
    } else if options.force {
        Verdict::warning(true, UNMANAGED_WARNING)
    } else {
        Verdict::error(UNMANAGED_ERROR)
    }
}
