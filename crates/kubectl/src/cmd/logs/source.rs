//! The Pods and containers whose output `kubectl logs` prints.

use std::borrow::Cow;

use k8s_openapi::api::core::v1::{Container, ContainerStatus, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use serde_json::Value;

use crate::call::Call;
use crate::printers::fields::{Fields, condition};
use crate::resource::selector::parse_labels;
use crate::{Cluster, Output};
use berth_scheduler::selector;

/// The annotation that names the container of commands without `-c`.
const DEFAULT_CONTAINER: &str = "kubectl.kubernetes.io/default-container";

/// A container of a Pod.
pub(super) struct Source<'a> {
    pub(super) pod: &'a Pod,
    pub(super) container: Cow<'a, Container>,
}

/// The Pods that a call names: by name, by labels, or those of a workload, of which the first is taken without
/// `--all-pods`.
///
/// # Errors
/// kubectl's error about an object that does not exist, or that has no Pods.
pub(super) fn pods(
    call: &Call<'_>,
    cluster: &dyn Cluster,
    output: &mut Output,
) -> Result<Vec<Pod>, String> {
    let namespace = call.namespace();
    let Some(word) = call.arguments.words.first() else {
        let text = call.arguments.word("selector").unwrap_or_default();
        let wanted = parse_labels(text).map_err(|why| format!("error: {why}"))?;
        let found = selected(&wanted, namespace, cluster);
        if found.is_empty() {
            output.warn(format!("No resources found in {namespace} namespace."));
        }
        return Ok(found);
    };
    let (kind, key) = super::pod(word, call, cluster).map_err(|why| {
        let missing = why.strip_prefix("Error from server (NotFound): ");
        missing.map_or(why.clone(), |missing| {
            format!("error: error from server (NotFound): {missing} in namespace {namespace:?}")
        })
    })?;
    if kind == "Pod" {
        return Ok(cluster
            .api()
            .store()
            .pods
            .get(&key)
            .map(|it| (**it).clone())
            .into_iter()
            .collect());
    }
    let object = cluster.api().get(kind, &key);
    let object = object.map(|it| it.to_json()).unwrap_or_default();
    let wanted = selector_of(&object).ok_or_else(|| match kind {
        "Service" => format!(
            "error: invalid service '{}': Service is defined without a selector",
            key.name()
        ),
        _ => format!("error: cannot get the logs from {kind}: selector for {kind} not implemented"),
    })?;
    let mut found = selected(&wanted, namespace, cluster);
    berth_base::sort::sort_by(&mut found, |a, b| rank(a).cmp(&rank(b)));
    let Some(first) = found.first() else {
        return Err("error: timed out waiting for the condition".to_owned());
    };
    if found.len() > 1 && !call.arguments.is("all-pods") {
        let name = first.metadata.name.as_deref().unwrap_or_default();
        output.warn(format!("Found {} pods, using pod/{name}", found.len()));
        found.truncate(1);
    }
    Ok(found)
}

fn selected(wanted: &LabelSelector, namespace: &str, cluster: &dyn Cluster) -> Vec<Pod> {
    let pods = cluster.api().store().pods.iter();
    let here = pods.filter(|pod| {
        let meta = &pod.metadata;
        let labels = meta.labels.clone().unwrap_or_default();
        meta.namespace.as_deref() == Some(namespace) && selector::matches(wanted, &labels)
    });
    here.map(|pod| (**pod).clone()).collect()
}

/// The selector of a workload or a Service.
fn selector_of(object: &Value) -> Option<LabelSelector> {
    let own = object
        .pointer("/spec/selector")
        .filter(|it| !it.is_null())?;
    let is_map = matches!(object.text("kind"), "Service" | "ReplicationController");
    let whole = if is_map {
        serde_json::json!({"matchLabels": own})
    } else {
        own.clone()
    };
    serde_json::from_value(whole).ok()
}

/// kubectl's order of Pods for logs (`podutils.ByLogging`): assigned, running, ready for the longest time, with most
/// restarts, oldest.
fn rank(pod: &Pod) -> (bool, u8, bool, String, i64, String) {
    let object = serde_json::to_value(pod).unwrap_or_default();
    let phase = match object.text("status.phase") {
        "Unknown" => 1,
        "Pending" => 2,
        _ => 0,
    };
    let ready = condition(&object, "Ready");
    let is_ready = ready.text("status") == "True";
    let since = if is_ready {
        ready.text("lastTransitionTime")
    } else {
        ""
    };
    let restarts = object.items("status.containerStatuses").iter();
    let most = restarts.map(|it| it.int("restartCount")).max();
    (
        object.text("spec.nodeName").is_empty(),
        phase,
        !is_ready,
        since.to_owned(),
        -most.unwrap_or(0),
        object.text("metadata.creationTimestamp").to_owned(),
    )
}

/// The containers of a Pod whose output is asked for.
///
/// # Errors
/// kubectl's error about a container that the Pod does not have.
pub(super) fn of_pod<'a>(
    pod: &'a Pod,
    call: &Call<'_>,
    tells_default: bool,
    output: &mut Output,
) -> Result<Vec<Source<'a>>, String> {
    let all = containers(pod);
    let name = pod.metadata.name.as_deref().unwrap_or_default();
    let source = |container: &Cow<'a, Container>| Source {
        pod,
        container: container.clone(),
    };
    if call.arguments.is("all-containers") {
        let in_order = |role: &'static str| all.iter().filter(move |it| it.1 == role);
        let ordered = in_order(" (init)")
            .chain(in_order(""))
            .chain(in_order(" (ephem)"));
        return Ok(ordered.map(|it| source(&it.0)).collect());
    }
    let names: Vec<String> = all
        .iter()
        .map(|it| format!("{}{}", it.0.name, it.1))
        .collect();
    let names = names.join(", ");
    let with_name = |name: &str| all.iter().find(|it| it.0.name == name);
    if let Some(wanted) = super::container_word(call) {
        let found = with_name(wanted).ok_or_else(|| {
            format!("error: container {wanted} is not valid for pod {name} out of: {names}")
        })?;
        return Ok(vec![source(&found.0)]);
    }
    let annotations = pod.metadata.annotations.as_ref();
    if let Some(wanted) = annotations.and_then(|it| it.get(DEFAULT_CONTAINER)) {
        match with_name(wanted) {
            Some(found) => return Ok(vec![source(&found.0)]),
            None => output.warn(format!(
                "Default container name {wanted:?} not found in pod {name}"
            )),
        }
    }
    let first = all.first();
    if let Some(first) = first.filter(|_| all.len() > 1 && tells_default) {
        let own = &first.0.name;
        output.warn(format!("Defaulted container {own:?} out of: {names}"));
    }
    Ok(first.map(|it| source(&it.0)).into_iter().collect())
}

/// All containers of a Pod in the order of messages: main, ephemeral and init ones, with what marks them.
fn containers(pod: &Pod) -> Vec<(Cow<'_, Container>, &'static str)> {
    let Some(spec) = &pod.spec else {
        return Vec::new();
    };
    let main = spec.containers.iter().map(|it| (Cow::Borrowed(it), ""));
    let ephemeral = spec.ephemeral_containers.iter().flatten().map(|it| {
        let container = Container {
            name: it.name.clone(),
            command: it.command.clone(),
            args: it.args.clone(),
            ..Container::default()
        };
        (Cow::Owned(container), " (ephem)")
    });
    let init = spec.init_containers.iter().flatten();
    let init = init.map(|it| (Cow::Borrowed(it), " (init)"));
    main.chain(ephemeral).chain(init).collect()
}

/// Whether a container has logs (the kubelet's `validateContainerLogStatus`).
///
/// # Errors
/// Why it has none.
pub(super) fn check_status(pod: &Pod, container: &str, previous: bool) -> Result<(), String> {
    let name = pod.metadata.name.as_deref().unwrap_or_default();
    let Some(status) = status_of(pod, container) else {
        return Err(format!(
            "container {container:?} in pod {name:?} is not available"
        ));
    };
    let state = status.state.as_ref();
    let last = status.last_state.as_ref();
    let has_last = last.is_some_and(|it| it.terminated.is_some());
    if previous {
        let missing =
            format!("previous terminated container {container:?} in pod {name:?} not found");
        return if has_last { Ok(()) } else { Err(missing) };
    }
    if has_last || state.is_some_and(|it| it.running.is_some() || it.terminated.is_some()) {
        return Ok(());
    }
    let reason = state.and_then(|it| it.waiting.as_ref()?.reason.as_deref());
    let why = match reason {
        None => {
            return Err(format!(
                "container {container:?} in pod {name:?} is waiting to start - no logs yet"
            ));
        }
        Some("ErrImagePull") => "image can't be pulled",
        Some("ImagePullBackOff") => "trying and failing to pull image",
        Some(reason) => reason,
    };
    Err(format!(
        "container {container:?} in pod {name:?} is waiting to start: {why}"
    ))
}

fn status_of<'a>(pod: &'a Pod, container: &str) -> Option<&'a ContainerStatus> {
    let status = pod.status.as_ref()?;
    let main = status.container_statuses.iter().flatten();
    let init = status.init_container_statuses.iter().flatten();
    let ephemeral = status.ephemeral_container_statuses.iter().flatten();
    main.chain(init)
        .chain(ephemeral)
        .find(|it| it.name == container)
}
