//! `kubectl logs`: the output of containers, as far as an annotation or their command determines it.

use k8s_openapi::api::core::v1::{Container, Pod};

use crate::arguments::Flag;
use crate::call::{Call, Done, Verb};
use crate::resource::targets::kind_of;
use crate::{Cluster, Output, errors};
use berth_sim::kubelet::logs_of;
use berth_sim::store::Key;

pub(crate) const LOGS: Verb = Verb {
    name: "logs",
    about: "Print the logs for a container in a pod",
    usage: "logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]",
    examples: &["kubectl logs web-0"],
    flags: &[
        Flag::word("container").short('c'),
        Flag::switch("follow").short('f'),
        Flag::switch("previous").short('p'),
        Flag::switch("timestamps"),
        Flag::switch("all-containers"),
        Flag::switch("prefix"),
        Flag::number("tail"),
        Flag::duration("since"),
        Flag::word("selector").short('l'),
    ],
    run: logs,
};

/// The kind and key of the object that a word names, if it exists.
pub(super) fn pod(
    word: &str,
    call: &Call<'_>,
    cluster: &dyn Cluster,
) -> Result<(&'static str, Key), String> {
    let (kind, name) = match word.split_once('/') {
        Some((kind, name)) => (kind_of(kind)?.kind, name),
        None => ("Pod", word),
    };
    let key = Key::new(call.namespace(), name);
    if kind != "Node" && cluster.api().store().get(kind, &key).is_none() {
        return Err(errors::not_found(kind, name));
    }
    Ok((kind, key))
}

/// Warns that there would be output, if processes really ran.
fn unknown(whose: &str) -> Output {
    let mut output = Output::default();
    output.warn(format!(
        "Berth does not know what {whose} prints: processes do not really run here. The Pod annotation berth.dev/logs gives lines."
    ));
    output
}

/// The output of a container.
fn logs(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let first = call.arguments.words.first();
    let Some(word) = first.filter(|_| call.arguments.words.len() < 3) else {
        if call.arguments.has("selector") {
            return Ok(unknown("these containers"));
        }
        return Err("error: expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\nPOD or TYPE/NAME is a required argument for the logs command\nSee 'kubectl logs -h' for help and examples".to_owned());
    };
    let (kind, key) = pod(word, call, cluster)?;
    if kind != "Pod" {
        return Ok(unknown(word));
    }
    let Some(pod) = cluster.api().store().pods.get(&key) else {
        return Ok(Output::default());
    };
    let containers = pod.spec.as_ref().map_or(&[][..], |spec| &spec.containers);
    let wanted =
        call.arguments
            .word("container")
            .or(call.arguments.words.get(1).map(String::as_str));
    let container = match wanted {
        Some(name) => {
            let found = containers.iter().find(|it| it.name == name);
            let missing = || {
                format!(
                    "error: container {name} is not valid for pod {}",
                    key.name()
                )
            };
            Some(found.ok_or_else(missing)?)
        }
        None => containers.first(),
    };
    let Some(container) = container else {
        return Ok(Output::default());
    };
    let statuses = pod
        .status
        .as_ref()
        .and_then(|it| it.container_statuses.as_ref());
    let has_started = statuses
        .into_iter()
        .flatten()
        .any(|it| it.name == container.name && it.started.is_some());
    // A Pod without a node has no kubelet to ask, so its logs are empty.
    let is_bound = pod.spec.as_ref().is_some_and(|it| it.node_name.is_some());
    if !has_started && !is_bound {
        return Ok(Output::default());
    }
    if !has_started {
        return Err(waiting(pod, &container.name, key.name()));
    }
    Ok(match printed(pod, container) {
        Some(text) => Output::text(last_lines(&text, call.arguments.number("tail"))),
        None => unknown(&format!("container {:?}", container.name)),
    })
}

/// What a container prints, in whole lines; `None` if that is unknown.
pub(super) fn printed(pod: &Pod, container: &Container) -> Option<String> {
    let given = logs_of(pod, &container.name).map(str::to_owned);
    let mut text = given.or_else(|| echoed(container))?;
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    Some(text)
}

/// The last `tail` lines; all of them if it is negative or absent.
fn last_lines(text: &str, tail: Option<i64>) -> String {
    let Some(tail) = tail.and_then(|tail| usize::try_from(tail).ok()) else {
        return text.to_owned();
    };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let skipped = lines.len().saturating_sub(tail);
    lines.get(skipped..).unwrap_or_default().concat()
}

/// The output of a container whose command is `echo`.
fn echoed(container: &Container) -> Option<String> {
    let words = container.command.iter().chain(&container.args).flatten();
    let words: Vec<&str> = words.map(String::as_str).collect();
    match words.as_slice() {
        ["echo", words @ ..] => Some(words.join(" ")),
        ["sh" | "/bin/sh" | "bash" | "/bin/bash", "-c", script] => {
            let first = script
                .split([';', '&', '|'])
                .next()
                .unwrap_or_default()
                .trim();
            let text = first.strip_prefix("echo ");
            text.map(|text| text.trim().trim_matches(['"', '\'']).to_owned())
                .filter(|text| !text.contains('$'))
        }
        _ => None,
    }
}

/// The error for a container that has not started.
fn waiting(pod: &Pod, container: &str, name: &str) -> String {
    let statuses = pod.status.as_ref();
    let statuses = statuses.and_then(|it| it.container_statuses.as_ref());
    let mut own = statuses.into_iter().flatten();
    let own = own.find(|it| it.name == container);
    let reason = own.and_then(|it| it.state.as_ref()?.waiting.as_ref()?.reason.as_deref());
    let why = match reason {
        Some("ErrImagePull") => "image can't be pulled",
        Some("ImagePullBackOff") => "trying and failing to pull image",
        Some(reason) => reason,
        None => "ContainerCreating",
    };
    format!(
        "Error from server (BadRequest): container {container:?} in pod {name:?} is waiting to start: {why}"
    )
}
