//! New Pods and Deployments.

use serde_json::{Map, Value, json};

use super::devices::{self, Claiming};
use super::{names_of, next_number};
use berth_core::api::load::Loaded;
use berth_protocol::edit::{Edit, EditError};
use berth_protocol::gesture::{PodForm, TolerationForm};
use berth_protocol::remark::Remark;

/// The weight of a preferred term: the maximum.
const WEIGHT: u32 = 100;

/// The PriorityClasses that every cluster has.
const SYSTEM_CLASSES: [&str; 2] = ["system-cluster-critical", "system-node-critical"];

/// The image of a new container. It has no effect.
const IMAGE: &str = "nginx";

pub(super) fn add_pod(
    loaded: &Loaded,
    name: Option<&str>,
    namespace: &str,
    form: &PodForm,
) -> Result<Vec<Edit>, EditError> {
    known_class(loaded, form)?;
    let name = name_or_new(loaded, name, "Pod", "pod-");
    let claiming = claiming(loaded, &name, namespace, form)?;
    let labels = labels(&name, form);
    let mut metadata = metadata(&name, namespace);
    metadata.insert("labels".to_owned(), labels.clone());
    let manifest = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": spec(&name, &labels, form, claiming.as_ref()),
    });
    Ok(after(claiming, manifest))
}

pub(super) fn add_deployment(
    loaded: &Loaded,
    name: Option<&str>,
    namespace: &str,
    replicas: u32,
    form: &PodForm,
) -> Result<Vec<Edit>, EditError> {
    known_class(loaded, form)?;
    let name = name_or_new(loaded, name, "Deployment", "deployment-");
    let claiming = claiming(loaded, &name, namespace, form)?;
    let labels = labels(&name, form);
    let manifest = json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata(&name, namespace),
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": spec(&name, &labels, form, claiming.as_ref()),
            },
        },
    });
    Ok(after(claiming, manifest))
}

/// How the Pods claim devices, if they do.
fn claiming(
    loaded: &Loaded,
    name: &str,
    namespace: &str,
    form: &PodForm,
) -> Result<Option<Claiming>, EditError> {
    let claim = form.claim.as_ref();
    claim
        .map(|claim| devices::claimed(loaded, name, namespace, claim))
        .transpose()
}

/// Creates an object after what its Pods claim devices with.
fn after(claiming: Option<Claiming>, manifest: Value) -> Vec<Edit> {
    let mut edits = claiming.map(|it| it.edits).unwrap_or_default();
    edits.push(Edit::Create { manifest });
    edits
}

fn name_or_new(loaded: &Loaded, name: Option<&str>, kind: &str, stem: &str) -> String {
    match name {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => format!("{stem}{}", next_number(names_of(loaded, kind), stem)),
    }
}

fn known_class(loaded: &Loaded, form: &PodForm) -> Result<(), EditError> {
    let name = form.priority_class_name.as_str();
    let known = name.is_empty()
        || SYSTEM_CLASSES.contains(&name)
        || names_of(loaded, "PriorityClass").any(|class| class == name);
    if known {
        return Ok(());
    }
    Err(EditError::new(
        Remark::quoted(format!("no PriorityClass with name {name} was found")),
        Remark::class_first(),
    ))
}

fn metadata(name: &str, namespace: &str) -> Map<String, Value> {
    let mut metadata = Map::new();
    metadata.insert("name".to_owned(), json!(name));
    if !namespace.is_empty() {
        metadata.insert("namespace".to_owned(), json!(namespace));
    }
    metadata
}

/// The Pod's labels; selectors need at least one.
fn labels(name: &str, form: &PodForm) -> Value {
    if form.labels.is_empty() {
        json!({"app": name})
    } else {
        json!(form.labels)
    }
}

fn spec(name: &str, labels: &Value, form: &PodForm, claiming: Option<&Claiming>) -> Value {
    let mut spec = Map::new();
    let mut put = |key: &str, value: Value, is_given: bool| {
        if is_given {
            spec.insert(key.to_owned(), value);
        }
    };
    put(
        "priorityClassName",
        json!(form.priority_class_name),
        !form.priority_class_name.is_empty(),
    );
    put(
        "nodeSelector",
        json!(form.node_selector),
        !form.node_selector.is_empty(),
    );
    let tolerations: Vec<Value> = form.tolerations.iter().map(toleration).collect();
    put("tolerations", json!(tolerations), !tolerations.is_empty());
    let affinity = affinity(labels, form);
    let has_affinity = affinity.as_object().is_some_and(|map| !map.is_empty());
    put("affinity", affinity, has_affinity);
    let spread = form.spread.iter().map(|spread| {
        let policy = match spread.hard {
            true => "DoNotSchedule",
            false => "ScheduleAnyway",
        };
        json!({
            "maxSkew": spread.max_skew,
            "topologyKey": spread.topology_key,
            "whenUnsatisfiable": policy,
            "labelSelector": {"matchLabels": labels},
        })
    });
    let spread: Vec<Value> = spread.collect();
    put(
        "topologySpreadConstraints",
        json!(spread),
        !spread.is_empty(),
    );
    if let Some(Claiming { name, template, .. }) = claiming {
        let claims = json!([{"name": name, "resourceClaimTemplateName": template}]);
        put("resourceClaims", claims, true);
    }
    put("containers", json!([container(name, form, claiming)]), true);
    Value::Object(spec)
}

/// The container, named after its Pod within the limits of container names.
fn container(name: &str, form: &PodForm, claiming: Option<&Claiming>) -> Value {
    let short: String = name.replace('.', "-").chars().take(63).collect();
    let mut container = Map::new();
    container.insert("name".to_owned(), json!(short.trim_end_matches('-')));
    container.insert("image".to_owned(), json!(IMAGE));
    let mut requests = Map::new();
    for (resource, quantity) in [("cpu", &form.cpu), ("memory", &form.memory)] {
        if !quantity.is_empty() {
            requests.insert(resource.to_owned(), json!(quantity));
        }
    }
    for (resource, quantity) in &form.extra {
        requests.insert(resource.clone(), json!(quantity));
    }
    let mut resources = Map::new();
    if !requests.is_empty() {
        resources.insert("requests".to_owned(), Value::Object(requests));
    }
    if !form.extra.is_empty() {
        // The API server requires limits for resources that cannot be overcommitted.
        resources.insert("limits".to_owned(), json!(form.extra));
    }
    if let Some(Claiming { name, .. }) = claiming {
        resources.insert("claims".to_owned(), json!([{"name": name}]));
    }
    if !resources.is_empty() {
        container.insert("resources".to_owned(), Value::Object(resources));
    }
    Value::Object(container)
}

fn toleration(form: &TolerationForm) -> Value {
    let mut toleration = Map::new();
    if !form.key.is_empty() {
        toleration.insert("key".to_owned(), json!(form.key));
    }
    match &form.value {
        Some(value) => {
            toleration.insert("operator".to_owned(), json!("Equal"));
            toleration.insert("value".to_owned(), json!(value));
        }
        None => {
            toleration.insert("operator".to_owned(), json!("Exists"));
        }
    }
    if !form.effect.is_empty() {
        toleration.insert("effect".to_owned(), json!(form.effect));
    }
    Value::Object(toleration)
}

fn affinity(labels: &Value, form: &PodForm) -> Value {
    let term = |labels: &Value, key: &str| json!({"labelSelector": {"matchLabels": labels}, "topologyKey": key});
    let apart = form.apart.iter();
    let apart = apart.map(|apart| (term(labels, &apart.topology_key), apart.hard));
    let near = form.near.iter();
    let near = near.map(|near| (term(&json!(near.labels), &near.topology_key), near.hard));
    let mut affinity = Map::new();
    for (field, terms) in [
        ("podAffinity", terms(near.collect())),
        ("podAntiAffinity", terms(apart.collect())),
    ] {
        if !terms.is_empty() {
            affinity.insert(field.to_owned(), Value::Object(terms));
        }
    }
    Value::Object(affinity)
}

/// The fields with the required and the preferred terms.
fn terms(terms: Vec<(Value, bool)>) -> Map<String, Value> {
    let (hard, soft): (Vec<_>, Vec<_>) = terms.into_iter().partition(|(_, hard)| *hard);
    let mut fields = Map::new();
    if !hard.is_empty() {
        let hard: Vec<Value> = hard.into_iter().map(|(term, _)| term).collect();
        fields.insert(
            "requiredDuringSchedulingIgnoredDuringExecution".to_owned(),
            Value::Array(hard),
        );
    }
    if !soft.is_empty() {
        let weighted = |(term, _)| json!({"weight": WEIGHT, "podAffinityTerm": term});
        fields.insert(
            "preferredDuringSchedulingIgnoredDuringExecution".to_owned(),
            soft.into_iter().map(weighted).collect(),
        );
    }
    fields
}
