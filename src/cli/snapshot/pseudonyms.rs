//! Pseudonyms for what names something: names, namespaces, values of labels, images and addresses.
//!
//! Strings are renamed word by word, so that names that are made of others stay so: a ReplicaSet's begins with its
//! Deployment's. Pseudonyms sort as the words do, as ties and lists follow the order of names. What else may say
//! something private, and decides about no placement, is left out.

mod words;

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use words::Words;

/// Fields that hold a name.
const NAMES: [&str; 32] = [
    "claimName",
    "device",
    "deviceClassName",
    "diskName",
    "diskURI",
    "hostname",
    "image",
    "iqn",
    "name",
    "namespace",
    "nodeID",
    "nodeName",
    "nominatedNodeName",
    "path",
    "pdName",
    "persistentVolumeName",
    "pool",
    "priorityClassName",
    "resourceClaimName",
    "resourceClaimTemplateName",
    "runtimeClassName",
    "secretName",
    "server",
    "serviceAccount",
    "serviceAccountName",
    "serviceName",
    "storageClassName",
    "subPath",
    "subdomain",
    "volumeHandle",
    "volumeID",
    "volumeName",
];

/// Lists of names.
const LISTS: [&str; 2] = ["names", "namespaces"];

/// Maps from keys of labels to values.
const LABELS: [&str; 4] = ["labels", "matchLabels", "nodeSelector", "selector"];

/// Fields that name a driver: the scheduler reads which it is.
const DRIVERS: [&str; 4] = ["attacher", "driver", "provisioner", "volumePluginName"];

/// What is left out, as no placement depends on it.
const LEFT_OUT: [&str; 28] = [
    "addresses",
    "args",
    "clusterIPs",
    "command",
    "containerID",
    "dnsConfig",
    "env",
    "envFrom",
    "externalIPs",
    "externalName",
    "generateName",
    "hostAliases",
    "imageID",
    "lifecycle",
    "livenessProbe",
    "loadBalancerIP",
    "loadBalancerSourceRanges",
    "message",
    "mountOptions",
    "parameters",
    "podCIDR",
    "podCIDRs",
    "providerID",
    "readinessProbe",
    "startupProbe",
    "volumeMounts",
    "volumesAttached",
    "volumesInUse",
];

/// Keys of labels, by their beginning, whose values say what a node is, and not whose.
const WELL_KNOWN: [&str; 13] = [
    "apps.kubernetes.io/pod-index",
    "batch.kubernetes.io/job-completion-index",
    "beta.kubernetes.io/",
    "controller-uid",
    "batch.kubernetes.io/controller-uid",
    "eks.amazonaws.com/capacityType",
    "failure-domain.beta.kubernetes.io/",
    "karpenter.sh/capacity-type",
    "kubernetes.io/arch",
    "kubernetes.io/os",
    "node-role.kubernetes.io/",
    "node.kubernetes.io/",
    "topology.",
];

/// Annotations whose values say nothing private, and that of a name.
const ANNOTATIONS: [&str; 7] = [
    "controller.kubernetes.io/pod-deletion-cost",
    "deployment.kubernetes.io/",
    "kubernetes.io/config.source",
    "kubernetes.io/config.mirror",
    "pv.kubernetes.io/bind-completed",
    "pv.kubernetes.io/bound-by-controller",
    "storageclass.kubernetes.io/is-default-class",
];
const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";

/// Pseudonyms of one cluster.
#[derive(Debug, Default)]
pub struct Pseudonyms {
    words: Words,
    drivers: BTreeSet<String>,
}

impl Pseudonyms {
    /// Renames all objects, and returns the key: each word that was renamed, and its pseudonym.
    pub fn rename(objects: &mut [Value]) -> Vec<(String, String)> {
        let mut all = Self::default();
        for object in objects.iter_mut() {
            leave_out(object);
            drivers(object, &mut all.drivers);
        }
        let sets = objects.iter().filter(|it| it["kind"] == "StatefulSet");
        let owners = objects.iter().flat_map(owning_sets);
        let sets: BTreeSet<&str> = sets
            .filter_map(|it| it.pointer("/metadata/name"))
            .chain(owners)
            .filter_map(Value::as_str)
            .collect();
        all.words = Words::of_sets(sets);
        let mut met = BTreeSet::new();
        for object in objects.iter_mut() {
            all.visit(object, &mut |words, text| words.collect(text, &mut met));
        }
        all.words.assign(met);
        for object in objects.iter_mut() {
            all.visit(object, &mut |words, text| *text = words.renamed(text));
        }
        all.words.key()
    }

    /// Calls a function with each string that names something.
    fn visit(&self, value: &mut Value, each: &mut dyn FnMut(&Words, &mut String)) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.visit(item, each)),
            Value::Object(map) => self.visit_map(map, each),
            _ => {}
        }
    }

    fn visit_map(&self, map: &mut Map<String, Value>, each: &mut dyn FnMut(&Words, &mut String)) {
        let label = map.get("key").and_then(Value::as_str).map(str::to_owned);
        for (key, value) in map {
            self.visit_field(key, label.as_deref(), value, each);
        }
    }

    /// `label`: what is in the field `key` beside this one.
    fn visit_field(
        &self,
        key: &str,
        label: Option<&str>,
        value: &mut Value,
        each: &mut dyn FnMut(&Words, &mut String),
    ) {
        let is_of_label = label.is_some_and(|label| !is_well_known(label));
        match value {
            // Their names are those of protocols.
            _ if key == "ports" => {}
            Value::Object(annotations) if key == "annotations" => {
                if let Some(Value::String(node)) = annotations.get_mut(SELECTED_NODE) {
                    each(&self.words, node);
                }
            }
            Value::Object(labels) if LABELS.contains(&key) => {
                for (key, value) in labels {
                    match value {
                        Value::String(text) if !is_well_known(key) => each(&self.words, text),
                        Value::String(_) => {}
                        value => self.visit_field(key, None, value, each),
                    }
                }
            }
            Value::Array(items) if LISTS.contains(&key) || (key == "values" && is_of_label) => {
                for item in items {
                    match item {
                        Value::String(text) => each(&self.words, text),
                        item => self.visit(item, each),
                    }
                }
            }
            Value::String(text) => {
                let is_name = NAMES.contains(&key) && !self.drivers.contains(text);
                if is_name || (key == "value" && is_of_label) {
                    each(&self.words, text);
                }
            }
            value => self.visit(value, each),
        }
    }
}

/// The StatefulSets that own an object.
fn owning_sets(object: &Value) -> impl Iterator<Item = &Value> {
    let owners = object.pointer("/metadata/ownerReferences");
    let owners = owners.and_then(Value::as_array).into_iter().flatten();
    owners
        .filter(|it| it["kind"] == "StatefulSet")
        .filter_map(|it| it.get("name"))
}

fn is_well_known(label: &str) -> bool {
    let names_a_node = matches!(
        label,
        "kubernetes.io/hostname" | "kubernetes.io/metadata.name"
    );
    !names_a_node && WELL_KNOWN.iter().any(|known| label.starts_with(known))
}

/// Leaves out what is not renamed and may say something private.
fn leave_out(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(leave_out),
        Value::Object(map) => {
            map.retain(|key, _| !LEFT_OUT.contains(&key.as_str()));
            if map
                .get("clusterIP")
                .is_some_and(|address| address != "None")
            {
                map.shift_remove("clusterIP");
            }
            if let Some(Value::Object(annotations)) = map.get_mut("annotations") {
                annotations.retain(|key, _| {
                    key == SELECTED_NODE || ANNOTATIONS.iter().any(|it| key.starts_with(it))
                });
            }
            for (field, value) in map {
                if !has_free_keys(field, value) {
                    leave_out(value);
                }
            }
        }
        _ => {}
    }
}

/// Whether users choose the keys of the map in a field: those of labels, not of a selector with `matchLabels`.
fn has_free_keys(field: &str, value: &Value) -> bool {
    let are_texts = |map: &Map<String, Value>| map.values().all(Value::is_string);
    LABELS.contains(&field) && value.as_object().is_some_and(are_texts)
}

/// The names of drivers.
fn drivers(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| drivers(item, found)),
        Value::Object(map) => {
            for (key, value) in map {
                match value {
                    Value::String(name) if DRIVERS.contains(&key.as_str()) => {
                        found.insert(name.clone());
                    }
                    value => drivers(value, found),
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Pseudonyms;

    #[test]
    fn labels_that_are_named_like_fields_stay() {
        let mut objects = [
            json!({"kind": "Pod", "metadata": {"name": "web", "labels": {"env": "prod", "args": "x"}},
                "spec": {"nodeSelector": {"path": "y"}, "containers": [{"name": "c", "env": [{"name": "A"}]}]},
                "status": {"containerStatuses": [{"containerID": "containerd://1", "state": {"waiting": {"message": "container=web"}}}]}}),
            json!({"kind": "Service", "spec": {"selector": {"env": "prod"}}}),
            json!({"kind": "PodDisruptionBudget", "spec": {"selector": {"matchLabels": {"env": "prod"}}}}),
            json!({"kind": "Node", "status": {"addresses": [{"type": "Hostname", "address": "web"}]}}),
        ];
        Pseudonyms::rename(&mut objects);
        let [pod, service, budget, node] = &objects;
        let labels = &pod["metadata"]["labels"];
        assert!(
            labels["env"].is_string() && labels["args"].is_string(),
            "{pod}"
        );
        assert!(pod["spec"]["nodeSelector"]["path"].is_string(), "{pod}");
        assert_eq!(service["spec"]["selector"]["env"], labels["env"]);
        assert_eq!(
            budget["spec"]["selector"]["matchLabels"]["env"],
            labels["env"]
        );
        assert!(pod["spec"]["containers"][0].get("env").is_none(), "{pod}");
        for private in ["web", "prod", "containerd"] {
            assert!(!json!(objects).to_string().contains(private), "{private}");
        }
        assert_eq!(node["status"], json!({}));
    }

    #[test]
    fn references_and_order_stay() {
        let mut objects = [
            json!({"kind": "Pod", "metadata": {"name": "zoo-10", "namespace": "kube-system", "labels": {"app": "zoo", "kubernetes.io/os": "linux"},
                "ownerReferences": [{"kind": "StatefulSet", "name": "zoo"}]},
                "spec": {"nodeName": "ip-10-0-0-7.eu", "priorityClassName": "system-node-critical",
                    "nodeSelector": {"topology.kubernetes.io/zone": "eu-1a", "pool": "zoo"},
                    "tolerations": [{"key": "spot", "operator": "Equal", "value": "zoo", "effect": "NoSchedule"}],
                    "containers": [{"name": "main", "image": "acme.example/zoo:v1", "command": ["acme"], "ports": [{"name": "http"}]}]}}),
            json!({"kind": "Node", "metadata": {"name": "ip-10-0-0-7.eu", "labels": {"pool": "zoo", "kubernetes.io/hostname": "ip-10-0-0-7.eu"}},
                "spec": {"providerID": "aws://x"}, "status": {"images": [{"names": ["acme.example/zoo:v1"]}]}}),
            json!({"kind": "PodDisruptionBudget", "metadata": {"name": "zoo"},
                "spec": {"selector": {"matchLabels": {"app": "zoo"}, "matchExpressions": [{"key": "app", "operator": "In", "values": ["zoo"]}]}}}),
            json!({"kind": "CSIDriver", "metadata": {"name": "ebs.csi.aws.com"}}),
            json!({"kind": "StorageClass", "metadata": {"name": "fast"}, "provisioner": "ebs.csi.aws.com", "parameters": {"key": "arn"}}),
        ];
        let key = Pseudonyms::rename(&mut objects);
        let [pod, node, budget, driver, class] = &objects;
        let name = pod["metadata"]["name"].as_str().unwrap();
        let zoo = &key.iter().find(|(word, _)| word == "zoo").unwrap().1;
        assert_eq!(name, format!("{zoo}-10"));
        assert_eq!(&pod["metadata"]["labels"]["app"], zoo);
        assert_eq!(&pod["spec"]["tolerations"][0]["value"], zoo);
        assert_eq!(&pod["spec"]["nodeSelector"]["pool"], zoo);
        assert_eq!(pod["spec"]["nodeName"], node["metadata"]["name"]);
        assert_eq!(
            node["metadata"]["name"],
            node["metadata"]["labels"]["kubernetes.io/hostname"]
        );
        assert_eq!(
            pod["spec"]["containers"][0]["image"],
            node["status"]["images"][0]["names"][0]
        );
        for kept in [
            "kube-system",
            "system-node-critical",
            "eu-1a",
            "linux",
            "NoSchedule",
            "http",
        ] {
            let text = pod.to_string();
            assert!(text.contains(kept), "{kept}: {text}");
        }
        let selector = &budget["spec"]["selector"];
        assert_eq!(&selector["matchLabels"]["app"], zoo);
        assert_eq!(&selector["matchExpressions"][0]["values"][0], zoo);
        assert_eq!(driver["metadata"]["name"], class["provisioner"]);
        assert_eq!(class["provisioner"], "ebs.csi.aws.com");
        let all = json!(objects).to_string();
        for private in ["acme", "zoo", "ip-10", "aws://", "arn", "fast"] {
            assert!(!all.contains(private), "{private}: {all}");
        }
        let mut sorted = key.clone();
        sorted.sort_by(|a, b| a.1.cmp(&b.1));
        assert_eq!(sorted, key);
    }
}
