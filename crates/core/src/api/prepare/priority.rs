//! Priority admission: resolves `priorityClassName` (v1.34's Priority plugin).

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::PodSpec;
use k8s_openapi::api::scheduling::v1::PriorityClass;

const PREEMPT_LOWER_PRIORITY: &str = "PreemptLowerPriority";

/// The classes that exist in every cluster.
const SYSTEM_CLASSES: [(&str, i32); 2] = [
    ("system-cluster-critical", 2_000_000_000),
    ("system-node-critical", 2_000_001_000),
];

/// Why a Pod is rejected: the field, and the plugin's message.
pub(super) type Refusal = (&'static str, String);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Class {
    value: i32,
    preemption_policy: String,
}

/// The PriorityClasses of a cluster, by name.
#[derive(Debug, Default)]
pub(super) struct PriorityClasses {
    by_name: BTreeMap<String, Class>,
    /// The default class: the one with the lowest value among those with `globalDefault: true`.
    global_default: Option<String>,
}

impl PriorityClasses {
    pub(super) fn new<'a>(classes: impl Iterator<Item = &'a PriorityClass>) -> Self {
        let mut all = PriorityClasses::default();
        let mut lowest = None;
        for class in classes {
            let name = class.metadata.name.clone().unwrap_or_default();
            let value = class.value.unwrap_or_default();
            if class.global_default == Some(true) && lowest.is_none_or(|lowest| value < lowest) {
                lowest = Some(value);
                all.global_default = Some(name.clone());
            }
            let policy = class
                .preemption_policy
                .as_deref()
                .unwrap_or(PREEMPT_LOWER_PRIORITY);
            all.add(name, value, policy);
        }
        for (name, value) in SYSTEM_CLASSES {
            all.add(name.to_owned(), value, PREEMPT_LOWER_PRIORITY);
        }
        all
    }

    fn add(&mut self, name: String, value: i32, preemption_policy: &str) {
        let preemption_policy = preemption_policy.to_owned();
        self.by_name.insert(
            name,
            Class {
                value,
                preemption_policy,
            },
        );
    }

    /// Sets `spec.priority` and `spec.preemptionPolicy` from the class.
    ///
    /// A Pod dumped from a running cluster (`from_cluster`) was admitted there by classes that the
    /// input may lack or that have changed since, so its priority is kept.
    pub(super) fn admit(&self, spec: &mut PodSpec, from_cluster: bool) -> Result<(), Refusal> {
        if from_cluster && spec.priority.is_some() {
            spec.preemption_policy
                .get_or_insert_with(|| PREEMPT_LOWER_PRIORITY.to_owned());
            return Ok(());
        }
        let class = match (&spec.priority_class_name, &self.global_default) {
            (Some(name), _) => match self.by_name.get(name) {
                Some(class) => class.clone(),
                None => return unknown_class(spec),
            },
            (None, Some(name)) => {
                spec.priority_class_name = Some(name.clone());
                self.by_name.get(name).cloned().unwrap_or_else(no_class)
            }
            (None, None) => no_class(),
        };
        if let Some(given) = spec.priority.filter(|given| *given != class.value) {
            return Err((
                "spec.priority",
                differs("integer value of priority", &given, &class.value),
            ));
        }
        if let Some(given) = &spec.preemption_policy
            && *given != class.preemption_policy
        {
            let message = differs(
                "string value of PreemptionPolicy",
                given,
                &class.preemption_policy,
            );
            return Err(("spec.preemptionPolicy", message));
        }
        spec.priority = Some(class.value);
        spec.preemption_policy = Some(class.preemption_policy);
        Ok(())
    }
}

fn no_class() -> Class {
    Class {
        value: 0,
        preemption_policy: PREEMPT_LOWER_PRIORITY.to_owned(),
    }
}

/// A Pod whose class is not in the input keeps its explicit priority.
fn unknown_class(spec: &mut PodSpec) -> Result<(), Refusal> {
    if spec.priority.is_some() {
        spec.preemption_policy
            .get_or_insert_with(|| PREEMPT_LOWER_PRIORITY.to_owned());
        return Ok(());
    }
    let name = spec.priority_class_name.as_deref().unwrap_or_default();
    Err((
        "spec.priorityClassName",
        format!("no PriorityClass with name {name} was found"),
    ))
}

fn differs(what: &str, given: &dyn std::fmt::Display, computed: &dyn std::fmt::Display) -> String {
    format!(
        "the {what} ({given}) must not be provided in pod spec; priority admission controller \
         computed {computed} from the given PriorityClass name"
    )
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn classes() -> PriorityClasses {
        let classes: Vec<PriorityClass> = serde_json::from_value(json!([
            {"metadata": {"name": "high"}, "value": 1000, "preemptionPolicy": "Never"},
            {"metadata": {"name": "usual"}, "value": 20, "globalDefault": true},
            {"metadata": {"name": "low"}, "value": 10, "globalDefault": true},
        ]))
        .unwrap();
        PriorityClasses::new(classes.iter())
    }

    fn admitted(
        classes: &PriorityClasses,
        spec: Value,
        from_cluster: bool,
    ) -> Result<(i32, String), Refusal> {
        let mut spec: PodSpec = serde_json::from_value(spec).unwrap();
        classes.admit(&mut spec, from_cluster)?;
        Ok((spec.priority.unwrap(), spec.preemption_policy.unwrap()))
    }

    #[test]
    fn class_gives_priority_and_policy() {
        let spec = json!({"containers": [], "priorityClassName": "high"});
        assert_eq!(
            admitted(&classes(), spec, false),
            Ok((1000, "Never".into()))
        );
    }

    #[test]
    fn without_a_name_the_lowest_global_default_counts_else_zero() {
        let spec = json!({"containers": []});
        let lower = "PreemptLowerPriority".to_owned();
        assert_eq!(
            admitted(&classes(), spec.clone(), false),
            Ok((10, lower.clone()))
        );
        let none = PriorityClasses::new([].into_iter());
        assert_eq!(admitted(&none, spec, false), Ok((0, lower)));
    }

    #[test]
    fn system_classes_exist_always() {
        let none = PriorityClasses::new([].into_iter());
        for (name, value) in SYSTEM_CLASSES {
            let spec = json!({"containers": [], "priorityClassName": name});
            assert_eq!(
                admitted(&none, spec, false).map(|(value, _)| value),
                Ok(value)
            );
        }
    }

    #[test]
    fn unknown_class_is_rejected_unless_the_priority_is_set() {
        let unknown = json!({"containers": [], "priorityClassName": "nope"});
        let (path, message) = admitted(&classes(), unknown, false).unwrap_err();
        assert_eq!(path, "spec.priorityClassName");
        assert_eq!(message, "no PriorityClass with name nope was found");
        let dumped = json!({"containers": [], "priorityClassName": "nope", "priority": 7});
        assert_eq!(
            admitted(&classes(), dumped, false).map(|(value, _)| value),
            Ok(7)
        );
    }

    #[test]
    fn a_new_pod_cannot_choose_its_number_but_a_dumped_one_keeps_it() {
        let spec = json!({"containers": [], "priorityClassName": "high", "priority": 5});
        let (path, message) = admitted(&classes(), spec.clone(), false).unwrap_err();
        assert_eq!(path, "spec.priority");
        assert!(message.starts_with("the integer value of priority (5) must not be provided"));
        assert_eq!(
            admitted(&classes(), spec, true).map(|(value, _)| value),
            Ok(5)
        );
        let never = json!({"containers": [], "preemptionPolicy": "Never"});
        assert_eq!(
            admitted(&classes(), never, false).unwrap_err().0,
            "spec.preemptionPolicy"
        );
    }
}
