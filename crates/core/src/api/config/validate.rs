//! Validates a defaulted configuration like kube-scheduler v1.34 at its start.

use berth_protocol::remark::Remark;
use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::decode_args::REMOVED;
use super::plugins::{ExtensionPoint, PluginSet};
use super::validate_args::removed;
use super::{Profile, SchedulerConfiguration};
use berth_scheduler::field::{FieldError, Path};

/// The errors of the configuration, except those of `pluginConfig`.
pub(super) fn configuration(configuration: &SchedulerConfiguration) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let root = Path::root();
    if configuration.parallelism <= 0 {
        let detail = "should be an integer value greater than zero";
        errors.push(FieldError::invalid(
            &root.child("parallelism"),
            configuration.parallelism,
            detail,
        ));
    }
    profiles(
        &root.child("profiles"),
        &configuration.profiles,
        &mut errors,
    );
    percentage(
        &root,
        configuration.percentage_of_nodes_to_score,
        &mut errors,
    );
    let initial = configuration.pod_initial_backoff_seconds;
    if initial <= 0 {
        let path = root.child("podInitialBackoffSeconds");
        errors.push(FieldError::invalid(
            &path,
            initial,
            "must be greater than 0",
        ));
    }
    let max = configuration.pod_max_backoff_seconds;
    if max < initial {
        let detail = "must be greater than or equal to PodInitialBackoffSeconds";
        errors.push(FieldError::invalid(
            &root.child("podMaxBackoffSeconds"),
            max,
            detail,
        ));
    }
    errors
}

fn percentage(parent: &Path, percentage: i32, errors: &mut Vec<FieldError>) {
    if !(0..=100).contains(&percentage) {
        let path = parent.child("percentageOfNodesToScore");
        errors.push(FieldError::invalid(
            &path,
            percentage,
            "not in valid range [0-100]",
        ));
    }
}

fn profiles(path: &Path, profiles: &[Profile], errors: &mut Vec<FieldError>) {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for (i, profile) in profiles.iter().enumerate() {
        let path = path.index(i);
        let name_path = path.child("schedulerName");
        if profile.scheduler_name.is_empty() {
            let error = FieldError::required(&name_path, "");
            errors.push(error.help(Remark::own_profile_name()));
        }
        if let Some(number) = profile.percentage_of_nodes_to_score {
            percentage(&path, number, errors);
        }
        removed_plugins(&path.child("plugins"), profile, errors);
        if let Some(first) = seen.insert(&profile.scheduler_name, i) {
            // kube-scheduler prints the other field's path as JSON, which is `{}`.
            let error = FieldError::duplicate(&name_path, json!({}));
            let name = &profile.scheduler_name;
            errors.push(error.help(Remark::profile_name_taken(first, format!("{name:?}"))));
        }
    }
    common_queue_sort(path, profiles, errors);
}

fn removed_plugins(path: &Path, profile: &Profile, errors: &mut Vec<FieldError>) {
    for point in ExtensionPoint::ALL {
        let enabled = path.child(point.field()).child("enabled");
        for (i, plugin) in profile.plugins.at(point).enabled.iter().enumerate() {
            if REMOVED.contains(&plugin.name.as_str()) {
                errors.push(removed(&enabled.index(i), &plugin.name));
            }
        }
    }
}

/// All profiles share one queue, so they must use the same queue sort plugin.
fn common_queue_sort(path: &Path, profiles: &[Profile], errors: &mut Vec<FieldError>) {
    let Some((first, rest)) = profiles.split_first() else {
        return;
    };
    let canon = first.plugins.at(ExtensionPoint::QueueSort);
    if canon.enabled.len() > 1 {
        let path = path
            .index(0)
            .child("plugins")
            .child("queueSort")
            .child("Enabled");
        let detail = "only one queue sort plugin can be enabled";
        errors.push(FieldError::invalid(&path, canon.enabled.len(), detail));
    }
    for (i, profile) in rest.iter().enumerate() {
        let set = profile.plugins.at(ExtensionPoint::QueueSort);
        if set != canon {
            let path = path.index(i + 1).child("plugins").child("queueSort");
            let detail = "must be the same for all profiles";
            errors.push(FieldError::invalid(&path, set_json(set), detail));
        }
    }
}

/// A set as kube-scheduler prints it: its internal type, whose fields have no JSON names.
fn set_json(set: &PluginSet) -> Value {
    let plugin = |name: &str, weight: i32| json!({"Name": name, "Weight": weight});
    let list = |plugins: Vec<Value>| match plugins.is_empty() {
        true => Value::Null,
        false => Value::Array(plugins),
    };
    json!({
        "Enabled": list(set.enabled.iter().map(|p| plugin(&p.name, p.weight)).collect()),
        "Disabled": list(set.disabled.iter().map(|name| plugin(name, 0)).collect()),
    })
}
