//! LimitRange admission: default requests and limits of containers, and bounds (v1.36's LimitRanger).

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{
    Container, LimitRange, LimitRangeItem, PersistentVolumeClaim, PodSpec,
};

use super::meta::namespace_of;
use super::priority::Refusal;
use super::resources::{
    ResourceList, aggregate_limits, aggregate_requests, amount, round_up_to_milli,
};

/// The LimitRanges of a cluster, by namespace: the items of each.
#[derive(Debug, Default)]
pub(super) struct LimitRanges {
    by_namespace: BTreeMap<String, Vec<Vec<LimitRangeItem>>>,
}

impl LimitRanges {
    pub(super) fn new(ranges: Vec<LimitRange>) -> Self {
        let mut by_namespace: BTreeMap<String, Vec<Vec<LimitRangeItem>>> = BTreeMap::new();
        for range in ranges {
            let namespace = namespace_of(&range.metadata).to_owned();
            let mut range = range;
            set_limit_defaults(&mut range);
            let items = range.spec.unwrap_or_default().limits;
            by_namespace.entry(namespace).or_default().push(items);
        }
        LimitRanges { by_namespace }
    }

    fn of(&self, namespace: &str) -> &[Vec<LimitRangeItem>] {
        self.by_namespace.get(namespace).map_or(&[], Vec::as_slice)
    }

    /// Validates the size of a claim.
    pub(super) fn judge_claim(&self, claim: &PersistentVolumeClaim) -> Result<(), String> {
        let requests = claim
            .spec
            .as_ref()
            .and_then(|spec| spec.resources.as_ref())
            .and_then(|resources| resources.requests.clone())
            .unwrap_or_default();
        first_broken(self.of(namespace_of(&claim.metadata)), |item, broken| {
            if item.type_ == "PersistentVolumeClaim" {
                let asked = Demand {
                    requests: &requests,
                    limits: None,
                };
                asked.judge(item, broken);
            }
        })
    }

    /// Applies default requests and limits; returns the annotation that says which.
    pub(super) fn complete(&self, namespace: &str, spec: &mut PodSpec) -> Option<String> {
        let mut annotation = None;
        for items in self.of(namespace) {
            let mut set = Vec::new();
            let containers = spec.containers.iter_mut().map(|it| ("container", it));
            let init_containers = spec.init_containers.iter_mut().flatten();
            let init_containers = init_containers.map(|it| ("init container", it));
            for (noun, container) in containers.chain(init_containers) {
                fill(noun, container, items, &mut set);
            }
            if !set.is_empty() {
                annotation = Some(format!("LimitRanger plugin set: {}", set.join("; ")));
            }
        }
        annotation
    }

    /// Validates the bounds.
    pub(super) fn judge(&self, namespace: &str, spec: &PodSpec) -> Result<(), Refusal> {
        let judged = first_broken(self.of(namespace), |item, broken| judge(spec, item, broken));
        judged.map_err(|why| ("spec.containers", why))
    }
}

/// What the first LimitRange that is broken says.
fn first_broken(
    ranges: &[Vec<LimitRangeItem>],
    judge: impl Fn(&LimitRangeItem, &mut Vec<String>),
) -> Result<(), String> {
    for items in ranges {
        let mut broken = Vec::new();
        items.iter().for_each(|item| judge(item, &mut broken));
        let mut said: Vec<String> = Vec::new();
        for why in broken {
            if !said.contains(&why) {
                said.push(why);
            }
        }
        match said.as_slice() {
            [] => {}
            [one] => return Err(one.clone()),
            many => return Err(format!("[{}]", many.join(", "))),
        }
    }
    Ok(())
}

/// Sets the defaults of a LimitRange (`SetDefaults_LimitRangeItem`); idempotent.
pub fn set_limit_defaults(range: &mut LimitRange) {
    let items = range.spec.iter_mut().flat_map(|spec| &mut spec.limits);
    for item in items {
        for list in [
            &mut item.min,
            &mut item.max,
            &mut item.default,
            &mut item.default_request,
            &mut item.max_limit_request_ratio,
        ] {
            round_up_to_milli(list.as_mut());
        }
        set_defaults(item);
    }
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

/// Fills in what a container does not set, and notes it: `cpu, memory limit for container c`.
fn fill(noun: &str, container: &mut Container, items: &[LimitRangeItem], set: &mut Vec<String>) {
    let items = || items.iter().filter(|item| item.type_ == "Container");
    let resources = container.resources.get_or_insert_default();
    let name = &container.name;
    let mut add = |list: &mut ResourceList, defaults: &ResourceList, what: &str| {
        let missing = defaults.keys().filter(|it| !list.contains_key(*it));
        let missing: Vec<&str> = missing.map(String::as_str).collect();
        if !missing.is_empty() {
            set.push(format!("{} {what} for {noun} {name}", missing.join(", ")));
        }
        add_missing(list, Some(defaults));
    };
    let merged = |of: fn(&LimitRangeItem) -> Option<&ResourceList>| -> ResourceList {
        let mut all = ResourceList::new();
        for list in items().filter_map(of) {
            all.extend(list.clone());
        }
        all
    };
    let requests = merged(|item| item.default_request.as_ref());
    let limits = merged(|item| item.default.as_ref());
    add(
        resources.requests.get_or_insert_default(),
        &requests,
        "request",
    );
    add(resources.limits.get_or_insert_default(), &limits, "limit");
}

fn judge(spec: &PodSpec, item: &LimitRangeItem, broken: &mut Vec<String>) {
    let init_containers = spec.init_containers.as_deref().unwrap_or_default();
    let (requests, limits) = match item.type_.as_str() {
        "Container" => {
            for container in spec.containers.iter().chain(init_containers) {
                let resources = container.resources.clone().unwrap_or_default();
                let asked = Demand {
                    requests: &resources.requests.unwrap_or_default(),
                    limits: Some(&resources.limits.unwrap_or_default()),
                };
                asked.judge(item, broken);
            }
            return;
        }
        "Pod" => (
            aggregate_requests(&spec.containers, init_containers),
            aggregate_limits(&spec.containers, init_containers),
        ),
        _ => return,
    };
    // Pod-level resources replace those of the containers.
    let of_pod = spec.resources.clone().unwrap_or_default();
    let replaced = |mut list: ResourceList, own: Option<ResourceList>| {
        let own = own.into_iter().flatten();
        list.extend(own.filter(|(name, _)| matches!(name.as_str(), "cpu" | "memory")));
        list
    };
    let asked = Demand {
        requests: &replaced(requests, of_pod.requests),
        limits: Some(&replaced(limits, of_pod.limits)),
    };
    asked.judge(item, broken);
}

/// What is asked for; a claim has no limits.
struct Demand<'a> {
    requests: &'a ResourceList,
    limits: Option<&'a ResourceList>,
}

impl Demand<'_> {
    fn judge(&self, item: &LimitRangeItem, broken: &mut Vec<String>) {
        let kind = &item.type_;
        let request = |name: &str| self.requests.get(name).map(amount);
        let limit = |name: &str| self.limits.and_then(|list| list.get(name)).map(amount);
        for (name, min) in item.min.iter().flatten() {
            let min = amount(min);
            let bound = format!("minimum {name} usage per {kind} is {min}");
            match (request(name), limit(name)) {
                (None, _) => broken.push(format!("{bound}.  No request is specified")),
                (Some(request), _) if request < min => {
                    broken.push(format!("{bound}, but request is {request}"));
                }
                (_, Some(limit)) if limit < min => {
                    broken.push(format!("{bound}, but limit is {limit}"));
                }
                _ => {}
            }
        }
        for (name, max) in item.max.iter().flatten() {
            let max = amount(max);
            let bound = format!("maximum {name} usage per {kind} is {max}");
            match (limit(name), request(name)) {
                (None, _) if self.limits.is_some() => {
                    broken.push(format!("{bound}.  No limit is specified"));
                }
                (None, None) => broken.push(format!("{bound}.  No request is specified")),
                (Some(limit), _) if limit > max => {
                    broken.push(format!("{bound}, but limit is {limit}"));
                }
                (_, Some(request)) if request > max => {
                    broken.push(format!("{bound}, but request is {request}"));
                }
                _ => {}
            }
        }
        if self.limits.is_none() {
            return;
        }
        for (name, ratio) in item.max_limit_request_ratio.iter().flatten() {
            let ratio = amount(ratio);
            let bound = format!("{name} max limit to request ratio per {kind} is {ratio}");
            let (request, limit) = (request(name), limit(name));
            let Some(request) = request.filter(|it| !it.is_zero()) else {
                let why = "no request is specified or request is 0";
                broken.push(format!("{bound}, but {why}"));
                continue;
            };
            let Some(limit) = limit.filter(|it| !it.is_zero()) else {
                let why = "no limit is specified or limit is 0";
                broken.push(format!("{bound}, but {why}"));
                continue;
            };
            let provided = limit.as_f64() / request.as_f64();
            if provided > ratio.as_f64() {
                broken.push(format!("{bound}, but provided ratio is {provided:.6}"));
            }
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
        assert_eq!(ranges.complete("other", &mut spec), None);
        ranges.complete("default", &mut spec);
        ranges.judge("default", &spec)?;
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
        let ratio = json!({"type": "Container", "maxLimitRequestRatio": {"cpu": "2"}});
        let wide = json!({"limits": {"cpu": "1"}, "requests": {"cpu": "100m"}});
        let (_, message) = admitted(ratio, wide).unwrap_err();
        assert_eq!(
            message,
            "cpu max limit to request ratio per Container is 2, but provided ratio is 10.000000"
        );
        let pod = json!({"type": "Pod", "max": {"memory": "1Gi"}});
        let (_, message) = admitted(pod, json!({})).unwrap_err();
        assert_eq!(
            message,
            "maximum memory usage per Pod is 1Gi.  No limit is specified"
        );
    }
}
