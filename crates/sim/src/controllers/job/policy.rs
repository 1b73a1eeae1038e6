//! `podFailurePolicy`: the consequence of a Pod's failure, by exit code or condition.

use k8s_openapi::api::batch::v1::{
    PodFailurePolicy, PodFailurePolicyOnExitCodesRequirement,
    PodFailurePolicyOnPodConditionsPattern,
};
use k8s_openapi::api::core::v1::{ContainerStatus, Pod, PodCondition};

use crate::pod_util;
use crate::store::{name_of, namespace_of};

/// The consequence of a Pod's failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It counts as a failure.
    Count,
    /// It does not count.
    Ignore,
    /// It counts, and its index has failed.
    FailIndex,
    /// It counts, and the Job has failed for this reason.
    FailJob(String),
}

impl Verdict {
    pub(super) fn counts(&self) -> bool {
        *self != Verdict::Ignore
    }
}

/// The verdict of the first rule that matches; a failure counts if none does.
pub(super) fn judge(policy: Option<&PodFailurePolicy>, pod: &Pod) -> Verdict {
    let rules = policy.iter().flat_map(|policy| &policy.rules);
    for (index, rule) in rules.enumerate() {
        let of = format!("{}/{}", namespace_of(&pod.metadata), name_of(&pod.metadata));
        let reason = if let Some(codes) = &rule.on_exit_codes {
            matching_container(codes, pod).map(|(container, code)| {
                let name = &container.name;
                format!(
                    "Container {name} for pod {of} failed with exit code {code} matching FailJob rule at index {index}"
                )
            })
        } else {
            let patterns = rule.on_pod_conditions.iter().flatten();
            matching_condition(patterns, pod).map(|condition| {
                let kind = &condition.type_;
                format!("Pod {of} has condition {kind} matching FailJob rule at index {index}")
            })
        };
        if let Some(reason) = reason {
            return match rule.action.as_str() {
                "Ignore" => Verdict::Ignore,
                "FailIndex" => Verdict::FailIndex,
                "FailJob" => Verdict::FailJob(reason),
                _ => Verdict::Count,
            };
        }
    }
    Verdict::Count
}

/// The first container whose exit code meets the requirement. Exit code 0 never matches.
fn matching_container<'a>(
    codes: &PodFailurePolicyOnExitCodesRequirement,
    pod: &'a Pod,
) -> Option<(&'a ContainerStatus, i32)> {
    let all = pod_util::container_statuses(pod).chain(pod_util::init_container_statuses(pod));
    let named = all.filter(|status| {
        let name = codes.container_name.as_ref();
        name.is_none_or(|name| *name == status.name)
    });
    let mut ended = named.filter_map(|status| {
        let code = status.state.as_ref()?.terminated.as_ref()?.exit_code;
        (code != 0).then_some((status, code))
    });
    ended.find(|(_, code)| {
        let listed = codes.values.contains(code);
        match codes.operator.as_str() {
            "In" => listed,
            "NotIn" => !listed,
            _ => false,
        }
    })
}

fn matching_condition<'a>(
    patterns: impl Iterator<Item = &'a PodFailurePolicyOnPodConditionsPattern> + Clone,
    pod: &'a Pod,
) -> Option<&'a PodCondition> {
    let status = pod.status.iter();
    let mut conditions = status.flat_map(|status| status.conditions.iter().flatten());
    conditions.find(|condition| {
        patterns.clone().any(|pattern| {
            let status = match pattern.status.as_deref().unwrap_or_default() {
                "" => "True",
                given => given,
            };
            pattern.type_ == condition.type_ && status == condition.status
        })
    })
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{ContainerState, ContainerStateTerminated, PodStatus};
    use serde_json::json;

    use super::*;

    fn failed(code: i32) -> Pod {
        let status = ContainerStatus {
            name: "c".to_owned(),
            state: Some(ContainerState {
                terminated: Some(ContainerStateTerminated {
                    exit_code: code,
                    ..ContainerStateTerminated::default()
                }),
                ..ContainerState::default()
            }),
            ..ContainerStatus::default()
        };
        let mut pod = Pod {
            status: Some(PodStatus {
                phase: Some("Failed".to_owned()),
                container_statuses: Some(vec![status]),
                ..PodStatus::default()
            }),
            ..Pod::default()
        };
        pod.metadata.name = Some("job-1".to_owned());
        pod.metadata.namespace = Some("default".to_owned());
        pod
    }

    #[test]
    fn the_first_rule_that_matches_decides() {
        let policy: PodFailurePolicy = serde_json::from_value(json!({"rules": [
            {"action": "Ignore", "onExitCodes": {"operator": "In", "values": [3]}},
            {"action": "FailIndex", "onExitCodes": {"operator": "In", "values": [3, 4]}},
            {"action": "FailJob", "onExitCodes":
                {"operator": "NotIn", "values": [5], "containerName": "c"}},
        ]}))
        .unwrap();
        let judged = [3, 4, 5].map(|code| judge(Some(&policy), &failed(code)));
        assert_eq!(
            judged,
            [Verdict::Ignore, Verdict::FailIndex, Verdict::Count]
        );
        let Verdict::FailJob(reason) = judge(Some(&policy), &failed(9)) else {
            panic!("the Job fails");
        };
        assert_eq!(
            reason,
            "Container c for pod default/job-1 failed with exit code 9 matching FailJob rule at index 2"
        );
        assert_eq!(judge(None, &failed(9)), Verdict::Count);
    }
}
