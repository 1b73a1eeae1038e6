//! Commands that need what is not here: containers that run, a network, kustomize.

use k8s_openapi::api::core::v1::{Container, Pod};

use crate::kubectl::arguments::Flag;
use crate::kubectl::call::{Call, Done, Verb};
use crate::kubectl::targets::kind_of;
use crate::kubectl::{Cluster, Output, errors};
use crate::sim::store::Key;

const POD_FLAGS: &[Flag] = &[
    Flag::word("container").short('c'),
    Flag::switch("stdin").short('i'),
    Flag::switch("tty").short('t'),
    Flag::switch("quiet").short('q'),
    Flag::word("filename").short('f'),
    Flag::word("image"),
    Flag::word("target"),
    Flag::word("copy-to"),
    Flag::word("profile"),
    Flag::word("address"),
    Flag::word("port").short('p'),
    Flag::duration("pod-running-timeout"),
];

macro_rules! refused {
    ($constant:ident, $name:literal, $about:literal, $usage:literal) => {
        pub(super) const $constant: Verb = Verb {
            name: $name,
            about: $about,
            usage: $usage,
            examples: &[],
            flags: POD_FLAGS,
            run: refuse,
        };
    };
}

refused!(
    EXEC,
    "exec",
    "Execute a command in a container",
    "exec (POD | TYPE/NAME) [-c CONTAINER] -- COMMAND [args...]"
);
refused!(
    ATTACH,
    "attach",
    "Attach to a running container",
    "attach (POD | TYPE/NAME) -c CONTAINER"
);
refused!(
    FORWARD,
    "port-forward",
    "Forward one or more local ports to a pod",
    "port-forward TYPE/NAME [LOCAL_PORT:]REMOTE_PORT"
);
refused!(
    PROXY,
    "proxy",
    "Run a proxy to the Kubernetes API server",
    "proxy [--port=PORT]"
);
refused!(
    COPY,
    "cp",
    "Copy files and directories to and from containers",
    "cp <file-spec-src> <file-spec-dest>"
);
refused!(
    DEBUG,
    "debug",
    "Create debugging sessions for troubleshooting workloads and nodes",
    "debug (POD | TYPE/NAME)"
);
refused!(
    KUSTOMIZE,
    "kustomize",
    "Build a kustomization target from a directory or URL",
    "kustomize DIR"
);
refused!(
    DIFF,
    "diff",
    "Diff the live version against a would-be applied version",
    "diff -f FILENAME"
);

pub(super) const LOGS: Verb = Verb {
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

fn refuse(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let name = call.verb.name;
    let words = &call.arguments.words;
    let missing = match (name, words.len()) {
        ("port-forward", 0 | 1) => Some(
            "TYPE/NAME and list of ports are required for port-forward\nSee 'kubectl port-forward -h' for help and examples",
        ),
        ("cp", 0 | 1) => Some("source and destination are required"),
        ("attach", 0) => Some("at least 1 argument is required for attach"),
        ("exec", 0) => Some("pod, type/name or --filename must be specified"),
        ("exec", 1) => Some("you must specify at least one command for the container"),
        ("diff", 0) if !call.arguments.has("filename") => Some("must specify one of -f and -k"),
        _ => None,
    };
    if let Some(missing) = missing {
        return Err(format!("error: {missing}"));
    }
    let why = match name {
        "proxy" | "port-forward" => "there is no network here",
        "kustomize" => "kustomizations are not built here",
        "diff" => {
            "manifests are not compared here: kubectl apply --dry-run=server tells what would change"
        }
        _ => {
            // A Pod that is not there is told first.
            if let Some(word) = call.arguments.before_dash().first()
                && name != "cp"
            {
                pod(word, call, cluster)?;
            }
            "containers do not really run here"
        }
    };
    Err(format!("error: kubectl {name}: {why}"))
}

/// The object that a word means, if it is there.
fn pod(word: &str, call: &Call<'_>, cluster: &dyn Cluster) -> Result<(&'static str, Key), String> {
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

/// What containers printed: nothing, but for those that only say something.
fn logs(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let first = call.arguments.words.first();
    let Some(word) = first.filter(|_| call.arguments.words.len() < 3) else {
        if call.arguments.has("selector") {
            return Ok(Output::default());
        }
        return Err("error: expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\nPOD or TYPE/NAME is a required argument for the logs command\nSee 'kubectl logs -h' for help and examples".to_owned());
    };
    let (kind, key) = pod(word, call, cluster)?;
    if kind != "Pod" {
        return Ok(Output::default());
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
    // Who is on no node yet has nobody to ask.
    let is_bound = pod.spec.as_ref().is_some_and(|it| it.node_name.is_some());
    if !has_started && !is_bound {
        return Ok(Output::default());
    }
    if !has_started {
        return Err(waiting(pod, &container.name, key.name()));
    }
    let said = said_by(container);
    Ok(Output::text(
        said.map_or_else(String::new, |said| said + "\n"),
    ))
}

/// What a container that only says something has said.
fn said_by(container: &Container) -> Option<String> {
    let words = container.command.iter().chain(&container.args).flatten();
    let words: Vec<&str> = words.map(String::as_str).collect();
    match words.as_slice() {
        ["echo", said @ ..] => Some(said.join(" ")),
        ["sh" | "/bin/sh" | "bash" | "/bin/bash", "-c", script] => {
            let first = script
                .split([';', '&', '|'])
                .next()
                .unwrap_or_default()
                .trim();
            let said = first.strip_prefix("echo ");
            said.map(|said| said.trim().trim_matches(['"', '\'']).to_owned())
                .filter(|said| !said.contains('$'))
        }
        _ => None,
    }
}

/// Why there is nothing of a container yet.
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
