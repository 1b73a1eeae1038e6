//! The commands of kubectl that change things, and those about the configuration.

mod apply;
mod create;
mod delete;
mod edit;
mod files;
mod generate;
mod label;
mod nodes;
mod patch;
mod patch_errors;
mod report;
mod rollout;
mod run;
mod scale;
mod session;
mod set;
mod status;
mod taint;
mod unsupported;
mod wait;
mod write;

use super::Cluster;
use super::call::{Call, Verb};
use super::kinds::KindInfo;
use crate::sim::store::Key;

pub use create::not_kept;
pub use edit::edited;

/// These commands.
pub const VERBS: &[Verb] = &[
    apply::APPLY,
    create::CREATE,
    create::REPLACE,
    delete::DELETE,
    edit::EDIT,
    generate::BUDGET,
    generate::BUDGET_SHORT,
    generate::CONFIG_MAP,
    generate::CONFIG_MAP_SHORT,
    generate::CRON_JOB,
    generate::CRON_JOB_SHORT,
    generate::DEPLOYMENT,
    generate::DEPLOYMENT_SHORT,
    generate::JOB,
    generate::NAMESPACE,
    generate::NAMESPACE_SHORT,
    generate::PRIORITY_CLASS,
    generate::PRIORITY_CLASS_SHORT,
    generate::QUOTA,
    generate::QUOTA_LONG,
    generate::SECRET_DOCKER,
    generate::SECRET_GENERIC,
    generate::SECRET_TLS,
    generate::SERVICE_BALANCER,
    generate::SERVICE_CLUSTER_IP,
    generate::SERVICE_NODE_PORT,
    label::ANNOTATE,
    label::LABEL,
    nodes::CORDON,
    nodes::DRAIN,
    nodes::UNCORDON,
    patch::PATCH,
    unsupported::ATTACH,
    unsupported::COPY,
    unsupported::DEBUG,
    unsupported::DIFF,
    unsupported::EXEC,
    unsupported::FORWARD,
    unsupported::KUSTOMIZE,
    unsupported::LOGS,
    unsupported::PROXY,
    rollout::PAUSE,
    rollout::RESTART,
    rollout::RESUME,
    rollout::STATUS,
    rollout::UNDO,
    run::EXPOSE,
    run::RUN,
    scale::AUTOSCALE,
    scale::SCALE,
    session::CAN_I,
    session::CLUSTER_INFO,
    session::COMPLETION,
    session::CONFIG_CLUSTERS,
    session::CONFIG_CURRENT,
    session::CONFIG_GET,
    session::CONFIG_SET,
    session::CONFIG_USERS,
    session::CONFIG_USE,
    session::CONFIG_VIEW,
    session::VERSION,
    session::WHOAMI,
    set::ACCOUNT,
    set::ENV,
    set::IMAGE,
    set::RESOURCES,
    set::SELECTOR_VERB,
    taint::TAINT,
    wait::WAIT,
];

/// The objects that the files of a call name, for commands that only tell about them.
///
/// # Errors
/// kubectl's lines about files that there are not, or that cannot be read.
pub(super) fn named(
    call: &Call<'_>,
    cluster: &dyn Cluster,
) -> Result<Vec<(&'static KindInfo, Key)>, String> {
    let manifests = files::read(call, cluster)?;
    if let Some(fault) = manifests.faults.into_iter().next() {
        return Err(fault);
    }
    let all = manifests.all.into_iter();
    Ok(all.map(|it| (it.kind, it.key)).collect())
}

#[cfg(test)]
mod tests;
