//! `kubectl cordon` and `kubectl drain`: their effects and output (kubectl v1.34 `pkg/drain`, `pkg/cmd/drain`).
//!
//! [`plan`] lists the Pods that a drain would evict, and what blocks it. [`DrainCommand`] runs a whole drain step by
//! step, and returns the lines that kubectl prints.

mod command;
mod evictions;
mod filters;
mod patient;

use k8s_openapi::api::core::v1::{Node, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use super::pod_util;
use super::server::{ApiError, ApiServer};
use super::store::Key;
use berth_core::api::prepare::node_fit::is_cordoned;
use berth_scheduler::selector;

pub use command::DrainCommand;
pub use evictions::Refused;
pub use patient::{Course, PATIENCE_MS, PatientDrain};

/// The flag `--dry-run`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DryRun {
    #[default]
    None,
    Client,
    Server,
}

impl DryRun {
    /// What kubectl adds to its lines.
    fn suffix(self) -> &'static str {
        match self {
            DryRun::None => "",
            DryRun::Client => " (dry run)",
            DryRun::Server => " (server dry run)",
        }
    }
}

/// The flags of `kubectl drain`.
#[derive(Clone, Debug, Default)]
pub struct DrainOptions {
    pub ignore_daemonsets: bool,
    pub delete_emptydir_data: bool,
    pub force: bool,
    /// Deletes instead of evicting, which bypasses budgets.
    pub disable_eviction: bool,
    /// Grace period in seconds, in place of each Pod's own.
    pub grace_seconds: Option<i64>,
    /// Time after which kubectl gives up, in milliseconds; never if `None`.
    pub timeout_ms: Option<i64>,
    /// Pods whose deletion timestamp is older than this many seconds are not waited for; 0 disables the check.
    pub skip_wait_for_delete_timeout_seconds: i64,
    /// Only Pods with these labels.
    pub pod_selector: Option<LabelSelector>,
    pub dry_run: DryRun,
    /// Pods are evicted in an order by this seed; in the order of names if `None`. kubectl evicts all at once.
    pub order: Option<u64>,
}

impl DrainOptions {
    /// `--ignore-daemonsets --delete-emptydir-data --force`: all evictions that kubectl can be told to make.
    pub fn of_all_pods() -> Self {
        Self {
            ignore_daemonsets: true,
            delete_emptydir_data: true,
            force: true,
            ..Self::default()
        }
    }
}

/// The line that drains a node with [`DrainOptions::of_all_pods`].
pub fn line_of_all_pods(node: &str) -> String {
    format!("kubectl drain {node} --ignore-daemonsets --delete-emptydir-data --force")
}

/// A line that kubectl prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub text: String,
    /// Whether it is printed to standard error.
    pub is_error: bool,
}

impl Line {
    fn out(text: impl Into<String>) -> Self {
        Line {
            text: text.into(),
            is_error: false,
        }
    }

    fn error(text: impl Into<String>) -> Self {
        Line {
            text: text.into(),
            is_error: true,
        }
    }
}

/// What a drain of a node would do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrainPlan {
    /// The Pods to evict, by namespace and name; listed even if there are errors.
    pub evict: Vec<Key>,
    /// kubectl's warnings: each is a reason with its Pods.
    pub warnings: Vec<String>,
    /// Why the node cannot be drained.
    pub errors: Vec<String>,
}

impl DrainPlan {
    /// `Warning: …`, if there is something to warn of.
    pub fn warning_line(&self) -> Option<String> {
        let warnings = self.warnings.join("; ");
        (!warnings.is_empty()).then(|| format!("Warning: {warnings}"))
    }

    /// All errors as one.
    pub fn error(&self) -> Option<String> {
        aggregate(&self.errors)
    }
}

/// Several errors as Go prints an aggregate: without duplicates, in brackets if there are several.
fn aggregate(errors: &[String]) -> Option<String> {
    let mut once: Vec<&str> = Vec::new();
    for error in errors {
        if !once.contains(&error.as_str()) {
            once.push(error);
        }
    }
    match once.as_slice() {
        [] => None,
        [one] => Some((*one).to_owned()),
        several => Some(format!("[{}]", several.join(", "))),
    }
}

/// The Pods of a node that a drain would evict, and kubectl's messages about the others.
pub fn plan(node: &str, options: &DrainOptions, api: &ApiServer) -> DrainPlan {
    let selected = |pod: &Pod| {
        let Some(wanted) = &options.pod_selector else {
            return true;
        };
        let labels = pod.metadata.labels.clone().unwrap_or_default();
        selector::matches(wanted, &labels)
    };
    let on_node = api
        .store()
        .pods
        .iter()
        .filter(|pod| pod_util::node_of(pod) == node && selected(pod));
    let mut plan = DrainPlan::default();
    let mut warnings: Vec<(String, Vec<String>)> = Vec::new();
    let mut errors: Vec<(String, Vec<String>)> = Vec::new();
    for pod in on_node {
        let verdict = filters::judge(pod, options, api);
        let key = Key::of(&pod.metadata);
        if let Some(warning) = verdict.warning {
            note(&mut warnings, warning, &key);
        }
        if let Some(error) = verdict.error {
            note(&mut errors, error, &key);
        }
        if verdict.goes {
            plan.evict.push(key);
        }
    }
    let line = |(why, pods): (String, Vec<String>)| format!("{why}: {}", pods.join(", "));
    plan.warnings = warnings.into_iter().map(line).collect();
    plan.errors = errors
        .into_iter()
        .map(|error| format!("cannot delete {}", line(error)))
        .collect();
    plan
}

/// Groups a Pod with those of the same message.
fn note(lists: &mut Vec<(String, Vec<String>)>, why: String, key: &Key) {
    match lists.iter_mut().find(|(known, _)| *known == why) {
        Some((_, pods)) => pods.push(key.to_string()),
        None => lists.push((why, vec![key.to_string()])),
    }
}

/// Cordons or uncordons a node, and returns the line that kubectl prints.
///
/// # Errors
/// If there is no such node.
pub fn cordon(
    node: &str,
    wanted: bool,
    dry_run: DryRun,
    api: &mut ApiServer,
) -> Result<Line, ApiError> {
    let key = Key::new("", node);
    let Some(current) = api.store().nodes.get(&key).cloned() else {
        let kind = <Node as k8s_openapi::Resource>::KIND;
        return Err(ApiError::NotFound { kind, key });
    };
    let done = if wanted { "cordoned" } else { "uncordoned" };
    let suffix = dry_run.suffix();
    if is_cordoned(&current) == wanted {
        return Ok(Line::out(format!("node/{node} already {done}{suffix}")));
    }
    if dry_run == DryRun::None {
        let mut changed = (*current).clone();
        changed.spec.get_or_insert_default().unschedulable = wanted.then_some(true);
        api.update(changed)?;
    }
    Ok(Line::out(format!("node/{node} {done}{suffix}")))
}

#[cfg(test)]
mod tests;
