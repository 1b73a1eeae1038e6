//! `KubeSchedulerConfiguration` (`kubescheduler.config.k8s.io/v1`), decoded and defaulted.
//!
//! Mirrors how kube-scheduler v1.34 handles `--config`: strict decoding, its scheme's defaults,
//! and its validation, with the same messages. Unlike kube-scheduler, reading continues after an
//! error: invalid fields count as absent.

mod decode;
mod decode_args;
mod decode_plugins;
mod validate;
mod validate_args;

#[cfg(test)]
mod profiles;
#[cfg(test)]
mod tests;

use berth_protocol::remark::Remark;
use serde_json::Value;

use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::release::Release;
use decode::{Decoder, Fields, Node};

pub use crate::api::problem::Severity;
pub use berth_scheduler::config::{ExtensionPoint, Profile, SchedulerConfiguration, args, plugins};

/// The only supported version of the configuration.
pub const API_VERSION: &str = "kubescheduler.config.k8s.io/v1";

/// A problem with a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigProblem {
    /// The field: `profiles[0].plugins.score.enabled[1].weight`; `""` for the document itself.
    pub path: String,
    /// kube-scheduler's message.
    pub message: Remark,
    /// How to fix it; empty if the message suffices.
    pub help: Remark,
    /// An error if kube-scheduler would not start; a warning for settings without effect.
    pub severity: Severity,
}

impl ConfigProblem {
    fn error(path: &Path, message: impl Into<Remark>, help: Remark) -> Self {
        let path = path.as_str().to_owned();
        Self {
            path,
            message: message.into(),
            help,
            severity: Severity::Error,
        }
    }

    fn warning(path: &Path, message: impl Into<Remark>, help: Remark) -> Self {
        let path = path.as_str().to_owned();
        Self {
            path,
            message: message.into(),
            help,
            severity: Severity::Warning,
        }
    }
}

impl From<FieldError> for ConfigProblem {
    fn from(error: FieldError) -> Self {
        let FieldError {
            path,
            message,
            help,
            ..
        } = error;
        Self {
            path,
            message: message.into(),
            help,
            severity: Severity::Error,
        }
    }
}

/// Decodes a configuration of a release, applies the defaults, and validates the result.
///
/// The configuration is usable even with problems.
pub fn read(value: &Value, release: &Release) -> (SchedulerConfiguration, Vec<ConfigProblem>) {
    let mut problems = Vec::new();
    let mut configuration = SchedulerConfiguration::default();
    let mut decoder = Decoder::new(&mut problems, release);
    let node = Node::document(value, Path::root());
    if let Some(mut fields) = decoder.object(&node, "KubeSchedulerConfiguration") {
        decode_configuration(&mut decoder, &mut fields, &mut configuration);
        decoder.finish(fields);
    }
    problems.extend(
        validate::configuration(&configuration)
            .into_iter()
            .map(Into::into),
    );
    (configuration, problems)
}

fn decode_configuration(
    decoder: &mut Decoder<'_>,
    fields: &mut Fields<'_>,
    configuration: &mut SchedulerConfiguration,
) {
    decode_type(decoder, fields);
    if let Some(number) = fields
        .take("parallelism")
        .and_then(|node| decoder.int32(&node))
    {
        configuration.parallelism = number;
    }
    let percentage = fields.take("percentageOfNodesToScore");
    if let Some(number) = percentage.and_then(|node| decoder.int32(&node)) {
        configuration.percentage_of_nodes_to_score = number;
    }
    let initial = fields.take("podInitialBackoffSeconds");
    if let Some(seconds) = initial.and_then(|node| decoder.int64(&node)) {
        configuration.pod_initial_backoff_seconds = seconds;
    }
    let max = fields.take("podMaxBackoffSeconds");
    if let Some(seconds) = max.and_then(|node| decoder.int64(&node)) {
        configuration.pod_max_backoff_seconds = seconds;
    }
    if let Some(node) = fields.take("profiles") {
        let mut profiles = decoder.list(&node, "v1.KubeSchedulerProfile", decode_profile);
        if let [(name @ None, _)] = profiles.as_mut_slice() {
            *name = Some(Profile::default().scheduler_name);
        }
        if !profiles.is_empty() {
            let named = |(name, profile): (Option<String>, Profile)| Profile {
                scheduler_name: name.unwrap_or_default(),
                ..profile
            };
            configuration.profiles = profiles.into_iter().map(named).collect();
        }
    }
    let is_used = |node: &Node<'_>| node.value.as_array().is_some_and(|list| !list.is_empty());
    if let Some(node) = fields.take("extenders").filter(is_used) {
        let (message, help) = (Remark::no_extenders(), Remark::remove_extenders());
        decoder.report(ConfigProblem::warning(&node.path, message, help));
    }
    fields.ignore(&[
        "clientConnection",
        "delayCacheUntilActive",
        "enableContentionProfiling",
        "enableProfiling",
        "leaderElection",
    ]);
}

/// `apiVersion` and `kind`, which were checked when the document was found.
fn decode_type(decoder: &mut Decoder<'_>, fields: &mut Fields<'_>) {
    fields.ignore(&["kind"]);
    let Some(node) = fields.take("apiVersion") else {
        return;
    };
    if let Some(version) = decoder
        .string(&node)
        .filter(|version| version != API_VERSION)
    {
        let message =
            format!("no kind \"KubeSchedulerConfiguration\" is registered for version {version:?}");
        let help = Remark::only_config_version(API_VERSION);
        decoder.report(ConfigProblem::error(&node.path, message, help));
    }
}

/// Decodes one profile and its name, which a single profile may omit.
fn decode_profile(decoder: &mut Decoder<'_>, node: Node<'_>) -> Option<(Option<String>, Profile)> {
    let mut fields = decoder.object(&node, "KubeSchedulerProfile")?;
    let mut profile = Profile::default();
    let name = fields
        .take("schedulerName")
        .and_then(|node| decoder.string(&node));
    let percentage = fields.take("percentageOfNodesToScore");
    profile.percentage_of_nodes_to_score = percentage.and_then(|node| decoder.int32(&node));
    if let Some(node) = fields.take("plugins") {
        profile.plugins = decode_plugins::decode(decoder, node);
    }
    if let Some(node) = fields.take("pluginConfig") {
        profile.args = decode_args::decode(decoder, &node);
    }
    decoder.finish(fields);
    Some((name, profile))
}
