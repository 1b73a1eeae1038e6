//! LimitRange admission: default requests and limits of containers, and bounds (v1.34's
//! LimitRanger). `maxLimitRequestRatio` is not enforced.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{
    Container, LimitRange, LimitRangeItem, PersistentVolumeClaim, PodSpec,
};

use super::meta::namespace_of;
use super::priority::Refusal;
use super::resources::{ResourceList, aggregate_limits, aggregate_requests, amount};

/// The LimitRanges of a cluster, by namespace.
#[derive(Debug, Default)]
pub(super) struct LimitRanges {
    by_namespace: BTreeMap<String, Vec<LimitRangeItem>>,
}

impl LimitRanges {
    pub(super) fn new(ranges: Vec<LimitRange>) -> Self {
        let mut by_namespace: BTreeMap<String, Vec<LimitRangeItem>> = BTreeMap::new();
        for range in ranges {
            let namespace = namespace_of(&range.metadata).to_owned();
            let mut range = range;
            set_limit_defaults(&mut range);
            let items = range.spec.unwrap_or_default().limits;
            by_namespace.entry(namespace).or_default().extend(items);
        }
        LimitRanges { by_namespace }
    }

    /// Validates the size of a claim.
    pub(super) fn judge_claim(&self, claim: &PersistentVolumeClaim) -> Result<(), String> {
        let namespace = namespace_of(&claim.metadata);
        let items = self.by_namespace.get(namespace).into_iter().flatten();
        let requests = claim
            .spec
            .as_ref()
            .and_then(|spec| spec.resources.as_ref())
            .and_then(|resources| resources.requests.clone())
            .unwrap_or_default();
        let mut broken = Vec::new();
        for item in items.filter(|item| item.type_ == "PersistentVolumeClaim") {
            judge_lists(&requests, &requests, item, &mut broken);
        }
        match broken.as_slice() {
            [] => Ok(()),
            [one] => Err(one.clone()),
            many => Err(format!("[{}]", many.join(", "))),
        }
    }

    /// Applies default requests and limits, then validates the bounds.
    pub(super) fn admit(&self, namespace: &str, spec: &mut PodSpec) -> Result<(), Refusal> {
        self.complete(namespace, spec);
        self.judge(namespace, spec)
    }

    /// Applies default requests and limits.
    pub(super) fn complete(&self, namespace: &str, spec: &mut PodSpec) {
        let Some(items) = self.by_namespace.get(namespace) else {
            return;
        };
        let init_containers = spec.init_containers.iter_mut().flatten();
        for container in spec.containers.iter_mut().chain(init_containers) {
            items
                .iter()
                .filter(|item| item.type_ == "Container")
                .for_each(|item| fill(container, item));
        }
    }

    /// Validates the bounds.
    pub(super) fn judge(&self, namespace: &str, spec: &PodSpec) -> Result<(), Refusal> {
        let items = self.by_namespace.get(namespace);
        let mut broken: Vec<String> = Vec::new();
        for item in items.into_iter().flatten() {
            judge(spec, item, &mut broken);
        }
        match broken.as_slice() {
            [] => Ok(()),
            [one] => Err(("spec.containers", one.clone())),
            many => Err(("spec.containers", format!("[{}]", many.join(", ")))),
        }
    }
}

/// Sets the defaults of a LimitRange (`SetDefaults_LimitRangeItem`); idempotent.
pub fn set_limit_defaults(range: &mut LimitRange) {
    let items = range.spec.iter_mut().flat_map(|spec| &mut spec.limits);
    items.for_each(set_defaults);
}

/// The default limit defaults to the maximum; the default request to the default limit, or else the minimum.
fn set_defaults(item: &mut LimitRangeItem) {
    if item.type_ != "Container" {
        return;
    }
    let limits = item.default.get_or_insert_default();
    add_missing(limits, item.max.as_ref());
    let requests = item.default_request.get_or_insert_default();
    add_missing(requests, Some(limits));
    add_missing(requests, item.min.as_ref());
}

fn add_missing(list: &mut ResourceList, from: Option<&ResourceList>) {
    for (name, quantity) in from.into_iter().flatten() {
        list.entry(name.clone()).or_insert_with(|| quantity.clone());
    }
}

fn fill(container: &mut Container, item: &LimitRangeItem) {
    let resources = container.resources.get_or_insert_default();
    add_missing(
        resources.limits.get_or_insert_default(),
        item.default.as_ref(),
    );
    add_missing(
        resources.requests.get_or_insert_default(),
        item.default_request.as_ref(),
    );
}

fn judge(spec: &PodSpec, item: &LimitRangeItem, broken: &mut Vec<String>) {
    let init_containers = spec.init_containers.as_deref().unwrap_or_default();
    match item.type_.as_str() {
        "Container" => {
            for container in spec.containers.iter().chain(init_containers) {
                let resources = container.resources.clone().unwrap_or_default();
                let requests = resources.requests.unwrap_or_default();
                let limits = resources.limits.unwrap_or_default();
                judge_lists(&requests, &limits, item, broken);
            }
        }
        "Pod" => {
            let requests = aggregate_requests(&spec.containers, init_containers);
            let limits = aggregate_limits(&spec.containers, init_containers);
            judge_lists(&requests, &limits, item, broken);
        }
        _ => {}
    }
}

fn judge_lists(
    requests: &ResourceList,
    limits: &ResourceList,
    item: &LimitRangeItem,
    broken: &mut Vec<String>,
) {
    for (name, min) in item.min.iter().flatten() {
        let bound = format!("minimum {name} usage per {} is {}", item.type_, amount(min));
        match (requests.get(name).map(amount), limits.get(name).map(amount)) {
            (None, _) => broken.push(format!("{bound}.  No request is specified")),
            (Some(request), _) if request < amount(min) => {
                broken.push(format!("{bound}, but request is {request}"));
            }
            (_, Some(limit)) if limit < amount(min) => {
                broken.push(format!("{bound}, but limit is {limit}"));
            }
            _ => {}
        }
    }
    for (name, max) in item.max.iter().flatten() {
        let bound = format!("maximum {name} usage per {} is {}", item.type_, amount(max));
        match (limits.get(name).map(amount), requests.get(name).map(amount)) {
            (None, _) => broken.push(format!("{bound}.  No limit is specified")),
            (Some(limit), _) if limit > amount(max) => {
                broken.push(format!("{bound}, but limit is {limit}"));
            }
            (_, Some(request)) if request > amount(max) => {
                broken.push(format!("{bound}, but request is {request}"));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn admitted(item: Value, resources: Value) -> Result<Value, Refusal> {
        let range = json!([{"metadata": {"namespace": "default"}, "spec": {"limits": [item]}}]);
        let ranges = LimitRanges::new(serde_json::from_value(range).unwrap());
        let mut spec: PodSpec =
            serde_json::from_value(json!({"containers": [{"name": "a", "resources": resources}]}))
                .unwrap();
        ranges.admit("other", &mut spec).unwrap();
        ranges.admit("default", &mut spec)?;
        Ok(serde_json::to_value(&spec.containers[0].resources).unwrap())
    }

    #[test]
    fn missing_requests_and_limits_are_filled_in() {
        let item = json!({"type": "Container", "default": {"cpu": "1"}, "defaultRequest": {"cpu": "100m"}});
        assert_eq!(
            admitted(item.clone(), json!({})),
            Ok(json!({"limits": {"cpu": "1"}, "requests": {"cpu": "100m"}}))
        );
        let own = json!({"limits": {"cpu": "3"}, "requests": {"cpu": "2"}});
        assert_eq!(admitted(item, own.clone()), Ok(own));
        let max_only = json!({"type": "Container", "max": {"cpu": "2"}});
        assert_eq!(
            admitted(max_only, json!({})),
            Ok(json!({"limits": {"cpu": "2"}, "requests": {"cpu": "2"}}))
        );
    }

    #[test]
    fn bounds_are_enforced_with_the_api_servers_messages() {
        let item = json!({"type": "Container", "min": {"cpu": "100m"}, "max": {"cpu": "1"}});
        let large = json!({"limits": {"cpu": "2"}, "requests": {"cpu": "50m"}});
        let (_, message) = admitted(item, large).unwrap_err();
        assert_eq!(
            message,
            "[minimum cpu usage per Container is 100m, but request is 50m, \
             maximum cpu usage per Container is 1, but limit is 2]"
        );
        let pod = json!({"type": "Pod", "max": {"memory": "1Gi"}});
        let (_, message) = admitted(pod, json!({})).unwrap_err();
        assert_eq!(
            message,
            "maximum memory usage per Pod is 1Gi.  No limit is specified"
        );
    }
}
