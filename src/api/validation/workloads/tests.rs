//! How a Deployment may go from one template to the next.

use super::{Deployment, deployment};

/// What the API server says of a Deployment with the given further fields of its spec.
fn errors(fields: &str) -> Vec<String> {
    let text = format!(
        "{{metadata: {{name: web}}, spec: {{selector: {{matchLabels: {{app: web}}}}, \
         template: {{metadata: {{labels: {{app: web}}}}, spec: {{containers: [{{name: c, image: i}}]}}}}, {fields}}}}}"
    );
    let object: Deployment = serde_yaml::from_str(&text).expect("a Deployment");
    let mut errors = Vec::new();
    deployment(&object, &mut errors);
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
    // What is not said is 25%.
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
fn the_deadline_is_behind_the_time_until_pods_count() {
    assert_eq!(
        errors("minReadySeconds: 5, progressDeadlineSeconds: 6"),
        [""; 0]
    );
    assert_eq!(
        errors("minReadySeconds: 5, progressDeadlineSeconds: 5"),
        ["spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds"]
    );
}
