//! A DeschedulerPolicy (`descheduler/v1alpha2`; `policyconfig.go`, `pkg/framework/profile`).

use berth_core::api::yaml;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Map, Value};

use berth_kubectl::parse_labels;
use berth_sim::kubelet::static_pods::CRITICAL;

use super::args::{DefaultEvictorArgs, LowNodeUtilizationArgs, RemoveDuplicatesArgs};

const API_VERSION: &str = "descheduler/v1alpha2";
const DEFAULT_EVICTOR: &str = "DefaultEvictor";
pub(super) const LOW_NODE_UTILIZATION: &str = "LowNodeUtilization";
pub(super) const REMOVE_DUPLICATES: &str = "RemoveDuplicates";

/// The plugins of the release, by their extension points (`setupplugins.go`).
const BALANCE: [&str; 4] = [
    "HighNodeUtilization",
    LOW_NODE_UTILIZATION,
    REMOVE_DUPLICATES,
    "RemovePodsViolatingTopologySpreadConstraint",
];
const DESCHEDULE: [&str; 6] = [
    "PodLifeTime",
    "RemoveFailedPods",
    "RemovePodsHavingTooManyRestarts",
    "RemovePodsViolatingInterPodAntiAffinity",
    "RemovePodsViolatingNodeAffinity",
    "RemovePodsViolatingNodeTaints",
];

/// What is evicted, and by which plugins.
#[derive(Clone, Debug)]
pub struct Policy {
    pub(super) node_selector: String,
    pub(super) limits: Limits,
    pub(super) profiles: Vec<Profile>,
    /// Grace period of evicted Pods in seconds, in place of their own.
    pub(crate) grace_seconds: Option<i64>,
    /// Plugins that are enabled, and are not played.
    pub(crate) left_out: Vec<LeftOut>,
}

/// An enabled plugin that is not played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    pub profile: String,
    pub plugin: String,
    /// It goes by what Pods use, which files do not tell.
    pub for_metrics: bool,
}

/// How many Pods are evicted in a cycle at most.
#[derive(Clone, Debug, Default)]
pub(super) struct Limits {
    pub per_node: Option<u64>,
    pub per_namespace: Option<u64>,
    pub total: Option<u64>,
}

#[derive(Clone, Debug)]
pub(super) struct Profile {
    pub name: String,
    pub evictor: DefaultEvictorArgs,
    /// In the order in which they run.
    pub plugins: Vec<Plugin>,
}

#[derive(Clone, Debug)]
pub(super) enum Plugin {
    LowNodeUtilization(LowNodeUtilizationArgs),
    RemoveDuplicates(RemoveDuplicatesArgs),
}

impl Plugin {
    pub fn name(&self) -> &'static str {
        match self {
            Self::LowNodeUtilization(_) => LOW_NODE_UTILIZATION,
            Self::RemoveDuplicates(_) => REMOVE_DUPLICATES,
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct PolicyFile {
    api_version: String,
    kind: String,
    profiles: Vec<ProfileFile>,
    node_selector: String,
    max_no_of_pods_to_evict_per_node: Option<u64>,
    max_no_of_pods_to_evict_per_namespace: Option<u64>,
    max_no_of_pods_to_evict_total: Option<u64>,
    grace_period_seconds: Option<i64>,
    // Events, and where metrics come from.
    #[serde(rename = "evictionFailureEventNotification")]
    _events: IgnoredAny,
    #[serde(rename = "metricsCollector")]
    _collector: IgnoredAny,
    #[serde(rename = "metricsProviders")]
    _providers: IgnoredAny,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct ProfileFile {
    name: String,
    plugin_config: Vec<PluginConfig>,
    plugins: Plugins,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct PluginConfig {
    name: String,
    args: Value,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Plugins {
    deschedule: PluginSet,
    balance: PluginSet,
    filter: PluginSet,
    preevictionfilter: PluginSet,
    #[serde(rename = "presort")]
    _presort: IgnoredAny,
    #[serde(rename = "sort")]
    _sort: IgnoredAny,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct PluginSet {
    enabled: Vec<String>,
    // The release reads it and does nothing with it.
    #[serde(rename = "disabled")]
    _disabled: IgnoredAny,
}

impl Policy {
    /// Reads a policy: YAML or JSON, by itself or in a ConfigMap's `policy.yaml`.
    ///
    /// # Errors
    /// What is wrong with it, as far as the descheduler checks it in the descheduler's words; also if it enables no plugin that
    /// is played.
    pub fn read(text: &str) -> Result<Self, String> {
        let policy = Self::of_value(read_value(text)?, true)?;
        if policy
            .profiles
            .iter()
            .all(|profile| profile.plugins.is_empty())
        {
            let names: Vec<&str> = policy
                .left_out
                .iter()
                .map(|it| it.plugin.as_str())
                .collect();
            return Err(match names.as_slice() {
                [] => "no profile enables a balance plugin".to_owned(),
                names => format!(
                    "of its plugins none is played: {}; these are: {LOW_NODE_UTILIZATION} by requests, {REMOVE_DUPLICATES}",
                    names.join(", ")
                ),
            });
        }
        Ok(policy)
    }

    /// `is_checked`: whether arguments are validated.
    pub(super) fn of_value(value: Value, is_checked: bool) -> Result<Self, String> {
        let file: PolicyFile = decoded(value)?;
        if file.kind != "DeschedulerPolicy" {
            let kind = file.kind;
            return Err(format!("expected a DeschedulerPolicy, got kind {kind:?}"));
        }
        if file.api_version != API_VERSION {
            let version = file.api_version;
            return Err(format!(
                "expected apiVersion {API_VERSION}, got {version:?}"
            ));
        }
        check_selector(&file.node_selector)?;
        let mut policy = Self {
            node_selector: file.node_selector,
            limits: Limits {
                per_node: file.max_no_of_pods_to_evict_per_node,
                per_namespace: file.max_no_of_pods_to_evict_per_namespace,
                total: file.max_no_of_pods_to_evict_total,
            },
            profiles: Vec::new(),
            grace_seconds: file.grace_period_seconds,
            left_out: Vec::new(),
        };
        for profile in file.profiles {
            let profile = profile.read(is_checked, &mut policy.left_out)?;
            policy.profiles.push(profile);
        }
        Ok(policy)
    }

    /// Looks up the priorities of PriorityClasses that thresholds name.
    ///
    /// # Errors
    /// If there is none of the name, or a threshold is higher than that of system-critical Pods.
    pub fn resolve(&mut self, priority_of: impl Fn(&str) -> Option<i32>) -> Result<(), String> {
        for profile in &mut self.profiles {
            let Some(threshold) = &mut profile.evictor.priority_threshold else {
                continue;
            };
            let name = &threshold.name;
            if threshold.value.is_none() && !name.is_empty() {
                let missing = || {
                    format!(
                        "unable to get priority value from the priority class: priorityclasses.scheduling.k8s.io {name:?} not found"
                    )
                };
                threshold.value = Some(priority_of(name).ok_or_else(missing)?);
            }
            if threshold.value.is_some_and(|value| value > CRITICAL) {
                let message = format!("priority threshold can't be greater than {CRITICAL}");
                return Err(message);
            }
        }
        Ok(())
    }

    /// The names of the plugins that are played, in the order in which they run.
    pub fn plugins(&self) -> Vec<String> {
        let plugins = self.profiles.iter().flat_map(|profile| &profile.plugins);
        plugins.map(|plugin| plugin.name().to_owned()).collect()
    }
}

impl ProfileFile {
    fn read(self, is_checked: bool, left_out: &mut Vec<LeftOut>) -> Result<Profile, String> {
        let profile = &self.name;
        self.check_names()?;
        let (mut evictor, mut plugins) = (DefaultEvictorArgs::default(), Vec::new());
        let checked = |result: Result<(), String>| match is_checked {
            true => result.map_err(|why| format!("in profile {profile}: {why}")),
            false => Ok(()),
        };
        if let Some(args) = self.config(DEFAULT_EVICTOR) {
            evictor = self.args(DEFAULT_EVICTOR, args)?;
            checked(evictor.validate())?;
            check_selector(&evictor.node_selector)?;
        }
        let enabled = self.plugins.deschedule.enabled.iter();
        for name in enabled.chain(&self.plugins.balance.enabled) {
            let Some(args) = self.config(name) else {
                return Err(format!(
                    "in profile {profile}: unable to find {name:?} plugin config"
                ));
            };
            let left = |for_metrics| LeftOut {
                profile: profile.clone(),
                plugin: name.clone(),
                for_metrics,
            };
            match name.as_str() {
                LOW_NODE_UTILIZATION => {
                    let args: LowNodeUtilizationArgs = self.args(name, args)?;
                    checked(args.validate())?;
                    match args.goes_by_metrics() {
                        true => left_out.push(left(true)),
                        false => plugins.push(Plugin::LowNodeUtilization(args)),
                    }
                }
                REMOVE_DUPLICATES => {
                    let args: RemoveDuplicatesArgs = self.args(name, args)?;
                    checked(args.validate())?;
                    plugins.push(Plugin::RemoveDuplicates(args));
                }
                _ => left_out.push(left(false)),
            }
        }
        Ok(Profile {
            name: self.name.clone(),
            evictor,
            plugins,
        })
    }

    /// Whether the release has these plugins, at these extension points.
    fn check_names(&self) -> Result<(), String> {
        let profile = &self.name;
        let is_known = |name: &str| {
            name == DEFAULT_EVICTOR || BALANCE.contains(&name) || DESCHEDULE.contains(&name)
        };
        if let Some(config) = self.plugin_config.iter().find(|it| !is_known(&it.name)) {
            let name = &config.name;
            let message =
                format!("in profile {profile}: plugin {name} in pluginConfig not registered");
            return Err(message);
        }
        let points: [(&str, &PluginSet, &[&str]); 4] = [
            ("deschedule", &self.plugins.deschedule, &DESCHEDULE),
            ("balance", &self.plugins.balance, &BALANCE),
            ("filter", &self.plugins.filter, &[DEFAULT_EVICTOR]),
            (
                "preEvictionFilter",
                &self.plugins.preevictionfilter,
                &[DEFAULT_EVICTOR],
            ),
        ];
        for (point, set, known) in points {
            let unknown = set
                .enabled
                .iter()
                .filter(|name| !known.contains(&name.as_str()));
            let unknown: Vec<&str> = unknown.map(String::as_str).collect();
            if !unknown.is_empty() {
                let unknown = unknown.join(", ");
                return Err(format!(
                    "profile {profile:?} configures {point} extension point of non-existing plugins: {unknown}"
                ));
            }
        }
        Ok(())
    }

    fn config(&self, plugin: &str) -> Option<&Value> {
        let config = self.plugin_config.iter().find(|it| it.name == plugin);
        config.map(|config| &config.args)
    }

    fn args<T: DeserializeOwned + Default>(&self, plugin: &str, args: &Value) -> Result<T, String> {
        let mut args = args.clone();
        match &mut args {
            Value::Null => return Ok(T::default()),
            Value::Object(fields) => {
                fields.retain(|name, _| name != "apiVersion" && name != "kind")
            }
            _ => {}
        }
        let profile = &self.name;
        decoded(args).map_err(|why| format!("in profile {profile}: {plugin}: {why}"))
    }
}

fn decoded<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    serde_json::from_value(without_nulls(value)).map_err(|error| error.to_string())
}

/// Go decodes null as an absent field.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.into_iter().filter(|(_, value)| !value.is_null());
            let fields = fields.map(|(name, value)| (name, without_nulls(value)));
            Value::Object(fields.collect::<Map<String, Value>>())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(without_nulls).collect()),
        value => value,
    }
}

fn check_selector(labels: &str) -> Result<(), String> {
    match labels.is_empty() {
        true => Ok(()),
        false => parse_labels(labels).map(|_| ()),
    }
}

fn read_value(text: &str) -> Result<Value, String> {
    let parse = |text: &str| {
        yaml::parse(text).map_err(|error| {
            let line = error.position.line;
            format!("line {line}: {}", error.message)
        })
    };
    let value = parse(text)?.value;
    if value["kind"] != "ConfigMap" {
        return Ok(value);
    }
    match value["data"]["policy.yaml"].as_str() {
        Some(policy) => Ok(parse(policy)?.value),
        None => Err("the ConfigMap has no policy.yaml".to_owned()),
    }
}
