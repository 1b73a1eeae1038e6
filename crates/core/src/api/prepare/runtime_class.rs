//! RuntimeClass admission: the overhead of a class, and where its Pods may run, enter the Pod (v1.34's RuntimeClass
//! plugin).

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{PodSpec, Toleration};
use k8s_openapi::api::node::v1::{RuntimeClass, Scheduling};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity as Text;

use berth_base::quantity::Quantity;

use super::priority::Refusal;

const OTHER_OVERHEAD: &str =
    "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
const NO_OVERHEAD: &str =
    "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead";

type Amounts = BTreeMap<String, Text>;

/// The RuntimeClasses of a cluster, by name.
#[derive(Debug, Default)]
pub(super) struct RuntimeClasses(BTreeMap<String, RuntimeClass>);

impl RuntimeClasses {
    pub(super) fn new<'a>(classes: impl Iterator<Item = &'a RuntimeClass>) -> Self {
        let named = classes.map(|class| {
            let name = class.metadata.name.clone().unwrap_or_default();
            (name, class.clone())
        });
        RuntimeClasses(named.collect())
    }

    fn class_of(&self, spec: &PodSpec) -> Result<Option<&RuntimeClass>, Refusal> {
        let Some(name) = &spec.runtime_class_name else {
            return Ok(None);
        };
        let missing = || {
            let message = format!("pod rejected: RuntimeClass {name:?} not found");
            ("spec.runtimeClassName", message)
        };
        self.0.get(name).map(Some).ok_or_else(missing)
    }

    /// Completes a new Pod with what its class asks for. A Pod that has its overhead was admitted where its class is,
    /// and keeps it if the class is not in the input.
    pub(super) fn admit(&self, spec: &mut PodSpec) -> Result<(), Refusal> {
        match spec.runtime_class_name {
            Some(_) => self.complete(spec),
            None => Ok(()),
        }
    }

    /// Cold: kept out of the first download.
    #[inline(never)]
    fn complete(&self, spec: &mut PodSpec) -> Result<(), Refusal> {
        let class = match self.class_of(spec) {
            Err(_) if spec.overhead.is_some() => None,
            class => class?,
        };
        let Some(class) = class else {
            return Ok(());
        };
        if let Some(overhead) = &class.overhead {
            let of_class = overhead.pod_fixed.clone().unwrap_or_default();
            let given = spec.overhead.as_ref().filter(|given| !given.is_empty());
            if given.is_some_and(|given| !is_same(given, &of_class)) {
                return Err(("spec.overhead", OTHER_OVERHEAD.to_owned()));
            }
            spec.overhead = Some(of_class);
        }
        match &class.scheduling {
            Some(scheduling) => enter(scheduling, spec),
            None => Ok(()),
        }
    }

    /// Refuses an overhead that no class gives.
    pub(super) fn judge(&self, spec: &PodSpec) -> Result<(), Refusal> {
        let class = self.class_of(spec)?;
        let of_class = class.and_then(|class| class.overhead.as_ref());
        if of_class.is_none() && spec.overhead.is_some() {
            return Err(("spec.overhead", NO_OVERHEAD.to_owned()));
        }
        Ok(())
    }
}

/// Whether amounts are equal, however they are written.
fn is_same(a: &Amounts, b: &Amounts) -> bool {
    let parsed = |amounts: &Amounts| -> Vec<(String, Option<Quantity>)> {
        let amounts = amounts.iter();
        amounts
            .map(|(name, text)| (name.clone(), Quantity::parse(&text.0).ok()))
            .collect()
    };
    parsed(a) == parsed(b)
}

fn enter(scheduling: &Scheduling, spec: &mut PodSpec) -> Result<(), Refusal> {
    for (key, value) in scheduling.node_selector.iter().flatten() {
        let selector = spec.node_selector.get_or_insert_default();
        if let Some(own) = selector.get(key).filter(|own| *own != value) {
            let message = format!(
                "conflict: runtimeClass.scheduling.nodeSelector[{key}] = {value}; pod.spec.nodeSelector[{key}] = {own}"
            );
            return Err(("spec.nodeSelector", message));
        }
        selector.insert(key.clone(), value.clone());
    }
    let more = scheduling.tolerations.clone().unwrap_or_default();
    let own = spec.tolerations.take().unwrap_or_default();
    let merged = merged(own, more);
    spec.tolerations = Some(merged).filter(|all| !all.is_empty());
    Ok(())
}

/// Both lists, without what another toleration covers (`tolerations.MergeTolerations`).
fn merged(own: Vec<Toleration>, more: Vec<Toleration>) -> Vec<Toleration> {
    let all: Vec<Toleration> = own.into_iter().chain(more).collect();
    let mut merged: Vec<Toleration> = Vec::new();
    for (i, it) in all.iter().enumerate() {
        let later = all.get(i + 1..).unwrap_or_default();
        let is_covered = merged.iter().any(|other| covers(other, it))
            || later.iter().any(|other| other != it && covers(other, it));
        if !is_covered {
            merged.push(it.clone());
        }
    }
    merged
}

/// Whether one toleration tolerates all that another does (`isSuperset`).
fn covers(wide: &Toleration, narrow: &Toleration) -> bool {
    fn word(field: &Option<String>) -> &str {
        field.as_deref().unwrap_or_default()
    }
    let operator = word(&wide.operator);
    let is_of_key =
        word(&wide.key) == word(&narrow.key) || word(&wide.key).is_empty() && operator == "Exists";
    let is_of_effect = word(&wide.effect) == word(&narrow.effect) || word(&wide.effect).is_empty();
    let lasts = word(&wide.effect) != "NoExecute"
        || wide.toleration_seconds.is_none_or(|most| {
            let seconds = narrow.toleration_seconds;
            seconds.is_some_and(|seconds| seconds <= most)
        });
    let is_of_value = match operator {
        "Equal" | "" => {
            word(&narrow.operator) == "Equal" && word(&narrow.value) == word(&wide.value)
        }
        "Exists" => true,
        _ => false,
    };
    wide == narrow || is_of_key && is_of_effect && lasts && is_of_value
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn classes() -> RuntimeClasses {
        let classes: Vec<RuntimeClass> = serde_json::from_value(json!([
            {"metadata": {"name": "plain"}, "handler": "runc"},
            {"metadata": {"name": "kata"}, "handler": "kata", "overhead": {"podFixed": {"cpu": "250m"}},
             "scheduling": {"nodeSelector": {"vm": "yes"}, "tolerations": [
                {"key": "vm", "operator": "Exists"}, {"key": "gpu", "operator": "Equal", "value": "a"}]}},
        ]))
        .expect("they are classes");
        RuntimeClasses::new(classes.iter())
    }

    fn admitted(spec: Value) -> Result<Value, String> {
        let mut spec: PodSpec = serde_json::from_value(spec).expect("it is a spec");
        let classes = classes();
        classes.admit(&mut spec).map_err(|(_, why)| why)?;
        classes.judge(&spec).map_err(|(_, why)| why)?;
        Ok(berth_base::json::value(&spec))
    }

    #[test]
    fn a_class_gives_overhead_selector_and_tolerations() {
        let spec = admitted(json!({
            "containers": [], "runtimeClassName": "kata", "nodeSelector": {"zone": "a"},
            "tolerations": [{"key": "vm", "operator": "Equal", "value": "x"}],
        }));
        let spec = spec.expect("it is admitted");
        assert_eq!(spec["overhead"], json!({"cpu": "250m"}));
        assert_eq!(spec["nodeSelector"], json!({"vm": "yes", "zone": "a"}));
        // The class tolerates all values of `vm`.
        let keys: Vec<&Value> = spec["tolerations"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|it| &it["key"])
            .collect();
        assert_eq!(keys, ["vm", "gpu"]);
        assert_eq!(spec["tolerations"][0]["operator"], "Exists");
        let same =
            json!({"containers": [], "runtimeClassName": "kata", "overhead": {"cpu": "0.25"}});
        assert!(admitted(same).is_ok());
    }

    #[test]
    fn what_does_not_fit_the_class_is_refused() {
        for (spec, why) in [
            (
                json!({"containers": [], "runtimeClassName": "gvisor"}),
                "pod rejected: RuntimeClass \"gvisor\" not found",
            ),
            (
                json!({"containers": [], "runtimeClassName": "kata", "overhead": {"cpu": "1"}}),
                OTHER_OVERHEAD,
            ),
            (
                json!({"containers": [], "runtimeClassName": "plain", "overhead": {"cpu": "1"}}),
                NO_OVERHEAD,
            ),
            (
                json!({"containers": [], "runtimeClassName": "kata", "nodeSelector": {"vm": "no"}}),
                "conflict: runtimeClass.scheduling.nodeSelector[vm] = yes; pod.spec.nodeSelector[vm] = no",
            ),
        ] {
            assert_eq!(admitted(spec), Err(why.to_owned()));
        }
        assert!(admitted(json!({"containers": []})).is_ok());
    }
}
