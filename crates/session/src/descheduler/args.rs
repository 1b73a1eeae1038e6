//! The arguments of plugins, and what the descheduler says of wrong ones (`types.go` and `validation.go` of each plugin).

use std::collections::{BTreeMap, BTreeSet};

use berth_base::duration;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use serde::Deserialize;
use serde_json::Value;

/// Percentages by resource.
pub(super) type Thresholds = BTreeMap<String, f64>;

/// In place of a resource: what a metric says.
const METRIC_RESOURCE: &str = "MetricResource";

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct LowNodeUtilizationArgs {
    pub use_deviation_thresholds: bool,
    pub thresholds: Thresholds,
    pub target_thresholds: Thresholds,
    pub number_of_nodes: i64,
    pub metrics_utilization: Option<MetricsUtilization>,
    pub evictable_namespaces: Option<Namespaces>,
    pub eviction_limits: Option<EvictionLimits>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct RemoveDuplicatesArgs {
    pub namespaces: Option<Namespaces>,
    pub exclude_owner_kinds: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct MetricsUtilization {
    pub metrics_server: bool,
    pub source: String,
    pub prometheus: Option<Value>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Namespaces {
    pub include: Vec<String>,
    pub exclude: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EvictionLimits {
    pub node: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(crate) struct DefaultEvictorArgs {
    pub node_selector: String,
    pub label_selector: Option<LabelSelector>,
    pub namespace_label_selector: Option<LabelSelector>,
    pub priority_threshold: Option<PriorityThreshold>,
    pub node_fit: bool,
    pub min_replicas: u64,
    pub min_pod_age: Option<String>,
    pub no_eviction_policy: String,
    pub pod_protections: PodProtections,
    evict_local_storage_pods: bool,
    evict_daemon_set_pods: bool,
    evict_system_critical_pods: bool,
    ignore_pvc_pods: bool,
    #[serde(rename = "ignorePodsWithoutPDB")]
    ignore_pods_without_pdb: bool,
    evict_failed_bare_pods: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct PriorityThreshold {
    pub value: Option<i32>,
    pub name: String,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(crate) struct PodProtections {
    extra_enabled: Vec<String>,
    default_disabled: Vec<String>,
    config: Option<ProtectionsConfig>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ProtectionsConfig {
    #[serde(rename = "PodsWithPVC")]
    pods_with_pvc: Option<PodsWithPvcConfig>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct PodsWithPvcConfig {
    protected_storage_classes: Vec<ProtectedStorageClass>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ProtectedStorageClass {
    name: String,
}

/// Which Pods are not evicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Protection {
    PodsWithLocalStorage,
    SystemCriticalPods,
    FailedBarePods,
    DaemonSetPods,
    PodsWithPvc,
    PodsWithoutPdb,
    PodsWithResourceClaims,
}

/// By their names: those of every policy, and those that one may add.
const DEFAULT: [(&str, Protection); 4] = [
    ("PodsWithLocalStorage", Protection::PodsWithLocalStorage),
    ("SystemCriticalPods", Protection::SystemCriticalPods),
    ("FailedBarePods", Protection::FailedBarePods),
    ("DaemonSetPods", Protection::DaemonSetPods),
];
const EXTRA: [(&str, Protection); 3] = [
    ("PodsWithPVC", Protection::PodsWithPvc),
    ("PodsWithoutPDB", Protection::PodsWithoutPdb),
    ("PodsWithResourceClaims", Protection::PodsWithResourceClaims),
];

impl LowNodeUtilizationArgs {
    /// Whether Pods of the namespace are not evicted. `include` is counted nowhere, and validation refuses it.
    pub fn excludes(&self, namespace: &str) -> bool {
        let namespaces = self.evictable_namespaces.as_ref();
        namespaces.is_some_and(|it| it.exclude.iter().any(|own| own == namespace))
    }

    /// Whether it goes by what Pods use, not by what they request.
    pub fn goes_by_metrics(&self) -> bool {
        self.metrics_utilization.is_some()
    }

    /// What the descheduler says of these arguments.
    pub fn validate(&self) -> Result<(), String> {
        let namespaces = self.evictable_namespaces.as_ref();
        if namespaces.is_some_and(|it| !it.include.is_empty()) {
            let message = "only Exclude namespaces can be set, inclusion is not supported";
            return Err(message.to_owned());
        }
        check_percentages(&self.thresholds)
            .map_err(|why| format!("thresholds config is not valid: {why}"))?;
        check_percentages(&self.target_thresholds)
            .map_err(|why| format!("targetThresholds config is not valid: {why}"))?;
        if !self.thresholds.keys().eq(self.target_thresholds.keys()) {
            let message = "thresholds and targetThresholds configured different resources";
            return Err(message.to_owned());
        }
        let mut pairs = self.thresholds.iter().zip(self.target_thresholds.values());
        let crossed = pairs.find(|((_, low), high)| low > high);
        if let Some(((name, _), _)) = crossed.filter(|_| !self.use_deviation_thresholds) {
            let message =
                format!("thresholds' {name} percentage is greater than targetThresholds'");
            return Err(message);
        }
        self.validate_metrics()
    }

    fn validate_metrics(&self) -> Result<(), String> {
        let Some(metrics) = &self.metrics_utilization else {
            return match self.thresholds.contains_key(METRIC_RESOURCE) {
                true => Err(format!("{METRIC_RESOURCE} needs metricsUtilization")),
                false => Ok(()),
            };
        };
        let query = metrics
            .prometheus
            .as_ref()
            .and_then(|it| it["query"].as_str());
        let message = match metrics.source.as_str() {
            "KubernetesMetrics" if metrics.metrics_server => {
                "it is not allowed to set both \"KubernetesMetrics\" source and metricsServer"
            }
            "KubernetesMetrics" if metrics.prometheus.is_some() => {
                "prometheus configuration is not allowed to set when source is set to \"KubernetesMetrics\""
            }
            "Prometheus" if query.unwrap_or_default().is_empty() => {
                "prometheus query is required when metrics source is set to \"Prometheus\""
            }
            _ => return Ok(()),
        };
        Err(message.to_owned())
    }
}

fn check_percentages(thresholds: &Thresholds) -> Result<(), String> {
    if thresholds.is_empty() {
        return Err("no resource threshold is configured".to_owned());
    }
    let mut wrong = thresholds
        .iter()
        .filter(|(_, it)| !(0.0..=100.0).contains(*it));
    match wrong.next() {
        Some((name, _)) => Err(format!("{name} threshold not in [0, 100] range")),
        None => Ok(()),
    }
}

impl RemoveDuplicatesArgs {
    /// Whether Pods of the namespace are looked at.
    pub fn includes(&self, namespace: &str) -> bool {
        let has = |list: &[String]| list.iter().any(|it| it == namespace);
        self.namespaces
            .as_ref()
            .is_none_or(|it| (it.include.is_empty() || has(&it.include)) && !has(&it.exclude))
    }

    pub fn validate(&self) -> Result<(), String> {
        let namespaces = self.namespaces.as_ref();
        match namespaces.filter(|it| !it.include.is_empty() && !it.exclude.is_empty()) {
            Some(_) => Err("only one of Include/Exclude namespaces can be set".to_owned()),
            None => Ok(()),
        }
    }
}

impl DefaultEvictorArgs {
    /// What is protected (`getEffectivePodProtections`): by the lists or, if they are empty, by the deprecated fields.
    pub fn protections(&self) -> BTreeSet<Protection> {
        let lists = &self.pod_protections;
        let (off, on) = match lists.is_empty() {
            false => (lists.disabled(), lists.enabled()),
            true => (self.switched_off(), self.switched_on()),
        };
        let all = DEFAULT.iter().map(|(_, protection)| *protection);
        all.filter(|it| !off.contains(it)).chain(on).collect()
    }

    fn switched_off(&self) -> Vec<Protection> {
        let fields = [
            (
                self.evict_local_storage_pods,
                Protection::PodsWithLocalStorage,
            ),
            (self.evict_daemon_set_pods, Protection::DaemonSetPods),
            (
                self.evict_system_critical_pods,
                Protection::SystemCriticalPods,
            ),
            (self.evict_failed_bare_pods, Protection::FailedBarePods),
        ];
        set(&fields)
    }

    fn switched_on(&self) -> Vec<Protection> {
        let fields = [
            (self.ignore_pvc_pods, Protection::PodsWithPvc),
            (self.ignore_pods_without_pdb, Protection::PodsWithoutPdb),
        ];
        set(&fields)
    }

    /// `None`: Pods of any age are evicted.
    pub fn min_pod_age_nanos(&self) -> Option<i64> {
        duration::parse_nanos(self.min_pod_age.as_deref()?)
    }

    /// What the descheduler says of these arguments.
    pub fn validate(&self) -> Result<(), String> {
        let mut errors = Vec::new();
        let threshold = self.priority_threshold.as_ref();
        if threshold.is_some_and(|it| it.value.is_some() && !it.name.is_empty()) {
            errors.push(
                "priority threshold misconfigured, only one of priorityThreshold fields can be set"
                    .to_owned(),
            );
        }
        if !matches!(
            self.no_eviction_policy.as_str(),
            "" | "Preferred" | "Mandatory"
        ) {
            errors.push(
                "noEvictionPolicy accepts only [\"Preferred\" \"Mandatory\"] values".to_owned(),
            );
        }
        if let Some(age) = &self.min_pod_age
            && self.min_pod_age_nanos().is_none()
        {
            errors.push(format!("time: invalid duration {age:?}"));
        }
        let has_old = !self.switched_off().is_empty() || !self.switched_on().is_empty();
        let lists = &self.pod_protections;
        if has_old && !lists.is_empty() {
            errors.push("cannot use Deprecated fields alongside PodProtections.ExtraEnabled or PodProtections.DefaultDisabled".to_owned());
        }
        if !lists.is_empty() {
            lists.validate(&mut errors);
        }
        match errors.as_slice() {
            [] => Ok(()),
            [one] => Err(one.clone()),
            several => Err(format!("[{}]", several.join(", "))),
        }
    }
}

fn set(fields: &[(bool, Protection)]) -> Vec<Protection> {
    let set = fields.iter().filter(|(is_set, _)| *is_set);
    set.map(|(_, protection)| *protection).collect()
}

fn named(names: &[String], known: &[(&str, Protection)]) -> Vec<Protection> {
    let find = |name: &String| known.iter().find(|(known, _)| known == name);
    names.iter().filter_map(find).map(|(_, it)| *it).collect()
}

impl PodProtections {
    fn is_empty(&self) -> bool {
        self.default_disabled.is_empty() && self.extra_enabled.is_empty()
    }

    fn disabled(&self) -> Vec<Protection> {
        named(&self.default_disabled, &DEFAULT)
    }

    fn enabled(&self) -> Vec<Protection> {
        named(&self.extra_enabled, &EXTRA)
    }

    fn classes(&self) -> &[ProtectedStorageClass] {
        let config = self.config.as_ref();
        let claims = config.and_then(|config| config.pods_with_pvc.as_ref());
        claims.map_or(&[], |claims| &claims.protected_storage_classes)
    }

    /// The storage classes whose claims protect a Pod; all if it is empty.
    pub fn protected_classes(&self) -> Vec<&str> {
        self.classes()
            .iter()
            .map(|class| class.name.as_str())
            .collect()
    }

    fn validate(&self, errors: &mut Vec<String>) {
        let lists = [
            ("ExtraEnabled", &self.extra_enabled, EXTRA.as_slice()),
            (
                "DefaultDisabled",
                &self.default_disabled,
                DEFAULT.as_slice(),
            ),
        ];
        for (list, names, known) in lists {
            let valid: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
            let wrong = names.iter().filter(|name| !valid.contains(&name.as_str()));
            errors.extend(wrong.map(|name| {
                let valid = valid.join(" ");
                format!("invalid pod protection policy in {list}: {name:?}. Valid options are: [{valid}]")
            }));
        }
        for (list, names, _) in lists.into_iter().rev() {
            if names.iter().collect::<BTreeSet<&String>>().len() < names.len() {
                errors.push(format!("PodProtections.{list} contains duplicate entries"));
            }
        }
        if self.enabled().contains(&Protection::PodsWithPvc) {
            let nameless = self.classes().iter().enumerate();
            let nameless = nameless.filter(|(_, class)| class.name.is_empty());
            errors.extend(nameless.map(|(at, _)| {
                format!("PodProtections.Config.PodsWithPVC.ProtectedStorageClasses[{at}] name cannot be empty")
            }));
        }
    }
}
