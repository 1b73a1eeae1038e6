//! `config`, `version`, `cluster-info`, `auth`: there is one context, and everybody may do everything.

use crate::kubectl::arguments::Flag;
use crate::kubectl::call::{CONTEXT, Call, Done, Verb};
use crate::kubectl::{Cluster, Output};

const SERVER: &str = "https://berth.local:6443";
const VERSION_NUMBER: &str = "v1.34.1";

pub(super) const CONFIG_CURRENT: Verb = Verb {
    name: "config current-context",
    about: "Display the current-context",
    usage: "config current-context",
    examples: &["kubectl config current-context"],
    flags: &[],
    run: |_, _| Ok(Output::text(format!("{CONTEXT}\n"))),
};

pub(super) const CONFIG_GET: Verb = Verb {
    name: "config get-contexts",
    about: "Describe one or many contexts",
    usage: "config get-contexts [(-o|--output=)name]",
    examples: &["kubectl config get-contexts"],
    flags: &[Flag::word("output").short('o'), Flag::switch("no-headers")],
    run: get_contexts,
};

pub(super) const CONFIG_SET: Verb = Verb {
    name: "config set-context",
    about: "Set a context entry in kubeconfig",
    usage: "config set-context [NAME | --current] [--namespace=namespace]",
    examples: &["kubectl config set-context --current --namespace=shop"],
    flags: &[Flag::switch("current")],
    run: set_context,
};

pub(super) const CONFIG_USE: Verb = Verb {
    name: "config use-context",
    about: "Set the current-context in a kubeconfig file",
    usage: "config use-context CONTEXT_NAME",
    examples: &["kubectl config use-context berth"],
    flags: &[],
    run: use_context,
};

pub(super) const CONFIG_VIEW: Verb = Verb {
    name: "config view",
    about: "Display merged kubeconfig settings or a specified kubeconfig file",
    usage: "config view",
    examples: &["kubectl config view --minify"],
    flags: &[
        Flag::switch("minify"),
        Flag::switch("raw"),
        Flag::switch("flatten"),
        Flag::word("output").short('o'),
    ],
    run: view,
};

pub(super) const VERSION: Verb = Verb {
    name: "version",
    about: "Print the client and server version information",
    usage: "version",
    examples: &["kubectl version", "kubectl version --client"],
    flags: &[
        Flag::switch("client"),
        Flag::switch("short"),
        Flag::word("output").short('o'),
    ],
    run: version,
};

pub(super) const COMPLETION: Verb = Verb {
    name: "completion",
    about: "Output shell completion code for the specified shell (bash, zsh, fish, or powershell)",
    usage: "completion SHELL",
    examples: &["source <(kubectl completion bash)"],
    flags: &[],
    run: completion,
};

pub(super) const CLUSTER_INFO: Verb = Verb {
    name: "cluster-info",
    about: "Display cluster information",
    usage: "cluster-info",
    examples: &["kubectl cluster-info"],
    flags: &[],
    run: |_, _| {
        Ok(Output::text(format!(
            "Kubernetes control plane is running at {SERVER}\n\nTo further debug and diagnose cluster problems, use 'kubectl cluster-info dump'.\n"
        )))
    },
};

pub(super) const CAN_I: Verb = Verb {
    name: "auth can-i",
    about: "Check whether an action is allowed",
    usage: "auth can-i VERB [TYPE | TYPE/NAME | NONRESOURCEURL]",
    examples: &["kubectl auth can-i create pods"],
    flags: &[
        Flag::switch("all-namespaces").short('A'),
        Flag::switch("quiet").short('q'),
        Flag::switch("list"),
        Flag::word("subresource"),
    ],
    run: can_i,
};

pub(super) const WHOAMI: Verb = Verb {
    name: "auth whoami",
    about: "Experimental: Check self subject attributes",
    usage: "auth whoami",
    examples: &["kubectl auth whoami"],
    flags: &[Flag::word("output").short('o')],
    run: |_, _| {
        Ok(Output::text(
            "ATTRIBUTE   VALUE\nUsername    kubernetes-admin\nGroups      [system:masters system:authenticated]\n",
        ))
    },
};

fn get_contexts(call: &mut Call<'_>, _: &mut dyn Cluster) -> Done {
    if call.arguments.word("output") == Some("name") {
        return Ok(Output::text(format!("{CONTEXT}\n")));
    }
    let namespace = match call.settings.namespace.as_str() {
        "default" => "",
        other => other,
    };
    let mut output = Output::default();
    if !call.arguments.is("no-headers") {
        output.say(format!(
            "{:<10}{:<10}{:<10}{:<19}NAMESPACE",
            "CURRENT", "NAME", "CLUSTER", "AUTHINFO"
        ));
    }
    output.say(format!(
        "{:<10}{CONTEXT:<10}{CONTEXT:<10}{:<19}{namespace}",
        "*", "kubernetes-admin"
    ));
    Ok(output)
}

fn set_context(call: &mut Call<'_>, _: &mut dyn Cluster) -> Done {
    let name = call.arguments.words.first().map(String::as_str);
    let name = match (call.arguments.is("current"), name) {
        (true, None) => CONTEXT,
        (true, Some(_)) => {
            return Err("error: you cannot specify both a context name and --current".to_owned());
        }
        (false, None) => {
            return Err("error: you must specify a non-empty context name or --current".to_owned());
        }
        (false, Some(name)) => name,
    };
    if name != CONTEXT {
        return Err(format!(
            "error: there is only one context here, {CONTEXT:?}; {name:?} cannot be made"
        ));
    }
    if let Some(namespace) = call.arguments.word("namespace") {
        let namespace = if namespace.is_empty() {
            "default"
        } else {
            namespace
        };
        call.settings.namespace = namespace.to_owned();
    }
    Ok(Output::text(format!("Context {name:?} modified.\n")))
}

fn use_context(call: &mut Call<'_>, _: &mut dyn Cluster) -> Done {
    match call.arguments.words.as_slice() {
        [name] if name == CONTEXT => Ok(Output::text(format!("Switched to context {name:?}.\n"))),
        [name] => Err(format!("error: no context exists with the name: {name:?}")),
        _ => Err(
            "error: context must be set\nSee 'kubectl config use-context -h' for help and examples"
                .to_owned(),
        ),
    }
}

fn view(call: &mut Call<'_>, _: &mut dyn Cluster) -> Done {
    let namespace = &call.settings.namespace;
    if let Some(format) = call.arguments.word("output")
        && let Some(path) = format.strip_prefix("jsonpath=")
    {
        let asks = path.contains("namespace");
        return Ok(Output::text(if asks { namespace.as_str() } else { "" }));
    }
    Ok(Output::text(format!(
        "apiVersion: v1\nclusters:\n- cluster:\n    server: {SERVER}\n  name: {CONTEXT}\ncontexts:\n- context:\n    cluster: {CONTEXT}\n    namespace: {namespace}\n    user: kubernetes-admin\n  name: {CONTEXT}\ncurrent-context: {CONTEXT}\nkind: Config\nusers:\n- name: kubernetes-admin\n  user: {{}}\n"
    )))
}

fn version(call: &mut Call<'_>, _: &mut dyn Cluster) -> Done {
    let mut output = Output::default();
    output.say(format!("Client Version: {VERSION_NUMBER}"));
    output.say("Kustomize Version: v5.7.1");
    if !call.arguments.is("client") {
        output.say(format!("Server Version: {VERSION_NUMBER}"));
    }
    Ok(output)
}

fn completion(call: &mut Call<'_>, _: &mut dyn Cluster) -> Done {
    let more = "See 'kubectl completion -h' for help and examples";
    match call.arguments.words.as_slice() {
        [] => Err(format!("error: Shell not specified.\n{more}")),
        [shell] if ["bash", "zsh", "fish", "powershell"].contains(&shell.as_str()) => Ok(
            Output::text("# Words are completed with Tab here, without a script.\n".to_owned()),
        ),
        [shell] => Err(format!(
            "error: Unsupported shell type \"{shell}\".\n{more}"
        )),
        _ => Err(format!(
            "error: Too many arguments. Expected only the shell type.\n{more}"
        )),
    }
}

fn can_i(call: &mut Call<'_>, _: &mut dyn Cluster) -> Done {
    if call.arguments.is("list") {
        return Ok(Output::text(
            "Resources   Non-Resource URLs   Resource Names   Verbs\n*.*         []                  []               [*]\n            [*]                 []               [*]\n",
        ));
    }
    if call.arguments.words.len() < 2 {
        return Err(
            "error: you must specify two arguments: verb resource or verb resource/resourceName.\nSee 'kubectl auth can-i -h' for help and examples."
                .to_owned(),
        );
    }
    Ok(Output::text(if call.arguments.is("quiet") {
        ""
    } else {
        "yes\n"
    }))
}
