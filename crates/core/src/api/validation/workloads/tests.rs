//! Rollout strategies of workloads, and index settings of Jobs.

use serde::de::DeserializeOwned;

use super::super::Errors;
use super::{daemon_set, deployment, job, stateful_set};

/// The errors of a Deployment with these additional fields of its spec.
fn errors(fields: &str) -> Vec<String> {
    errors_of(deployment, fields)
}

/// The errors of another workload whose Pods run forever.
fn errors_of<T: DeserializeOwned>(check: fn(&T, &mut Errors), fields: &str) -> Vec<String> {
    let text = format!(
        "{{metadata: {{name: web}}, spec: {{selector: {{matchLabels: {{app: web}}}}, \
         template: {{metadata: {{labels: {{app: web}}}}, spec: {{containers: [{{name: c, image: i}}]}}}}, {fields}}}}}"
    );
    found(check, &text)
}

/// The errors of a Job with these additional fields of its metadata and of its spec.
fn errors_of_job(meta: &str, fields: &str) -> Vec<String> {
    let template = "template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}";
    found(
        job,
        &format!("{{metadata: {{name: sum{meta}}}, spec: {{{template}, {fields}}}}}"),
    )
}

fn found<T: DeserializeOwned>(check: fn(&T, &mut Errors), text: &str) -> Vec<String> {
    let object: T = serde_yaml::from_str(text).expect("an object");
    let mut errors = Vec::new();
    check(&object, &mut errors);
    errors.iter().map(ToString::to_string).collect()
}

fn rolling(bounds: &str) -> Vec<String> {
    errors(&format!(
        "strategy: {{type: RollingUpdate, rollingUpdate: {{{bounds}}}}}"
    ))
}

#[test]
fn a_rollout_must_be_able_to_begin() {
    let zero = |shown: &str| {
        vec![format!(
            "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: {shown}: may not be 0 when `maxSurge` is 0"
        )]
    };
    assert_eq!(rolling("maxSurge: 0, maxUnavailable: 0"), zero("0"));
    assert_eq!(rolling("maxSurge: 0%, maxUnavailable: 0%"), zero("\"0%\""));
    // The default is 25%.
    for good in [
        "",
        "maxSurge: 0",
        "maxUnavailable: 0",
        "maxSurge: 200%, maxUnavailable: 100%",
    ] {
        assert_eq!(rolling(good), [""; 0], "{good}");
    }
    assert_eq!(
        rolling("maxUnavailable: 101%"),
        [
            "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: \"101%\": must not be greater than 100%"
        ]
    );
    assert_eq!(
        rolling("maxSurge: -1"),
        [
            "spec.strategy.rollingUpdate.maxSurge: Invalid value: -1: must be greater than or equal to 0"
        ]
    );
}

#[test]
fn strategies_are_of_two_kinds() {
    assert_eq!(errors("strategy: {type: Recreate}"), [""; 0]);
    assert_eq!(
        errors("strategy: {type: Recreate, rollingUpdate: {maxSurge: 1}}"),
        [
            "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"
        ]
    );
    let other = errors("strategy: {type: Fast}");
    assert!(
        other[0].ends_with("supported values: \"Recreate\", \"RollingUpdate\""),
        "{other:?}"
    );
}

#[test]
fn progress_deadline_must_exceed_min_ready_seconds() {
    assert_eq!(
        errors("minReadySeconds: 5, progressDeadlineSeconds: 6"),
        [""; 0]
    );
    assert_eq!(
        errors("minReadySeconds: 5, progressDeadlineSeconds: 5"),
        ["spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds"]
    );
}

#[test]
fn a_daemon_set_is_updated_without_a_pod_or_with_two_but_not_both() {
    let rolling = |bounds: &str| {
        let fields = format!("updateStrategy: {{rollingUpdate: {{{bounds}}}}}");
        errors_of(daemon_set, &fields)
    };
    for good in ["", "maxUnavailable: 30%", "maxUnavailable: 0, maxSurge: 1"] {
        assert_eq!(rolling(good), [""; 0], "{good}");
    }
    assert_eq!(
        rolling("maxSurge: 1"),
        [
            "spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero"
        ]
    );
    assert_eq!(
        rolling("maxUnavailable: 0"),
        [
            "spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0"
        ]
    );
    let other = errors_of(daemon_set, "updateStrategy: {type: Recreate}");
    assert!(
        other[0].ends_with("supported values: \"RollingUpdate\", \"OnDelete\""),
        "{other:?}"
    );
}

#[test]
fn a_stateful_set_is_updated_in_one_of_two_ways() {
    let good = "serviceName: web, updateStrategy: {rollingUpdate: {partition: 2}}";
    assert_eq!(errors_of(stateful_set, good), [""; 0]);
    let bad = "serviceName: web, minReadySeconds: -1, ordinals: {start: -1}, updateStrategy: {rollingUpdate: {partition: -2}}";
    let less = "must be greater than or equal to 0";
    assert_eq!(
        errors_of(stateful_set, bad),
        [
            format!("spec.updateStrategy.rollingUpdate.partition: Invalid value: -2: {less}"),
            format!("spec.minReadySeconds: Invalid value: -1: {less}"),
            format!("spec.ordinals.start: Invalid value: -1: {less}"),
        ]
    );
    let both = "serviceName: web, updateStrategy: {type: OnDelete, rollingUpdate: {partition: 2}}";
    assert_eq!(
        errors_of(stateful_set, both),
        [
            "spec.updateStrategy.rollingUpdate: Invalid value: {\"Partition\":2,\"MaxUnavailable\":null}: only allowed for updateStrategy 'RollingUpdate'"
        ]
    );
}

#[test]
fn an_indexed_job_knows_how_many_indexes_there_are() {
    let errors = |fields: &str| errors_of_job("", fields);
    let good = "completionMode: Indexed, completions: 4, parallelism: 2, backoffLimitPerIndex: 1, maxFailedIndexes: 4";
    assert_eq!(errors(good), [""; 0]);
    assert_eq!(
        errors("completionMode: Indexed, parallelism: 2"),
        ["spec.completions: Required value: when completion mode is Indexed"]
    );
    assert_eq!(
        errors("completions: 3, backoffLimitPerIndex: 1"),
        ["spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode"]
    );
    assert_eq!(
        errors("completionMode: Indexed, completions: 3, maxFailedIndexes: 4"),
        [
            "spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified",
            "spec.maxFailedIndexes: Invalid value: 4: must be less than or equal to completions"
        ]
    );
    assert_eq!(
        errors("ttlSecondsAfterFinished: -1, activeDeadlineSeconds: -1"),
        [
            "spec.activeDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0",
            "spec.ttlSecondsAfterFinished: Invalid value: -1: must be greater than or equal to 0"
        ]
    );
}

#[test]
fn finalizers_of_others_have_a_domain() {
    let errors = |finalizers: &str| errors_of_job(&format!(", finalizers: [{finalizers}]"), "");
    assert_eq!(errors("example.com/keep, foregroundDeletion"), [""; 0]);
    assert_eq!(
        errors("keep"),
        [
            "metadata.finalizers[0]: Invalid value: \"keep\": name is neither a standard finalizer name nor is it fully qualified"
        ]
    );
    assert_eq!(
        errors("orphan, foregroundDeletion"),
        [
            "metadata.finalizers: Invalid value: [\"orphan\",\"foregroundDeletion\"]: finalizer orphan and foregroundDeletion cannot be both set"
        ]
    );
}
