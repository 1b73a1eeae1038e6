//! What is said of wrong policies; of arguments in the descheduler's words (`validation_test.go` of each plugin).

use serde_json::{Value, json};

use super::super::Policy;

/// A policy with a plugin's arguments.
fn with(plugin: &str, args: &Value) -> Value {
    let enabled: Vec<&str> = ["RemoveDuplicates"]
        .into_iter()
        .chain((plugin == "LowNodeUtilization").then_some(plugin))
        .collect();
    let mut config = vec![json!({"name": plugin, "args": args})];
    if plugin != "RemoveDuplicates" {
        config.push(json!({"name": "RemoveDuplicates"}));
    }
    json!({
        "apiVersion": "descheduler/v1alpha2",
        "kind": "DeschedulerPolicy",
        "profiles": [{
            "name": "p",
            "pluginConfig": config,
            "plugins": {"balance": {"enabled": enabled}},
        }],
    })
}

/// Asserts what is said of the arguments; nothing if they are right.
#[track_caller]
fn says(plugin: &str, args: Value, expected: &str) {
    let policy = with(plugin, &args).to_string();
    let said = Policy::read(&policy).err().unwrap_or_default();
    let said = said.strip_prefix("in profile p: ").unwrap_or(&said);
    assert_eq!(said, expected, "{args}");
}

#[track_caller]
fn low(low: Value, high: Value, more: Value, expected: &str) {
    let mut args = json!({"thresholds": low, "targetThresholds": high});
    let fields = args.as_object_mut().expect("is an object");
    fields.extend(more.as_object().cloned().unwrap_or_default());
    says("LowNodeUtilization", args, expected);
}

#[test]
fn thresholds_are_validated() {
    const DIFFERENT: &str = "thresholds and targetThresholds configured different resources";
    let (cpu, both) = (json!({"cpu": 20}), json!({"cpu": 20, "memory": 20}));
    let high = json!({"cpu": 80, "memory": 80});
    let with_foo = |low: i32| json!({"cpu": 20, "memory": 20, "example.com/foo": low});
    let none = Value::Null;
    low(
        json!({"cpu": 20, "memory": 120}),
        high.clone(),
        none.clone(),
        "thresholds config is not valid: memory threshold not in [0, 100] range",
    );
    low(
        json!({}),
        high.clone(),
        none.clone(),
        "thresholds config is not valid: no resource threshold is configured",
    );
    let three = json!({"cpu": 80, "memory": 80, "pods": 80});
    low(both.clone(), three, none.clone(), DIFFERENT);
    low(
        both.clone(),
        json!({"cpu": 80, "pods": 80}),
        none.clone(),
        DIFFERENT,
    );
    low(
        json!({"cpu": 90, "memory": 20}),
        high.clone(),
        none.clone(),
        "thresholds' cpu percentage is greater than targetThresholds'",
    );
    low(with_foo(20), high.clone(), none.clone(), DIFFERENT);
    low(both.clone(), with_foo(80), none.clone(), DIFFERENT);
    let bar = json!({"cpu": 80, "memory": 80, "example.com/bar": 80});
    low(with_foo(20), bar, none.clone(), DIFFERENT);
    low(
        with_foo(90),
        json!({"cpu": 80, "memory": 80, "example.com/foo": 20}),
        none.clone(),
        "thresholds' example.com/foo percentage is greater than targetThresholds'",
    );
    low(both.clone(), high.clone(), none.clone(), "");
    low(
        with_foo(20),
        json!({"cpu": 80, "memory": 80, "example.com/foo": 80}),
        none,
        "",
    );
    let deviates = json!({"useDeviationThresholds": true});
    low(cpu, json!({"cpu": 10}), deviates, "");
    low(
        both.clone(),
        high.clone(),
        json!({"evictableNamespaces": {"include": ["a"]}}),
        "only Exclude namespaces can be set, inclusion is not supported",
    );
}

#[test]
fn metrics_are_validated() {
    let both = json!({"cpu": 20, "memory": 20});
    let high = json!({"cpu": 80, "memory": 80});
    for (metrics, expected) in [
        (
            json!({"metricsServer": true, "source": "KubernetesMetrics"}),
            "it is not allowed to set both \"KubernetesMetrics\" source and metricsServer",
        ),
        (
            json!({"source": "Prometheus"}),
            "prometheus query is required when metrics source is set to \"Prometheus\"",
        ),
        (
            json!({"source": "KubernetesMetrics", "prometheus": {}}),
            "prometheus configuration is not allowed to set when source is set to \"KubernetesMetrics\"",
        ),
    ] {
        let metrics = json!({"metricsUtilization": metrics});
        low(both.clone(), high.clone(), metrics, expected);
    }
}

#[test]
fn namespaces_of_duplicates_are_validated() {
    let (one, both) = (
        json!({"include": ["default"]}),
        json!({"include": ["default"], "exclude": ["kube-system"]}),
    );
    let args = |namespaces| json!({"excludeOwnerKinds": ["Job"], "namespaces": namespaces});
    says("RemoveDuplicates", args(one), "");
    let expected = "only one of Include/Exclude namespaces can be set";
    says("RemoveDuplicates", args(both), expected);
}

#[test]
fn arguments_of_the_evictor_are_validated() {
    const MIXED: &str = "cannot use Deprecated fields alongside PodProtections.ExtraEnabled or PodProtections.DefaultDisabled";
    const EXTRA: &str = "Valid options are: [PodsWithPVC PodsWithoutPDB PodsWithResourceClaims]";
    const DEFAULT: &str =
        "Valid options are: [PodsWithLocalStorage SystemCriticalPods FailedBarePods DaemonSetPods]";
    let says = |args, expected: &str| says("DefaultEvictor", args, expected);
    let protections = |extra: &[&str], off: &[&str]| json!({"podProtections": {"extraEnabled": extra, "defaultDisabled": off}});
    says(
        json!({"priorityThreshold": {"value": 1, "name": "priority-name"}}),
        "priority threshold misconfigured, only one of priorityThreshold fields can be set",
    );
    let policy = "noEvictionPolicy accepts only [\"Preferred\" \"Mandatory\"] values";
    says(
        json!({"noEvictionPolicy": "invalid-no-eviction-policy"}),
        policy,
    );
    says(protections(&[], &[]), "");
    says(
        protections(&["PodsWithPVC"], &["DaemonSetPods", "PodsWithLocalStorage"]),
        "",
    );
    says(json!({"minReplicas": 1}), "");
    for mut args in [
        protections(&[], &["DaemonSetPods"]),
        protections(&["PodsWithPVC"], &[]),
    ] {
        args["evictDaemonSetPods"] = json!(true);
        says(args, MIXED);
    }
    for wrong in ["InvalidPolicy", "PodsWithPVCC", "DaemonSetPods"] {
        let expected = format!("invalid pod protection policy in ExtraEnabled: {wrong:?}. {EXTRA}");
        says(protections(&[wrong], &[]), &expected);
    }
    for wrong in ["InvalidPolicy", "PodsWithLocalStorag", "PodsWithPVC"] {
        let expected =
            format!("invalid pod protection policy in DefaultDisabled: {wrong:?}. {DEFAULT}");
        says(protections(&[], &[wrong]), &expected);
    }
    let twice = protections(&["PodsWithPVC", "PodsWithPVC"], &[]);
    says(
        twice,
        "PodProtections.ExtraEnabled contains duplicate entries",
    );
    let mut args = protections(
        &["PodsWithPVC", "PodsWithPVC"],
        &[
            "PodsWithLocalStorage",
            "PodsWithLocalStorage",
            "PodsWithoutPDB",
        ],
    );
    args["noEvictionPolicy"] = json!("invalid-no-eviction-policy");
    let expected = format!(
        "[{policy}, invalid pod protection policy in DefaultDisabled: \"PodsWithoutPDB\". {DEFAULT}, PodProtections.DefaultDisabled contains duplicate entries, PodProtections.ExtraEnabled contains duplicate entries]"
    );
    says(args, &expected);
    let classes = ["", "protected-storage-class-0", ""].map(|name| json!({"name": name}));
    let mut args = protections(&["PodsWithPVC"], &[]);
    args["podProtections"]["config"] = json!({"PodsWithPVC": {"protectedStorageClasses": classes}});
    let nameless = |at: u32| {
        format!(
            "PodProtections.Config.PodsWithPVC.ProtectedStorageClasses[{at}] name cannot be empty"
        )
    };
    says(args, &format!("[{}, {}]", nameless(0), nameless(2)));
}

/// What is said of a policy with these plugins at a point.
fn said(point: &str, plugins: &[&str]) -> String {
    let config: Vec<Value> = plugins.iter().map(|name| json!({"name": name})).collect();
    let policy = json!({
        "apiVersion": "descheduler/v1alpha2",
        "kind": "DeschedulerPolicy",
        "profiles": [{"name": "p", "pluginConfig": config, "plugins": {point: {"enabled": plugins}}}],
    });
    Policy::read(&policy.to_string()).err().unwrap_or_default()
}

#[test]
fn plugins_that_are_not_played_are_named() {
    assert_eq!(
        said("deschedule", &["PodLifeTime"]),
        "of its plugins none is played: PodLifeTime; these are: LowNodeUtilization by requests, RemoveDuplicates"
    );
    assert_eq!(
        said("balance", &["Mine"]),
        "in profile p: plugin Mine in pluginConfig not registered"
    );
    assert_eq!(
        said("balance", &["PodLifeTime"]),
        "profile \"p\" configures balance extension point of non-existing plugins: PodLifeTime"
    );
    let text = "
apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
profiles:
- name: p
  pluginConfig:
  - name: RemoveDuplicates
  - name: PodLifeTime
    args: {maxPodLifeTimeSeconds: 86400}
  plugins:
    balance:
      enabled: [RemoveDuplicates]
    deschedule:
      enabled: [PodLifeTime]
";
    let policy = Policy::read(text).expect("is a policy");
    assert_eq!(policy.plugins(), ["RemoveDuplicates"]);
    assert_eq!(policy.left_out[0].plugin, "PodLifeTime");
    let map = json!({"kind": "ConfigMap", "data": {"policy.yaml": text}}).to_string();
    assert_eq!(
        Policy::read(&map).expect("is a policy").plugins(),
        ["RemoveDuplicates"]
    );
    let old = text.replace("v1alpha2", "v1alpha1");
    let expected = "expected apiVersion descheduler/v1alpha2, got \"descheduler/v1alpha1\"";
    assert_eq!(Policy::read(&old).unwrap_err(), expected);
    let misspelt = text
        .replace("maxPodLifeTimeSeconds", "x")
        .replace("profiles", "profile");
    assert!(
        Policy::read(&misspelt)
            .unwrap_err()
            .contains("unknown field `profile`")
    );
}
