//! Validation errors, with the API server's messages.

mod device_gates;
mod kinds;
mod pods;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::*;

/// Decodes one document of a supported kind.
fn object(value: Value) -> Manifest {
    fn typed<T: DeserializeOwned>(value: Value) -> Box<T> {
        Box::new(serde_json::from_value(value).expect("test objects have their kind's shape"))
    }
    macro_rules! by_kind {
        ($($kind:ident ($group:ident::$version:ident) {$($rest:tt)*})*) => {
            match value["kind"].as_str().unwrap_or_default() {
                $(stringify!($kind) => Manifest::$kind(typed(value)),)*
                "Scenario" => Manifest::Scenario(typed(value)),
                _ => Manifest::SchedulerConfiguration(Box::new(value)),
            }
        };
    }
    for_each_kind!(by_kind)
}

/// The errors of one document, as the API server prints them.
fn errors(yaml: &str) -> Vec<String> {
    let value = serde_yaml::from_str(yaml).expect("test documents are YAML");
    validate(&object(value))
        .iter()
        .map(ToString::to_string)
        .collect()
}

/// The errors of a Pod with one container and these additional fields of its spec.
fn pod_errors(fields: &str) -> Vec<String> {
    errors(&format!(
        "{{kind: Pod, metadata: {{name: a, labels: {{app: a}}}}, spec: {{containers: [{{name: c, image: i}}], {fields}}}}}"
    ))
}

/// The errors of a Pod whose only container has these additional fields.
fn container_errors(fields: &str) -> Vec<String> {
    errors(&format!(
        "{{kind: Pod, metadata: {{name: a}}, spec: {{containers: [{{name: c, image: i, {fields}}}]}}}}"
    ))
}

/// Checks a table of (document, errors).
fn check(reader: fn(&str) -> Vec<String>, cases: &[(&str, &[&str])]) {
    for (document, expected) in cases {
        assert_eq!(reader(document), *expected, "{document}");
    }
}

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric \
     characters, '-' or '.', and must start and end with an alphanumeric character (e.g. \
     'example.com', regex used for validation is \
     '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters \
     or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', \
     regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, \
     '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or \
     'my_value',  or '12345', regex used for validation is \
     '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const KEY_NAME: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and \
     must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or \
     '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

#[test]
fn names_follow_the_rule_of_their_kind() {
    let invalid = |name: &str, detail: &str| {
        vec![format!("metadata.name: Invalid value: {name:?}: {detail}")]
    };
    let cases = [
        ("{kind: Node, metadata: {name: a.b}}", vec![]),
        (
            "{kind: Node, metadata: {name: a_b}}",
            invalid("a_b", SUBDOMAIN),
        ),
        (
            "{kind: Namespace, metadata: {name: a.b}}",
            invalid("a.b", "must not contain dots"),
        ),
        (
            "{kind: Namespace, metadata: {name: A}}",
            invalid("A", LABEL),
        ),
        (
            "{kind: Namespace, metadata: {}}",
            vec!["metadata.name: Required value: name or generateName is required".to_owned()],
        ),
        ("{kind: Namespace, metadata: {generateName: a-}}", vec![]),
        (
            "{kind: Service, metadata: {name: 1a}, spec: {clusterIP: None}}",
            vec![],
        ),
        (
            "{kind: Service, metadata: {name: a.b}, spec: {clusterIP: None}}",
            invalid("a.b", "must not contain dots"),
        ),
        ("{kind: PodDisruptionBudget, metadata: {name: A_}}", vec![]),
    ];
    for (document, expected) in cases {
        assert_eq!(errors(document), expected, "{document}");
    }
    let long = "a".repeat(254);
    assert_eq!(
        errors(&format!("{{kind: Node, metadata: {{name: {long}}}}}")),
        invalid(&long, "must be no more than 253 characters")
    );
}

#[test]
fn labels_annotations_and_owners() {
    let value = format!("metadata.labels: Invalid value: \"b b\": {VALUE}");
    let key = format!("metadata.labels: Invalid value: \"a b\": {KEY_NAME}");
    let prefix = format!("metadata.annotations: Invalid value: \"A_/b\": prefix part {SUBDOMAIN}");
    check(
        errors,
        &[
            (
                "{kind: Node, metadata: {name: a, labels: {a: 'b b'}}}",
                &[&value],
            ),
            (
                "{kind: Node, metadata: {name: a, labels: {'a b': c}}}",
                &[&key],
            ),
            (
                "{kind: Node, metadata: {name: a, annotations: {'A_/b': 'any thing'}}}",
                &[&prefix],
            ),
            (
                "{kind: Node, metadata: {name: a, labels: {'/b': c}}}",
                &["metadata.labels: Invalid value: \"/b\": prefix part must be non-empty"],
            ),
            (
                "{kind: Node, metadata: {name: a, ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: ''}]}}",
                &["metadata.ownerReferences.uid: Invalid value: \"\": must not be empty"],
            ),
            (
                "{kind: Node, metadata: {name: a, ownerReferences: [{apiVersion: v1, kind: A, name: a, uid: '1', controller: true}, {apiVersion: v1, kind: B, name: b, uid: '2', controller: true}]}}",
                &[
                    "metadata.ownerReferences: Invalid value: [{\"apiVersion\":\"v1\",\"controller\":true,\"kind\":\"A\",\"name\":\"a\",\"uid\":\"1\"},{\"apiVersion\":\"v1\",\"controller\":true,\"kind\":\"B\",\"name\":\"b\",\"uid\":\"2\"}]: Only one reference can have Controller set to true. Found \"true\" in references for A/a and B/b",
                ],
            ),
        ],
    );
}

#[test]
fn nodes() {
    check(
        errors,
        &[
            (
                "{kind: Node, metadata: {name: a}, spec: {taints: [{key: k, effect: NoSchedule}, {key: k, effect: NoExecute}]}}",
                &[],
            ),
            (
                "{kind: Node, metadata: {name: a}, spec: {taints: [{key: k, effect: NoSchedule}, {key: k, value: v, effect: NoSchedule}]}}",
                &[
                    "metadata.taints[1]: Duplicate value: {\"Key\":\"k\",\"Value\":\"v\",\"Effect\":\"NoSchedule\",\"TimeAdded\":null}: taints must be unique by key and effect pair",
                ],
            ),
            (
                "{kind: Node, metadata: {name: a}, spec: {taints: [{key: k, effect: Never}, {key: k}]}}",
                &[
                    "metadata.taints[0].effect: Unsupported value: \"Never\": supported values: \"NoSchedule\", \"PreferNoSchedule\", \"NoExecute\"",
                    "metadata.taints[1].effect: Required value",
                ],
            ),
            (
                "{kind: Node, metadata: {name: a}, status: {capacity: {cpu: -1}, allocatable: {pods: '1.5', memory: lots}}}",
                &[
                    "status.capacity.cpu: Invalid value: \"-1\": must be greater than or equal to 0",
                    "status.allocatable.memory: Invalid value: \"lots\": quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
                    "status.allocatable.pods: Invalid value: \"1500m\": must be an integer",
                ],
            ),
        ],
    );
}

#[test]
fn priorities_and_budgets() {
    check(
        errors,
        &[
            (
                "{kind: PriorityClass, metadata: {name: system-node-critical}, value: 2000001000}",
                &[],
            ),
            (
                "{kind: PriorityClass, metadata: {name: a}, value: 1000000001}",
                &[
                    "value: Forbidden: maximum allowed value of a user defined priority is 1000000000",
                ],
            ),
            (
                "{kind: PriorityClass, metadata: {name: system-a}, value: 1, preemptionPolicy: Always}",
                &[
                    "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-a is not a known system priority class",
                    "preemptionPolicy: Unsupported value: \"Always\": supported values: \"PreemptLowerPriority\", \"Never\"",
                ],
            ),
            (
                "{kind: PodDisruptionBudget, metadata: {name: a}, spec: {minAvailable: 1, maxUnavailable: 2}}",
                &[
                    "spec: Invalid value: {\"MinAvailable\":1,\"Selector\":null,\"MaxUnavailable\":2,\"UnhealthyPodEvictionPolicy\":null}: minAvailable and maxUnavailable cannot be both set",
                ],
            ),
            (
                "{kind: PodDisruptionBudget, metadata: {name: a}, spec: {minAvailable: 101%}}",
                &["spec.minAvailable: Invalid value: \"101%\": must not be greater than 100%"],
            ),
            (
                "{kind: PodDisruptionBudget, metadata: {name: a}, spec: {maxUnavailable: -1}}",
                &["spec.maxUnavailable: Invalid value: -1: must be greater than or equal to 0"],
            ),
            (
                "{kind: PodDisruptionBudget, metadata: {name: a}, spec: {maxUnavailable: half}}",
                &[
                    "spec.maxUnavailable: Invalid value: \"half\": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
                ],
            ),
        ],
    );
}

/// The errors of a workload with `spec` and a template of one container.
fn workload(kind: &str, selector: &str, labels: &str, pod: &str) -> Vec<String> {
    errors(&format!(
        "{{kind: {kind}, metadata: {{name: a}}, spec: {{{selector} template: {{metadata: {{labels: {labels}}}, spec: {{containers: [{{name: c, image: i}}], {pod}}}}}}}}}"
    ))
}

#[test]
fn workloads_select_the_pods_they_make() {
    let selector = "selector: {matchLabels: {app: a}},";
    for kind in ["ReplicaSet", "Deployment", "DaemonSet", "StatefulSet"] {
        assert_eq!(workload(kind, selector, "{app: a}", ""), [""; 0], "{kind}");
        assert_eq!(
            workload(kind, selector, "{app: b}", ""),
            [
                "spec.template.metadata.labels: Invalid value: {\"app\":\"b\"}: `selector` does not match template `labels`"
            ],
            "{kind}"
        );
        assert_eq!(
            workload(kind, selector, "{app: a}", "restartPolicy: Never"),
            [
                "spec.template.spec.restartPolicy: Unsupported value: \"Never\": supported values: \"Always\""
            ],
            "{kind}"
        );
    }
    assert_eq!(
        workload(
            "Deployment",
            "replicas: -1, selector: {matchLabels: {}},",
            "{app: a}",
            ""
        ),
        [
            "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
            "spec.selector: Invalid value: {}: empty selector is invalid for deployment",
        ]
    );
    assert_eq!(
        workload("Deployment", "", "{app: a}", ""),
        [
            "spec.selector: Required value",
            "spec.template.metadata.labels: Invalid value: {\"app\":\"a\"}: `selector` does not match template `labels`",
        ]
    );
    assert_eq!(
        workload("ReplicationController", "", "{app: a}", ""),
        [""; 0]
    );
    assert_eq!(
        workload(
            "ReplicationController",
            "selector: {app: b},",
            "{app: a}",
            ""
        ),
        [
            "spec.template.metadata.labels: Invalid value: {\"app\":\"a\"}: `selector` does not match template `labels`"
        ]
    );
}

#[test]
fn jobs_end() {
    let required = ": Required value: valid values: \"OnFailure\", \"Never\"";
    assert_eq!(workload("Job", "", "{}", "restartPolicy: Never"), [""; 0]);
    assert_eq!(
        workload("Job", "parallelism: -1,", "{}", ""),
        [
            "spec.parallelism: Invalid value: -1: must be greater than or equal to 0".to_owned(),
            format!("spec.template.spec.restartPolicy{required}"),
        ]
    );
    assert_eq!(
        errors(
            "{kind: CronJob, metadata: {name: a}, spec: {schedule: '', jobTemplate: {spec: {template: {spec: {containers: [{name: c, image: i}]}}}}}}"
        ),
        [
            "spec.schedule: Required value".to_owned(),
            format!("spec.jobTemplate.spec.template.spec.restartPolicy{required}"),
        ]
    );
}

#[test]
fn hostile_names_cannot_rearrange_a_message() {
    assert_eq!(
        berth_scheduler::field::quote("a\u{202e}\0\"\u{1f600}"),
        "\"a\\u202e\\x00\\\"\u{1f600}\""
    );
}
