//! The commands of kubectl, one file or folder per command, as in kubectl's own `pkg/cmd`.

mod annotate;
mod api_resources;
mod apply;
pub(crate) mod auth;
mod autoscale;
mod completion;
pub(crate) mod config;
mod create;
mod delete;
mod describe;
mod diff;
mod drain;
mod edit;
mod env_from;
mod env_list;
mod events;
mod explain;
mod expose;
mod fixed;
mod get;
pub mod help;
mod label;
mod logs;
mod patch;
mod replace;
mod rollout;
mod run;
mod scale;
mod set;
mod taint;
mod top;
mod version;
mod wait;

use super::call::Verb;
use create::{generate, workloads};
use rollout::history;

pub(crate) use create::generate::in_full;
pub use create::not_kept;
pub use edit::edited;

/// All commands, including those of several words (`rollout undo`).
pub fn verbs() -> impl Iterator<Item = &'static Verb> {
    VERBS.iter().chain(fixed::VERBS)
}

const VERBS: &[Verb] = &[
    annotate::ANNOTATE,
    api_resources::API_RESOURCES,
    api_resources::API_VERSIONS,
    apply::APPLY,
    apply::last_applied::EDIT,
    apply::last_applied::SET,
    apply::last_applied::VIEW,
    auth::CAN_I,
    completion::COMPLETION,
    config::CONFIG_GET,
    config::CONFIG_SET,
    config::CONFIG_UNSET,
    config::CONFIG_USE,
    config::CONFIG_VIEW,
    create::CREATE,
    create::access::CLUSTER_ROLE,
    create::access::CLUSTER_ROLE_BINDING,
    create::access::ROLE,
    create::access::ROLE_BINDING,
    create::access::SERVICE_ACCOUNT,
    create::access::SERVICE_ACCOUNT_SHORT,
    create::ingress::INGRESS,
    create::ingress::INGRESS_SHORT,
    create::config::CONFIG_MAP,
    create::config::CONFIG_MAP_SHORT,
    generate::BUDGET,
    generate::BUDGET_SHORT,
    workloads::CRON_JOB,
    workloads::CRON_JOB_SHORT,
    workloads::DEPLOYMENT,
    workloads::DEPLOYMENT_SHORT,
    workloads::JOB,
    generate::NAMESPACE,
    generate::NAMESPACE_SHORT,
    generate::PRIORITY_CLASS,
    generate::PRIORITY_CLASS_SHORT,
    generate::QUOTA,
    generate::QUOTA_LONG,
    create::secret::SECRET_DOCKER,
    create::secret::SECRET_GENERIC,
    create::secret::SECRET_TLS,
    create::service::BALANCER,
    create::service::CLUSTER_IP,
    create::service::EXTERNAL_NAME,
    create::service::NODE_PORT,
    delete::DELETE,
    describe::DESCRIBE,
    diff::DIFF,
    drain::CORDON,
    drain::DRAIN,
    drain::UNCORDON,
    edit::EDIT,
    events::EVENTS,
    explain::EXPLAIN,
    autoscale::AUTOSCALE,
    expose::EXPOSE,
    get::GET,
    help::HELP,
    help::OPTIONS,
    label::LABEL,
    logs::LOGS,
    patch::PATCH,
    replace::REPLACE,
    rollout::PAUSE,
    rollout::RESTART,
    rollout::RESUME,
    rollout::STATUS,
    rollout::UNDO,
    history::HISTORY,
    run::RUN,
    scale::SCALE,
    set::ACCOUNT,
    set::ACCOUNT_SHORT,
    set::ENV,
    set::IMAGE,
    set::RESOURCES,
    set::SELECTOR_VERB,
    taint::TAINT,
    top::TOP_NODE,
    top::TOP_NODES,
    top::TOP_NO,
    top::TOP_POD,
    top::TOP_PODS,
    top::TOP_PO,
    version::VERSION,
    wait::WAIT,
];

#[cfg(test)]
mod tests;
