//! Commands with fixed output: facts about the only context, and refusals of commands that are not simulated.

use super::config::{SERVER, USER};
use super::logs::pod;
use crate::arguments::Flag;
use crate::call::{CONTEXT, Call, Done, Verb};
use crate::{Cluster, Output};

pub(super) const VERBS: &[Verb] = &[
    answered(
        "auth whoami",
        "Experimental: Check self subject attributes",
        &["kubectl auth whoami"],
        OUTPUT,
    ),
    answered(
        "cluster-info",
        "Display cluster information",
        &["kubectl cluster-info"],
        &[],
    ),
    answered(
        "config current-context",
        "Display the current-context",
        &["kubectl config current-context"],
        &[],
    ),
    answered(
        "config get-clusters",
        "Display clusters defined in the kubeconfig",
        &["kubectl config get-clusters"],
        &[],
    ),
    answered(
        "config get-users",
        "Display users defined in the kubeconfig",
        &["kubectl config get-users"],
        &[],
    ),
    refused(
        "attach",
        "Attach to a running container",
        "attach (POD | TYPE/NAME) -c CONTAINER",
    ),
    refused(
        "cp",
        "Copy files and directories to and from containers",
        "cp <file-spec-src> <file-spec-dest>",
    ),
    refused(
        "debug",
        "Create debugging sessions for troubleshooting workloads and nodes",
        "debug (POD | TYPE/NAME)",
    ),
    refused(
        "exec",
        "Execute a command in a container",
        "exec (POD | TYPE/NAME) [-c CONTAINER] -- COMMAND [args...]",
    ),
    refused(
        "kustomize",
        "Build a kustomization target from a directory or URL",
        "kustomize DIR",
    ),
    refused(
        "port-forward",
        "Forward one or more local ports to a pod",
        "port-forward TYPE/NAME [LOCAL_PORT:]REMOTE_PORT",
    ),
    refused(
        "proxy",
        "Run a proxy to the Kubernetes API server",
        "proxy [--port=PORT]",
    ),
];

const OUTPUT: &[Flag] = &[Flag::word("output").short('o')];

const CONTAINER: &[Flag] = &[
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

const fn answered(
    name: &'static str,
    about: &'static str,
    examples: &'static [&'static str],
    flags: &'static [Flag],
) -> Verb {
    Verb {
        name,
        about,
        usage: name,
        examples,
        flags,
        run: answer,
    }
}

const fn refused(name: &'static str, about: &'static str, usage: &'static str) -> Verb {
    Verb {
        name,
        about,
        usage,
        examples: &[],
        flags: CONTAINER,
        run: refuse,
    }
}

fn answer(call: &mut Call<'_>, _: &mut dyn Cluster) -> Done {
    Ok(Output::text(match call.verb.name {
        "auth whoami" => format!(
            "ATTRIBUTE   VALUE\nUsername    {USER}\nGroups      [system:masters system:authenticated]\n"
        ),
        "cluster-info" => format!(
            "Kubernetes control plane is running at {SERVER}\n\nTo further debug and diagnose cluster problems, use 'kubectl cluster-info dump'.\n"
        ),
        "config current-context" => format!("{CONTEXT}\n"),
        "config get-users" => format!("NAME\n{USER}\n"),
        _ => format!("NAME\n{CONTEXT}\n"),
    }))
}

fn refuse(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let name = call.verb.name;
    let words = &call.arguments.words;
    let missing = match (name, words.len()) {
        ("attach", 0) => "at least 1 argument is required for attach",
        ("cp", 0 | 1) => "source and destination are required",
        ("cp", 2) if !words.iter().any(|word| word.contains(':')) => {
            "one of src or dest must be a remote file specification"
        }
        ("exec", 0) => "pod, type/name or --filename must be specified",
        ("exec", 1) => "you must specify at least one command for the container",
        ("port-forward", 0 | 1) => {
            "TYPE/NAME and list of ports are required for port-forward\nSee 'kubectl port-forward -h' for help and examples"
        }
        _ => "",
    };
    if !missing.is_empty() {
        return Err(format!("error: {missing}"));
    }
    // kubectl looks the Pod up before it connects.
    if matches!(name, "attach" | "debug" | "exec")
        && let Some(word) = call.arguments.before_dash().first()
    {
        pod(word, call, cluster)?;
    }
    Err(match name {
        "kustomize" => "error: kubectl kustomize: kustomizations are not built here".to_owned(),
        "port-forward" | "proxy" => format!("error: kubectl {name}: there is no network here"),
        name => format!("error: kubectl {name}: containers do not really run here"),
    })
}
