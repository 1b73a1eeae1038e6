use serde_json::json;

use super::*;
use berth_scheduler::release::Version;

fn policy(labels: &[(&str, &str)]) -> Policy {
    let labels = labels.iter();
    let labels = labels.map(|(mode, text)| (format!("{PREFIX}{mode}"), (*text).to_owned()));
    Policy::of(Some(&labels.collect()))
}

fn broken(standard: Standard, spec: &Value) -> String {
    let release = Release::of(Version::V1_36);
    in_detail(&violations(standard, &json!({}), spec, &release))
}

#[test]
fn a_plain_pod_breaks_the_restricted_standard_in_four_ways() {
    let restricted = policy(&[("enforce", "restricted")]);
    assert_eq!(restricted.warn, restricted.enforce);
    assert_eq!(restricted.enforce.to_string(), "restricted:latest");
    let plain = json!({"containers": [{"name": "c"}]});
    assert_eq!(
        broken(restricted.enforce, &plain),
        "allowPrivilegeEscalation != false (container \"c\" must set securityContext.allowPrivilegeEscalation=false), \
         unrestricted capabilities (container \"c\" must set securityContext.capabilities.drop=[\"ALL\"]), \
         runAsNonRoot != true (pod or container \"c\" must set securityContext.runAsNonRoot=true), \
         seccompProfile (pod or container \"c\" must set securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\")"
    );
    let careful = json!({
        "securityContext": {"runAsNonRoot": true, "seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [{"name": "c", "securityContext": {
            "allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}}}],
    });
    assert_eq!(broken(restricted.enforce, &careful), "");
}

#[test]
fn the_version_decides_what_is_checked() {
    let old = policy(&[("enforce", "restricted"), ("enforce-version", "v1.7")]);
    let plain = json!({"containers": [{"name": "c"}]});
    let why =
        "runAsNonRoot != true (pod or container \"c\" must set securityContext.runAsNonRoot=true)";
    assert_eq!(broken(old.enforce, &plain), why);
    let spec = json!({"containers": [
        {"name": "c", "livenessProbe": {"httpGet": {"host": "a"}}, "ports": [{"hostPort": 80}, {"hostPort": 443}]}]});
    let of = |version| {
        let policy = policy(&[("enforce", "baseline"), ("enforce-version", version)]);
        broken(policy.enforce, &spec)
    };
    let ports = "hostPort (container \"c\" uses hostPorts 443, 80)";
    assert_eq!(of("v1.33"), ports);
    let probe = "probe or lifecycle host (container \"c\" uses probe or lifecycle host \"a\")";
    assert_eq!(of("v1.99"), format!("{ports}, {probe}"));
}

#[test]
fn unknown_labels_are_strict_and_named() {
    let odd = policy(&[("enforce", "strict"), ("warn", "some")]);
    assert_eq!(odd.enforce.level, Level::Restricted);
    assert_eq!(odd.warn.level, Level::Privileged);
    let labels = Labels::from([
        (format!("{PREFIX}enforce"), String::new()),
        (format!("{PREFIX}warn-version"), "v1.01".to_owned()),
    ]);
    let errors: Vec<String> = label_errors(Some(&labels))
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        errors,
        [
            "metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: \"\": must be one of privileged, baseline, restricted",
            "metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: \"v1.01\": must be \"latest\" or \"v1.x\"",
        ]
    );
}
